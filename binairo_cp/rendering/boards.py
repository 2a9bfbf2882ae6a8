"""A board as a picture: its cells, signs and lines, and what a step says of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from binairo_cp.deduction.steps import Step
from binairo_cp.puzzle.board import OPEN, Board, Cell
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.rendering.shapes import CELL, Circle, Ink, Lines, Picture, Rect, Shape, Text
from binairo_cp.rendering.symbols import CAP_HEIGHT, Symbols, shapes_of

_THIN = 0.03 * CELL
_THICK = 0.09 * CELL
_EDGE = 0.1 * CELL
"""Room around the grid for its border."""
_SIGN = 0.17 * CELL
_NUMBER_SIZE = 0.32 * CELL
_NUMBER_ROOM = 0.75 * CELL


@dataclass(frozen=True, slots=True)
class Marks:
    """What steps say of cells.

    Attributes:
        filled: the cells that are filled, with their values.
        reason: the cells that it follows from.
        lines: the lines that it is seen in, such as ``row 3``.
    """

    filled: dict[Cell, str]
    reason: frozenset[Cell]
    lines: frozenset[str]

    @classmethod
    def of(cls, steps: list[Step]) -> Marks:
        """Those of steps that are taken together."""
        filled = {cell: value for step in steps for cell, value in step.values.items()}
        reason = frozenset(cell for step in steps for cell in step.reason)
        lines = frozenset(step.line for step in steps if step.line)
        return cls(filled, reason - set(filled), lines)


@dataclass(frozen=True, slots=True)
class View:
    """What is drawn of a puzzle.

    Attributes:
        puzzle: its clues and signs.
        board: what stands in the cells; the clues, or more.
        symbols: how values are drawn.
        marks: what a step says; rows and columns are then numbered.
        name: the puzzle's name, for who can't see the picture.
    """

    puzzle: Puzzle
    board: Board
    symbols: Symbols = "digits"
    marks: Marks | None = None
    name: str = ""


def size_of(board: Board, *, numbered: bool = False) -> tuple[float, float]:
    """The width and the height of a board's picture, in units."""
    room = 2 * _EDGE + numbered * _NUMBER_ROOM
    return board.width * CELL + room, board.height * CELL + room


Corner = tuple[float, float]
"""Where the upper left corner of the grid is."""


def draw(view: View, head: float = 0.0) -> Picture:
    """The picture of a view.

    Args:
        view: what is drawn.
        head: how much room is left above it.
    """
    numbered = view.marks is not None
    width, height = size_of(view.board, numbered=numbered)
    left = _EDGE + numbered * _NUMBER_ROOM
    corner = (left, left + head)
    return Picture(
        width,
        height + head,
        [
            *_grounds(view, corner),
            _grid(view.board, corner),
            *_outlines(view, corner),
            *_values(view, corner),
            *_signs(view.puzzle, corner),
            *(_numbers(view.board, corner) if numbered else ()),
        ],
        title=view.name,
        description=_told(view),
    )


def _told(view: View) -> str:
    """The rows in words."""
    board, signs = view.board, view.puzzle.signs
    rows = " / ".join(board.rows)
    said = f"Board of {board.height} rows and {board.width} columns: {rows}"
    return said + (f"; signs {' '.join(map(str, signs))}" if signs else "")


def _grounds(view: View, corner: Corner) -> Iterator[Shape]:
    """Behind the lines: paper, clues beside solved cells, the cells of a step."""
    board, clues, marks = view.board, view.puzzle.board, view.marks
    yield Rect(*corner, board.width * CELL, board.height * CELL, "paper")
    if marks is None and board != clues:
        for cell, _ in clues.clues():
            yield _square(cell, corner, "shade")
    if marks is not None:
        for cell in sorted(marks.reason):
            yield _square(cell, corner, "reason")
        for cell in sorted(marks.filled):
            yield _square(cell, corner, "filled")


def _square(cell: Cell, corner: Corner, fill: Ink) -> Rect:
    return Rect(corner[0] + cell.column * CELL, corner[1] + cell.row * CELL, CELL, CELL, fill)


def _grid(board: Board, corner: Corner) -> Lines:
    left, top = corner
    right, bottom = left + board.width * CELL, top + board.height * CELL
    across = (top + k * CELL for k in range(1, board.height))
    down = (left + k * CELL for k in range(1, board.width))
    segments = (
        *((left, y, right, y) for y in across),
        *((x, top, x, bottom) for x in down),
    )
    return Lines(segments, _THIN, "faint")


def _outlines(view: View, corner: Corner) -> Iterator[Shape]:
    """The border, the lines that steps are seen in, and the cells that they fill."""
    left, top = corner
    width, height = view.board.width * CELL, view.board.height * CELL
    yield Rect(left, top, width, height, None, _THICK)
    if view.marks is None:
        return
    for name in sorted(view.marks.lines):
        direction, number = name.split()
        start = (int(number) - 1) * CELL
        if direction == "row":
            yield Rect(left, top + start, width, CELL, None, _THICK, "line")
        else:
            yield Rect(left + start, top, CELL, height, None, _THICK, "line")
    for cell in sorted(view.marks.filled):
        yield _square(cell, corner, "filled")._replace(fill=None, stroke=_THICK)


def _values(view: View, corner: Corner) -> Iterator[Shape]:
    """The clues, then the other cells: painters take shapes of one style together."""
    clues, filled = view.puzzle.board, view.marks.filled if view.marks else {}
    solved = (
        (cell, value)
        for place, value in enumerate(view.board.cells)
        if clues.cells[place] == OPEN and (cell := clues.cell(place)) not in filled
    )
    others = (each for each in (*solved, *filled.items()) if each[1] != OPEN)
    for bold, cells in ((True, clues.clues()), (False, others)):
        for cell, value in cells:
            x, y = corner[0] + (cell.column + 0.5) * CELL, corner[1] + (cell.row + 0.5) * CELL
            yield from shapes_of(view.symbols, value, x, y, bold=bold)


def _signs(puzzle: Puzzle, corner: Corner) -> Iterator[Shape]:
    """``=`` and ``x`` on the lines between cells, drawn and not written: no font has a say."""
    for sign in puzzle.signs:
        down = sign.direction == "D"
        x = corner[0] + (sign.column + (0.5 if down else 1)) * CELL
        y = corner[1] + (sign.row + (1 if down else 0.5)) * CELL
        yield Circle(x, y, _SIGN, "paper")
        arm = 0.75 * _SIGN
        if sign.relation == "=":
            gap = 0.32 * _SIGN
            strokes = ((x - arm, y - gap, x + arm, y - gap), (x - arm, y + gap, x + arm, y + gap))
        else:
            strokes = ((x - arm, y - arm, x + arm, y + arm), (x - arm, y + arm, x + arm, y - arm))
        yield Lines(strokes, 0.26 * _SIGN)


def _numbers(board: Board, corner: Corner) -> Iterator[Shape]:
    """The numbers of rows and columns, since sentences name cells by them."""
    left, top = corner
    below = _NUMBER_SIZE * CAP_HEIGHT / 2
    away = _EDGE + _NUMBER_ROOM / 2
    for number in range(1, board.width + 1):
        x = left + (number - 0.5) * CELL
        yield Text(x, top - away + below, _NUMBER_SIZE, str(number), ink="grey")
    for number in range(1, board.height + 1):
        y = top + (number - 0.5) * CELL
        yield Text(left - away, y + below, _NUMBER_SIZE, str(number), ink="grey")
