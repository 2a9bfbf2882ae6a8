"""A board as a picture: its cells and signs, with the cells and lines of a step highlighted."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import hypot

from binairo_cp.deduction.steps import Step, values_of
from binairo_cp.deduction.styles import Coordinates, Symbols, column_name
from binairo_cp.puzzle.board import OPEN, Board, Cell
from binairo_cp.puzzle.rules import Puzzle, rules_for
from binairo_cp.rendering import text_layout
from binairo_cp.rendering.shapes import (
    CAP_HEIGHT,
    CELL,
    Circle,
    Ink,
    Mark,
    Picture,
    Polygon,
    Rect,
    Segments,
    Shape,
    Text,
)

_THIN = 0.03 * CELL
_THICK = 0.09 * CELL
_EDGE = 0.1 * CELL
"""The space around the grid for its border."""
_SIGN = 0.17 * CELL
_NUMBER_SIZE = 0.5 * CELL
_STEP_SIZE = 0.26 * CELL
_ARROW_GAP = 0.34 * CELL
_ARROW_HEAD = 0.14 * CELL
_NUMBER_SPACE = 0.75 * CELL

_MIN_TEXT_SIZE = 0.36 * CELL
_TEXT_SIZES_PER_WIDTH = 38
"""The text of wide pictures has the size of the picture's width divided by this."""
_MIN_WIDTH = 60.0
_LEADING = 1.35


@dataclass(frozen=True, slots=True)
class Highlights:
    """The cells and lines that explain steps.

    Attributes:
        filled: the cells that the steps fill, with their values.
        reason: the cells that the values follow from.
        lines: the lines that the steps apply to, such as ``row 3``; with a chain, those that break
            a rule.
        supposed: with a chain: the tried value and its consequences, which are drawn instead of
            the filled cells.
        numbers: the numbers of the steps of the chain in their cells.
        broken: the cells that break a rule at the end of the chain.
        spans: the first and the last cell of open neighbours that the sentence is about.
        arrows: with a chain: the last of the cells that a consequence follows from, and its cell.
    """

    filled: dict[Cell, str]
    reason: frozenset[Cell]
    lines: frozenset[str]
    supposed: dict[Cell, str] = field(default_factory=dict)
    numbers: dict[Cell, int] = field(default_factory=dict)
    broken: frozenset[Cell] = frozenset()
    spans: tuple[tuple[Cell, Cell], ...] = ()
    arrows: tuple[tuple[Cell, Cell], ...] = ()

    @classmethod
    def of(cls, steps: list[Step]) -> Highlights:
        """Return the highlights of steps that are shown together."""
        filled = values_of(steps)
        reason = frozenset(cell for step in steps for cell in step.reason)
        lines = frozenset(line for step in steps for line in (step.line, *step.compared) if line)
        chain = steps[0].chain if len(steps) == 1 else None
        if chain is None:
            spans = steps[0].spans if len(steps) == 1 else ()
            return cls(filled, reason - set(filled), lines, spans=spans)
        numbers = {
            cell: number for number, step in enumerate(chain.steps, 1) for cell in step.values
        }
        place = {cell: number for number, cell in enumerate(chain.values)}
        arrows = tuple(
            (max(sources, key=place.__getitem__), target)
            for step in chain.steps
            if (sources := [cell for cell in step.reason if cell in place])
            for target in step.values
        )
        broken, lines = frozenset(chain.broken.cells), frozenset(chain.broken.lines)
        return cls(filled, reason, lines, chain.values, numbers, broken, arrows=arrows)

    @property
    def shown(self) -> dict[Cell, str]:
        """The values that are drawn in cells that are open before the steps."""
        return self.supposed or self.filled

    @property
    def tried(self) -> Cell | None:
        """The cell whose value is tried, with a chain."""
        return next(iter(self.supposed), None)


@dataclass(frozen=True, slots=True)
class View:
    """A puzzle and how to draw it.

    Attributes:
        puzzle: its clues and signs.
        board: the cell values to draw: the clues, or a board with more cells filled.
        highlights: the highlights of a step; rows and columns are then numbered.
        name: the puzzle's name, used as the title of the picture.
        coordinates: how rows and columns are labelled, with highlights.
    """

    puzzle: Puzzle
    board: Board
    symbols: Symbols = "digits"
    highlights: Highlights | None = None
    name: str = ""
    coordinates: Coordinates = "rc"

    @property
    def is_labelled(self) -> bool:
        """Whether there is space for the names of rows and columns."""
        return self.highlights is not None and self.coordinates != "none"


def size_of(board: Board, *, numbered: bool = False) -> tuple[float, float]:
    """Return the width and height of a board's picture, in units."""
    border = 2 * _EDGE + numbered * _NUMBER_SPACE
    return board.width * CELL + border, board.height * CELL + border


Corner = tuple[float, float]
"""The position of the grid's upper left corner."""


def draw(view: View, space_above: float = 0.0) -> Picture:
    """Return the picture of a view, with empty space above the board, in units."""
    numbered = view.is_labelled
    width, height = size_of(view.board, numbered=numbered)
    left = _EDGE + numbered * _NUMBER_SPACE
    corner = (left, left + space_above)
    return Picture(
        width,
        height + space_above,
        [
            *_backgrounds(view, corner),
            _grid(view.board, corner),
            *_outlines(view, corner),
            *_values(view, corner),
            *_signs(view.puzzle, corner),
            *(_labels(view, corner) if numbered else ()),
        ],
        title=view.name,
        description=_describe(view),
    )


def _describe(view: View) -> str:
    """Describe the board in words, for screen readers and for `formats.pictures`."""
    board, puzzle = view.board, view.puzzle
    rows = " / ".join(board.rows)
    text = f"Board of {board.height} rows and {board.width} columns: {rows}"
    text += f"; signs {' '.join(map(str, puzzle.signs))}" if puzzle.signs else ""
    if puzzle.rules == rules_for(puzzle.signs, None):
        return text
    return f"{text}; rules {puzzle.rules_name or puzzle.rules.stated}"


def _backgrounds(view: View, corner: Corner) -> Iterator[Shape]:
    """The coloured areas behind the grid: paper, clues of a solved board, the cells of a step."""
    board, clues, highlights = view.board, view.puzzle.board, view.highlights
    yield Rect(*corner, board.width * CELL, board.height * CELL, "paper")
    if highlights is None and board != clues:
        # Neighbours share a rectangle: that keeps files of many boards small.
        for row, values in enumerate(clues.rows):
            for run in re.finditer(f"[^{OPEN}]+", values):
                first = _square(Cell(row, run.start()), corner, "shade")
                yield first._replace(width=len(run[0]) * CELL)
    if highlights is not None:
        tried = {*list(highlights.supposed)[:1]}
        areas: dict[Ink, Iterable[Cell]] = {
            "reason": highlights.reason,
            "supposed": highlights.supposed.keys() - tried,
            "broken": highlights.broken - tried,
            "filled": tried or highlights.filled,
        }
        for ink, cells in areas.items():
            yield from (_square(cell, corner, ink) for cell in sorted(cells))


def _square(cell: Cell, corner: Corner, fill: Ink) -> Rect:
    return Rect(corner[0] + cell.column * CELL, corner[1] + cell.row * CELL, CELL, CELL, fill)


def _grid(board: Board, corner: Corner) -> Segments:
    left, top = corner
    right, bottom = left + board.width * CELL, top + board.height * CELL
    ys = (top + k * CELL for k in range(1, board.height))
    xs = (left + k * CELL for k in range(1, board.width))
    across, down = ((left, y, right, y) for y in ys), ((x, top, x, bottom) for x in xs)
    return Segments((*across, *down), _THIN, "faint")


def _outlines(view: View, corner: Corner) -> Iterator[Shape]:
    """The outlines of the board, of lines and cells of steps, and arrows below the symbols."""
    left, top = corner
    width, height = view.board.width * CELL, view.board.height * CELL
    yield Rect(left, top, width, height, None, _THICK)
    if view.highlights is None:
        return
    for name in sorted(view.highlights.lines):
        direction, number = name.split()
        start = (int(number) - 1) * CELL
        row, column = (left, top + start, width, CELL), (left + start, top, CELL, height)
        yield Rect(*(row if direction == "row" else column), None, _THICK, "line")
    for first, last in view.highlights.spans:
        inset = 0.14 * CELL
        x, y = (side + inset for side in _square(first, corner, "paper")[:2])
        across = (last.column - first.column + 1) * CELL - 2 * inset
        down = (last.row - first.row + 1) * CELL - 2 * inset
        yield Rect(x, y, across, down, None, 0.6 * _THICK, "line")
    for cell in sorted(view.highlights.filled):
        yield _square(cell, corner, "filled")._replace(fill=None, stroke=_THICK)
    for arrow in view.highlights.arrows:
        yield from _arrow(*(_centre(cell, corner) for cell in arrow))


def _values(view: View, corner: Corner) -> Iterator[Shape | Mark]:
    """The clues, then the other cells."""
    clues, filled = view.puzzle.board, view.highlights.shown if view.highlights else {}
    solved = (
        (cell, value)
        for place, value in enumerate(view.board.cells)
        if clues.cells[place] == OPEN and (cell := clues.cell(place)) not in filled
    )
    others = (item for item in (*solved, *filled.items()) if item[1] != OPEN)
    for bold, cells in ((True, clues.clues()), (False, others)):
        for cell, value in cells:
            yield Mark(*_centre(cell, corner), value, view.symbols, bold)
    if view.highlights:
        yield from _chain_marks(view.highlights, corner)


def _centre(cell: Cell, corner: Corner) -> tuple[float, float]:
    return corner[0] + (cell.column + 0.5) * CELL, corner[1] + (cell.row + 0.5) * CELL


def _chain_marks(highlights: Highlights, corner: Corner) -> Iterator[Shape]:
    """The numbers of the steps of a chain, and a stroke through the value that is wrong."""
    for cell, number in highlights.numbers.items():
        x, y = corner[0] + cell.column * CELL, corner[1] + cell.row * CELL
        yield Text(x + 0.07 * CELL, y + 0.27 * CELL, _STEP_SIZE, str(number), "start")
    if tried := highlights.tried:
        x, y = corner[0] + tried.column * CELL, corner[1] + tried.row * CELL
        near, far = 0.2 * CELL, 0.8 * CELL
        yield Segments(((x + near, y + far, x + far, y + near),), 0.5 * _THICK)


def _arrow(start: tuple[float, float], end: tuple[float, float]) -> Iterator[Shape]:
    """An arrow between the middles of two cells, which leaves room for their symbols."""
    across, down = end[0] - start[0], end[1] - start[1]
    length = hypot(across, down)
    dx, dy = across / length, down / length
    x1, y1 = start[0] + _ARROW_GAP * dx, start[1] + _ARROW_GAP * dy
    x2, y2 = end[0] - _ARROW_GAP * dx, end[1] - _ARROW_GAP * dy
    x, y = x2 - _ARROW_HEAD * dx, y2 - _ARROW_HEAD * dy
    half = _ARROW_HEAD / 2
    yield Segments(((x1, y1, x, y),), 0.35 * _THICK, "line")
    yield Polygon(
        ((x2, y2), (x - half * dy, y + half * dx), (x + half * dy, y - half * dx)), "line"
    )


def _signs(puzzle: Puzzle, corner: Corner) -> Iterator[Shape]:
    """``=`` and ``x`` between cells, drawn as lines so that they don't depend on the font."""
    for sign in puzzle.signs:
        is_down = sign.direction == "D"
        x = corner[0] + (sign.column + (0.5 if is_down else 1)) * CELL
        y = corner[1] + (sign.row + (1 if is_down else 0.5)) * CELL
        yield Circle(x, y, _SIGN, "paper")
        arm = 0.75 * _SIGN
        if sign.relation == "=":
            gap = 0.32 * _SIGN
            strokes = ((x - arm, y - gap, x + arm, y - gap), (x - arm, y + gap, x + arm, y + gap))
        else:
            strokes = ((x - arm, y - arm, x + arm, y + arm), (x - arm, y + arm, x + arm, y - arm))
        yield Segments(strokes, 0.26 * _SIGN)


def _labels(view: View, corner: Corner) -> Iterator[Shape]:
    """The names of rows and columns; sentences use them to name cells."""
    left, top = corner
    below = _NUMBER_SIZE * CAP_HEIGHT / 2
    away = _EDGE + _NUMBER_SPACE / 2
    for number in range(view.board.width):
        x, name = left + (number + 0.5) * CELL, column_name(number, view.coordinates)
        yield Text(x, top - away + below, _NUMBER_SIZE, name, ink="grey")
    for number in range(1, view.board.height + 1):
        y = top + (number - 0.5) * CELL
        yield Text(left - away, y + below, _NUMBER_SIZE, str(number), ink="grey")


def figure(view: View, caption: str = "", sentences: Sequence[str] = ()) -> Picture:
    """Return a board with text."""
    width = size_of(view.board, numbered=view.is_labelled)[0]
    if caption or sentences:
        width = max(width, _MIN_WIDTH)
    size = max(_MIN_TEXT_SIZE, width / _TEXT_SIZES_PER_WIDTH)
    left, text_width, leading = 0.4 * size, width - 0.8 * size, size * _LEADING
    caption_lines = list(text_layout.wrap(caption, size, text_width))
    picture = draw(view, space_above=len(caption_lines) * leading)
    picture.width = width
    for number, line in enumerate(caption_lines):
        picture.shapes.append(Text(left, size + number * leading, size, line, "start", bold=True))
    for sentence in sentences:
        picture.height += 0.4 * size
        for line in text_layout.wrap(sentence, size, text_width):
            picture.height += leading
            picture.shapes.append(Text(left, picture.height - 0.35 * size, size, line, "start"))
    return picture
