"""Which clues a puzzle needs, the fewest that are enough, and repairs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from binairo_cp.api.deciding import checked
from binairo_cp.errors import PuzzleError
from binairo_cp.features.arguments import PuzzleLike, RulesLike, puzzle_of, request
from binairo_cp.puzzle.board import Board
from binairo_cp.solving import solutions
from binairo_cp.solving.backends import Budget, Meter
from binairo_cp.solving.solutions import Verdict

if TYPE_CHECKING:
    from binairo_cp.reduction.clues import ClueAnalysis
    from binairo_cp.reduction.fewest import FewestClues
    from binairo_cp.reduction.helpful import HelpfulValues
    from binairo_cp.reduction.repair import Repair


def clues(
    puzzle: PuzzleLike,
    *,
    rules: RulesLike | None = None,
    limit: int = 1_000,
    time_limit: float | None = None,
) -> ClueAnalysis | HelpfulValues:
    """Find redundant clues; for a puzzle with several solutions, the cells that would help.

    >>> import binairo_cp as bn
    >>> analysis = bn.clues("0.1. ...0 ..10 .0..")
    >>> list(map(str, analysis.spare)), analysis.sets
    (['r1c1'], 1)

    Args:
        puzzle: a `Puzzle`, a `Board`, text in any format, an object with a puzzle, or the rows of
            a board: nested lists, an array or a data frame, as in `Board.from_rows`.
        rules: classic, unruly, plus or tango, or `Rules`, for puzzles that do not name their own.
        limit: stop after this many irreducible sets of clues.
        time_limit: seconds; None for no limit.

    Returns:
        A `ClueAnalysis` of a puzzle with one solution, `HelpfulValues` of one with several.

    Raises:
        PuzzleError: the puzzle has no solution.
        OptionError: `limit` is out of bounds.
        BudgetExceeded: the time ran out.
        BinairoError: as in `solve`.
    """
    # Imported here and below, because the solvers take time to load.
    from binairo_cp.reduction.clues import analyse_clues
    from binairo_cp.reduction.helpful import helpful_values

    request("clues", limit=limit)
    outcome, meter = checked(puzzle_of(puzzle, rules), time_limit)
    if outcome.verdict is Verdict.MULTIPLE:
        return helpful_values(outcome.puzzle, budget=Budget(meter.seconds_left))
    return analyse_clues(
        outcome.puzzle, outcome.solution, limit=limit, budget=Budget(meter.seconds_left)
    )


def fewest(
    puzzle: PuzzleLike,
    *,
    rules: RulesLike | None = None,
    all_cells: bool = False,
    time_limit: float | None = None,
) -> FewestClues:
    """Find the fewest clues that keep the solution unique.

    >>> import binairo_cp as bn
    >>> result = bn.fewest("0.1. ...0 ..10 .0..")
    >>> result.at_most, result.proved
    (5, True)

    Args:
        puzzle: a puzzle with exactly one solution, or a full board.
        rules: classic, unruly, plus or tango, or `Rules`, for puzzles that do not name their own.
        all_cells: choose among all cells of the solution, not only the clues.
        time_limit: seconds; None for no limit. When the time runs out, the result has bounds.

    Raises:
        PuzzleError: the puzzle has no solution, or several.
        BudgetExceeded: the time ran out before the puzzle was known to be unique.
        BinairoError: as in `solve`.
    """
    from binairo_cp.reduction.fewest import fewest_clues

    outcome, meter = checked(puzzle_of(puzzle, rules), time_limit)
    if outcome.verdict is not Verdict.UNIQUE:
        raise PuzzleError("the puzzle has several solutions, so no subset of its clues is enough")
    return fewest_clues(
        outcome.puzzle, outcome.solution, all_cells=all_cells, budget=Budget(meter.seconds_left)
    )


def repair(
    puzzle: PuzzleLike,
    *,
    rules: RulesLike | None = None,
    solution: Board | str | None = None,
    time_limit: float | None = None,
) -> Repair:
    """Make a puzzle unique with the fewest changes: clues to add, or clues to drop.

    >>> import binairo_cp as bn
    >>> result = bn.repair("1..0 .... ..1. ....")
    >>> list(map(str, result.added)), result.proved
    (['r2c1', 'r2c2'], True)

    Args:
        puzzle: a `Puzzle`, a `Board`, text in any format, an object with a puzzle, or the rows of
            a board: nested lists, an array or a data frame, as in `Board.from_rows`.
        rules: classic, unruly, plus or tango, or `Rules`, for puzzles that do not name their own.
        solution: the solution to keep if the puzzle has several, as a board or its cells; None
            for the one that needs the fewest clues.
        time_limit: seconds; None for no limit. When the time runs out, the result has bounds.

    Raises:
        PuzzleError: `solution` is not a solution, or there is no solution even without clues.
        BudgetExceeded: the time ran out before any repair was found.
        BinairoError: as in `solve`.
    """
    from binairo_cp.reduction import repair as repairs

    given, meter = puzzle_of(puzzle, rules), Meter(Budget(time_limit))
    kept = Board.parse(solution) if isinstance(solution, str) else solution
    outcome = solutions.check(given, time_limit=time_limit, reasons="none")
    result = repairs.repair(given, outcome, solution=kept, budget=Budget(meter.seconds_left))
    if result is None:
        raise PuzzleError("the rules and signs allow no solution, even without clues")
    return result
