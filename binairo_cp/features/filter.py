"""Keep the puzzles whose grade and solving path are as demanded."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Annotated, Any

from binairo_cp.errors import BudgetExceeded
from binairo_cp.features.arguments import PuzzleLike, entries_of
from binairo_cp.features.feature import Option, checked, feature
from binairo_cp.features.options import (
    DEMAND,
    LongestChain,
    MostTrials,
    Needs,
    RulesOption,
    Score,
    Without,
    demand_of,
)
from binairo_cp.solving import solutions
from binairo_cp.solving.backends import Budget, Meter
from binairo_cp.solving.solutions import Verdict

if TYPE_CHECKING:
    from binairo_cp.formats import Entry
    from binairo_cp.puzzle.rules import Puzzle


@feature(
    check=lambda **options: demand_of(options, options["grade"]),
    examples=(
        "[bold]binairo filter puzzles.line --grade hard,expert --without contradiction[/]",
        "[bold]binairo filter puzzles/ --needs equal-pair:2 --score 400..600 -o kept.line[/]",
    ),
)
def filter(
    puzzles: Annotated[PuzzleLike | Iterable[PuzzleLike], "One or several puzzles."],
    *,
    grade: Annotated[
        str | None,
        Option(
            "Grades to keep, such as hard,expert.", absent="any", metavar="LEVEL,...", panel=DEMAND
        ),
    ] = None,
    needs: Needs = None,
    without: Without = None,
    score: Score = None,
    longest_chain: LongestChain = None,
    most_trials: MostTrials = None,
    rules: RulesOption = None,
    time_limit: Annotated[float | None, "Seconds per puzzle; None for no limit."] = None,
) -> list[Entry]:
    """Keep the puzzles whose grade and solving path are as demanded.

    >>> import binairo_cp as bn
    >>> puzzles = ["..1. ...0 ..10 .0..", "1... .... ..0. .1.."]
    >>> len(bn.filter(puzzles, needs="count")), len(bn.filter(puzzles, without="count"))
    (1, 0)

    Puzzles without exactly one solution have no grade, so they are left out.

    Returns:
        The puzzles that are kept, in order, as entries with their ids.

    Raises:
        OptionError: a demand can't be read.
        BudgetExceeded: the time ran out for a puzzle.
        BinairoError: as in `solve`.
    """
    options = checked(filter, locals())
    fits = fitting(options, time_limit)
    return [entry for entry in entries_of(puzzles, rules) if entry.puzzle and fits(entry.puzzle)]


def fitting(options: Mapping[str, Any], time_limit: float | None) -> Callable[[Puzzle], bool]:
    """Whether a puzzle meets the demand of options of `filter`. The function that is returned
    raises `BudgetExceeded` if the time runs out for a puzzle.
    """
    # Imported here, because the techniques take time to load.
    from binairo_cp.deduction.grading import grade

    demand = demand_of(options, options["grade"])

    def fits(puzzle: Puzzle) -> bool:
        meter = Meter(Budget(time_limit))
        outcome = solutions.check(puzzle, time_limit=time_limit, reasons="none")
        if outcome.verdict is Verdict.UNKNOWN:
            raise BudgetExceeded("work" if outcome.stopped_by == "work" else "time")
        if outcome.verdict is not Verdict.UNIQUE:
            return False
        return demand is None or demand.is_met_by(puzzle, grade(puzzle, meter), meter)

    return fits
