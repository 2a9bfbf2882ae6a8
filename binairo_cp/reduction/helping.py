"""Which open cells of a puzzle with several solutions would help most.

A cell with a value helps by how few solutions are left with it, or by how many other cells then
follow. Solutions are counted as long as they are few; what follows is known even if they are many,
from a pool of solutions that shows which cells still vary, and a question for each that may not.
"""

from __future__ import annotations

from dataclasses import dataclass

from binairo_cp.backends import UNLIMITED, Budget, Meter, Stop
from binairo_cp.board import OPEN, SYMBOLS, Cell
from binairo_cp.clue_sets import new_session
from binairo_cp.encodings.cnf import literal, literals
from binairo_cp.errors import BudgetExceeded
from binairo_cp.rules import Puzzle
from binairo_cp.solutions import enumerate_solutions

MOST_SOLUTIONS = 10_000
"""Up to so many solutions are counted for each cell."""


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
    pool: list[list[int]] = []
    helps: list[Help] = []
    stopped_by: Stop | None = None
    number: int | None = None
    try:
        boards = enumerate_solutions(
            puzzle, limit=MOST_SOLUTIONS + 1, time_limit=meter.seconds_left
        )
        pool = [literals(board.cells) for board in boards]
        number = len(pool) if len(pool) <= MOST_SOLUTIONS else None
        search = _Counted(pool) if number is not None else _Asked(puzzle, pool[:1], meter)
        for place, value in enumerate(puzzle.board.cells):
            if value == OPEN:
                helps += _of_cell(puzzle, place, search)
    except BudgetExceeded as error:
        stopped_by = error.by
    helps.sort(key=lambda each: (each.leaves or 0, -each.follow, each.cell, each.value))
    return Helping(tuple(helps), number, stopped_by)


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

    def __init__(self, puzzle: Puzzle, pool: list[list[int]], meter: Meter) -> None:
        self._pool = list(map(frozenset, pool))
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
