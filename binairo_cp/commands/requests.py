"""What users can request: the options of each command, with defaults, bounds and help, stated once.

The command line (`cli.derived`), the HTTP service (`service.bodies`) and the documentation take
them from here. A request is a plain dataclass, since `binairo --help` must not wait for pydantic;
the service makes pydantic models of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, get_type_hints

from binairo_cp.errors import OptionError
from binairo_cp.puzzle.board import MAX_SIDE
from binairo_cp.rendering.bounds import LARGEST_CELL, MOST_MARGIN, MOST_PER_PAGE, SMALLEST_CELL

MOST_COUNTED = 1_000_000
_MOST_SOLUTIONS = 1_000_000_000
_MOST_GENERATED = 10_000_000
_LONGEST_SEED = 100
_LONGEST_TITLE = 200
_SIZE = re.compile(r"([0-9]{1,3})(?:x([0-9]{1,3}))?", re.ASCII | re.IGNORECASE)
_SIDE = "0{0,2}[1-9][0-9]{0,2}"
_LONGEST_SHOWN = 40

PresetName = Literal["classic", "unruly", "plus", "tango"]
PuzzleFormat = Literal["text", "line", "json", "ndjson", "task", "unruly", "janko", "csv"]
FormatName = Literal["auto", PuzzleFormat]
Target = Literal["dimacs", "opb", "lp", "dzn", "smt2", "mps"]
Picture = Literal["text", "svg", "png", "pdf", "html"]
Balance = Literal[
    "grid", "seqcounter", "mtotalizer", "kmtotalizer", "totalizer", "sortnetwrk", "cardnetwrk"
]
Symmetry = Literal[
    "none", "rotate2", "rotate4", "mirror", "flip", "mirror4", "diagonal", "diagonal4", "full"
]


@dataclass(frozen=True, slots=True)
class Option:
    """What users are told about an option besides its name, type and default.

    Attributes:
        help: what it does, in a sentence or two.
        absent: what happens without it, if the default value does not say so.
        least: the smallest number allowed.
        most: the largest number allowed.
        longest: the most characters allowed.
        schema: JSON schema of its values, if its type does not say enough.
        flags: its names at the command line, if not just that of the field.
        metavar: what stands for its value in the help of the command line.
        panel: the part of the help that it stands in.
        is_positional: it is an argument of the command line, and has no flag.
    """

    help: str
    absent: str = ""
    least: float | None = None
    most: float | None = None
    longest: int | None = None
    schema: dict[str, Any] | None = None
    flags: tuple[str, ...] = ()
    metavar: str | None = None
    panel: str | None = None
    is_positional: bool = False

    def described(self, absent: str | None = None) -> str:
        """The help, with what happens without the option."""
        told = self.absent if absent is None else absent
        return f"{self.help} If absent: {told}." if told else self.help


class Stated(NamedTuple):
    """An option of a request: its name, type, default (`dataclasses.MISSING` if it has none)."""

    name: str
    type: Any
    default: Any
    option: Option


def options_of(request: type[Any]) -> Iterator[Stated]:
    """The options of a request, in order."""
    hints = get_type_hints(request, include_extras=True)
    for field in fields(request):
        kind, option = hints[field.name].__origin__, hints[field.name].__metadata__[0]
        yield Stated(field.name, kind, field.default, option)


def described(request: type[Any], name: str) -> str:
    """The help of an option, with what happens without it."""
    return next(each.option for each in options_of(request) if each.name == name).described()


_SEARCH, _INPUT, _OUTPUT, _PUZZLES = "Search", "Input", "Output", "Puzzles"
_PICTURE, _PAGES = "Picture", "Pages (PDF)"

_USUAL_RULES = "plus for puzzles with signs, or classic"
Cells = Annotated[
    str | None,
    Option(
        "The cells of a board that somebody has begun to fill, row by row.",
        longest=MAX_SIDE * MAX_SIDE,
        metavar="CELLS|FILE",
        panel=_INPUT,
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class PuzzleRequest:
    """A request about puzzles."""

    rules: Annotated[
        PresetName | None,
        Option(
            "The rules of puzzles that state none.",
            absent=_USUAL_RULES,
            flags=("--rules", "-r"),
            panel=_INPUT,
        ),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRequest(PuzzleRequest):
    """A request for solutions, by a backend of the user's choice."""

    rules: Annotated[
        PresetName | Literal["both"] | None,
        Option(
            "The rules of puzzles that state none: classic (distinct lines), unruly (lines may "
            "repeat), plus or tango (signs, lines may repeat). both: decide all puzzles with "
            "distinct lines and without.",
            absent=_USUAL_RULES,
            flags=("--rules", "-r"),
            panel=_INPUT,
        ),
    ] = None  # type: ignore[assignment]  # one word more
    backend: Annotated[
        str,
        Option(
            "auto, bitboard, pysat, pysat:SOLVER, pysat:SOLVER:fresh, cpsat, backtracking, or "
            "external:COMMAND for a SAT solver of yours.",
            flags=("--backend", "-b"),
            metavar="NAME",
            panel=_SEARCH,
        ),
    ] = "auto"
    cross_check: Annotated[
        str | None,
        Option("A second backend, which must agree.", metavar="NAME", panel=_SEARCH),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SolveRequest(SearchRequest):
    """Solutions of puzzles."""

    limit: Annotated[
        int,
        Option(
            "Stop after this many solutions of a puzzle.",
            least=1,
            most=_MOST_SOLUTIONS,
            panel=_SEARCH,
        ),
    ] = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRequest(SearchRequest):
    """Whether puzzles have exactly one solution."""

    limit: Annotated[
        int,
        Option(
            "Stop after this many solutions of a puzzle.",
            least=2,
            most=_MOST_SOLUTIONS,
            panel=_SEARCH,
        ),
    ] = 2
    backbone: Annotated[
        bool,
        Option("Report the cells that all solutions of a puzzle share.", panel=_SEARCH),
    ] = False
    reasons: Annotated[
        Literal["none", "quick", "smallest"] | None,
        Option(
            "Where there is no solution, report clues that contradict each other: quick, a set of "
            "which no clue can be left out, or smallest, a set with the fewest clues, which can "
            "take seconds.",
            absent="smallest for one puzzle, quick for several, none where there is no room for "
            "them",
            panel=_SEARCH,
        ),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CountRequest(SearchRequest):
    """How many solutions puzzles have."""

    limit: Annotated[
        int | None,
        Option(
            "Stop after this many solutions of a puzzle.",
            least=1,
            most=_MOST_SOLUTIONS,
            panel=_SEARCH,
        ),
    ] = MOST_COUNTED


@dataclass(frozen=True, slots=True, kw_only=True)
class HintRequest(PuzzleRequest):
    """The next step that a person could take, or where a board is wrong."""

    board: Cells = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainRequest(PuzzleRequest):
    """All steps to the solution."""

    board: Cells = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GradeRequest(PuzzleRequest):
    """How hard puzzles are for a person."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CluesRequest(PuzzleRequest):
    """Which clues are redundant; for puzzles with several solutions, which cells would help."""

    limit: Annotated[
        int,
        Option(
            "Stop after this many irreducible sets of clues.",
            least=1,
            most=1_000_000,
            panel=_SEARCH,
        ),
    ] = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class FewestRequest(PuzzleRequest):
    """The fewest clues that keep the solution unique."""

    all_cells: Annotated[
        bool,
        Option("Choose among all cells of the solution, not only the clues.", panel=_SEARCH),
    ] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RepairRequest(PuzzleRequest):
    """The fewest changes that make puzzles unique."""

    solution: Annotated[
        str | None,
        Option(
            "The solution to keep, of a puzzle with several: its cells row by row.",
            absent="whichever needs the fewest cells",
            longest=MAX_SIDE * MAX_SIDE,
            metavar="CELLS|FILE",
            panel=_INPUT,
        ),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardRequest:
    """Solved boards at random."""

    size: Annotated[
        int | str,
        Option(
            "The size of the board: 10 for 10x10, or 6x8 (rows x columns).",
            schema={
                "anyOf": [
                    {"type": "integer", "minimum": 1, "maximum": 999},
                    {"type": "string", "pattern": f"^{_SIDE}(?:[xX]{_SIDE})?$"},
                ]
            },
            metavar="SIZE",
            is_positional=True,
        ),
    ]
    count: Annotated[
        int, Option("How many to make.", least=1, most=_MOST_GENERATED, flags=("--count", "-n"))
    ] = 1
    rules: Annotated[
        PresetName,
        Option(
            "classic requires distinct rows and columns; the others do not.",
            flags=("--rules", "-r"),
        ),
    ] = "classic"
    odd: Annotated[
        Literal["either", "ones", "zeros"],
        Option("The symbol that a line of odd length has one more of."),
    ] = "either"
    distinct: Annotated[
        bool, Option("Make none that is another one turned, mirrored or with 0 for 1.")
    ] = False
    seed: Annotated[
        int | str | None,
        Option(
            "The same seed gives the same result, on any machine, with any number of workers.",
            absent="random; reported at the end",
        ),
    ] = None
    method: Annotated[
        Literal["auto", "uniform", "stirred", "rows"],
        Option(
            "How solved boards are drawn: uniform (exactly, of sizes that can be listed), stirred "
            "(row by row, then a random walk), rows (row by row only)."
        ),
    ] = "auto"

    def __post_init__(self) -> None:
        """Check what the types do not say.

        Raises:
            OptionError: the size or the seed is none.
        """
        sides_of(self.size)
        if self.seed is not None and not is_seed(str(self.seed)):
            raise OptionError("seed", f"expected 1 to {_LONGEST_SEED} characters of text")

    @property
    def sides(self) -> tuple[int, int]:
        """The numbers of rows and columns."""
        return sides_of(self.size)


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerateRequest(BoardRequest):
    """New puzzles with exactly one solution."""

    grade: Annotated[
        Literal["any", "beginner", "easy", "medium", "hard", "expert", "beyond-logic"],
        Option("How hard they are, as binairo grade says; any: not graded.", panel=_PUZZLES),
    ] = "any"
    clues: Annotated[
        int | Literal["fewest"] | None,
        Option(
            "How many clues there are; fewest: as few as the board allows.",
            absent="as few as are left when no more can be removed",
            metavar="N|fewest",
            panel=_PUZZLES,
        ),
    ] = None
    symmetry: Annotated[
        Symmetry,
        Option(
            "The symmetry of the clues: turned by a half or a quarter, left for right, upside "
            "down, both, along one diagonal, both diagonals, or all of it.",
            panel=_PUZZLES,
        ),
    ] = "none"
    signs: Annotated[
        int | None,
        Option(
            "How many signs = and x there are.",
            absent="one for six cells under plus and tango, else none",
            least=0,
            panel=_PUZZLES,
        ),
    ] = None
    irreducible: Annotated[
        bool, Option("No clue and no sign is redundant, whatever the grade.", panel=_PUZZLES)
    ] = False
    tries: Annotated[
        int, Option("How many boards to try for each puzzle.", least=1, most=1_000_000)
    ] = 1_000

    def __post_init__(self) -> None:
        """Check what the types do not say, and make a number of a text.

        Raises:
            OptionError: the size, the seed or the number of clues is none.
        """
        BoardRequest.__post_init__(self)
        if isinstance(self.clues, str) and self.clues != "fewest":
            if not re.fullmatch(r"[0-9]{1,5}", self.clues):
                shown = self.clues[:_LONGEST_SHOWN]
                raise OptionError("clues", f"{shown!r}; expected a number, or fewest")
            object.__setattr__(self, "clues", int(self.clues))


@dataclass(frozen=True, slots=True, kw_only=True)
class EncodeRequest(PuzzleRequest):
    """Puzzles written for solvers."""

    to: Annotated[
        Target | None,
        Option(
            "dimacs: CNF; opb: pseudo-Boolean; lp: facts for clingo; dzn: data for MiniZinc; "
            "smt2: SMT-LIB 2; mps: integer program.",
            absent="as --out ends, or dimacs",
            panel=_OUTPUT,
        ),
    ] = None
    balance: Annotated[
        Balance,
        Option(
            "How clauses state balance. With the last three a solution has many models.",
            panel=_OUTPUT,
        ),
    ] = "grid"
    unique: Annotated[
        str | None,
        Option(
            "Forbid this solution, given by its cells row by row, or (auto) one that is found. "
            "Then the puzzle is unique if there is no model.",
            longest=MAX_SIDE * MAX_SIDE,
            metavar="SOLUTION|auto",
            panel=_OUTPUT,
        ),
    ] = None

    def __post_init__(self) -> None:
        """Check what can't be together.

        Raises:
            OptionError: the target can't forbid a solution.
        """
        if self.unique and self.to == "dzn":
            raise OptionError("unique", "dzn is data, which can't forbid a solution")


@dataclass(frozen=True, slots=True, kw_only=True)
class ConvertRequest(PuzzleRequest):
    """Puzzles written in another format."""

    to: Annotated[
        PuzzleFormat | None,
        Option(
            "The format to write.",
            absent="as --out ends, or text",
            panel=_OUTPUT,
        ),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CertifyRequest(PuzzleRequest):
    """Certificates that puzzles have one solution, several or none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderRequest(PuzzleRequest):
    """Puzzles drawn."""

    PAGES: ClassVar[tuple[str, ...]] = ("page", "margin", "per_page", "answers", "large")
    """The options that are about pages."""

    to: Annotated[
        Picture | None,
        Option(
            "text for terminals, SVG or PNG for each puzzle, a PDF book, or HTML with steps.",
            absent="as --out ends, or text",
            panel=_OUTPUT,
        ),
    ] = None
    symbols: Annotated[
        Literal["digits", "circles", "sunmoon"],
        Option("The symbols for 0 and 1.", panel=_PICTURE),
    ] = "digits"
    solution: Annotated[bool, Option("Show the solutions, with shaded clues.", panel=_PICTURE)] = (
        False
    )
    hint: Annotated[bool, Option("Show the next step, and why.", panel=_PICTURE)] = False
    steps: Annotated[
        bool, Option("Show all steps to the solution: as text, HTML or PDF.", panel=_PICTURE)
    ] = False
    grade: Annotated[bool, Option("Show how hard they are.", panel=_PICTURE)] = False
    title: Annotated[str, Option("A title.", longest=_LONGEST_TITLE, panel=_PICTURE)] = ""
    ids: Annotated[bool, Option("Show their ids.", panel=_PICTURE)] = False
    not_unique: Annotated[
        Literal["refuse", "mark"],
        Option(
            "Leave out puzzles without exactly one solution, or draw and mark them.",
            panel=_PICTURE,
        ),
    ] = "refuse"
    cell: Annotated[
        int | None,
        Option(
            "The side of a cell in SVG and PNG.",
            absent="40 in SVG, 48 in PNG",
            least=SMALLEST_CELL,
            most=LARGEST_CELL,
            metavar="PIXELS",
            panel=_PICTURE,
        ),
    ] = None
    page: Annotated[
        str | None,
        Option(
            "a3, a4, a5, a6, b5, letter, legal, tabloid, or WIDTHxHEIGHT in mm or in, such as "
            "170x240mm.",
            absent="a4",
            longest=40,
            metavar="SIZE",
            panel=_PAGES,
        ),
    ] = None
    margin: Annotated[
        float | None,
        Option(
            "The margin on all sides.",
            absent="15",
            least=0,
            most=MOST_MARGIN,
            metavar="MM",
            panel=_PAGES,
        ),
    ] = None
    per_page: Annotated[
        int | None,
        Option(
            "Puzzles on a page.",
            absent="as many as fit well",
            least=1,
            most=MOST_PER_PAGE,
            panel=_PAGES,
        ),
    ] = None
    answers: Annotated[
        Literal["end", "back", "none"] | None,
        Option(
            "Where the answers are: at the end, on the page after each page of puzzles, or "
            "nowhere.",
            absent="end",
            panel=_PAGES,
        ),
    ] = None
    large: Annotated[bool, Option("Large print.", panel=_PAGES)] = False


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

REQUESTS: dict[str, type[Any]] = {
    **TASKS,
    "board": BoardRequest,
    "generate": GenerateRequest,
    "encode": EncodeRequest,
    "convert": ConvertRequest,
    "certify": CertifyRequest,
    "render": RenderRequest,
}
"""All requests, by the name of their command."""


def sides_of(size: int | str) -> tuple[int, int]:
    """The numbers of rows and columns of a size, as 10 or 6x8.

    Raises:
        OptionError: it is no size.
    """
    text = str(size).strip()
    match = _SIZE.fullmatch(text)
    if not match:
        expected = "expected a number, or rows x columns as in 6x8"
        raise OptionError("size", f"{text[:_LONGEST_SHOWN]!r}; {expected}")
    height, width = int(match[1]), int(match[2] or match[1])
    if not (height and width):
        raise OptionError("size", f"{text!r}; expected at least one row and one column")
    return height, width


def is_seed(text: str) -> bool:
    """Whether a text can be a seed, which is part of the ids of puzzles."""
    return text.isprintable() and 1 <= len(text) <= _LONGEST_SEED
