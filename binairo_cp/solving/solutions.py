"""Solve, check, count and enumerate: the searches for one puzzle, and their outcome.

`fast_check`, the twin of `rules.violations` for a yes or no, checks every solution of a backend
before it is returned. If the time runs out, the verdict is *unknown*, never *none*.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar, get_args

from binairo_cp.errors import (
    ArgumentError,
    BudgetExceeded,
    Disagreement,
    LimitError,
    OptionError,
    WrongAnswer,
)
from binairo_cp.puzzle import fast_check
from binairo_cp.puzzle.board import Board, Cell
from binairo_cp.puzzle.html import Brief, headed
from binairo_cp.puzzle.lines import why_impossible
from binairo_cp.puzzle.rules import Puzzle, expect_puzzle, violations
from binairo_cp.solving import backends
from binairo_cp.solving.backends import (
    LEAST_TIME_LIMIT,
    UNLIMITED,
    Backend,
    Budget,
    Count,
    Counter,
    Stop,
    count_by_showing,
)

if TYPE_CHECKING:
    from binairo_cp.solving.backbones import Backbone
    from binairo_cp.solving.minimal_conflicts import Contradiction


Reasons = Literal["none", "quick", "smallest"]
"""What `check` reports about a puzzle without a solution: nothing, an irreducible conflict of clues
(takes milliseconds), or a smallest conflict (may take seconds)."""

_REASONS = get_args(Reasons)
_TRUSTED = frozenset({"auto", "bitboard", "pysat", "backtracking"})
_CONFIRMING_WORK = 20_000

Verb = Literal["solve", "check", "count"]
"""What `search` finds out."""

USUAL_LIMITS: dict[Verb, int | None] = {"solve": 1, "check": 2, "count": None}
"""How many solutions end a search without a stated limit; None for all."""


class Verdict(StrEnum):
    """The result for a puzzle.

    ``solved`` is the result of `solve` if it finds a solution, since it does not look for others.
    ``invalid`` is the result for input that is not a puzzle.
    """

    UNIQUE = "unique"
    MULTIPLE = "multiple"
    NONE = "none"
    SOLVED = "solved"
    UNKNOWN = "unknown"
    INVALID = "invalid"


@dataclass(frozen=True, slots=True, repr=False)
class Outcome(Brief):
    """The result of a search. It is neither true nor false: compare its `verdict`.

    Outcomes with the same answer are equal, however long each took.

    Attributes:
        puzzle: the puzzle.
        verb: the function that searched: solve, check or count.
        limit: the number of solutions that ends the search; None for no limit.
        verdict: the verdict.
        solutions: solutions, in the order in which they were found, perhaps not all.
        count: the number of solutions found.
        complete: whether these are all solutions, so that `count` is exact.
        stopped_by: what ended the search: the limit of solutions, time or work; None if `complete`.
        backend: the name of the backend that decided.
        seconds: the time, without loading the solver.
        contradiction: clues that contradict the rules, if `check` found no solution.
        unexplained: the limit that ended the search for such clues before any were found.
        backbone: the cells that are the same in all solutions, if they were requested.
        readings: the outcomes with distinct lines (classic) and without (unruly), if both were
            requested; this outcome is then the one with the better verdict.
    """

    puzzle: Puzzle
    verb: Verb
    limit: int | None
    verdict: Verdict
    solutions: tuple[Board, ...]
    count: int
    complete: bool
    stopped_by: Stop | None
    backend: str
    seconds: float = field(compare=False)
    contradiction: Contradiction | None = None
    unexplained: Literal["time", "work"] | None = None
    backbone: Backbone | None = None
    readings: dict[str, Outcome] | None = field(default=None, hash=False)

    @property
    def solution(self) -> Board | None:
        """The first solution found."""
        return self.solutions[0] if self.solutions else None

    @property
    def second_solution(self) -> Board | None:
        """The second solution found."""
        return self.solutions[1] if len(self.solutions) > 1 else None

    @property
    def differences(self) -> list[Cell]:
        """The cells in which the first two solutions differ."""
        if self.solution is None or self.second_solution is None:
            return []
        return self.solution.differences(self.second_solution)

    def __str__(self) -> str:
        """The verdict, the number of solutions if it is above one, and the first solution.

        If there is none, the conflict of clues, if it is known.
        """
        lines = [self._headline()]
        if self.solution:
            lines.append(str(self.solution))
        if self.contradiction:
            lines.append(str(self.contradiction))
        return "\n".join(lines)

    def __bool__(self) -> bool:
        """Raise an error: an outcome is neither true nor false.

        Raises:
            TypeError: always.
        """
        raise TypeError(
            "an outcome is neither true nor false; compare its verdict, "
            "as in outcome.verdict == 'unique'"
        )

    def _headline(self) -> str:
        if self.count < 2:
            return str(self.verdict)
        return f"{self.verdict}, {self.count}{'' if self.complete else ' or more'} solutions"

    def _repr_html_(self) -> str:
        """The verdict and the first solution, for notebooks.

        Clues are shaded. Cells that differ in the second solution are marked.
        """
        found = (self.readings or {}).items()
        readings = "; ".join(f"{name}: {outcome._headline()}" for name, outcome in found)
        clues = self.puzzle.board
        board = self.solution or clues
        text = readings or self._headline()
        if (differences := self.differences) and self.verb == "check":
            text += "\nThe marked cells differ in the second solution."
        return headed(text, board, clues, self.puzzle.signs, differences)

    def to_dict(self) -> dict[str, Any]:
        """The fields of the result record, except those that say where the puzzle comes from."""
        return self.puzzle.to_dict() | self.fields()

    def fields(self) -> dict[str, Any]:
        """The fields of a result record that the search fills in."""
        is_check = self.verb == "check"
        several = self.verb == "solve" and self.limit != 1
        boards, conflict = [board.cells for board in self.solutions], self.contradiction
        found = (self.readings or {}).items()
        fields = {
            "rules": self.puzzle.rules_name or asdict(self.puzzle.rules),
            "verdict": self.verdict,
            "solution": boards[0] if boards else None,
            "second_solution": boards[1] if is_check and boards[1:] else None,
            "solutions": boards if several else None,
            "differences": list(map(list, self.differences))
            if is_check and self.verdict is Verdict.MULTIPLE
            else None,
            "count": self.count,
            "complete": self.complete,
            "stopped_by": self.stopped_by,
            **(conflict.to_dict() if conflict else {"contradiction_stopped_by": self.unexplained}),
            **(self.backbone.to_dict() if self.backbone else {}),
            "backend": self.backend,
            "seconds": round(self.seconds, 6),
            "readings": {name: outcome.fields() for name, outcome in found} or None,
        }
        return {name: value for name, value in fields.items() if value is not None}


def search(
    puzzle: Puzzle,
    verb: Verb,
    *,
    backend: str | Backend = backends.DEFAULT,
    cross_check: str | Backend | None = None,
    limit: int | None = None,
    time_limit: float | None = None,
    reasons: Reasons = "smallest",
) -> Outcome:
    """Search for solutions: a few (solve), two of them (check) or their number (count).

    Args:
        puzzle: the puzzle.
        verb: what to find out.
        backend: a backend, or a name for `backends.get`.
        cross_check: a second backend that searches too and must agree.
        limit: stop after this number of solutions; by default 1 to solve, 2 to check, and no limit
            to count.
        time_limit: seconds for each backend; None for no limit.
        reasons: the conflict of clues that `check` finds in the remaining time if there is no
            solution.

    Returns:
        An outcome with all solutions found to solve, and with at most two otherwise.

    Raises:
        LimitError: `limit` is below 1, or below 2 to check, or `time_limit` is negative.
        OptionError: `reasons` has another value.
        BackendError: a backend does not support the puzzle, or failed.
        Disagreement: two backends contradict each other.
        ArgumentError: `puzzle` is not a puzzle.
    """
    limit = USUAL_LIMITS[verb] if limit is None else _allowed(limit)
    if verb == "check" and limit == 1:
        raise LimitError("a limit of 1 solutions can't show uniqueness; expected 2 or more")
    if reasons not in _REASONS:
        expected = ", ".join(_REASONS)
        raise OptionError("reasons", f"expected one of {expected}, not {reasons!r}")
    expect_puzzle(puzzle)
    budget = UNLIMITED if time_limit is None else Budget(time_limit)
    given = [backend] if cross_check is None else [backend, cross_check]
    used = [backends.get(one) if isinstance(one, str) else _expect_backend(one) for one in given]
    outcome = _search(puzzle, verb, used[0], limit, budget)
    for other in used[1:]:
        outcome = _combine(puzzle, outcome, _search(puzzle, verb, other, limit, budget))
    if outcome.verdict is not Verdict.NONE:
        return outcome
    if not all(map(_is_trusted, used)):
        started = monotonic()
        _refute_none(puzzle, outcome.backend, _left(time_limit, outcome.seconds))
        outcome = replace(outcome, seconds=outcome.seconds + monotonic() - started)
    if verb != "check" or reasons == "none":
        return outcome
    return _with_conflict(puzzle, outcome, reasons == "smallest", time_limit)


solve = partial(search, verb="solve")
check = partial(search, verb="check")
count = partial(search, verb="count")


def enumerate_solutions(
    puzzle: Puzzle,
    *,
    backend: str | Backend = backends.DEFAULT,
    limit: int | None = None,
    time_limit: float | None = None,
) -> Iterator[Board]:
    """Yield each solution of a puzzle once, in no particular order, as soon as it is found.

    The time limit runs from the first `next` call.

    Raises:
        LimitError: `limit` is below 1, or `time_limit` is negative.
        BudgetExceeded: the time ran out. There may be more solutions.
        WrongAnswer: the backend returned a board that is not a solution.
    """
    expect_puzzle(puzzle)
    used = backends.get(backend) if isinstance(backend, str) else _expect_backend(backend)
    return _checked_solutions(puzzle, used, _allowed(limit), Budget(time_limit))


def _expect_backend(backend: Backend) -> Backend:
    if not hasattr(backend, "solutions"):
        raise ArgumentError.of("backend", "a name or a backend", backend)
    return backend


def _left(time_limit: float | None, seconds: float) -> float | None:
    return None if time_limit is None else max(0.0, time_limit - seconds)


def _is_trusted(backend: Backend) -> bool:
    """Whether "no solution" of a backend needs no confirmation.

    External programs need one, and so does CP-SAT: some releases missed existing solutions.
    """
    return backend.name.partition(":")[0] in _TRUSTED


def _refute_none(puzzle: Puzzle, name: str, seconds: float | None) -> None:
    """Search for a solution after a backend found none, unless that takes too long."""
    budget = Budget(seconds, _CONFIRMING_WORK)
    boards = backends.get(backends.DEFAULT).solutions(puzzle, limit=1, budget=budget)
    with suppress(BudgetExceeded):
        for board in boards:
            _expect_solution(puzzle, backends.DEFAULT, board)
            raise _wrong_none(puzzle, name, board)


def _wrong_none(puzzle: Puzzle, name: str, solution: Board) -> WrongAnswer:
    return WrongAnswer(f"{name} found no solution of\n{puzzle}\nbut this is one:\n{solution}")


def _with_conflict(
    puzzle: Puzzle, outcome: Outcome, smallest: bool, time_limit: float | None
) -> Outcome:
    """Add a conflict of clues to an outcome, if one is found in time."""
    # Imported here because it loads a solver library.
    from binairo_cp.solving.minimal_conflicts import find_conflict

    started = monotonic()
    try:
        budget = Budget(_left(time_limit, outcome.seconds))
        result = find_conflict(puzzle, budget, smallest=smallest)
        if isinstance(result, Board):
            _expect_solution(puzzle, "pysat", result)
            raise _wrong_none(puzzle, outcome.backend, result)
        outcome = replace(outcome, contradiction=result)
    except BudgetExceeded as error:
        outcome = replace(outcome, unexplained=error.by)
    return replace(outcome, seconds=outcome.seconds + monotonic() - started)


def _search(
    puzzle: Puzzle, verb: Verb, backend: Backend, limit: int | None, budget: Budget
) -> Outcome:
    started = monotonic()
    if counted := _counted(puzzle, verb, backend, limit, budget):
        for board in counted.boards:
            _expect_solution(puzzle, counted.backend, board)
    else:
        kept = limit if verb == "solve" and limit else 2
        check = partial(_expect_solution, puzzle, backend.name)
        counted = count_by_showing(
            backend, puzzle, limit=limit, budget=budget, kept=kept, check=check
        )
    complete = counted.stopped_by is None
    if counted.found and verb == "solve":
        verdict = Verdict.SOLVED
    elif counted.found > 1:
        verdict = Verdict.MULTIPLE
    elif complete:
        verdict = Verdict.UNIQUE if counted.found else Verdict.NONE
    else:
        verdict = Verdict.UNKNOWN
    return Outcome(
        puzzle=puzzle,
        verb=verb,
        limit=limit,
        verdict=verdict,
        solutions=counted.boards,
        count=counted.found,
        complete=complete,
        stopped_by=counted.stopped_by,
        backend=counted.backend,
        seconds=monotonic() - started,
    )


def _counted(
    puzzle: Puzzle, verb: Verb, backend: Backend, limit: int | None, budget: Budget
) -> Count | None:
    """What needs no search solution by solution; None for the others."""
    if why_impossible(puzzle.board.height, puzzle.board.width, puzzle.rules):
        # A search can take very long to show it.
        return Count(0, (), None, backend.name)
    if limit in (1, 2):
        few = getattr(backend, "few", None)
        is_long_enough = budget.seconds is None or budget.seconds >= LEAST_TIME_LIMIT
        found: Count | None = few(puzzle, limit) if few and is_long_enough else None
        return found
    if verb != "solve" and isinstance(backend, Counter):
        return backend.count(puzzle, limit=limit, budget=budget)
    return None


def _combine(puzzle: Puzzle, one: Outcome, two: Outcome) -> Outcome:
    """The more complete outcome of two; the first if both are equally complete."""
    for known, other in ((one, two), (two, one)):
        has_all = known.complete and known.count == len(known.solutions)
        others = has_all and set(other.solutions) - set(known.solutions)
        if others or (known.complete and other.count > known.count):
            raise Disagreement(
                f"{known.backend} found exactly {known.count} solutions, but {other.backend} "
                f"found {other.count}{' different ones' * bool(others)} of\n{puzzle}"
            )
    best = max(one, two, key=lambda outcome: (outcome.complete, outcome.count))
    names = f"{one.backend},{two.backend}"
    return replace(best, backend=names, seconds=one.seconds + two.seconds)


def _checked_solutions(
    puzzle: Puzzle, backend: Backend, limit: int | None, budget: Budget
) -> Iterator[Board]:
    for board in backend.solutions(puzzle, limit=limit, budget=budget):
        _expect_solution(puzzle, backend.name, board)
        yield board


def _allowed(limit: int | None) -> int | None:
    if limit is None:
        return None
    if not isinstance(limit, int) or isinstance(limit, bool):
        raise ArgumentError.of("limit", "a whole number", limit)
    if limit < 1:
        raise LimitError(f"a limit of {limit} solutions; expected 1 or more")
    # The kernels count with machine words.
    return min(limit, sys.maxsize)


def _expect_solution(puzzle: Puzzle, name: str, board: Board) -> None:
    """Check a board that a backend returned."""
    clues = puzzle.board
    is_same_size = board.height == clues.height and board.width == clues.width
    if is_same_size and fast_check.is_solution(puzzle, board):
        return
    if not is_same_size:
        reason = f"it is {board.height}x{board.width}"
    elif not board.is_full:
        reason = "it has open cells"
    else:
        reason = "; ".join(map(str, violations(puzzle, board)[:3]))
    raise WrongAnswer(f"{name} returned a board that is not a solution ({reason}) of\n{puzzle}")


_PREFERENCE = (Verdict.UNIQUE, Verdict.SOLVED, Verdict.UNKNOWN, Verdict.MULTIPLE, Verdict.NONE)
"""The verdicts, the best first: a puzzle counts as unique if one variant of its rules is."""


def rule_variants(puzzle: Puzzle) -> dict[str, Puzzle]:
    """The puzzle with distinct lines (classic) and without (unruly), if its source says neither."""
    return {
        "classic": replace(puzzle, rules=replace(puzzle.rules, distinct_lines=True)),
        "unruly": replace(puzzle, rules=replace(puzzle.rules, distinct_lines=False)),
    }


class _HasVerdict(Protocol):
    @property
    def verdict(self) -> Verdict: ...


_Decided = TypeVar("_Decided", bound=_HasVerdict)


def under_both(
    puzzle: Puzzle, find: Callable[[Puzzle], _Decided]
) -> tuple[_Decided, dict[str, _Decided]]:
    """What is found under both variants of the rules: the one with the better verdict, and both."""
    readings = {name: find(variant) for name, variant in rule_variants(puzzle).items()}
    best = min(readings.values(), key=lambda found: _PREFERENCE.index(found.verdict))
    return best, readings
