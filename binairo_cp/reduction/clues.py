"""Which clues of a puzzle may go, each alone and together.

A set of clues is *irreducible* if it leaves one solution and no clue of it can go. All of them are
found with the help of a map: clauses over "this clue is left out" that exclude what is known, the
supersets of irreducible sets and the subsets of those that are too few (MARCO: Liffiton, Previti,
Malik and Marques-Silva, "Fast, flexible MUS enumeration", 2016).
"""

from __future__ import annotations

from dataclasses import dataclass

from binairo_cp.errors import BudgetExceeded
from binairo_cp.puzzle.board import Board, Cell
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.reduction.verdicts import confirmed, only_solution, with_only
from binairo_cp.solving.assumption_cores import ClueSets, new_session
from binairo_cp.solving.backends import UNLIMITED, Budget, Meter, Stop
from binairo_cp.solving.backends.engines import Incremental

MOST_SETS = 1_000
"""How many irreducible sets are looked for, unless it is said otherwise."""

_MAP_SOLVER = "minisat22"


@dataclass(frozen=True, slots=True)
class ClueStudy:
    """What is known of the clues of a puzzle with one solution.

    Attributes:
        needed: the clues without each of which there are other solutions.
        spare: the clues that may go, each alone.
        irreducible: the puzzle with the smallest irreducible set of clues that was found.
        sets: how many irreducible sets were found.
        stopped_by: what ended the search for them; None if these are all.
    """

    needed: tuple[Cell, ...]
    spare: tuple[Cell, ...]
    irreducible: Puzzle
    sets: int
    stopped_by: Stop | None

    @property
    def all_found(self) -> bool:
        return self.stopped_by is None


def study_clues(
    puzzle: Puzzle,
    solution: Board | None = None,
    *,
    limit: int = MOST_SETS,
    budget: Budget = UNLIMITED,
) -> ClueStudy:
    """Find out which clues of a puzzle it needs; its signs stay.

    Args:
        puzzle: has exactly one solution.
        solution: that one, if it is known already.
        limit: stop after that many irreducible sets, at least 1.
        budget: what it may cost.

    Raises:
        PuzzleError: it has no solution, or several.
        BudgetExceeded: not even one irreducible set was found.
    """
    meter = Meter(budget)
    solution = solution or only_solution(puzzle, meter)
    sets = ClueSets(puzzle, new_session(puzzle, meter), meter)
    sets.forbid(solution)
    needed = _needed(sets)
    spare = [place for place in sets.clues if place not in needed]
    found, stopped_by = _irreducible(sets, meter, needed, spare, limit)
    smallest = min(found, key=len)
    cell = puzzle.board.cell
    return ClueStudy(
        needed=tuple(map(cell, sorted(needed))),
        spare=tuple(map(cell, spare)),
        irreducible=confirmed(with_only(puzzle, smallest, solution), solution, meter),
        sets=len(found),
        stopped_by=stopped_by,
    )


def _needed(sets: ClueSets) -> set[int]:
    """The clues that every sufficient set has.

    A solution that breaks one clue alone shows that it is needed.
    """
    needed: set[int] = set()
    # What is not in a core may go, each alone.
    sets.contradict(sets.clues)
    for place in list(sets.core):
        if not sets.contradict(each for each in sets.clues if each != place):
            needed.add(place)
    return needed


def _irreducible(
    sets: ClueSets, meter: Meter, needed: set[int], spare: list[int], limit: int
) -> tuple[list[list[int]], Stop | None]:
    """The irreducible sets, and what ended the search for them."""
    left_out = {place: number for number, place in enumerate(spare, 1)}
    unknown = Incremental(_MAP_SOLVER)
    found: list[list[int]] = []
    first = sorted(needed)
    try:
        # The solver tries a new variable as false first: few clues are left out.
        while (model := unknown.solve([], meter)) is not None:
            if len(found) == limit:
                return found, "limit"
            # A variable that no clause mentions is not in the model.
            out = {number for number in model if number > 0}
            seed = [place for place in spare if left_out[place] not in out]
            if sets.contradict([*first, *seed]):
                one = sets.shrink(seed, first)
                found.append(one)
                unknown.add([left_out[place] for place in one if place in left_out])
            else:
                broken = sets.fewest_broken(sets.broken())
                unknown.add([-left_out[place] for place in broken])
    except BudgetExceeded as error:
        if not found:
            raise
        return found, error.by
    return found, None
