"""The front door for Python users: solve, check, count and enumerate.

Whatever a backend finds passes `rules.violations` here before anybody sees it. What was not found
out in the time allowed is *unknown*, never *none*.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Literal, get_args

from binairo_cp.errors import BudgetExceeded, Disagreement, LimitError, OptionError, WrongAnswer
from binairo_cp.puzzle.board import Board, Cell
from binairo_cp.puzzle.rules import Puzzle, expect_puzzle, violations
from binairo_cp.solving import backends
from binairo_cp.solving.backends import Backend, Budget, Counter, Portfolio, Stop
from binairo_cp.workers import resource_limits

if TYPE_CHECKING:
    from binairo_cp.solving.minimal_conflicts import Contradiction

Reasons = Literal["none", "quick", "smallest"]
"""What `check` reports of a puzzle without a solution: nothing, an irreducible set of contradicting
clues, which takes milliseconds, or a smallest one, which can take seconds."""

_OURS = frozenset({"auto", "bitboard", "pysat", "backtracking"})
_CONFIRMING_WORK = 20_000

Verb = Literal["solve", "check", "count"]
"""What can be asked of a puzzle: which of the functions below."""


class Verdict(StrEnum):
    """What is known of a puzzle.

    ``solved`` is what `solve` says of a puzzle that has a solution, when nobody asked whether it
    has more. ``invalid`` is said of input that is no puzzle.
    """

    UNIQUE = "unique"
    MULTIPLE = "multiple"
    NONE = "none"
    SOLVED = "solved"
    UNKNOWN = "unknown"
    INVALID = "invalid"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a search found out.

    Attributes:
        verdict: what is known.
        solutions: the solutions that were kept, in the order in which they were found.
        count: how many solutions were found.
        complete: there are no others, so that `count` is exact.
        stopped_by: what ended the search before that: the limit on solutions, the time or the
            work; None if `complete`.
        backend: who answered.
        seconds: how long it took, apart from loading and compiling code.
        contradiction: of a puzzle that `check` found to have no solution, clues that already
            contradict the rules.
        unexplained: what ended the search for such clues before any were found.
    """

    verdict: Verdict
    solutions: tuple[Board, ...]
    count: int
    complete: bool
    stopped_by: Stop | None
    backend: str
    seconds: float
    contradiction: Contradiction | None = None
    unexplained: Literal["time", "work"] | None = None

    @property
    def solution(self) -> Board | None:
        """The first solution found."""
        return self.solutions[0] if self.solutions else None

    @property
    def second_solution(self) -> Board | None:
        """The witness that there is more than one."""
        return self.solutions[1] if len(self.solutions) > 1 else None

    @property
    def differences(self) -> list[Cell]:
        """The cells in which the first two solutions differ."""
        if self.solution is None or self.second_solution is None:
            return []
        return self.solution.differences(self.second_solution)


def solve(
    puzzle: Puzzle,
    *,
    backend: str | Backend = backends.DEFAULT,
    cross_check: str | Backend | None = None,
    limit: int = 1,
    time_limit: float | None = None,
) -> Outcome:
    """Find a solution, or as many as `limit`, without asking whether there are more.

    Args:
        puzzle: what to solve.
        backend: a name that `backends.get` knows, or a backend.
        cross_check: another one that does the same, and must agree.
        limit: stop after that many solutions.
        time_limit: in seconds, for each backend; None for no bound.

    Returns:
        An outcome with all solutions found; its verdict is solved, none or unknown.

    Raises:
        LimitError: a limit below 1, or a negative time.
        BackendError: a backend can't take the puzzle, or failed.
        Disagreement: two backends contradict each other.
        ArgumentError: it is not a puzzle.
    """
    outcome = _explore(puzzle, backend, cross_check, limit, time_limit, keep=limit)
    return replace(outcome, verdict=Verdict.SOLVED) if outcome.solutions else outcome


def check(
    puzzle: Puzzle,
    *,
    backend: str | Backend = backends.DEFAULT,
    cross_check: str | Backend | None = None,
    limit: int = 2,
    time_limit: float | None = None,
    reasons: Reasons = "smallest",
) -> Outcome:
    """Decide whether a puzzle has exactly one solution.

    Args:
        puzzle: what to check.
        backend: a name that `backends.get` knows, or a backend.
        cross_check: another one that does the same, and must agree.
        limit: stop after that many solutions, at least 2.
        time_limit: in seconds, for each backend; None for no bound.
        reasons: which contradicting clues to look for if there is no solution, in the time that
            is left: ``none``, ``quick`` (no clue of them can be left out) or ``smallest``.

    Returns:
        An outcome with at most two solutions; its verdict is unique, multiple, none or unknown.

    Raises:
        LimitError: a limit below 2, or a negative time.
        OptionError: `reasons` is something else.
        BackendError: a backend can't take the puzzle, or failed.
        Disagreement: two backends contradict each other.
        ArgumentError: it is not a puzzle.
    """
    if limit < 2:
        raise LimitError(f"a limit of {limit} solutions can't show uniqueness; expected 2 or more")
    if reasons not in get_args(Reasons):
        raise OptionError("reasons", f"expected none, quick or smallest, not {reasons!r}")
    outcome = _explore(puzzle, backend, cross_check, limit, time_limit, keep=2)
    if outcome.verdict is not Verdict.NONE or reasons == "none":
        return outcome
    return _explained(puzzle, outcome, reasons == "smallest", time_limit)


def count(
    puzzle: Puzzle,
    *,
    backend: str | Backend = backends.DEFAULT,
    cross_check: str | Backend | None = None,
    limit: int | None = None,
    time_limit: float | None = None,
) -> Outcome:
    """Count the solutions of a puzzle.

    Args:
        puzzle: whose solutions to count.
        backend: a name that `backends.get` knows, or a backend.
        cross_check: another one that does the same, and must agree.
        limit: stop after that many; None for no bound.
        time_limit: in seconds, for each backend; None for no bound.

    Returns:
        An outcome that keeps the first two solutions; if not `complete`, its `count` is how many
        were found until `stopped_by` ended it.

    Raises:
        LimitError: a limit below 1, or a negative time.
        BackendError: a backend can't take the puzzle, or failed.
        Disagreement: two backends contradict each other.
        ArgumentError: it is not a puzzle.
    """
    return _explore(puzzle, backend, cross_check, limit, time_limit, keep=2)


def enumerate_solutions(
    puzzle: Puzzle,
    *,
    backend: str | Backend = backends.DEFAULT,
    limit: int | None = None,
    time_limit: float | None = None,
) -> Iterator[Board]:
    """The solutions of a puzzle, each once, in no particular order, as they are found.

    Args:
        puzzle: whose solutions to find.
        backend: a name that `backends.get` knows, or a backend.
        limit: stop after that many; None for no bound.
        time_limit: in seconds, from the first solution asked for; None for no bound.

    Raises:
        LimitError: a limit below 1, or a negative time.
        BudgetExceeded: the time ran out: there may be more.
        WrongAnswer: the backend found a board that is no solution.
        BackendError: the backend can't take the puzzle, or failed.
        ArgumentError: it is not a puzzle.
    """
    expect_puzzle(puzzle)
    return _checked_solutions(puzzle, _backend(backend), limit, Budget(time_limit))


def _backend(backend: str | Backend) -> Backend:
    return backends.get(backend) if isinstance(backend, str) else backend


def _explore(
    puzzle: Puzzle,
    backend: str | Backend,
    other: str | Backend | None,
    limit: int | None,
    time_limit: float | None,
    keep: int,
) -> Outcome:
    """Look for up to `limit` solutions; all that the tasks say follows from how that ends."""
    expect_puzzle(puzzle)
    budget = Budget(time_limit)
    used = [_backend(each) for each in (backend, other) if each is not None]
    outcome, *second = (_search(puzzle, each, limit, budget, keep) for each in used)
    if second:
        outcome = _agreed(puzzle, outcome, second[0])
    if outcome.verdict is not Verdict.NONE or all(map(_is_ours, used)):
        return outcome
    started = resource_limits.clock()
    _refute_none(puzzle, outcome.backend, _left(time_limit, outcome.seconds))
    return replace(outcome, seconds=outcome.seconds + resource_limits.clock() - started)


def _left(time_limit: float | None, seconds: float) -> float | None:
    return None if time_limit is None else max(0.0, time_limit - seconds)


def _is_ours(backend: Backend) -> bool:
    """Whether its "no solution" needs no second witness.

    Programs of users do need one, and so does CP-SAT: some releases found none where there is one.
    """
    return backend.name.partition(":")[0] in _OURS


def _refute_none(puzzle: Puzzle, name: str, seconds: float | None) -> None:
    """Look for a solution where a backend found none.

    If that takes too long, nothing is known against what the backend says.

    Raises:
        WrongAnswer: there is one.
    """
    budget = Budget(seconds, _CONFIRMING_WORK)
    boards = backends.get(backends.DEFAULT).solutions(puzzle, limit=1, budget=budget)
    with suppress(BudgetExceeded):
        for board in _refuse_wrong(puzzle, backends.DEFAULT, boards):
            raise _wrong_none(puzzle, name, board)


def _wrong_none(puzzle: Puzzle, name: str, solution: Board) -> WrongAnswer:
    return WrongAnswer(f"{name} found no solution of\n{puzzle}\nbut this is one:\n{solution}")


def _explained(
    puzzle: Puzzle, outcome: Outcome, smallest: bool, time_limit: float | None
) -> Outcome:
    """The outcome with contradicting clues, if the time allows to find any.

    Raises:
        WrongAnswer: there is a solution after all.
    """
    # Imported here, since it loads a solver's library.
    from binairo_cp.solving.minimal_conflicts import find_contradiction

    started = resource_limits.clock()
    contradiction, unexplained = None, None
    try:
        budget = Budget(_left(time_limit, outcome.seconds))
        found = find_contradiction(puzzle, budget, smallest=smallest)
        if isinstance(found, Board):
            for board in _refuse_wrong(puzzle, "pysat", iter([found])):
                raise _wrong_none(puzzle, outcome.backend, board)
        else:
            contradiction = found
    except BudgetExceeded as error:
        unexplained = error.by
    return replace(
        outcome,
        contradiction=contradiction,
        unexplained=unexplained,
        seconds=outcome.seconds + resource_limits.clock() - started,
    )


def _search(
    puzzle: Puzzle, backend: Backend, limit: int | None, budget: Budget, keep: int
) -> Outcome:
    started = resource_limits.clock()
    if isinstance(backend, Counter) and keep == 2 and limit != 2:
        counted = backend.count(puzzle, limit=_allowed(limit), budget=budget)
        kept = list(_refuse_wrong(puzzle, counted.backend, iter(counted.boards)))
        found, stopped_by, name = counted.found, counted.stopped_by, counted.backend
    else:
        kept, found, stopped_by = [], 0, None
        boards = backend.solutions(puzzle, limit=_allowed(limit), budget=budget)
        try:
            for board in _refuse_wrong(puzzle, backend.name, boards):
                found += 1
                if len(kept) < keep:
                    kept.append(board)
            if found == limit:
                stopped_by = "limit"
        except BudgetExceeded as error:
            stopped_by = error.by
        name = boards.answered_by if isinstance(boards, Portfolio) else backend.name
    complete = stopped_by is None
    return Outcome(
        verdict=_verdict(found, complete),
        solutions=tuple(kept),
        count=found,
        complete=complete,
        stopped_by=stopped_by,
        backend=name,
        seconds=resource_limits.clock() - started,
    )


def _agreed(puzzle: Puzzle, one: Outcome, two: Outcome) -> Outcome:
    """The outcome that knows more, of the first if they know the same.

    Raises:
        Disagreement: one has all solutions, and the other has others or more.
    """
    for known, other in ((one, two), (two, one)):
        has_all = known.complete and known.count == len(known.solutions)
        others = has_all and set(other.solutions) - set(known.solutions)
        if others or (known.complete and other.count > known.count):
            raise Disagreement(
                f"{known.backend} says that there are exactly {known.count} solutions, "
                f"{other.backend} found {other.count}{', other ones,' * bool(others)} of\n{puzzle}"
            )
    best = max(one, two, key=lambda outcome: (outcome.complete, outcome.count))
    names = f"{one.backend},{two.backend}"
    return replace(best, backend=names, seconds=one.seconds + two.seconds)


def _verdict(found: int, complete: bool) -> Verdict:
    if found > 1:
        return Verdict.MULTIPLE
    if not complete:
        return Verdict.UNKNOWN
    return Verdict.UNIQUE if found else Verdict.NONE


def _checked_solutions(
    puzzle: Puzzle, backend: Backend, limit: int | None, budget: Budget
) -> Iterator[Board]:
    boards = backend.solutions(puzzle, limit=_allowed(limit), budget=budget)
    return _refuse_wrong(puzzle, backend.name, boards)


def _allowed(limit: int | None) -> int | None:
    if limit is not None and limit < 1:
        raise LimitError(f"a limit of {limit} solutions; expected 1 or more")
    return limit


def _refuse_wrong(puzzle: Puzzle, name: str, boards: Iterator[Board]) -> Iterator[Board]:
    for board in boards:
        if not board.is_full or (broken := violations(puzzle, board)):
            why = "; ".join(map(str, broken[:3])) if board.is_full else "it has open cells"
            raise WrongAnswer(f"{name} gave a board that is no solution ({why}) of\n{puzzle}")
        yield board
