"""Which open cells of a puzzle with several solutions would help most.

A cell with a value helps by how few solutions are left with it, or by how many other cells then
follow. Solutions are counted as long as they are few; what follows is known even if they are many,
from a pool of solutions that shows which cells still vary, and a question for each that may not.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from binairo_cp.errors import BudgetExceeded
from binairo_cp.puzzle.board import OPEN, SYMBOLS, Board, Cell
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.solving.assumption_cores import new_session
from binairo_cp.solving.backends import UNLIMITED, Budget, Meter, Stop
from binairo_cp.solving.backends.session import LARGE_SIDE, side_of
from binairo_cp.solving.encodings.cnf import literal, literals
from binairo_cp.solving.solutions import enumerate_solutions

MOST_SOLUTIONS = 10_000
"""Up to so many solutions are counted for each cell."""

_SHARE = 0.25


@dataclass(frozen=True, slots=True)
class Help:
    """What a value in an open cell would bring.

    Attributes:
        cell: the cell.
        value: its value, with which there is a solution.
        leaves: how many solutions have it; None if there are too many to count.
        follow: how many other open cells are the same in all of these.
    """

    cell: Cell
    value: str
    leaves: int | None
    follow: int


@dataclass(frozen=True, slots=True)
class Helping:
    """The open cells that help, the most helpful first.

    Attributes:
        helps: each open cell with each value that some solution has there and some has not.
        solutions: how many solutions there are; None if they are too many to count.
        stopped_by: what ended the search; None if `helps` is complete.
    """

    helps: tuple[Help, ...]
    solutions: int | None
    stopped_by: Stop | None


def helpful_cells(puzzle: Puzzle, *, budget: Budget = UNLIMITED) -> Helping:
    """Find which open cells would help most to make a puzzle unique.

    They are in order of the solutions that they leave, and if these are too many to count (more
    than `MOST_SOLUTIONS`), of the cells that follow, most first; then row by row.

    Args:
        puzzle: the puzzle; with one solution or none, nothing helps.
        budget: what it may cost.
    """
    meter = Meter(budget)
    helps: list[Help] = []
    stopped_by: Stop | None = None
    number: int | None = None
    try:
        pool = _solutions(puzzle, meter)
        number = None if pool is None else len(pool)
        search = _Asked(puzzle, meter) if pool is None else _Counted(pool)
        for place, value in enumerate(puzzle.board.cells):
            if value == OPEN:
                helps += _of_cell(puzzle, place, search)
    except BudgetExceeded as error:
        stopped_by = error.by
    helps.sort(key=lambda each: (each.leaves or 0, -each.follow, each.cell, each.value))
    return Helping(tuple(helps), number, stopped_by)


def _solutions(puzzle: Puzzle, meter: Meter) -> list[list[int]] | None:
    """All solutions as literals; None if they are many, or take more than a part of the time."""
    left = meter.seconds_left
    budget = Budget(None if left is None else left * _SHARE)
    found = []
    try:
        for board in _enumerated(puzzle, budget):
            found.append(literals(board.cells))
    except BudgetExceeded:
        return None
    return found if len(found) <= MOST_SOLUTIONS else None


def _enumerated(puzzle: Puzzle, budget: Budget) -> Iterator[Board]:
    if side_of(puzzle) < LARGE_SIDE:
        limit = MOST_SOLUTIONS + 1
        return enumerate_solutions(puzzle, limit=limit, time_limit=budget.seconds)
    # The solver that is best for one solution of a large board is slow to stop.
    meter = Meter(budget)
    return new_session(puzzle, meter).solutions(puzzle, MOST_SOLUTIONS + 1, meter)


def _of_cell(puzzle: Puzzle, place: int, search: _Counted | _Asked) -> list[Help]:
    clues = puzzle.board.clue_count
    found = []
    for value in SYMBOLS:
        leaves, same = search.with_value(literal(place, int(value)))
        if same:
            follow = same - clues - 1
            found.append(Help(puzzle.board.cell(place), value, leaves, follow))
    # A value that all solutions have brings nothing.
    return found if len(found) == len(SYMBOLS) else []


class _Counted:
    """Solutions that were all found."""

    def __init__(self, pool: list[list[int]]) -> None:
        self._having: dict[int, list[frozenset[int]]] = {}
        for solution in map(frozenset, pool):
            for each in solution:
                self._having.setdefault(each, []).append(solution)

    def with_value(self, value: int) -> tuple[int, int]:
        """How many solutions have a literal, and how many cells these share; 0 if there is none."""
        having = self._having.get(value, [])
        return len(having), len(frozenset.intersection(*having)) if having else 0


class _Asked:
    """Solutions that are asked for: a growing pool shows that cells vary."""

    def __init__(self, puzzle: Puzzle, meter: Meter) -> None:
        self._pool: list[frozenset[int]] = []
        self._meter = meter
        self._session = new_session(puzzle, meter)
        self._always = self._session.assumptions(puzzle)

    def with_value(self, value: int) -> tuple[None, int]:
        """How many cells the solutions with a literal share; 0 if there is none."""
        having = [solution for solution in self._pool if value in solution]
        if not having and (one := self._another([value])):
            having = [one]
        if not having:
            return None, 0
        same = set(frozenset.intersection(*having))
        for each in sorted(same, key=abs):
            if each in same and (other := self._another([value, -each])):
                same &= other
        return None, len(same)

    def _another(self, asked: list[int]) -> frozenset[int] | None:
        found = self._session.find([*self._always, *asked], self._meter)
        if found is None:
            return None
        self._pool.append(frozenset(found))
        return self._pool[-1]
