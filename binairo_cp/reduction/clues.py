"""Find redundant clues and irreducible sets of clues.

A set of clues is *irreducible* if it leaves exactly one solution and every proper subset leaves
several. The MARCO algorithm enumerates all irreducible sets. Its map is a set of clauses over the
variables "this clue is left out", which exclude the supersets of known irreducible sets and the
subsets of known insufficient sets (Liffiton, Previti, Malik and Marques-Silva, "Fast, flexible MUS
enumeration", 2016).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from binairo_cp.errors import BudgetExceeded, PuzzleError, WrongAnswer
from binairo_cp.puzzle.board import OPEN, Board, Cell
from binairo_cp.puzzle.html import Brief, headed
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.solving import solutions
from binairo_cp.solving.assumption_cores import ClueSets, new_session
from binairo_cp.solving.backends import UNLIMITED, Budget, Meter, Stop
from binairo_cp.solving.backends.engines import Incremental
from binairo_cp.solving.solutions import Outcome, Verdict

LAST_CHECK_SECONDS = 0.5
"""Time to check a result if no time is left."""

MOST_SETS = 1_000
"""The default limit of irreducible sets to find."""

_MAP_SOLVER = "minisat22"


@dataclass(frozen=True, slots=True, repr=False)
class ClueAnalysis(Brief):
    """The clues of a unique puzzle: which are needed, and its irreducible sets.

    Attributes:
        needed: The clues that can't be removed: without any one of them there are other solutions.
        spare: The redundant clues: each of them can be removed alone.
        irreducible: The puzzle with the smallest irreducible set of clues found.
        sets: The number of irreducible sets found.
        stopped_by: The limit that ended the search; None if all irreducible sets were found.
        puzzle: The puzzle.
    """

    needed: tuple[Cell, ...]
    spare: tuple[Cell, ...]
    irreducible: Puzzle
    sets: int
    stopped_by: Stop | None
    puzzle: Puzzle

    def _repr_html_(self) -> str:
        """The text, and the puzzle with the redundant clues marked, for notebooks."""
        return headed(str(self), self.puzzle.board, signs=self.puzzle.signs, marked=self.spare)

    @property
    def all_found(self) -> bool:
        return self.stopped_by is None

    def __str__(self) -> str:
        total = len(self.needed) + len(self.spare)
        if not self.spare:
            return f"none of the {total} clues can be removed"
        number = "1" if len(self.spare) == 1 else f"each of {len(self.spare)}"
        cells = ", ".join(map(str, self.spare))
        return f"{number} of the {total} clues can be removed: {cells}"

    def to_dict(self) -> dict[str, Any]:
        """The fields of ``needs`` in a result record."""
        from binairo_cp.formats import results

        return results.record_of(results.CluesRecord, self).present()


def analyse_clues(
    puzzle: Puzzle,
    solution: Board | None = None,
    *,
    limit: int = MOST_SETS,
    budget: Budget = UNLIMITED,
) -> ClueAnalysis:
    """Find the needed and the redundant clues of a puzzle, and its irreducible sets.

    Signs are always kept.

    Args:
        puzzle: A puzzle with exactly one solution.
        solution: Its solution, if already known.
        limit: Stop after this number of irreducible sets; at least 1.
        budget: Limits the time and the work.

    Raises:
        PuzzleError: The puzzle has no solution, or several.
        BudgetExceeded: The budget ran out before the first irreducible set.
    """
    meter = Meter(budget)
    solution = solution or only_solution(puzzle, meter)
    sets = ClueSets(puzzle, new_session(puzzle, meter), meter)
    sets.forbid(solution)
    needed = _needed(sets)
    spare = [place for place in sets.clues if place not in needed]
    irreducible, stopped_by = _irreducible(sets, meter, needed, spare, limit)
    smallest = min(irreducible, key=len)
    cell = puzzle.board.cell
    return ClueAnalysis(
        needed=tuple(map(cell, sorted(needed))),
        spare=tuple(map(cell, spare)),
        irreducible=confirmed(with_only(puzzle, smallest, solution), solution, meter),
        sets=len(irreducible),
        stopped_by=stopped_by,
        puzzle=puzzle,
    )


def _needed(sets: ClueSets) -> set[int]:
    """The clues in every sufficient set.

    A clue is needed if some other solution breaks only this clue.
    """
    needed: set[int] = set()
    # Clues outside the core are redundant, each alone.
    sets.contradict(sets.clues)
    for place in list(sets.core):
        if not sets.contradict(clue for clue in sets.clues if clue != place):
            needed.add(place)
    return needed


def _irreducible(
    sets: ClueSets, meter: Meter, needed: set[int], spare: list[int], limit: int
) -> tuple[list[list[int]], Stop | None]:
    """Enumerate irreducible sets; return them and the limit that ended the search."""
    left_out = {place: number for number, place in enumerate(spare, 1)}
    unexplored = Incremental(_MAP_SOLVER)
    irreducible: list[list[int]] = []
    first = sorted(needed)
    try:
        # The solver tries false first, so that few clues are left out.
        while (model := unexplored.solve([], meter)) is not None:
            if len(irreducible) == limit:
                return irreducible, "limit"
            # The model lacks variables that are in no clause.
            out = {number for number in model if number > 0}
            seed = [place for place in spare if left_out[place] not in out]
            if sets.contradict([*first, *seed]):
                shrunk = sets.shrink(seed, first)
                irreducible.append(shrunk)
                unexplored.add([left_out[place] for place in shrunk if place in left_out])
            else:
                broken = sets.fewest_broken(sets.broken())
                unexplored.add([-left_out[place] for place in broken])
    except BudgetExceeded as error:
        if not irreducible:
            raise
        return irreducible, error.by
    return irreducible, None


def verdict(puzzle: Puzzle, meter: Meter) -> Outcome:
    """Check the number of solutions with `solutions.check`.

    Raises:
        BudgetExceeded: The verdict is unknown.
    """
    outcome = solutions.check(puzzle, time_limit=meter.seconds_left, reasons="none")
    if outcome.verdict is Verdict.UNKNOWN:
        raise BudgetExceeded("work" if outcome.stopped_by == "work" else "time")
    return outcome


def only_solution(puzzle: Puzzle, meter: Meter) -> Board:
    """Return the solution of a unique puzzle.

    Raises:
        PuzzleError: The puzzle has no solution, or several.
        BudgetExceeded: The number of solutions is unknown.
    """
    outcome = verdict(puzzle, meter)
    if outcome.verdict is not Verdict.UNIQUE or outcome.solution is None:
        has = "no solution" if outcome.verdict is Verdict.NONE else "several solutions"
        raise PuzzleError(f"the puzzle has {has}; expected exactly one")
    return outcome.solution


def with_only(puzzle: Puzzle, cells: Iterable[int], solution: Board) -> Puzzle:
    """Return the puzzle whose only clues are these cells of a solution."""
    kept = set(cells)
    values = [value if place in kept else OPEN for place, value in enumerate(solution.cells)]
    return replace(puzzle, board=Board(solution.height, solution.width, "".join(values)))


def time_to_check(meter: Meter) -> float | None:
    """The time limit for the check of a result: the time left, but at least half a second."""
    left = meter.seconds_left
    return None if left is None else max(left, LAST_CHECK_SECONDS)


def confirmed(puzzle: Puzzle, solution: Board, meter: Meter) -> Puzzle:
    """Check once more that a puzzle has this solution and no other; return the puzzle.

    If the time is too short for this check, the puzzle is returned without it.

    Raises:
        WrongAnswer: The puzzle has another solution, or none.
    """
    outcome = solutions.check(puzzle, time_limit=time_to_check(meter), reasons="none")
    confirmed_solution = outcome.solution or solution
    if outcome.verdict not in (Verdict.UNIQUE, Verdict.UNKNOWN) or confirmed_solution != solution:
        raise WrongAnswer(
            f"{outcome.backend} disagrees that the puzzle is unique ({outcome.verdict}):\n{puzzle}"
        )
    return puzzle
