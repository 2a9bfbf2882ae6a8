"""What users can request: the options of each command, with defaults, bounds and help.

The command line (`cli.derived`) and the HTTP service (`service.bodies`) derive their options from
these classes. A request is a plain dataclass, because `binairo --help` must not wait for pydantic;
the service builds pydantic models from them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from binairo_cp.deduction.styles import Style
from binairo_cp.features.feature import Option
from binairo_cp.features.options import (
    INPUT,
    OUTPUT,
    RULES_HELP,
    SEARCH,
    USUAL_RULES,
    CellNames,
    LanguageOption,
    PresetName,
    SymbolNames,
)
from binairo_cp.puzzle.board import MAX_SIDE
from binairo_cp.solving import backends

MOST_COUNTED = 1_000_000
_MOST_SOLUTIONS = 1_000_000_000
_MOST_GENERATED = 10_000_000
_LONGEST_SEED = 100
_LONGEST_TITLE = 200
_SIZE = re.compile(r"([0-9]{1,3})(?:x([0-9]{1,3}))?", re.ASCII | re.IGNORECASE)
_SIDE = "0{0,2}[1-9][0-9]{0,2}"
_LONGEST_SHOWN = 40

if TYPE_CHECKING:
    from binairo_cp.batch.additions import Addition

Balance = Literal[
    "grid", "seqcounter", "mtotalizer", "kmtotalizer", "totalizer", "sortnetwrk", "cardnetwrk"
]
_PUZZLES, _PICTURE, _PAGES = "Puzzles", "Picture", "Pages (PDF)"
_PRINT, _PAGES_OF_A_BOOK = "Print", "Pages"

BACKEND_HELP = f"The solver: {backends.usage()}."
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
_BEST = "Take the step that the fewest rules and known cells imply."


@dataclass(frozen=True, slots=True, kw_only=True)
class PuzzleRequest:
    """A request about puzzles."""

    TITLE: ClassVar[str] = ""
    """Its name in the page's menu for files of puzzles; empty if the menu does not have it."""

    rules: Annotated[
        PresetName | None,
        Option(
            RULES_HELP,
            absent=USUAL_RULES,
            flags=("--rules", "-r"),
            panel=INPUT,
        ),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRequest(PuzzleRequest):
    """A request for solutions, by a backend of the user's choice."""

    rules: Annotated[
        PresetName | Literal["both"] | None,
        Option(
            "Rules for puzzles that do not name their own: classic (distinct lines), unruly (lines "
            "may repeat), plus or tango (signs, lines may repeat); both decides each puzzle with "
            "and without distinct lines.",
            absent=USUAL_RULES,
            flags=("--rules", "-r"),
            panel=INPUT,
        ),
    ] = None
    backend: Annotated[
        str,
        Option(
            BACKEND_HELP,
            flags=("--backend", "-b"),
            metavar="NAME",
            panel=SEARCH,
        ),
    ] = "auto"
    cross_check: Annotated[
        str | None,
        Option("A second backend, which must give the same answer.", metavar="NAME", panel=SEARCH),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SolveRequest(SearchRequest):
    """Solutions of puzzles."""

    TITLE: ClassVar[str] = "Solve"

    limit: Annotated[
        int,
        Option(
            "Stop after this many solutions of a puzzle.",
            least=1,
            most=_MOST_SOLUTIONS,
            panel=SEARCH,
        ),
    ] = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRequest(SearchRequest):
    """Whether puzzles have exactly one solution."""

    TITLE: ClassVar[str] = "Check uniqueness"

    limit: Annotated[
        int,
        Option(
            "Stop after this many solutions of a puzzle.",
            least=2,
            most=_MOST_SOLUTIONS,
            panel=SEARCH,
        ),
    ] = 2
    backbone: Annotated[
        bool,
        Option("Report the cells that are the same in all solutions.", panel=SEARCH),
    ] = False
    reasons: Annotated[
        Literal["none", "quick", "smallest"] | None,
        Option(
            "For puzzles without a solution, report conflicting clues: quick gives a minimal set "
            "(no clue can be dropped); smallest gives a set with the fewest clues, which can take "
            "seconds.",
            absent="smallest for one puzzle, quick for several, none if the output can't hold them",
            panel=SEARCH,
        ),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CountRequest(SearchRequest):
    """How many solutions puzzles have."""

    TITLE: ClassVar[str] = "Count solutions"

    limit: Annotated[
        int | None,
        Option(
            "Stop after this many solutions of a puzzle.",
            least=1,
            most=_MOST_SOLUTIONS,
            panel=SEARCH,
        ),
    ] = MOST_COUNTED


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalysisRequest(PuzzleRequest):
    """A request for a check and one more thing about each puzzle, in the result records.

    The docstring of a subclass is the help of its command and of its route.
    """

    EXAMPLES: ClassVar[tuple[str, ...]] = ()
    """Command lines for the help, each with an explanation after it if it needs one."""

    EXPLAINS_CONFLICTS: ClassVar[bool] = True
    """Whether records of puzzles without a solution say which clues conflict."""

    def addition(self) -> Addition:
        """What to find out about each puzzle. The module is imported here, not for the help."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True, kw_only=True)
class HintRequest(AnalysisRequest):
    """Show the next logical step and the reason for it, or the first mistake on the board."""

    EXAMPLES: ClassVar[tuple[str, ...]] = (
        "[bold]binairo hint puzzle.txt[/]",
        "[bold]binairo hint puzzle.txt --board begun.txt[/]",
        "[bold]binairo hint puzzle.txt --best[/]: the step with the smallest explanation",
    )

    board: Cells = None
    best: Annotated[bool, Option(_BEST, panel=SEARCH)] = False
    language: LanguageOption = "en"
    symbols: SymbolNames = "digits"
    coordinates: CellNames = "rc"

    def addition(self) -> Addition:
        """What to find out about each puzzle."""
        from binairo_cp.batch import explanations

        order = explanations.order_of(best=self.best)
        style = Style(self.language, self.symbols, self.coordinates)
        return explanations.StepsAddition(self.board, only_next=True, order=order, style=style)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainRequest(AnalysisRequest):
    """Show every step to the solution, each with its reason."""

    TITLE: ClassVar[str] = "Explain"
    EXAMPLES: ClassVar[tuple[str, ...]] = (
        "[bold]binairo explain puzzle.txt[/]",
        "[bold]binairo explain puzzle.txt --to ndjson[/]",
        "[bold]binairo explain puzzle.txt --teach[/]: each technique where it is easiest to see",
    )

    board: Cells = None
    best: Annotated[bool, Option(_BEST, panel=SEARCH)] = False
    teach: Annotated[
        bool,
        Option("Show each technique first where it is easiest to see.", panel=SEARCH),
    ] = False
    language: LanguageOption = "en"
    symbols: SymbolNames = "digits"
    coordinates: CellNames = "rc"

    def addition(self) -> Addition:
        """What to find out about each puzzle.

        Raises:
            OptionError: both orders are requested.
        """
        from binairo_cp.batch import explanations

        order = explanations.order_of(best=self.best, teach=self.teach)
        style = Style(self.language, self.symbols, self.coordinates)
        return explanations.StepsAddition(self.board, order=order, style=style)


@dataclass(frozen=True, slots=True, kw_only=True)
class GradeRequest(AnalysisRequest):
    """Grade the difficulty for people: beginner, easy, medium, hard, expert, beyond logic."""

    TITLE: ClassVar[str] = "Grade"
    EXAMPLES: ClassVar[tuple[str, ...]] = (
        "[bold]binairo grade puzzles/[/]",
        "[bold]binairo grade puzzles.line --to ndjson --out graded.ndjson[/]",
        "[bold]binairo grade puzzles.line --scale sgt[/]: with the levels of sgt-unruly",
    )

    scale: Annotated[
        Literal["sgt", "puzzle-binairo"] | None,
        Option(
            "Also report the level by the names of this publisher.",
            absent="none",
            panel=OUTPUT,
        ),
    ] = None

    def addition(self) -> Addition:
        """What to find out about each puzzle."""
        from binairo_cp.batch import explanations

        return explanations.GradeAddition(self.scale)


@dataclass(frozen=True, slots=True, kw_only=True)
class CluesRequest(AnalysisRequest):
    """Find redundant clues. For puzzles with several solutions, find cells that would help."""

    TITLE: ClassVar[str] = "Find redundant clues"
    EXAMPLES: ClassVar[tuple[str, ...]] = (
        "[bold]binairo clues puzzle.txt[/]",
        "[bold]binairo clues puzzles.line --limit 1 --to line[/]: one irreducible puzzle each",
    )
    EXPLAINS_CONFLICTS: ClassVar[bool] = False

    limit: Annotated[
        int,
        Option(
            "Stop after this many irreducible sets of clues.",
            least=1,
            most=1_000_000,
            panel=SEARCH,
        ),
    ] = 1_000

    def addition(self) -> Addition:
        """What to find out about each puzzle."""
        from binairo_cp.batch import clue_analyses

        return clue_analyses.RedundantClues(self.limit)


@dataclass(frozen=True, slots=True, kw_only=True)
class FewestRequest(AnalysisRequest):
    """Find the smallest set of clues with a unique solution, for a puzzle or a full board."""

    TITLE: ClassVar[str] = "Fewest clues"
    EXAMPLES: ClassVar[tuple[str, ...]] = (
        "[bold]binairo fewest solved.txt[/]",
        "[bold]binairo fewest puzzle.txt --all-cells --time-limit 600[/]",
    )
    EXPLAINS_CONFLICTS: ClassVar[bool] = False

    all_cells: Annotated[
        bool,
        Option("Choose among all cells of the solution, not only the clues.", panel=SEARCH),
    ] = False

    def addition(self) -> Addition:
        """What to find out about each puzzle."""
        from binairo_cp.batch import clue_analyses

        return clue_analyses.FewestClues(self.all_cells)


@dataclass(frozen=True, slots=True, kw_only=True)
class RepairRequest(AnalysisRequest):
    """Make puzzles unique: add the fewest clues or, if there is no solution, drop the fewest."""

    TITLE: ClassVar[str] = "Make unique"
    EXAMPLES: ClassVar[tuple[str, ...]] = (
        "[bold]binairo repair puzzle.txt[/]",
        "[bold]binairo repair puzzles.line --to line[/]: the repaired puzzles",
    )
    EXPLAINS_CONFLICTS: ClassVar[bool] = False

    solution: Annotated[
        str | None,
        Option(
            "The solution to keep if the puzzle has several: its cells, row by row.",
            absent="the one that needs the fewest cells",
            longest=MAX_SIDE * MAX_SIDE,
            metavar="CELLS|FILE",
            panel=INPUT,
            is_board=True,
        ),
    ] = None

    def addition(self) -> Addition:
        """What to find out about each puzzle."""
        from binairo_cp.batch import clue_analyses

        return clue_analyses.RepairAddition(self.solution)


TASKS: dict[str, type[PuzzleRequest]] = {
    "solve": SolveRequest,
    "check": CheckRequest,
    "count": CountRequest,
    "hint": HintRequest,
    "explain": ExplainRequest,
    "grade": GradeRequest,
    "clues": CluesRequest,
    "fewest": FewestRequest,
    "repair": RepairRequest,
}
"""The requests that result records answer, by the name of their command and route."""
