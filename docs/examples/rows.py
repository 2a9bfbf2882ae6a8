"""Row by row: each row is a legal line that completes it, as long as no rule is broken."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import ClassVar

from binairo_cp.puzzle.board import Board
from binairo_cp.puzzle.lines import Lines
from binairo_cp.puzzle.rules import Puzzle, violations
from binairo_cp.solving.backends import UNLIMITED, Budget, Meter


@dataclass(frozen=True, slots=True)
class Rows:
    """The backend; its unit of work is a line that is tried as a row."""

    name: ClassVar[str] = "rows"

    def solutions(
        self, puzzle: Puzzle, *, limit: int | None = None, budget: Budget = UNLIMITED
    ) -> Iterator[Board]:
        """As the contract says."""
        yield from islice(_search(puzzle, tuple(puzzle.board.rows), 0, Meter(budget)), limit)


def _search(puzzle: Puzzle, rows: tuple[str, ...], row: int, meter: Meter) -> Iterator[Board]:
    """The solutions that begin with the rows above this one."""
    board = Board.from_rows(rows)
    if violations(puzzle, board):
        return
    if row == len(rows):
        yield board
        return
    for line in Lines(rows[row], puzzle.rules):
        meter.spend()
        meter.check_clock()
        yield from _search(puzzle, (*rows[:row], line, *rows[row + 1 :]), row + 1, meter)
