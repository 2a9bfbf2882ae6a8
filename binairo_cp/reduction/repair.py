"""Make a puzzle unique with the fewest changes: clues to add, or clues to drop.

The clues to drop are the smallest correction sets (MCSes). A correction set hits every minimal
conflict of the clues. As for the fewest clues, the search finds a smallest set that hits all known
conflicts. It either leaves a solution or leads to another conflict.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from binairo_cp.errors import BudgetExceeded, PuzzleError, WrongAnswer
from binairo_cp.puzzle.board import Board, Cell, clue_places
from binairo_cp.puzzle.html import Brief, headed
from binairo_cp.puzzle.rules import Puzzle, violations
from binairo_cp.reduction.clues import confirmed, time_to_check, verdict, with_only
from binairo_cp.reduction.completion import Completion, complete, complete_any
from binairo_cp.reduction.smallest_sets import Watch
from binairo_cp.solving.assumption_cores import ClueSets, new_session
from binairo_cp.solving.backends import UNLIMITED, Budget, Meter, Stop
from binairo_cp.solving.hitting_sets import HittingSets
from binairo_cp.solving.solutions import Outcome, Verdict, check

MAX_SETS = 100
"""Maximum number of smallest correction sets to find."""


class CorrectionSets:
    """The smallest sets of clues that leave a solution if they are dropped.

    Args:
        clues: The clues of a puzzle that has a solution without them, but none with them.
        meter: Limits the time and the work; the same as that of `clues`.
        watch: Is called with the bounds when they change.

    Attributes:
        smallest: The smallest sets found, all of the same size.
        proved: Whether no smaller set exists.
        stopped_by: The limit that ended the search; None if all smallest sets were found.
    """

    def __init__(self, clues: ClueSets, meter: Meter, watch: Watch) -> None:
        self.smallest: list[list[int]] = [list(clues.clues)]
        self.proved = False
        self.stopped_by: Stop | None = None
        self._sets = clues
        self._watch = watch
        self._hitting_sets = HittingSets(meter)

    @property
    def at_least(self) -> int:
        """A lower bound on the size of a correction set."""
        return len(self.smallest[0]) if self.proved else self._hitting_sets.at_least

    def find(self) -> None:
        """Find the sets, as far as the budget allows."""
        try:
            self._find_all()
        except BudgetExceeded as error:
            self.stopped_by = error.by

    def _find_all(self) -> None:
        if not self._sets.contradict([]):
            self._update_from_solution()
        while (hitting := self._hitting_sets.smallest()) is not None:
            self._watch(self._hitting_sets.at_least, len(self.smallest[0]))
            if self.proved and len(hitting) > len(self.smallest[0]):
                return
            if self.proved and len(self.smallest) == MAX_SETS:
                self.stopped_by = "limit"
                return
            if self._contradict_without(hitting):
                self._add_disjoint(hitting)
            else:
                self.smallest = [*self.smallest, hitting] if self.proved else [hitting]
                self.proved = True
                self._hitting_sets.forbid(hitting)

    def _contradict_without(self, dropped: list[int]) -> bool:
        without = set(dropped)
        return self._sets.contradict(clue for clue in self._sets.clues if clue not in without)

    def _add_disjoint(self, dropped: list[int]) -> None:
        """Add disjoint conflicts that are not hit, until the other clues have a solution."""
        hit = list(dropped)
        while self._contradict_without(hit):
            core = self._sets.shrink(self._sets.core)
            self._hitting_sets.hit(core)
            hit += core
        self._update_from_solution()

    def _update_from_solution(self) -> None:
        """The minimized set of clues that the last solution breaks is a correction set."""
        correction_set = self._sets.fewest_broken(self._sets.broken())
        if not self.proved and len(correction_set) < len(self.smallest[0]):
            self.smallest = [correction_set]


@dataclass(frozen=True, slots=True, repr=False)
class Repair(Brief):
    """A puzzle that was changed so that it has one solution, or at least one.

    Attributes:
        puzzle: The repaired puzzle.
        verdict: Unique; multiple, if none of the smallest sets of clues to drop leaves a single
            solution; or unknown.
        solution: A solution of it; None if none is known.
        added: The open cells that got a value.
        dropped: The clues that were dropped.
        at_least: A lower bound on the number of changes of this kind.
        ways: The smallest sets of clues to drop that were found.
        ways_unique: How many of these sets leave exactly one solution.
        stopped_by: The limit that ended the search before all this was proved.
        for_solution: Whether `at_least` holds for any solution, or only for the given one; None if
            no clue was added.
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
    for_solution: Literal["any", "given"] | None = None

    @property
    def changes(self) -> int:
        return len(self.added) + len(self.dropped)

    @property
    def proved(self) -> bool:
        return self.changes == self.at_least

    def __str__(self) -> str:
        if not self.changes:
            return "nothing to repair"
        verb, cells = ("add", self.added) if self.added else ("drop", self.dropped)
        return f"{verb} {', '.join(map(str, cells))}: {self.verdict}\n{self.puzzle.board}"

    def _repr_html_(self) -> str:
        """The first line of the text, and a table with the changed cells marked, for notebooks."""
        return headed(
            str(self).partition("\n")[0],
            self.puzzle.board,
            signs=self.puzzle.signs,
            marked=(*self.added, *self.dropped),
        )

    def to_dict(self) -> dict[str, Any]:
        """The fields of ``repair`` in a result record."""
        from binairo_cp.formats import results

        return results.record_of(results.RepairRecord, self).present()


def repair(
    puzzle: Puzzle,
    outcome: Outcome | None = None,
    *,
    solution: Board | None = None,
    budget: Budget = UNLIMITED,
    watch: Watch | None = None,
) -> Repair | None:
    """Make a puzzle unique with the fewest changes.

    If the puzzle has several solutions, the fewest open cells are filled: for the given solution,
    or for the solution that needs the fewest. If it has none, the fewest clues are dropped so that
    there is a solution, if possible exactly one. Signs are always kept.

    Args:
        puzzle: The puzzle to repair.
        outcome: The result of `solutions.check` for it, if already known.
        solution: The solution to keep, if the puzzle has several.
        budget: Limits the time and the work.
        watch: Is called with the bounds when they change.

    Returns:
        The repair; None if there is no solution even without all clues.

    Raises:
        PuzzleError: The given solution is not a solution of the puzzle.
        BudgetExceeded: The budget ran out before any repair was found.
    """
    meter = Meter(budget)
    if solution is not None:
        _check_solution(puzzle, solution)
    if outcome is None:
        outcome = verdict(puzzle, meter)
    first = outcome.solution
    if outcome.verdict is Verdict.NONE:
        return _dropped(puzzle, meter, watch)
    if first is None or outcome.verdict is Verdict.UNKNOWN:
        raise BudgetExceeded("time")
    if outcome.verdict is Verdict.UNIQUE:
        return Repair(puzzle, Verdict.UNIQUE, first)
    if solution is None:
        return _added(puzzle, complete_any(puzzle, first, meter, watch), "any", meter)
    return _added(puzzle, complete(puzzle, solution, meter, watch), "given", meter)


def _check_solution(puzzle: Puzzle, solution: Board) -> None:
    """Check that a board is a solution.

    Raises:
        PuzzleError: It breaks a rule, or has open cells.
        BoardError: It has another size.
    """
    for broken in violations(puzzle, solution):
        raise PuzzleError(f"the solution to keep is not a solution: {broken}")
    if not solution.is_full:
        raise PuzzleError("the solution to keep is not a solution: it has open cells")


def _added(
    puzzle: Puzzle, completion: Completion, for_solution: Literal["any", "given"], meter: Meter
) -> Repair:
    clues = clue_places(puzzle.board.cells)
    completed = with_only(puzzle, [*clues, *completion.cells], completion.solution)
    return Repair(
        puzzle=confirmed(completed, completion.solution, meter),
        verdict=Verdict.UNIQUE,
        solution=completion.solution,
        added=_cells(puzzle, completion.cells),
        at_least=completion.at_least,
        stopped_by=completion.stopped_by,
        for_solution=for_solution,
    )


def _dropped(puzzle: Puzzle, meter: Meter, watch: Watch | None) -> Repair | None:
    """Drop one of the smallest correction sets: the first that leaves one solution, if any."""
    sets = ClueSets(puzzle, new_session(puzzle, meter), meter)
    if sets.contradict([]):
        return None
    search = CorrectionSets(sets, meter, watch or (lambda *_: None))
    search.find()
    # Sorted, so that the order does not depend on the solver.
    ways = sorted(map(sorted, search.smallest))
    outcomes, stopped_by = _outcomes(puzzle, ways, meter)
    # The first one that leaves a single solution, or else the first.
    dropped, outcome = max(outcomes, key=lambda way: way[1].verdict is Verdict.UNIQUE)
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
    """Check the puzzle without each set of clues, at least the first.

    Returns:
        The checked sets and their outcomes, and the limit that ended the checks.
    """
    outcomes = []
    for dropped in ways:
        outcome = check(_without(puzzle, dropped), time_limit=time_to_check(meter), reasons="none")
        if outcome.verdict is Verdict.NONE:
            raise WrongAnswer(f"dropping {len(dropped)} clues leaves no solution:\n{puzzle}")
        outcomes.append((dropped, outcome))
        if outcome.verdict is Verdict.UNKNOWN or meter.seconds_left == 0:
            return outcomes, "time"
    return outcomes, None


def _cells(puzzle: Puzzle, places: Iterable[int]) -> tuple[Cell, ...]:
    return tuple(map(puzzle.board.cell, sorted(places)))


def _without(puzzle: Puzzle, dropped: Iterable[int]) -> Puzzle:
    return with_only(puzzle, {*clue_places(puzzle.board.cells)} - {*dropped}, puzzle.board)
