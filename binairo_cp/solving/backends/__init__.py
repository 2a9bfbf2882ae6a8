"""The backends by name, and their protocol: one method, and its budget.

Each row of `TABLE` is a backend. Its module, and with it the solver library, is imported on first
use. Options follow the name after colons: ``pysat:glucose4``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import import_module
from operator import attrgetter
from time import monotonic
from typing import Literal, Protocol, runtime_checkable

from binairo_cp.errors import (
    ArgumentError,
    BackendError,
    BackendNameError,
    BudgetExceeded,
    LimitError,
)
from binairo_cp.puzzle.board import Board
from binairo_cp.puzzle.rules import Puzzle

__all__ = [
    "DEFAULT", "TABLE", "UNLIMITED", "Backend", "Budget", "Count", "Counter", "Meter", "Stop",
    "count_by_halves", "count_by_showing", "get", "needs_own_process", "usage",
]  # fmt: skip

_MAX_SECONDS = 1e9
"""Some thirty years."""

LEAST_TIME_LIMIT = 1.0
"""Shortest time limit per puzzle, in seconds, with which many puzzles are decided by one call.

Such a call does not watch the clock, but spends at most milliseconds on a puzzle.
"""

Stop = Literal["limit", "time", "work"]
"""The limits that can end a search early."""


@dataclass(frozen=True, slots=True)
class Budget:
    """The limits of a search.

    Attributes:
        seconds: wall-clock time; None for no limit.
        work: work in the unit of the backend: nodes of a search tree, or conflicts of a
            clause-learning solver. Unlike time it is reproducible. None for no limit.

    Raises:
        LimitError: a limit is negative or not finite.
        ArgumentError: a limit is not a number.
    """

    seconds: float | None = None
    work: int | None = None

    def __post_init__(self) -> None:
        # A search of a small puzzle creates several budgets, so the usual ones pass at once.
        is_count = self.work is None or (type(self.work) is int and self.work >= 0)
        is_time = self.seconds is None or (
            type(self.seconds) is float and 0 <= self.seconds <= _MAX_SECONDS
        )
        if is_time and is_count:
            return
        for name, limit in (("seconds", self.seconds), ("work", self.work)):
            is_number = isinstance(limit, int | float) and not isinstance(limit, bool)
            if limit is not None and not is_number:
                what = "time_limit" if name == "seconds" else name
                raise ArgumentError.of(what, "a number", limit)
        if self.seconds is not None and not 0 <= self.seconds <= _MAX_SECONDS:
            raise LimitError(f"a time limit of {self.seconds} s; expected 0 or more, and finite")
        if self.work is not None and self.work < 0:
            raise LimitError(f"a budget of {self.work} units of work; expected 0 or more")


UNLIMITED = Budget()
"""No limits."""


class Meter:
    """Measures the use of a budget. The clock starts when the meter is created.

    Attributes:
        work: the units of work spent so far.
    """

    __slots__ = ("_budget", "_end", "work")

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._end = None if budget.seconds is None else monotonic() + budget.seconds
        self.work = 0

    @property
    def seconds_left(self) -> float | None:
        """The remaining time, at least 0; None without a limit."""
        return None if self._end is None else max(0.0, self._end - monotonic())

    @property
    def work_left(self) -> int | None:
        """The remaining work, at least 0; None without a limit."""
        return None if self._budget.work is None else max(0, self._budget.work - self.work)

    def spend(self, work: int = 1) -> None:
        """Add units of work.

        Raises:
            BudgetExceeded: the work exceeds the limit.
        """
        self.work += work
        if self._budget.work is not None and self.work > self._budget.work:
            raise BudgetExceeded("work")

    def check_clock(self) -> None:
        """Check the time limit.

        Raises:
            BudgetExceeded: the time ran out.
        """
        if self._end is not None and monotonic() >= self._end:
            raise BudgetExceeded("time")


@dataclass(frozen=True, slots=True)
class Count:
    """The result of counting.

    Attributes:
        found: the number of solutions found.
        boards: the first two solutions, or as many as were to be kept; fewer if there are fewer.
        stopped_by: the limit that ended the counting; None if these are all solutions.
        backend: the name of the backend that counted.
    """

    found: int
    boards: tuple[Board, ...]
    stopped_by: Stop | None
    backend: str


class Backend(Protocol):
    """Finds the solutions of puzzles. Backends are picklable values."""

    @property
    def name(self) -> str:
        """The name for `backends.get`, which also identifies the backend in results."""

    def solutions(
        self, puzzle: Puzzle, *, limit: int | None = None, budget: Budget = UNLIMITED
    ) -> Iterator[Board]:
        """The solutions of a puzzle, each once, in no particular order.

        A normal end means that there are no more, or that `limit` solutions were yielded. A limit
        of 1 solves, 2 decides uniqueness, None enumerates all. The budget is for the whole
        iteration and starts with the first `next` call.

        Raises:
            BudgetExceeded: the budget ran out. There may be more solutions.
            BackendError: the backend does not support this puzzle, or its solver failed.
        """


@runtime_checkable
class Counter(Protocol):
    """A backend that can count faster than by enumeration."""

    def count(
        self, puzzle: Puzzle, *, limit: int | None = None, budget: Budget = UNLIMITED
    ) -> Count:
        """Count the solutions of a puzzle, up to `limit`.

        Raises:
            BackendError: the backend does not support this puzzle, or its solver failed.
        """


def count_by_halves(
    puzzle: Puzzle, limit: int | None, count: Callable[[Puzzle, int | None], Count]
) -> Count:
    """Count the solutions of a puzzle, by symmetry only half of them if it has no clues.

    If a puzzle has no clues and its rules treat 0 and 1 alike, the complement of a solution is a
    solution too. So only the solutions whose first cell is 0 are counted, and counted twice.

    Args:
        puzzle: the puzzle.
        limit: stop after this number of solutions; None for no limit.
        count: counts the solutions of a puzzle up to a limit.
    """
    board = puzzle.board
    if puzzle.rules.odd != "either" or board.clue_count:
        return count(puzzle, limit)
    half = count(
        replace(puzzle, board=board.with_cell((0, 0), "0")),
        None if limit is None else (limit + 1) // 2,
    )
    boards = tuple(board for one in half.boards for board in (one, one.complemented()))
    found = half.found * 2 if limit is None else min(limit, half.found * 2)
    stopped_by: Stop | None = "limit" if found == limit else half.stopped_by
    return Count(found, boards[: min(2, found)], stopped_by, half.backend)


def count_by_showing(
    backend: Backend,
    puzzle: Puzzle,
    *,
    limit: int | None,
    budget: Budget,
    kept: int = 2,
    check: Callable[[Board], None] = lambda board: None,
) -> Count:
    """Count the solutions that a backend enumerates, keep so many, and check each.

    Raises:
        BackendError: the backend does not support this puzzle, or its solver failed.
    """
    found = 0
    first: list[Board] = []
    stopped_by: Stop | None = None
    boards = backend.solutions(puzzle, limit=limit, budget=budget)
    try:
        for board in boards:
            check(board)
            found += 1
            if len(first) < kept:
                first.append(board)
    except BudgetExceeded as error:
        stopped_by = error.by
    # The solutions of a portfolio know which of its backends answered.
    name = getattr(boards, "answered_by", backend.name)
    return Count(found, tuple(first), "limit" if found == limit else stopped_by, name)


@dataclass(frozen=True, slots=True)
class Row:
    """A backend.

    Attributes:
        factory: the class in the module, or its function that creates it from options.
        uncertain_from: from this side on, its solver may ignore signals and time limits or use all
            memory; None if it never does.
        usage: the forms of its name in help, if the name alone is not all.
    """

    module: str
    factory: str
    summary: str
    uncertain_from: int | None = None
    usage: tuple[str, ...] = ()


LARGE_SIDE = 41
"""From this side on, a call of a clause-learning solver may take seconds and much memory."""

OWN_SOLVER_SIDE = 24
"""From this side on, clause learning has a solver for each puzzle, and gets its turn early."""

TABLE = {
    "auto": Row("auto", "Auto", "the bitboard and pysat in turns", LARGE_SIDE),
    "bitboard": Row("bitboard", "Bitboard", "bit-parallel search, in compiled code"),
    "pysat": Row(
        "pysat",
        "PySat.named",
        "clause learning, one incremental solver for all puzzles",
        LARGE_SIDE,
        usage=("pysat", "pysat:SOLVER", "pysat:SOLVER:fresh"),
    ),
    "cpsat": Row("cpsat", "CpSat.named", "constraint programming with OR-tools", 0),
    "backtracking": Row("backtracking", "Backtracking", "the reference, for small boards"),
}
"""The backends, the default backend first."""

DEFAULT = next(iter(TABLE))
"""The name of the default backend."""


def usage() -> str:
    """All forms of the names of backends, for help."""
    *others, last = (form for name, row in TABLE.items() for form in row.usage or (name,))
    return f"{', '.join(others)} or {last}"


@lru_cache(maxsize=64)  # It is called for each puzzle.
def get(name: str = DEFAULT) -> Backend:
    """The backend with a name.

    Raises:
        BackendNameError: there is no such backend or option.
        BackendError: its library can't be imported.
    """
    first, *options = name.split(":")
    if first not in TABLE:
        raise BackendNameError(f"there is no backend {name!r}; expected one of {', '.join(TABLE)}")
    module, factory = TABLE[first].module, TABLE[first].factory
    try:
        loaded = import_module(f"binairo_cp.solving.backends.{module}")
    except ModuleNotFoundError as error:
        raise BackendError(
            f"backend {module} needs the package {error.name}, which is not installed"
        ) from error
    except ImportError as error:
        raise BackendError(f"backend {module} can't be loaded: {error}") from error
    create: Callable[..., Backend] = attrgetter(factory)(loaded)
    if "." in factory:
        return create(options)
    if options:
        raise BackendNameError(f"{module} takes no options")
    return create()


def needs_own_process(backend: str | Backend, side: int) -> bool:
    """Whether a puzzle should be decided in a process that can be killed.

    Args:
        backend: a backend or its name. Unknown backends always need their own process.
        side: the longer side of the board, in cells.
    """
    name = backend if isinstance(backend, str) else backend.name
    row = TABLE.get(name.split(":")[0])
    if row is None:
        return True
    return row.uncertain_from is not None and side >= row.uncertain_from
