"""Options and arguments that several features share."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from binairo_cp.deduction.styles import LANGUAGES, Coordinates, Language, Symbols
from binairo_cp.features.arguments import PuzzleLike, RulesLike
from binairo_cp.features.feature import Option
from binairo_cp.puzzle.board import MAX_SIDE
from binairo_cp.puzzle.rules import PRESETS
from binairo_cp.rendering.shapes import MOST_PER_PAGE
from binairo_cp.solving import backends
from binairo_cp.solving.backends import Backend

if TYPE_CHECKING:
    from binairo_cp.deduction.demands import Demand

    PresetName: TypeAlias = str
else:
    # The names are those of the table, which a static analyser can't read.
    PresetName = Literal[tuple(PRESETS)]

SEARCH, INPUT, OUTPUT, WORDING = "Search", "Input", "Output", "Explanations"
DEMAND = "Solving path"
"""Sections of the help."""

MOST_SOLUTIONS = 1_000_000_000
MOST_CELLS = MAX_SIDE * MAX_SIDE
LONGEST_TITLE = 200
_LONGEST_DEMAND = 300

USUAL_RULES = "plus for puzzles with signs, or classic"
RULES_HELP = "Rules for puzzles that do not name their own."
SIZE_HELP = "Size of the boards, if the text does not show it: 6 or 4x6."
SYMBOLS_HELP = (
    "Symbols of 0, of 1 and of open cells, if the text does not show which is which: "
    "12. or 'white black empty'."
)
per_page = partial(
    Option,
    "Number of puzzles per page.",
    absent="as many as fit comfortably",
    least=1,
    most=MOST_PER_PAGE,
)

OnePuzzle = Annotated[
    PuzzleLike,
    "A `Puzzle`, a `Board`, text in any format, an object with a puzzle, or the rows of a board: "
    "nested lists, an array or a data frame, as in `Board.from_rows`.",
]
TimeLimit = Annotated[float | None, "Seconds; None for no limit."]
SearchTimeLimit = Annotated[float | None, "Seconds for each backend; None for no limit."]

_rules = partial(
    Option,
    absent=USUAL_RULES,
    in_python="Or `Rules`.",
    flags=("--rules", "-r"),
    panel=INPUT,
)
RulesOption = Annotated[RulesLike | None, _rules(RULES_HELP, type=PresetName | None)]
SearchRules = Annotated[
    RulesLike | None,
    _rules(
        "Rules for puzzles that do not name their own: classic (distinct lines), unruly (lines may "
        "repeat), plus or tango (signs, lines may repeat); both decides each puzzle with and "
        "without distinct lines.",
        type=PresetName | Literal["both"] | None,
    ),
]
solver_option = partial(
    Option,
    f"The solver: {backends.usage()}.",
    type=str,
    flags=("--backend", "-b"),
    metavar="NAME",
    panel=SEARCH,
)
BackendOption = Annotated[str | Backend, solver_option(in_python="Or a backend of `backends.get`.")]
CrossCheck = Annotated[
    str | Backend | None,
    Option(
        "A second backend, which must give the same answer.",
        type=str | None,
        metavar="NAME",
        panel=SEARCH,
    ),
]
BoardOption = Annotated[
    PuzzleLike | None,
    Option(
        "A partly filled board to start from, row by row.",
        type=str | None,
        in_python="Or a board in any form that a puzzle has.",
        longest=MOST_CELLS,
        metavar="CELLS|FILE",
        panel=INPUT,
        is_board=True,
    ),
]
Best = Annotated[
    bool, Option("Take the step that the fewest rules and known cells imply.", panel=SEARCH)
]
LanguageOption = Annotated[
    Language, Option("Language of the explanations: " + ", ".join(LANGUAGES) + ".", panel=WORDING)
]
SymbolNames = Annotated[Symbols, Option("What 0 and 1 are called.", panel=WORDING)]
CellNames = Annotated[
    Coordinates,
    Option(
        "How cells are called: r4c3 (rc), C4 (a1), or the highlighted cell (none).", panel=WORDING
    ),
]

_techniques = partial(
    Option,
    type=str | None,
    in_python="Or a list of names.",
    longest=_LONGEST_DEMAND,
    metavar="NAME,...",
    panel=DEMAND,
)
_most = partial(Option, absent="any number", least=0, panel=DEMAND)

Needs = Annotated[
    str | list[str] | None,
    _techniques(
        "Techniques that must fill cells, as binairo grade reports: pair, sandwich, sign, count, "
        "last-one, equal-pair, one-of-each, sign-chain, projection, two-open, distinct-lines, "
        "contradiction, nested-contradiction. pair:3 is for at least 3 cells, pair:3..5 for 3 to "
        "5."
    ),
]
Without = Annotated[str | list[str] | None, _techniques("Techniques that must fill no cell.")]
Score = Annotated[
    str | tuple[float, float] | None,
    Option(
        "The least and the greatest score, as in 400..600; either may be absent. A typical Tango "
        "of LinkedIn has 100.",
        type=str | None,
        in_python="Or a pair of numbers.",
        longest=_LONGEST_DEMAND,
        metavar="A..B",
        panel=DEMAND,
    ),
]
LongestChain = Annotated[
    int | None,
    _most("The most steps of a chain that refutes a tried value, as binairo explain shows it."),
]
MostTrials = Annotated[int | None, _most("The most cells that are filled by trying a value.")]

_DEMANDS = ("needs", "without", "score", "longest_chain", "most_trials")


def demand_of(options: Mapping[str, Any], levels: str | None = None) -> Demand | None:
    """The demand that some of the options state, and names of levels; None if there is none.

    Raises:
        OptionError: one of them can't be read.
    """
    given = {name: options[name] for name in _DEMANDS if options.get(name) is not None}
    if not given and levels is None:
        return None
    # Imported here, because the techniques take time to load.
    from binairo_cp.deduction import demands

    return demands.demand_of(levels=levels, **given)
