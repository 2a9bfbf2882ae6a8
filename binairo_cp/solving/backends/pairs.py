"""Construct solutions of large, nearly empty boards from pairs of opposite rows.

A legal row followed by its complement keeps every column balanced and without three equal cells in
a row. So a board of such pairs can only break the clues, the signs or the rule of distinct lines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import ClassVar

from binairo_cp.errors import BudgetExceeded
from binairo_cp.puzzle.board import COMPLEMENT, OPEN, Board
from binairo_cp.puzzle.lines import Lines
from binairo_cp.puzzle.rules import Puzzle, is_solution
from binairo_cp.solving.backends import UNLIMITED, Budget, Meter

_CELLS_A_CLUE = 64
_TRIES = 10


@dataclass(frozen=True, slots=True)
class Pairs:
    """A part of the portfolio, which finds some solutions but can't show that there are no others.

    Its unit of work is a constructed board.
    """

    name: ClassVar[str] = "pairs"

    def solutions(
        self, puzzle: Puzzle, *, limit: int | None = None, budget: Budget = UNLIMITED
    ) -> Iterator[Board]:
        """Solutions from pairs of opposite rows. They are the same for each call.

        Raises:
            BudgetExceeded: fewer than `limit` solutions were found.
        """
        meter = Meter(budget)
        found: set[Board] = set()
        rng = Random(0)

        @cache
        def lines(pattern: str) -> Lines:
            return Lines(pattern, puzzle.rules)

        for _ in range(_TRIES * (limit or 1)):
            meter.spend()
            board = _opposite_rows(puzzle.board, lines, rng, meter)
            if board and board not in found and is_solution(puzzle, board):
                found.add(board)
                yield board
                if len(found) == limit:
                    return
        raise BudgetExceeded("work")


def is_nearly_empty(puzzle: Puzzle) -> bool:
    """Whether such solutions are likely: few clues and signs, and an even number of rows."""
    board = puzzle.board
    clues = board.clue_count + len(puzzle.signs)
    return board.height % 2 == 0 and clues * _CELLS_A_CLUE < len(board.cells)


def _opposite_rows(
    board: Board, lines: Callable[[str], Lines], rng: Random, meter: Meter
) -> Board | None:
    rows: list[str] = []
    board_rows = iter(board.rows)
    for upper, lower in zip(board_rows, board_rows, strict=True):
        meter.check_clock()  # Counting the lines of a long pattern takes milliseconds.
        pattern = "".join(
            one if one != OPEN else other.translate(COMPLEMENT)
            for one, other in zip(upper, lower, strict=True)
        )
        legal = lines(pattern)
        if not legal:
            return None
        row = legal[rng.randrange(legal.count)]
        rows += [row, row.translate(COMPLEMENT)]
    return Board.from_rows(rows)
