"""Clues, fewest and repair: which clues a puzzle needs."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any

from binairo_cp.batch.analyses import Analysis, Subject
from binairo_cp.errors import BudgetExceeded, PuzzleError
from binairo_cp.features.arguments import PuzzleLike, puzzle_of
from binairo_cp.features.feature import Option, checked, feature
from binairo_cp.features.options import (
    INPUT,
    MOST_CELLS,
    SEARCH,
    OnePuzzle,
    RulesOption,
    TimeLimit,
)
from binairo_cp.features.search import solved
from binairo_cp.puzzle.board import Board
from binairo_cp.solving import solutions
from binairo_cp.solving.backends import Budget, Meter
from binairo_cp.solving.solutions import Verdict

if TYPE_CHECKING:
    from binairo_cp.reduction.clues import ClueAnalysis
    from binairo_cp.reduction.fewest import FewestClues
    from binairo_cp.reduction.helpful import HelpfulValues
    from binairo_cp.reduction.repair import Repair


def _timed(find: Callable[..., dict[str, Any]]) -> Callable[..., dict[str, Any]]:
    """An analysis with a budget, whose record also says how long it took and what stopped it."""

    @wraps(find)
    def fields(subject: Subject, **options: Any) -> dict[str, Any]:
        started = monotonic()
        try:
            result = find(subject, Budget(subject.seconds), **options)
        except BudgetExceeded as error:
            result = {"stopped_by": error.by}
        return result | {"seconds": round(subject.outcome.seconds + monotonic() - started, 6)}

    return fields


def _analysis(name: str, find: Callable[..., dict[str, Any]], *columns: str) -> Analysis:
    """An analysis of clues: its record says whether the question was answered."""
    return Analysis(
        name,
        find,
        columns=columns,
        unanswered=(("answered", False),),
        shares_time=True,
        shows_progress=True,
    )


@_timed
def _redundant(subject: Subject, budget: Budget, *, limit: int = 1_000) -> dict[str, Any]:
    # Imported here and below, because the solvers of `reduction` take time to load.
    from binairo_cp.reduction.clues import analyse_clues
    from binairo_cp.reduction.helpful import helpful_values

    outcome = subject.outcome
    if outcome.verdict is Verdict.UNIQUE:
        analysis = analyse_clues(subject.puzzle, outcome.solution, limit=limit, budget=budget)
        return {"needs": analysis.to_dict(), "answered": True}
    if outcome.verdict is not Verdict.MULTIPLE:
        return {"answered": outcome.verdict is not Verdict.UNKNOWN}
    helping = helpful_values(subject.puzzle, budget=budget)
    is_complete = helping.solutions is not None
    return helping.to_dict() | {
        "count": helping.solutions or outcome.count,
        "complete": is_complete,
        "stopped_by": helping.stopped_by or (None if is_complete else outcome.stopped_by),
        "answered": not helping.stopped_by,
    }


@feature(
    verb="check",
    title="Find redundant clues",
    examples=(
        "[bold]binairo clues puzzle.txt[/]",
        "[bold]binairo clues puzzles.line --limit 1 --to line[/]: one irreducible puzzle each",
    ),
    explains_conflicts=False,
    analysis=_analysis("clues", _redundant, "needs.irreducible", "needs.sets", "answered"),
)
def clues(
    puzzle: OnePuzzle,
    *,
    rules: RulesOption = None,
    limit: Annotated[
        int,
        Option(
            "Stop after this many irreducible sets of clues.", least=1, most=1_000_000, panel=SEARCH
        ),
    ] = 1_000,
    time_limit: TimeLimit = None,
) -> ClueAnalysis | HelpfulValues:
    """Find redundant clues. For puzzles with several solutions, find cells that would help.

    >>> import binairo_cp as bn
    >>> analysis = bn.clues("0.1. ...0 ..10 .0..")
    >>> list(map(str, analysis.spare)), analysis.sets
    (['r1c1'], 1)

    Returns:
        A `ClueAnalysis` of a puzzle with one solution, `HelpfulValues` of one with several.

    Raises:
        PuzzleError: the puzzle has no solution.
        OptionError: `limit` is out of bounds.
        BudgetExceeded: the time ran out.
        BinairoError: as in `solve`.
    """
    from binairo_cp.reduction.clues import analyse_clues
    from binairo_cp.reduction.helpful import helpful_values

    checked(clues, {"limit": limit})
    outcome, meter = solved(puzzle_of(puzzle, rules), time_limit)
    budget = Budget(meter.seconds_left)
    if outcome.verdict is Verdict.MULTIPLE:
        return helpful_values(outcome.puzzle, budget=budget)
    return analyse_clues(outcome.puzzle, outcome.solution, limit=limit, budget=budget)


@_timed
def _fewest(subject: Subject, budget: Budget, *, all_cells: bool = False) -> dict[str, Any]:
    from binairo_cp.reduction.fewest import fewest_clues

    puzzle, outcome = subject.puzzle, subject.outcome
    if outcome.verdict is not Verdict.UNIQUE:
        return {"answered": outcome.verdict is not Verdict.UNKNOWN}
    result = fewest_clues(
        puzzle, outcome.solution, all_cells=all_cells, budget=budget, watch=subject.progress
    )
    return {"fewest": result.to_dict(), "answered": result.proved}


@feature(
    verb="check",
    title="Fewest clues",
    examples=(
        "[bold]binairo fewest solved.txt[/]",
        "[bold]binairo fewest puzzle.txt --all-cells --time-limit 600[/]",
    ),
    explains_conflicts=False,
    analysis=_analysis("fewest", _fewest, "fewest.puzzle", "fewest.at_least", "fewest.at_most"),
)
def fewest(
    puzzle: Annotated[PuzzleLike, "A puzzle with exactly one solution, or a full board."],
    *,
    rules: RulesOption = None,
    all_cells: Annotated[
        bool, Option("Choose among all cells of the solution, not only the clues.", panel=SEARCH)
    ] = False,
    time_limit: Annotated[
        float | None,
        "Seconds; None for no limit. When the time runs out, the result has bounds.",
    ] = None,
) -> FewestClues:
    """Find a smallest set of clues, of a puzzle or a full board.

    >>> import binairo_cp as bn
    >>> result = bn.fewest("0.1. ...0 ..10 .0..")
    >>> result.at_most, result.proved
    (5, True)

    Raises:
        PuzzleError: the puzzle has no solution, or several.
        BudgetExceeded: the time ran out before the puzzle was known to be unique.
        BinairoError: as in `solve`.
    """
    from binairo_cp.reduction.fewest import fewest_clues

    checked(fewest, {"all_cells": all_cells})
    outcome, meter = solved(puzzle_of(puzzle, rules), time_limit)
    if outcome.verdict is not Verdict.UNIQUE:
        raise PuzzleError("the puzzle has several solutions, so no subset of its clues is enough")
    return fewest_clues(
        outcome.puzzle, outcome.solution, all_cells=all_cells, budget=Budget(meter.seconds_left)
    )


@_timed
def _repair(subject: Subject, budget: Budget, *, solution: str | None = None) -> dict[str, Any]:
    from binairo_cp.reduction import repair as repairs

    puzzle, shape = subject.puzzle, subject.puzzle.board
    kept = None if solution is None else Board(shape.height, shape.width, solution)
    result = repairs.repair(
        puzzle, subject.outcome, solution=kept, budget=budget, watch=subject.progress
    )
    if result is None:
        return {"answered": True, "contradiction": []}
    is_answered = result.proved and result.verdict is not Verdict.UNKNOWN
    return {"repair": result.to_dict(), "answered": is_answered}


@feature(
    verb="check",
    title="Make unique",
    examples=(
        "[bold]binairo repair puzzle.txt[/]",
        "[bold]binairo repair puzzles.line --to line[/]: the repaired puzzles",
    ),
    explains_conflicts=False,
    analysis=_analysis("repair", _repair, "repair.puzzle", "repair.added", "repair.dropped"),
)
def repair(
    puzzle: OnePuzzle,
    *,
    rules: RulesOption = None,
    solution: Annotated[
        Board | str | None,
        Option(
            "The solution to keep if the puzzle has several: its cells, row by row.",
            absent="the one that needs the fewest cells",
            type=str | None,
            in_python="Or a `Board`.",
            longest=MOST_CELLS,
            metavar="CELLS|FILE",
            panel=INPUT,
            is_board=True,
        ),
    ] = None,
    time_limit: Annotated[
        float | None,
        "Seconds; None for no limit. When the time runs out, the result has bounds.",
    ] = None,
) -> Repair:
    """Make a puzzle unique: add the fewest clues or, if there is no solution, drop the fewest.

    >>> import binairo_cp as bn
    >>> result = bn.repair("1..0 .... ..1. ....")
    >>> list(map(str, result.added)), result.proved
    (['r2c1', 'r2c2'], True)

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
