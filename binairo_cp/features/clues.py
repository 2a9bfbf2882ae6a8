"""Clues, fewest and repair: which clues a puzzle needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from binairo_cp.batch.analyses import Analysis, Subject
from binairo_cp.features.arguments import PuzzleLike
from binairo_cp.features.feature import Option, feature
from binairo_cp.features.options import INPUT, MOST_CELLS, SEARCH, OnePuzzle, RulesOption, TimeLimit
from binairo_cp.features.search import answer
from binairo_cp.puzzle.board import Board
from binairo_cp.solving.backends import Budget
from binairo_cp.solving.solutions import Outcome, Verdict

if TYPE_CHECKING:
    from binairo_cp.reduction.clues import ClueAnalysis
    from binairo_cp.reduction.fewest import FewestClues
    from binairo_cp.reduction.helpful import HelpfulValues
    from binairo_cp.reduction.repair import Repair


def _needs(subject: Subject, *, limit: int = 1_000) -> ClueAnalysis | HelpfulValues | None:
    # Imported here and below, because the solvers of `reduction` take time to load.
    from binairo_cp.reduction.clues import analyse_clues
    from binairo_cp.reduction.helpful import helpful_values

    puzzle, outcome, budget = subject.puzzle, subject.outcome, Budget(subject.seconds)
    if outcome.verdict is Verdict.UNIQUE:
        return analyse_clues(puzzle, outcome.solution, limit=limit, budget=budget)
    if outcome.verdict is not Verdict.MULTIPLE:
        return None
    return helpful_values(puzzle, outcome, budget=budget)


def _needs_record(result: Any, outcome: Outcome) -> dict[str, Any]:
    if outcome.verdict is Verdict.UNIQUE:
        return {"needs": result, "answered": True}
    if result is None:
        return {"answered": outcome.verdict is not Verdict.UNKNOWN}
    is_complete = result.solutions is not None
    fields: dict[str, Any] = result.to_dict()
    return fields | {
        "count": result.solutions or outcome.count,
        "complete": is_complete,
        "stopped_by": result.stopped_by or (None if is_complete else outcome.stopped_by),
        "answered": not result.stopped_by,
    }


@feature(
    verb="check",
    title="Find redundant clues",
    examples=(
        "[bold]binairo clues puzzle.txt[/]",
        "[bold]binairo clues puzzles.line --limit 1 --to line[/]: one irreducible puzzle each",
    ),
    explains_conflicts=False,
    analysis=Analysis(
        "clues",
        _needs,
        record=_needs_record,
        columns=("needs.irreducible", "needs.sets", "answered"),
        is_about_clues=True,
    ),
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
    """Find redundant clues; with several solutions, cells that would help.

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
    return answer(clues, locals())


def _fewest(subject: Subject, *, all_cells: bool = False) -> FewestClues | None:
    if subject.outcome.verdict is not Verdict.UNIQUE:
        return None
    from binairo_cp.reduction.fewest import fewest_clues

    return fewest_clues(
        subject.puzzle,
        subject.outcome.solution,
        all_cells=all_cells,
        budget=Budget(subject.seconds),
        watch=subject.progress,
    )


def _fewest_record(result: FewestClues | None, outcome: Outcome) -> dict[str, Any]:
    if result is None:
        return {"answered": outcome.verdict is not Verdict.UNKNOWN}
    return {"fewest": result, "answered": result.proved}


@feature(
    verb="check",
    title="Fewest clues",
    examples=(
        "[bold]binairo fewest solved.txt[/]",
        "[bold]binairo fewest puzzle.txt --all-cells --time-limit 600[/]",
    ),
    explains_conflicts=False,
    analysis=Analysis(
        "fewest",
        _fewest,
        record=_fewest_record,
        lacks={
            Verdict.MULTIPLE: "the puzzle has several solutions, so no subset of its clues is "
            "enough"
        },
        columns=("fewest.puzzle", "fewest.at_least", "fewest.at_most"),
        is_about_clues=True,
    ),
)
def fewest(
    puzzle: Annotated[PuzzleLike, "A puzzle with exactly one solution, or a full board."],
    *,
    rules: RulesOption = None,
    all_cells: Annotated[
        bool, Option("Choose among all cells of the solution, not only the clues.", panel=SEARCH)
    ] = False,
    time_limit: Annotated[
        float | None, "Seconds; None for no limit. When the time runs out, the result has bounds."
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
    return answer(fewest, locals())


def _repair(subject: Subject, *, solution: Board | str | None = None) -> Repair | None:
    from binairo_cp.reduction import repair as repairs

    return repairs.repair(
        subject.puzzle,
        subject.outcome,
        solution=subject.board(solution),
        budget=Budget(subject.seconds),
        watch=subject.progress,
    )


def _repair_record(result: Repair | None, _: object) -> dict[str, Any]:
    if result is None:
        return {"answered": True, "contradiction": []}
    is_answered = result.proved and result.verdict is not Verdict.UNKNOWN
    return {"repair": result, "answered": is_answered}


@feature(
    verb="check",
    title="Make unique",
    examples=(
        "[bold]binairo repair puzzle.txt[/]",
        "[bold]binairo repair puzzles.line --to line[/]: the repaired puzzles",
    ),
    explains_conflicts=False,
    analysis=Analysis(
        "repair",
        _repair,
        record=_repair_record,
        lacks={Verdict.NONE: "the rules and signs allow no solution, even without clues"},
        columns=("repair.puzzle", "repair.added", "repair.dropped"),
        is_about_clues=True,
    ),
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
        float | None, "Seconds; None for no limit. When the time runs out, the result has bounds."
    ] = None,
) -> Repair:
    """Make a puzzle unique: add or, if there is no solution, drop the fewest clues.

    >>> import binairo_cp as bn
    >>> result = bn.repair("1..0 .... ..1. ....")
    >>> list(map(str, result.added)), result.proved
    (['r2c1', 'r2c2'], True)

    Raises:
        PuzzleError: `solution` is not a solution, or there is no solution even without clues.
        BudgetExceeded: the time ran out before any repair was found.
        BinairoError: as in `solve`.
    """
    return answer(repair, locals())
