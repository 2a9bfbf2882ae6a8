"""The fewest changes that make a puzzle have one solution: cells to add, or clues to drop."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from binairo_cp.errors import BudgetExceeded, PuzzleError, WrongAnswer
from binairo_cp.puzzle.board import OPEN, Board, Cell
from binairo_cp.puzzle.rules import Puzzle, violations
from binairo_cp.reduction.completion import Completion, complete, complete_any
from binairo_cp.reduction.correction_sets import Dropping
from binairo_cp.reduction.smallest_sets import Watch
from binairo_cp.reduction.verdicts import confirmed, time_to_check, verdict, with_only
from binairo_cp.solving.assumption_cores import ClueSets, new_session
from binairo_cp.solving.backends import UNLIMITED, Budget, Meter, Stop
from binairo_cp.solving.solutions import Outcome, Verdict, check


@dataclass(frozen=True, slots=True)
class Repair:
    """A puzzle that was changed so that it has one solution, or at least one.

    Attributes:
        puzzle: what it is now.
        verdict: unique; multiple, if no smallest set of clues to drop leaves a single solution; or
            unknown.
        solution: its solution, or one of them; None if none is known.
        added: the open cells that got a value.
        dropped: the clues that were taken away.
        at_least: with fewer changes of this kind it can't be done.
        ways: the smallest sets of clues to drop that were found.
        ways_unique: how many of them leave one solution.
        stopped_by: what ended the search before all this was proved.
    """

    puzzle: Puzzle
    verdict: Verdict
    solution: Board | None
    added: tuple[Cell, ...] = ()
    dropped: tuple[Cell, ...] = ()
    at_least: int = 0
    ways: tuple[tuple[Cell, ...], ...] = ()
    ways_unique: int = 0
    stopped_by: Stop | None = None

    @property
    def changes(self) -> int:
        return len(self.added) + len(self.dropped)

    @property
    def proved(self) -> bool:
        return self.changes == self.at_least


def repair(
    puzzle: Puzzle,
    outcome: Outcome | None = None,
    *,
    solution: Board | None = None,
    budget: Budget = UNLIMITED,
    watch: Watch | None = None,
) -> Repair | None:
    """Change a puzzle as little as can be so that it has one solution.

    With several solutions, the fewest open cells get a value: for the given solution, or for
    whichever takes the fewest. With none, the fewest clues are dropped so that there is a solution,
    and of all ways to do so one that leaves exactly one, if there is any. Signs stay.

    Args:
        puzzle: what to repair.
        outcome: what `solutions.check` found out about it, if it is known already.
        solution: the one that is to stay, of a puzzle with several.
        budget: what it may cost.
        watch: is told the bounds as they close.

    Returns:
        None if there is no solution whatever clues are dropped.

    Raises:
        PuzzleError: the solution that is to stay is none of this puzzle.
        BudgetExceeded: nothing was found in the time.
    """
    meter = Meter(budget)
    if solution is not None:
        _check_solution(puzzle, solution)
    outcome = outcome or verdict(puzzle, meter)
    first = outcome.solution
    if outcome.verdict is Verdict.NONE:
        return _dropped(puzzle, meter, watch)
    if first is None or outcome.verdict is Verdict.UNKNOWN:
        raise BudgetExceeded("time")
    if outcome.verdict is Verdict.UNIQUE:
        return Repair(puzzle, Verdict.UNIQUE, first)
    if solution is None:
        return _added(puzzle, complete_any(puzzle, first, meter, watch), meter)
    return _added(puzzle, complete(puzzle, solution, meter, watch), meter)


def _check_solution(puzzle: Puzzle, solution: Board) -> None:
    """Refuse what is no solution.

    Raises:
        PuzzleError: it is none.
        BoardError: it is of another size.
    """
    for broken in violations(puzzle, solution):
        raise PuzzleError(f"what is to stay is no solution: {broken}")
    if not solution.is_full:
        raise PuzzleError("what is to stay is no solution: it has open cells")


def _added(puzzle: Puzzle, found: Completion, meter: Meter) -> Repair:
    clues = [place for place, value in enumerate(puzzle.board.cells) if value != OPEN]
    now = with_only(puzzle, [*clues, *found.cells], found.solution)
    return Repair(
        puzzle=confirmed(now, found.solution, meter),
        verdict=Verdict.UNIQUE,
        solution=found.solution,
        added=_cells(puzzle, found.cells),
        at_least=found.at_least,
        stopped_by=found.stopped_by,
    )


def _dropped(puzzle: Puzzle, meter: Meter, watch: Watch | None) -> Repair | None:
    """Drop the fewest clues, and of all ways take the first that leaves one solution."""
    sets = ClueSets(puzzle, new_session(puzzle, meter), meter)
    if sets.contradict([]):
        return None
    search = Dropping(sets, meter, watch or (lambda *_: None))
    search.run()
    # Row by row, so that the order does not depend on the solver.
    ways = sorted(map(sorted, search.ways))
    outcomes, stopped_by = _outcomes(puzzle, ways, meter)
    # The first one that leaves a single solution, or the first.
    dropped, outcome = max(outcomes, key=lambda each: each[1].verdict is Verdict.UNIQUE)
    return Repair(
        puzzle=_without(puzzle, dropped),
        verdict=outcome.verdict,
        solution=outcome.solution,
        dropped=_cells(puzzle, dropped),
        at_least=search.at_least,
        ways=tuple(_cells(puzzle, way) for way in ways),
        ways_unique=sum(outcome.verdict is Verdict.UNIQUE for _, outcome in outcomes),
        stopped_by=search.stopped_by or stopped_by,
    )


def _outcomes(
    puzzle: Puzzle, ways: list[list[int]], meter: Meter
) -> tuple[list[tuple[list[int], Outcome]], Stop | None]:
    """What is left of a puzzle by each way, at least by the first, and what ended the checks."""
    outcomes = []
    for dropped in ways:
        outcome = check(_without(puzzle, dropped), time_limit=time_to_check(meter), reasons="none")
        if outcome.verdict is Verdict.NONE:
            raise WrongAnswer(f"there is no solution without {len(dropped)} clues of\n{puzzle}")
        outcomes.append((dropped, outcome))
        if outcome.verdict is Verdict.UNKNOWN or meter.seconds_left == 0:
            return outcomes, "time"
    return outcomes, None


def _cells(puzzle: Puzzle, places: Iterable[int]) -> tuple[Cell, ...]:
    return tuple(map(puzzle.board.cell, sorted(places)))


def _without(puzzle: Puzzle, dropped: Iterable[int]) -> Puzzle:
    cells = list(puzzle.board.cells)
    for place in dropped:
        cells[place] = OPEN
    return replace(puzzle, board=replace(puzzle.board, cells="".join(cells)))
