"""The options and the words that several features share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

from binairo_cp.deduction.styles import LANGUAGES, Coordinates, Language, Symbols
from binairo_cp.features.arguments import PuzzleLike, RulesLike
from binairo_cp.features.feature import Option
from binairo_cp.formats import AUTO, FORMATS
from binairo_cp.puzzle.board import MAX_SIDE
from binairo_cp.puzzle.rules import PRESETS
from binairo_cp.solving.encodings import TARGETS

if TYPE_CHECKING:
    PresetName: TypeAlias = str
    PuzzleFormat: TypeAlias = str
    FormatName: TypeAlias = str
    Target: TypeAlias = str
else:
    # The names are those of the tables, which a static analyser can't read.
    PresetName = Literal[tuple(PRESETS)]
    PuzzleFormat = Literal[tuple(FORMATS)]
    FormatName = Literal[(AUTO, *FORMATS)]
    Target = Literal[tuple(TARGETS)]
Symmetry = Literal[
    "none", "rotate2", "rotate4", "mirror", "flip", "mirror4", "diagonal", "diagonal4", "full"
]

SEARCH, INPUT, OUTPUT = "Search", "Input", "Output"
"""Sections of the help."""

LONGEST_TITLE = 200

OnePuzzle = Annotated[
    PuzzleLike,
    "a `Puzzle`, a `Board`, text in any format, an object with a puzzle, or the rows of a board: "
    "nested lists, an array or a data frame, as in `Board.from_rows`",
]
USUAL_RULES = "plus for puzzles with signs, or classic"
RULES_HELP = "Rules for puzzles that do not name their own."
RulesOption = Annotated[
    RulesLike | None,
    Option(
        RULES_HELP,
        absent=USUAL_RULES,
        type=PresetName | None,
        flags=("--rules", "-r"),
        panel=INPUT,
    ),
]
SIZE_HELP = "Size of the boards, if the text does not show it: 6 or 4x6."
SYMBOLS_HELP = (
    "Symbols of 0, of 1 and of open cells, if the text does not show which is which: "
    "12. or 'white black empty'."
)
Cells = Annotated[
    str | None,
    Option(
        "A partly filled board to start from, row by row.",
        longest=MAX_SIDE * MAX_SIDE,
        metavar="CELLS|FILE",
        panel=INPUT,
        is_board=True,
    ),
]
_WORDING = "Explanations"
Languages = Annotated[
    Language,
    Option("Language of the explanations: " + ", ".join(LANGUAGES) + ".", panel=_WORDING),
]
SymbolNames = Annotated[
    Symbols,
    Option("What 0 and 1 are called: digits, circles, or sun and moon.", panel=_WORDING),
]
CellNames = Annotated[
    Coordinates,
    Option(
        "How cells are called: r4c3 (rc), C4 (a1), or the highlighted cell (none).",
        panel=_WORDING,
    ),
]
TimeLimit = Annotated[float | None, "seconds; None for no limit"]
