"""What every backend keeps: one verb, and the budget it runs under."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Literal, Protocol, runtime_checkable

from binairo_cp.errors import BudgetExceeded, LimitError
from binairo_cp.puzzle.board import Board
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.workers import resource_limits

Stop = Literal["limit", "time", "work"]
"""What may end a search before there are no more solutions."""


@dataclass(frozen=True, slots=True)
class Budget:
    """How much a search may cost, at most.

    Attributes:
        seconds: of wall-clock time; None for no bound.
        work: in the backend's own unit, so that it is repeatable: nodes of a search tree, or
            conflicts of a clause-learning solver; None for no bound.

    Raises:
        LimitError: a negative or not finite bound.
    """

    seconds: float | None = None
    work: int | None = None

    def __post_init__(self) -> None:
        if self.seconds is not None and not 0 <= self.seconds < float("inf"):
            raise LimitError(f"a time limit of {self.seconds} s; expected 0 or more, and finite")
        if self.work is not None and self.work < 0:
            raise LimitError(f"a budget of {self.work} units of work; expected 0 or more")


UNLIMITED = Budget()
"""No bound at all."""


class Meter:
    """A budget while it is being spent; the clock starts when the meter is made.

    It stands still while code is loaded, and while it is compiled, which happens once on a machine.

    Attributes:
        work: the units of work spent so far.
    """

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._end = None if budget.seconds is None else resource_limits.clock() + budget.seconds
        self.work = 0

    @property
    def seconds_left(self) -> float | None:
        """The time left, not below 0; None without bound."""
        return None if self._end is None else max(0.0, self._end - resource_limits.clock())

    @property
    def work_left(self) -> int | None:
        """The work left, not below 0; None without bound."""
        return None if self._budget.work is None else max(0, self._budget.work - self.work)

    def spend(self, work: int = 1) -> None:
        """Count units of work; those of a bounded budget must be there to be spent.

        Raises:
            BudgetExceeded: they are not.
        """
        self.work += work
        if self._budget.work is not None and self.work > self._budget.work:
            raise BudgetExceeded("work")

    def check_clock(self) -> None:
        """Stop when the time is over.

        Raises:
            BudgetExceeded: it is.
        """
        if self._end is not None and resource_limits.clock() >= self._end:
            raise BudgetExceeded("time")


@dataclass(frozen=True, slots=True)
class Count:
    """How many solutions were found.

    Attributes:
        found: how many.
        boards: the first two of them, or as many as there are.
        stopped_by: what ended the counting; None if there are no more solutions.
        backend: the name of the backend that counted.
    """

    found: int
    boards: tuple[Board, ...]
    stopped_by: Stop | None
    backend: str


class Backend(Protocol):
    """A way from a puzzle to its solutions: a picklable value with one verb."""

    @property
    def name(self) -> str:
        """The name by which `backends.get` finds it, and by which results tell who answered."""

    def solutions(
        self, puzzle: Puzzle, *, limit: int | None = None, budget: Budget = UNLIMITED
    ) -> Iterator[Board]:
        """The solutions of a puzzle, each once, in no particular order.

        A normal end means that there are no more, or that `limit` of them were given. A limit of 1
        solves, 2 decides uniqueness, None enumerates all. The budget counts from the first
        solution asked for, over the whole iteration.

        Raises:
            BudgetExceeded: the budget ran out first: what else there is, is unknown.
            BackendError: the backend can't take this puzzle, or its solver failed.
        """


@runtime_checkable
class Counter(Protocol):
    """A backend that counts faster than it would by showing each solution."""

    def count(
        self, puzzle: Puzzle, *, limit: int | None = None, budget: Budget = UNLIMITED
    ) -> Count:
        """How many solutions a puzzle has, counted up to `limit`.

        Raises:
            BackendError: the backend can't take this puzzle, or its solver failed.
        """


@runtime_checkable
class Portfolio(Protocol):
    """Solutions that come from one backend or another."""

    @property
    def answered_by(self) -> str:
        """The name of the backend that gave the last solution, or said that there is no other."""


def count_by_halves(
    puzzle: Puzzle, limit: int | None, count: Callable[[Puzzle, int | None], Count]
) -> Count:
    """How many solutions a puzzle has, of which perhaps only half are counted.

    The complements of the solutions of a puzzle without clues are solutions too, if a line may
    have more of either symbol: so those whose first cell is 0 are counted, and stand for two.

    Args:
        puzzle: whose solutions are counted.
        limit: up to how many; None for all.
        count: counts the solutions of a puzzle up to a limit.
    """
    board = puzzle.board
    if puzzle.rules.odd != "either" or board.clue_count:
        return count(puzzle, limit)
    half = count(
        replace(puzzle, board=board.replace((0, 0), "0")),
        None if limit is None else (limit + 1) // 2,
    )
    boards = tuple(each for one in half.boards for each in (one, one.complemented()))
    found = half.found * 2 if limit is None else min(limit, half.found * 2)
    stopped_by: Stop | None = "limit" if found == limit else half.stopped_by
    return Count(found, boards[: min(2, found)], stopped_by, half.backend)


def count_by_showing(
    backend: Backend, puzzle: Puzzle, *, limit: int | None, budget: Budget
) -> Count:
    """How many solutions a backend shows.

    Raises:
        BackendError: the backend can't take this puzzle, or its solver failed.
    """
    found = 0
    first: list[Board] = []
    stopped_by: Stop | None = None
    try:
        for board in backend.solutions(puzzle, limit=limit, budget=budget):
            found += 1
            if len(first) < 2:
                first.append(board)
    except BudgetExceeded as error:
        stopped_by = error.by
    return Count(found, tuple(first), "limit" if found == limit else stopped_by, backend.name)
