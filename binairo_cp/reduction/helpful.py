"""Rank the open cells of a puzzle with several solutions by how much a value would help.

A value helps more if fewer solutions have it, or if it determines more other cells. Solutions are
counted if there are few. If there are many, the determined cells are computed like a backbone: a
pool of solutions shows which cells vary, and one solver call per remaining cell decides the rest.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from binairo_cp.errors import BudgetExceeded
from binairo_cp.puzzle.board import OPEN, SYMBOLS, Board, Cell
from binairo_cp.puzzle.html import Sentences, headed
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.solving.assumption_cores import new_session
from binairo_cp.solving.backends import LARGE_SIDE, UNLIMITED, Budget, Meter, Stop
from binairo_cp.solving.backends.session import side_of
from binairo_cp.solving.encodings.cnf import literal, literals
from binairo_cp.solving.solutions import Outcome, enumerate_solutions

MOST_SOLUTIONS = 10_000
"""Maximum number of solutions to count for each cell."""

MOST_REPORTED = 10
"""How many of the values are part of a result record."""

_SHARE = 0.25


@dataclass(frozen=True, slots=True)
class HelpfulValue(Sentences):
    """How much a value in an open cell helps.

    Attributes:
        cell: The cell.
        value: Its value; some solution has it.
        leaves: The number of solutions with this value; None if there are too many to count.
        follow: The number of other open cells that are the same in all of these solutions.
    """

    cell: Cell
    value: str
    leaves: int | None
    follow: int

    def __str__(self) -> str:
        cells = f"{self.follow} other cell{'s' * (self.follow != 1)}"
        solutions = f"{self.leaves} solution{'s' * (self.leaves != 1)}"
        leaves = "" if self.leaves is None else f"leaves {solutions}, "
        return f"{self.cell} = {self.value}: {leaves}determines {cells}"

    def to_dict(self) -> dict[str, Any]:
        """The fields of an element of ``helpful`` in a result record."""
        from binairo_cp.formats import results

        return results.record_of(results.HelpRecord, self).present()


@dataclass(frozen=True, slots=True)
class HelpfulValues:
    """The values that would help, the most helpful first.

    Attributes:
        values: All values of open cells that some solutions have and some have not.
        solutions: The number of solutions; None if there are too many to count.
        stopped_by: The limit that ended the search; None if `values` is complete.
        outcome: The check of the puzzle, with two solutions.
    """

    values: tuple[HelpfulValue, ...]
    solutions: int | None
    stopped_by: Stop | None
    outcome: Outcome | None = None

    def __str__(self) -> str:
        return "\n".join(map(str, self.values[:MOST_REPORTED]))

    def _repr_html_(self) -> str:
        """The board with the cells in which two solutions differ, and the text, for notebooks."""
        board = "" if self.outcome is None else self.outcome._repr_html_()
        return board + headed(str(self))

    def to_dict(self) -> dict[str, Any]:
        """The field ``helpful`` of a result record: the most helpful values."""
        return {"helpful": [value.to_dict() for value in self.values[:MOST_REPORTED]]}


def helpful_values(
    puzzle: Puzzle, outcome: Outcome | None = None, *, budget: Budget = UNLIMITED
) -> HelpfulValues:
    """Find the values of open cells that would help most to make a puzzle unique.

    The values are sorted by the number of solutions that they leave. If there are more than
    `MOST_SOLUTIONS`, they are sorted by the number of cells that follow, most first. Ties are in
    order of the cells.

    Args:
        puzzle: The puzzle. If it has one solution or none, the result is empty.
        outcome: The check of the puzzle, which the result shows in notebooks.
        budget: Limits the time and the work.
    """
    meter = Meter(budget)
    values: list[HelpfulValue] = []
    stopped_by: Stop | None = None
    number: int | None = None
    try:
        pool = _solutions(puzzle, meter)
        number = None if pool is None else len(pool)
        search = _SampledSolutions(puzzle, meter) if pool is None else _AllSolutions(pool)
        for place, value in enumerate(puzzle.board.cells):
            if value == OPEN:
                values += _of_cell(puzzle, place, search)
    except BudgetExceeded as error:
        stopped_by = error.by
    values.sort(key=lambda value: (value.leaves or 0, -value.follow, value.cell, value.value))
    return HelpfulValues(tuple(values), number, stopped_by, outcome)


def _solutions(puzzle: Puzzle, meter: Meter) -> list[list[int]] | None:
    """All solutions as literals; None if there are many, or if they take too much of the time."""
    left = meter.seconds_left
    budget = Budget(None if left is None else left * _SHARE)
    pool = []
    try:
        for board in _enumerated(puzzle, budget):
            pool.append(literals(board.cells))
    except BudgetExceeded:
        return None
    return pool if len(pool) <= MOST_SOLUTIONS else None


def _enumerated(puzzle: Puzzle, budget: Budget) -> Iterator[Board]:
    if side_of(puzzle) < LARGE_SIDE:
        limit = MOST_SOLUTIONS + 1
        return enumerate_solutions(puzzle, limit=limit, time_limit=budget.seconds)
    # From this side on, a solver that is stopped early may go on for seconds (LARGE_SIDE).
    meter = Meter(budget)
    return new_session(puzzle, meter).solutions(puzzle, MOST_SOLUTIONS + 1, meter)


def _of_cell(
    puzzle: Puzzle, place: int, search: _AllSolutions | _SampledSolutions
) -> list[HelpfulValue]:
    clues = puzzle.board.clue_count
    values = []
    for value in SYMBOLS:
        leaves, same = search.with_value(literal(place, int(value)))
        if same:
            follow = same - clues - 1
            values.append(HelpfulValue(puzzle.board.cell(place), value, leaves, follow))
    # A value that all solutions have does not help.
    return values if len(values) == len(SYMBOLS) else []


class _AllSolutions:
    """The complete list of solutions."""

    def __init__(self, pool: list[list[int]]) -> None:
        self._by_literal: dict[int, list[frozenset[int]]] = {}
        for solution in map(frozenset, pool):
            for value in solution:
                self._by_literal.setdefault(value, []).append(solution)

    def with_value(self, value: int) -> tuple[int, int]:
        """The number of solutions with a literal, and of cells that these share; 0 if none."""
        matching = self._by_literal.get(value, [])
        return len(matching), len(frozenset.intersection(*matching)) if matching else 0


class _SampledSolutions:
    """A growing pool of solutions, which shows which cells vary."""

    def __init__(self, puzzle: Puzzle, meter: Meter) -> None:
        self._pool: list[frozenset[int]] = []
        self._meter = meter
        self._session = new_session(puzzle, meter)
        self._always = self._session.assumptions(puzzle)

    def with_value(self, value: int) -> tuple[None, int]:
        """The number of cells that all solutions with a literal share; 0 if there is none."""
        matching = [solution for solution in self._pool if value in solution]
        if not matching and (solution := self._another([value])):
            matching = [solution]
        if not matching:
            return None, 0
        same = set(frozenset.intersection(*matching))
        for shared in sorted(same, key=abs):
            if shared in same and (other := self._another([value, -shared])):
                same &= other
        return None, len(same)

    def _another(self, assumptions: list[int]) -> frozenset[int] | None:
        model = self._session.find([*self._always, *assumptions], self._meter)
        if model is None:
            return None
        self._pool.append(frozenset(model))
        return self._pool[-1]
