"""The rules of a book, each with small boards of its own: one that keeps it, one that breaks it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from binairo_cp.deduction.styles import Style
from binairo_cp.puzzle.board import Board, Cell
from binairo_cp.puzzle.rules import TANGO, UNRULY, Puzzle, Sign
from binairo_cp.rendering import texts
from binairo_cp.rendering.boards import Highlights, View, draw
from binairo_cp.rendering.pdf import picture

_START = "..10.0....111..."
_SIGNED_START = "0..............0"
_SOLUTION = "0110100100111100"
_SIGNS = (
    *(Sign(0, 1, "R", "="), Sign(1, 1, "D", "=")),
    *(Sign(2, 2, "R", "="), Sign(2, 0, "D", "x")),
)
"""A puzzle of four rows, without and with signs; its only solution under the weakest rules."""


class _Example(NamedTuple):
    """Rows of cells; those at the places in `broken` break the rule."""

    rows: str
    broken: tuple[int, ...] = ()
    signs: tuple[Sign, ...] = ()

    def drawn(self, style: Style) -> dict[str, Any]:
        """The board as templates expect it, and whether it is right."""
        height = self.rows.count("/") + 1
        values = self.rows.replace("/", "")
        board = Board(height, len(values) // height, values)
        cells = frozenset(Cell(*divmod(place, board.width)) for place in self.broken)
        marked = Highlights({}, frozenset(), frozenset(), broken=cells)
        puzzle = Puzzle(board, TANGO, self.signs)
        view = View(puzzle, board, style.symbols, marked, coordinates="none")
        return {"picture": picture(draw(view)), "is-right": not self.broken}


_PAIR = (Sign(0, 0, "R", "="), Sign(0, 2, "R", "x"))
_EXAMPLES: Mapping[str, tuple[_Example, ...]] = {
    "runs": (_Example("100101"), _Example("100011", (1, 2, 3))),
    "balance": (_Example("011010"), _Example("011011", (1, 2, 4, 5))),
    "odd": (_Example("01101"),),
    "distinct": (_Example("011010/010110"), _Example("011010/011010", tuple(range(12)))),
    "signs": (_Example("0010", (), _PAIR), _Example("0110", (0, 1), _PAIR)),
}


def paragraphs(
    puzzles: Iterable[Puzzle], said: Mapping[str, str], style: Style, *, differ: bool
) -> Iterator[dict[str, Any]]:
    """The rules that hold for puzzles, each as a text and its boards.

    Args:
        puzzles: all puzzles of the book.
        said: the texts of the book.
        style: how symbols are drawn, and what they are called.
        differ: whether the rules of some puzzles are named above them.
    """
    given = list(puzzles)
    boards = [puzzle.board for puzzle in given]
    holds = {
        "odd": any(board.height % 2 or board.width % 2 for board in boards),
        "distinct": any(puzzle.rules.distinct_lines for puzzle in given),
        "signs": any(puzzle.signs for puzzle in given),
        "differ": differ,
    }
    zeros, ones = texts.symbol_names(style)
    for name in ("goal", "runs", "balance", "odd", "distinct", "signs", "unique", "differ"):
        if holds.get(name, True) and said[name]:
            examples = [example.drawn(style) for example in _EXAMPLES.get(name, ())]
            yield {"text": said[name].format(zeros=zeros, ones=ones), "boards": examples}


def solved_example(style: Style, *, signed: bool) -> list[dict[str, Any]]:
    """A small puzzle, and its solution."""
    rules, signs = (TANGO, _SIGNS) if signed else (UNRULY, ())
    puzzle = Puzzle(Board(4, 4, _SIGNED_START if signed else _START), rules, signs)
    boards = (puzzle.board, Board(4, 4, _SOLUTION))
    return [picture(draw(View(puzzle, board, style.symbols))) for board in boards]
