"""Count the solutions of one puzzle with all workers, by splitting it into disjoint puzzles.

Each legal completion of one line gives a new puzzle. This is repeated until there are enough parts
to keep all workers busy to the end, since the parts differ much in size.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from time import monotonic
from typing import ClassVar

from binairo_cp.errors import SolverCrash
from binairo_cp.puzzle.board import Board, Line, filled
from binairo_cp.puzzle.lines import Lines
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.solving.backends import (
    UNLIMITED,
    Backend,
    Budget,
    Count,
    Counter,
    Stop,
    count_by_halves,
    count_by_showing,
)
from binairo_cp.workers import executors
from binairo_cp.workers.executors import Executor

PARTS_A_WORKER = 8
"""Minimum number of parts per worker, if the puzzle can be split that often."""

_MIN_OPEN_CELLS = 30
_MAX_COMPLETIONS = 4_096


@dataclass(frozen=True, slots=True)
class Split:
    """A backend that counts in the workers of a pool, with another backend that is sent to them."""

    backend: Backend
    pool: Executor
    name: ClassVar[str] = "split"

    def solutions(
        self, puzzle: Puzzle, *, limit: int | None = None, budget: Budget = UNLIMITED
    ) -> Iterator[Board]:
        """Those of the other backend, in this process."""
        return self.backend.solutions(puzzle, limit=limit, budget=budget)

    def count(
        self, puzzle: Puzzle, *, limit: int | None = None, budget: Budget = UNLIMITED
    ) -> Count:
        """Count as the protocol says. A work limit applies to each part.

        Raises:
            SolverCrash: a worker died.
        """
        return count_by_halves(puzzle, limit, lambda half, limit: self._count(half, limit, budget))

    def _count(self, puzzle: Puzzle, limit: int | None, budget: Budget) -> Count:
        end = None if budget.seconds is None else monotonic() + budget.seconds
        work = partial(_count_part, self.backend, limit, budget.work, end)
        found = 0
        boards: tuple[Board, ...] = ()
        stopped_by: Stop | None = None
        names: dict[str, None] = {}
        for _, result in executors.map_blocks(
            self.pool, work, parts(puzzle, PARTS_A_WORKER * self.pool.workers)
        ):
            if isinstance(result, SolverCrash):
                raise result
            found += result.found
            boards = (boards + result.boards)[:2]
            stopped_by = stopped_by or result.stopped_by
            names[result.backend] = None
            if limit is not None and found >= limit:
                found, stopped_by = limit, "limit"
                break
        return Count(found, boards, stopped_by, ",".join(names) or self.backend.name)


def _count_part(
    backend: Backend, limit: int | None, work: int | None, end: float | None, part: Puzzle
) -> Count:
    # All processes of a machine share the monotonic clock.
    budget = Budget(None if end is None else max(0.0, end - monotonic()), work)
    if isinstance(backend, Counter):
        return backend.count(part, limit=limit, budget=budget)
    return count_by_showing(backend, part, limit=limit, budget=budget)


def parts(puzzle: Puzzle, number: int) -> list[Puzzle]:
    """Split a puzzle into disjoint puzzles with the same solutions, at least so many.

    It is not split if it is small or its lines have too many completions.
    """
    if puzzle.board.cells.count(".") < _MIN_OPEN_CELLS:
        return [puzzle]
    done: list[Puzzle] = []
    left = [puzzle]
    while left and len(done) + len(left) < number:
        next_left: list[Puzzle] = []
        for part in left:
            if (line := _line_to_complete(part)) is None:
                done.append(part)
            else:
                next_left += _completed(part, line)
        left = next_left
    return done + left


def _line_to_complete(puzzle: Puzzle) -> Line | None:
    """The open line with the fewest completions, if they are not too many."""
    counts = [
        (Lines(line.values, puzzle.rules).count, number, line)
        for number, line in enumerate(puzzle.board.lines())
        if not line.is_full
    ]
    fewest, _, line = min(counts, default=(_MAX_COMPLETIONS + 1, 0, None))
    return line if fewest <= _MAX_COMPLETIONS else None


def _completed(puzzle: Puzzle, line: Line) -> Iterator[Puzzle]:
    cells = [line.cell(k) for k in range(len(line.values))]
    for values in Lines(line.values, puzzle.rules):
        yield replace(puzzle, board=filled(puzzle.board, dict(zip(cells, values, strict=True))))
