"""What users can request: the options of each command, with defaults, bounds and help.

The command line (`cli.derived`) and the HTTP service (`service.bodies`) derive their options from
these classes, as they do from the functions in `features`. A request is a plain dataclass, because
`binairo --help` must not wait for pydantic; the service builds pydantic models from them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

from binairo_cp.deduction.styles import Symbols
from binairo_cp.errors import OptionError
from binairo_cp.features.feature import Option, options_of
from binairo_cp.features.options import (
    INPUT,
    OUTPUT,
    RULES_HELP,
    USUAL_RULES,
    CellNames,
    LanguageOption,
    PresetName,
    PuzzleFormat,
    Symmetry,
    Target,
)
from binairo_cp.puzzle.board import MAX_SIDE
from binairo_cp.rendering.printed.spec import Printer, Stock, Trim
from binairo_cp.rendering.shapes import (
    LARGEST_CELL,
    MOST_MARGIN,
    MOST_PER_PAGE,
    SMALLEST_CELL,
    Form,
)

_MOST_GENERATED = 10_000_000
_LONGEST_SEED = 100
_LONGEST_TITLE = 200
_SIZE = re.compile(r"([0-9]{1,3})(?:x([0-9]{1,3}))?", re.ASCII | re.IGNORECASE)
_SIDE = "0{0,2}[1-9][0-9]{0,2}"
_LONGEST_SHOWN = 40

if TYPE_CHECKING:
    from binairo_cp.reduction.fewest import Among

Balance = Literal[
    "grid", "seqcounter", "mtotalizer", "kmtotalizer", "totalizer", "sortnetwrk", "cardnetwrk"
]
_PUZZLES, _PICTURE, _PAGES = "Puzzles", "Picture", "Pages (PDF)"
_PRINT, _PAGES_OF_A_BOOK = "Print", "Pages"


@dataclass(frozen=True, slots=True, kw_only=True)
class PuzzleRequest:
    """A request about puzzles."""

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
class BoardRequest:
    """Solved boards at random."""

    size: Annotated[
        int | str,
        Option(
            "Board size: 10 for 10x10, or 6x8 for 6 rows and 8 columns.",
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
        int,
        Option(
            "Number of boards or puzzles.", least=1, most=_MOST_GENERATED, flags=("--count", "-n")
        ),
    ] = 1
    rules: Annotated[
        PresetName,
        Option(
            "The rules; only classic requires distinct rows and columns.",
            flags=("--rules", "-r"),
        ),
    ] = "classic"
    odd: Annotated[
        Literal["either", "ones", "zeros"],
        Option("The symbol that occurs once more in lines of odd length."),
    ] = "either"
    distinct: Annotated[
        bool,
        Option(
            "Skip boards or puzzles that are rotations, reflections or symbol swaps of another."
        ),
    ] = False
    seed: Annotated[
        int | str | None,
        Option(
            "Random seed. The same seed gives the same result on any machine and with any number "
            "of workers.",
            absent="random, reported at the end",
        ),
    ] = None
    method: Annotated[
        Literal["auto", "uniform", "gibbs", "rows", "stirred"],
        Option(
            "How to draw solved boards: uniform (every board equally likely; only for sizes that "
            "can be listed), gibbs (row by row, then Gibbs sampling; its old name is stirred), "
            "rows (row by row only)."
        ),
    ] = "auto"

    def __post_init__(self) -> None:
        """Check what the types can't express.

        Raises:
            OptionError: the size or the seed is not valid.
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
        Option(
            "Required difficulty, as reported by binairo grade; any skips grading.", panel=_PUZZLES
        ),
    ] = "any"
    clues: Annotated[
        int | Literal["fewest"] | None,
        Option(
            "Number of clues; fewest finds the minimum for each board.",
            absent="remove clues until none is redundant",
            metavar="N|fewest",
            panel=_PUZZLES,
        ),
    ] = None
    symmetry: Annotated[
        Symmetry,
        Option(
            "Symmetry of the clue positions: rotations by 180 or 90 degrees, left-right mirror, "
            "top-bottom flip, both, one diagonal, both diagonals, or all symmetries.",
            panel=_PUZZLES,
        ),
    ] = "none"
    signs: Annotated[
        int | None,
        Option(
            "Number of signs (= and x) between cells.",
            absent="one for every six cells with plus and tango rules, otherwise none",
            least=0,
            panel=_PUZZLES,
        ),
    ] = None
    irreducible: Annotated[
        bool, Option("Leave no redundant clue or sign, whatever the grade.", panel=_PUZZLES)
    ] = False
    tries: Annotated[
        int, Option("Maximum number of boards to try per puzzle.", least=1, most=1_000_000)
    ] = 1_000

    def __post_init__(self) -> None:
        """Check what the types can't express, and convert a number given as text.

        Raises:
            OptionError: the size, the seed or the number of clues is not valid.
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
            "Format: dimacs (CNF), opb (pseudo-Boolean), lp (facts for clingo), dzn (data for "
            "MiniZinc), smt2 (SMT-LIB 2), xcsp3, flatzinc, wcnf (MaxSAT: clues may be broken), "
            "qdimacs (QBF: are so many clues enough?) or mps (integer program).",
            absent="from the ending of --out, or dimacs",
            panel=OUTPUT,
        ),
    ] = None
    balance: Annotated[
        Balance,
        Option(
            "Encoding of the balance rule. With the last three, one solution has many models.",
            panel=OUTPUT,
        ),
    ] = "grid"
    unique: Annotated[
        str | None,
        Option(
            "Forbid a solution, so that no model means the puzzle is unique: the cells of the "
            "solution, row by row, or auto to find one first.",
            longest=MAX_SIDE * MAX_SIDE,
            metavar="SOLUTION|auto",
            panel=OUTPUT,
            is_board=True,
        ),
    ] = None

    fewest: Annotated[
        bool,
        Option(
            "wcnf: the smallest number of clues that make the puzzle unique, in place of the "
            "clues to break.",
            panel=OUTPUT,
        ),
    ] = False
    clues: Annotated[
        int | None,
        Option(
            "qdimacs: the number of clues to choose.",
            least=0,
            most=MAX_SIDE * MAX_SIDE,
            absent="one fewer than the puzzle has",
            metavar="N",
            panel=OUTPUT,
        ),
    ] = None

    def __post_init__(self) -> None:
        """Check for options that can't be combined.

        Raises:
            OptionError: the target can't forbid a solution, or has no such option.
        """
        if self.unique and self.to == "dzn":
            raise OptionError("unique", "dzn is data, which can't forbid a solution")
        if self.fewest and self.to not in (None, "wcnf"):
            raise OptionError("fewest", f"can only be used with wcnf, not with {self.to}")
        if self.clues is not None and self.to not in (None, "qdimacs"):
            raise OptionError("clues", f"can only be used with qdimacs, not with {self.to}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ConvertRequest(PuzzleRequest):
    """Puzzles written in another format."""

    to: Annotated[
        PuzzleFormat | None,
        Option(
            "Format of the output.",
            absent="from the ending of --out, or text",
            panel=OUTPUT,
        ),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CertifyRequest(PuzzleRequest):
    """Certificates that puzzles have one solution, several or none."""

    count: Annotated[
        bool,
        Option(
            "Certify the number of solutions if there are several: list all of them, at most "
            "50,000, and prove that there is no other.",
        ),
    ] = False
    fewest: Annotated[
        bool,
        Option("Certify the smallest number of clues that make the puzzle unique."),
    ] = False
    all_cells: Annotated[
        bool,
        Option("Choose the fewest clues among all cells of the solution, not only the clues."),
    ] = False

    def __post_init__(self) -> None:
        """Check for options that can't be combined.

        Raises:
            OptionError: both counts are requested, or all cells without the fewest.
        """
        if self.count and self.fewest:
            raise OptionError("count", "can't be used with", "fewest")
        if self.all_cells and not self.fewest:
            raise OptionError("all_cells", "can only be used with", "fewest")

    @property
    def among(self) -> Among | None:
        """What the fewest clues are chosen among; None if the minimum is not requested."""
        if not self.fewest:
            return None
        return "all cells" if self.all_cells else "clues"


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderRequest(PuzzleRequest):
    """Puzzles drawn."""

    to: Annotated[
        Form | None,
        Option(
            "Format: text for terminals, one SVG or PNG per puzzle, a PDF book, or HTML with "
            "steps.",
            absent="from the ending of --out, or text",
            panel=OUTPUT,
        ),
    ] = None
    symbols: Annotated[Symbols, Option("Symbols for 0 and 1.", panel=_PICTURE)] = "digits"
    language: LanguageOption = "en"
    coordinates: CellNames = "rc"
    solution: Annotated[bool, Option("Show the solution, with shaded clues.", panel=_PICTURE)] = (
        False
    )
    hint: Annotated[bool, Option("Show the next step and the reason for it.", panel=_PICTURE)] = (
        False
    )
    steps: Annotated[
        bool, Option("Show every step to the solution (text, HTML or PDF).", panel=_PICTURE)
    ] = False
    grade: Annotated[bool, Option("Show the difficulty.", panel=_PICTURE)] = False
    title: Annotated[
        str, Option("Title of the book, page or picture.", longest=_LONGEST_TITLE, panel=_PICTURE)
    ] = ""
    ids: Annotated[bool, Option("Show puzzle ids.", panel=_PICTURE)] = False
    not_unique: Annotated[
        Literal["refuse", "mark"],
        Option(
            "What to do with puzzles that do not have exactly one solution: leave them out with an "
            "error, or draw and mark them.",
            panel=_PICTURE,
        ),
    ] = "refuse"
    cell: Annotated[
        int | None,
        Option(
            "Side of a cell in SVG and PNG.",
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
            "Page size: a3, a4, a5, a6, b5, letter, legal, tabloid, or WIDTHxHEIGHT in mm or in, "
            "such as 170x240mm.",
            absent="a4",
            longest=40,
            metavar="SIZE",
            panel=_PAGES,
        ),
    ] = None
    margin: Annotated[
        float | None,
        Option(
            "Margin on all four sides.",
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
            "Number of puzzles per page.",
            absent="as many as fit comfortably",
            least=1,
            most=MOST_PER_PAGE,
            panel=_PAGES,
        ),
    ] = None
    answers: Annotated[
        Literal["end", "back", "none"] | None,
        Option(
            "Where to print the answers: at the end, on the page after each page of puzzles, or "
            "not at all.",
            absent="end",
            panel=_PAGES,
        ),
    ] = None
    large: Annotated[
        bool, Option("Large print: bigger cells, fewer puzzles per page.", panel=_PAGES)
    ] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class BookRequest:
    """New puzzles as a book for a print shop."""

    title: Annotated[str, Option("Title of the book.", longest=_LONGEST_TITLE)]
    author: Annotated[str, Option("Author, on the title page.", longest=_LONGEST_TITLE)] = ""
    subject: Annotated[
        str,
        Option(
            "Subject, in the properties of the PDF.",
            absent="Binairo puzzles",
            longest=_LONGEST_TITLE,
        ),
    ] = ""
    trim: Annotated[Trim, Option("Size of the pages after cutting.", panel=_PRINT)] = "6x9in"
    bleed: Annotated[
        bool, Option("Add 0.125 in to the three sides that are cut.", panel=_PRINT)
    ] = False
    printer: Annotated[
        Printer,
        Option("Whose margins to keep: kdp, or ingramspark (at least 0.5 in).", panel=_PRINT),
    ] = "kdp"
    paper: Annotated[Stock, Option("Paper, for the width of the spine.", panel=_PRINT)] = "white"
    order: Annotated[
        Literal["strict", "flexible"],
        Option(
            "Order of the puzzles of a grade: strict (by difficulty alone), or flexible (sizes "
            "stay together, which fills pages better).",
            panel=_PAGES_OF_A_BOOK,
        ),
    ] = "flexible"
    per_page: Annotated[
        int | None,
        Option(
            "Number of puzzles per page.",
            absent="as many as fit comfortably",
            least=1,
            most=MOST_PER_PAGE,
            panel=_PAGES_OF_A_BOOK,
        ),
    ] = None
    large: Annotated[bool, Option("Large print, also for the answers.", panel=_PAGES_OF_A_BOOK)] = (
        False
    )
    notes: Annotated[
        int,
        Option("Number of pages for notes.", least=0, most=100, panel=_PAGES_OF_A_BOOK),
    ] = 0
    plain: Annotated[
        bool,
        Option(
            "Only puzzles and answers: no title page, contents, rules and section pages.",
            panel=_PAGES_OF_A_BOOK,
        ),
    ] = False

    def __post_init__(self) -> None:
        """Check what the types can't express.

        Raises:
            OptionError: the title is empty, or a text can't be printed.
        """
        if not self.title.strip():
            raise OptionError("title", "expected a title")
        for name in ("title", "author", "subject"):
            text = getattr(self, name)
            if not text.isprintable():
                raise OptionError(name, "expected text without line breaks and control characters")
            if len(text) > _LONGEST_TITLE:
                raise OptionError(name, f"expected at most {_LONGEST_TITLE} characters")


REQUESTS: dict[str, type[Any]] = {
    "board": BoardRequest,
    "generate": GenerateRequest,
    "encode": EncodeRequest,
    "convert": ConvertRequest,
    "certify": CertifyRequest,
    "render": RenderRequest,
    "book": BookRequest,
}
"""All requests, by the name of their command."""


def sides_of(size: int | str) -> tuple[int, int]:
    """The numbers of rows and columns of a size, as 10 or 6x8.

    Raises:
        OptionError: the text is not a size.
    """
    text = str(size).strip()
    match = _SIZE.fullmatch(text)
    if not match:
        expected = "expected a whole number, or rows x columns as in 6x8"
        raise OptionError("size", f"{text[:_LONGEST_SHOWN]!r}; {expected}")
    height, width = int(match[1]), int(match[2] or match[1])
    if not (height and width):
        raise OptionError("size", f"{text!r}; expected at least one row and one column")
    return height, width


def is_seed(text: str) -> bool:
    """Whether a text can be a seed, which is part of the ids of puzzles."""
    return text.isprintable() and 1 <= len(text) <= _LONGEST_SEED


def page_options() -> Iterator[str]:
    """The options of `RenderRequest` that are about pages."""
    return (each.name for each in options_of(RenderRequest) if each.option.panel == _PAGES)
