"""The fewest clues that keep the solution of a puzzle, or of a full board, the only one."""

from __future__ import annotations

from dataclasses import dataclass, replace

from binairo_cp.errors import BudgetExceeded
from binairo_cp.puzzle.board import OPEN, Board
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.reduction.smallest_sets import Bounds, Watch, smallest_set
from binairo_cp.reduction.verdicts import confirmed, only_solution, with_only
from binairo_cp.solving.assumption_cores import ClueSets, new_session
from binairo_cp.solving.backends import UNLIMITED, Budget, Meter, Stop


@dataclass(frozen=True, slots=True)
class FewestClues:
    """What is known of the fewest clues.

    Attributes:
        puzzle: the one with the fewest clues that were found to suffice.
        at_least: fewer clues than this do not suffice, whichever they are.
        stopped_by: what ended the search; None if `puzzle` is proved to have the fewest.
    """

    puzzle: Puzzle
    at_least: int
    stopped_by: Stop | None

    @property
    def at_most(self) -> int:
        return self.puzzle.board.clue_count

    @property
    def proved(self) -> bool:
        return self.at_least == self.at_most


def fewest_clues(
    puzzle: Puzzle,
    solution: Board | None = None,
    *,
    all_cells: bool = False,
    budget: Budget = UNLIMITED,
    watch: Watch | None = None,
) -> FewestClues:
    """Find the fewest of a puzzle's clues that leave its solution the only one.

    Args:
        puzzle: has exactly one solution; a full board is a puzzle too. Its signs stay.
        solution: that one, if it is known already.
        all_cells: choose among all cells of the solution, not only among the clues.
        budget: what it may cost.
        watch: is told the bounds as they close.

    Raises:
        PuzzleError: it has no solution, or several.
        BudgetExceeded: it could not even be found out whether it has.
    """
    meter = Meter(budget)
    solution = solution or only_solution(puzzle, meter)
    known = _clues(puzzle)
    if all_cells:
        puzzle = replace(puzzle, board=solution)
    try:
        sets = ClueSets(puzzle, new_session(puzzle, meter), meter)
        sets.forbid(solution)
        bounds = smallest_set(sets, meter, watch, known=known)
    except BudgetExceeded as error:
        bounds = Bounds(tuple(known), 0, error.by)
    found = confirmed(with_only(puzzle, bounds.best, solution), solution, meter)
    return FewestClues(found, bounds.at_least, bounds.stopped_by)


def _clues(puzzle: Puzzle) -> list[int]:
    return [place for place, value in enumerate(puzzle.board.cells) if value != OPEN]
