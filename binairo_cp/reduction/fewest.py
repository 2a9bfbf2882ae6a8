"""Find the fewest clues of a puzzle, or of a full board, that keep its solution unique."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Literal

from binairo_cp.errors import BudgetExceeded
from binairo_cp.puzzle.board import Board, clue_places
from binairo_cp.puzzle.html import Brief, headed
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.reduction.clues import confirmed, only_solution, with_only
from binairo_cp.reduction.smallest_sets import SizeBounds, Watch, smallest_set
from binairo_cp.solving.assumption_cores import ClueSets, new_session
from binairo_cp.solving.backends import UNLIMITED, Budget, Meter, Stop

Among = Literal["clues", "all cells"]
"""What clues are chosen among: the clues of the puzzle, or all cells of its solution."""


@dataclass(frozen=True, slots=True, repr=False)
class FewestClues(Brief):
    """A puzzle with few clues, and a lower bound.

    Attributes:
        puzzle: The puzzle with the fewest sufficient clues found.
        at_least: A lower bound on the number of sufficient clues.
        stopped_by: The limit that ended the search; None if `puzzle` is proved to be optimal.
        among: Whether the clues were chosen among the clues, or among all cells of the solution.
        differences: Sets of cells, row by row from 0. Every sufficient set of clues has a cell of
            each; no set of fewer than `at_least` cells does.
    """

    puzzle: Puzzle
    at_least: int
    stopped_by: Stop | None
    among: Among
    differences: tuple[frozenset[int], ...] = field(default=(), repr=False, compare=False)

    @property
    def at_most(self) -> int:
        return self.puzzle.board.clue_count

    @property
    def proved(self) -> bool:
        return self.at_least == self.at_most

    def __str__(self) -> str:
        bound = "proved minimum" if self.proved else f"at least {self.at_least} are needed"
        clues = "1 clue is" if self.at_most == 1 else f"{self.at_most} clues are"
        return f"{clues} enough ({bound})\n{self.puzzle.board}"

    def _repr_html_(self) -> str:
        """The first line of the text, and a table, for notebooks."""
        return headed(str(self).partition("\n")[0], self.puzzle.board, signs=self.puzzle.signs)

    def to_dict(self) -> dict[str, Any]:
        """The fields of ``fewest`` in a result record."""
        from binairo_cp.formats import results

        return results.record_of(results.FewestRecord, self).present()


def fewest_clues(
    puzzle: Puzzle,
    solution: Board | None = None,
    *,
    all_cells: bool = False,
    budget: Budget = UNLIMITED,
    watch: Watch | None = None,
) -> FewestClues:
    """Find the fewest of a puzzle's clues that keep its solution unique.

    Args:
        puzzle: A puzzle with exactly one solution, such as a full board. Its signs are kept.
        solution: Its solution, if already known.
        all_cells: Choose among all cells of the solution, not only among the clues.
        budget: Limits the time and the work.
        watch: Is called with the bounds when they change.

    Raises:
        PuzzleError: The puzzle has no solution, or several.
        BudgetExceeded: The budget ran out before the number of solutions was known.
    """
    meter = Meter(budget)
    solution = solution or only_solution(puzzle, meter)
    known = clue_places(puzzle.board.cells)
    if all_cells:
        puzzle = replace(puzzle, board=solution)
    try:
        sets = ClueSets(puzzle, new_session(puzzle, meter), meter)
        sets.forbid(solution)
        bounds = smallest_set(sets, meter, watch, known=known)
    except BudgetExceeded as error:
        bounds = SizeBounds(tuple(known), 0, error.by)
    reduced = confirmed(with_only(puzzle, bounds.best, solution), solution, meter)
    among: Among = "all cells" if all_cells else "clues"
    return FewestClues(reduced, bounds.at_least, bounds.stopped_by, among, bounds.differences)
