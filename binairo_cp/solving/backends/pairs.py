"""Solutions of a large, nearly empty board by construction: rows in pairs, each pair opposite.

A legal line and its opposite, one below the other, keep every column balanced and without a triple.
So a board of such pairs breaks a rule at most by its clues or by lines that are the same.
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
from binairo_cp.solving.backends.contract import UNLIMITED, Budget, Meter

_CELLS_A_CLUE = 64
_TRIES = 10


@dataclass(frozen=True, slots=True)
class Pairs:
    """A part of the portfolio: it finds some solutions, and never knows whether there are others.

    Its unit of work is a board that it makes.
    """

    name: ClassVar[str] = "pairs"

    def solutions(
        self, puzzle: Puzzle, *, limit: int | None = None, budget: Budget = UNLIMITED
    ) -> Iterator[Board]:
        """Solutions made of opposite rows, the same ones each time.

        Raises:
            BudgetExceeded: always, unless as many as wanted were found.
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
    """Whether such solutions are likely: hardly any clue or sign, and rows for pairs."""
    board = puzzle.board
    told = board.clue_count + len(puzzle.signs)
    return board.height % 2 == 0 and told * _CELLS_A_CLUE < len(board.cells)


def _opposite_rows(
    board: Board, lines: Callable[[str], Lines], rng: Random, meter: Meter
) -> Board | None:
    rows: list[str] = []
    given = iter(board.rows)
    for upper, lower in zip(given, given, strict=True):
        meter.check_clock()  # The lines of a long pattern take milliseconds.
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
