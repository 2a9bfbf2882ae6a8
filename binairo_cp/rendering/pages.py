"""Paper sizes, what print shops ask for, and what a document shows. Lengths are in points."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from binairo_cp.deduction.styles import USUAL, Style
from binairo_cp.errors import RenderError
from binairo_cp.rendering.shapes import CELL, DIGIT_SIZE

INCH = 72.0
Printer = Literal["kdp", "ingramspark"]

BLEED = 0.125 * INCH
OUTSIDE = 0.5 * INCH
"""The margin on all sides but the inside: at least what both printers ask for."""

GUTTERS = ((150, 0.375), (300, 0.5), (500, 0.625), (700, 0.75), (828, 0.875))
"""The inside margin in inches, up to a number of pages, as KDP asks for it."""

INGRAM_INSIDE = 0.5 * INCH
FEWEST_PAGES, MOST_PAGES = 24, GUTTERS[-1][0]
"""How many pages KDP prints."""

MM = 72 / 25.4
"""Points in a millimetre."""

SIZES = {
    "a3": (297 * MM, 420 * MM),
    "a4": (210 * MM, 297 * MM),
    "a5": (148 * MM, 210 * MM),
    "a6": (105 * MM, 148 * MM),
    "b5": (176 * MM, 250 * MM),
    "letter": (612.0, 792.0),
    "legal": (612.0, 1008.0),
    "tabloid": (792.0, 1224.0),
}
_CUSTOM_SIZE = re.compile(r"(\d{1,4}(?:\.\d{1,3})?)x(\d{1,4}(?:\.\d{1,3})?)(mm|in)")
_SHORTEST, _LONGEST = 40 * MM, 2_000 * MM
_MIN_CONTENT_SIDE = 30 * MM

Answers = Literal["end", "back", "none"]


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper size with the same margin on all sides."""

    width: float
    height: float
    margin: float

    @property
    def content_size(self) -> tuple[float, float]:
        """The width and height between the margins."""
        return self.width - 2 * self.margin, self.height - 2 * self.margin


def paper(size: str, margin: float) -> Paper:
    """Return a sheet of a named size, or of a given width and height such as ``170x240mm``. The
    margin is in millimetres.

    Raises:
        RenderError: the size is unknown, or the margins leave no space.
    """
    width, height = sides(size)
    sheet = Paper(width, height, margin * MM)
    if margin < 0 or min(sheet.content_size) < _MIN_CONTENT_SIDE:
        raise RenderError(
            f"margins of {margin:g} mm leave {max(0, min(sheet.content_size) / MM):.0f} mm of a "
            f"{width / MM:.0f}x{height / MM:.0f} mm page; "
            f"expected {_MIN_CONTENT_SIDE / MM:.0f} or more"
        )
    return sheet


def sides(size: str) -> tuple[float, float]:
    """The width and height of a size, as for `paper`.

    Raises:
        RenderError: the size is unknown.
    """
    if known := SIZES.get(size.lower()):
        return known
    match = _CUSTOM_SIZE.fullmatch(size.lower().replace(" ", ""))
    if not match:
        raise RenderError(
            f"page size {size[:20]!r} is unknown; expected one of {', '.join(SIZES)}, or a width "
            "and height such as 170x240mm or 6x9in"
        )
    unit = MM if match[3] == "mm" else 72.0
    width, height = float(match[1]) * unit, float(match[2]) * unit
    if min(width, height) < _SHORTEST or max(width, height) > _LONGEST:
        raise RenderError(
            f"page size {size} is out of range; expected sides of {_SHORTEST / MM:.0f} to "
            f"{_LONGEST / MM:.0f} mm"
        )
    return width, height


TypeSizes = Mapping[str, float]
"""Sizes of text and cells, in points, by their names in templates: the text of a puzzle's number,
beside it, at the top of a page and above an answer; the smallest cell, if the number of puzzles per
page is not given, the largest one, and that of answers."""

_NAMES = ("number", "caption", "header", "answer", "min-cell", "max-cell", "answer-cell")
NORMAL = dict(zip(_NAMES, (11, 8.5, 10, 7.5, 8 * MM, 13 * MM, 4 * MM), strict=True))
LEAST_LARGE_CELL = 18 / (DIGIT_SIZE / CELL)
LARGE = dict(zip(_NAMES, (22, 18, 18, 22, 11 * MM, 20 * MM, LEAST_LARGE_CELL / 0.9), strict=True))
"""What books for people with low vision use: no text is smaller than 18 points. Answers may be
smaller by a tenth than their usual size."""


@dataclass(frozen=True, slots=True)
class PageLayout:
    """The layout of puzzles that are given.

    Attributes:
        per_page: the number of puzzles per page; None for as many as fit well.
        answers: answers on the last pages (``end``), on the page after their puzzles (``back``),
            or no answers (``none``).
        style: the symbols for 0 and 1, and how explanations are written.
        solved: show the solutions instead of the puzzles.
        ids: show the puzzles' names.
        instructions: print the rules below the puzzles of each page.
    """

    paper: Paper
    per_page: int | None = None
    answers: Answers = "end"
    title: str = ""
    style: Style = USUAL
    large: bool = False
    solved: bool = False
    ids: bool = False
    instructions: bool = False


@dataclass(frozen=True, slots=True)
class PrintSpec:
    """How the pages of a book are cut.

    Attributes:
        trim: the size after cutting, as for `sides`.
        bleed: whether pages are larger than the trim on the three sides that are cut.
        printer: whose smallest inside margin applies.
    """

    trim: str = "6x9in"
    bleed: bool = False
    printer: Printer = "kdp"

    def inside(self, pages: int) -> float:
        """The inside margin of a book with a number of pages."""
        inches = next((inch for most, inch in GUTTERS if pages <= most), GUTTERS[-1][1])
        return max(inches * INCH, INGRAM_INSIDE if self.printer == "ingramspark" else 0)

    def page(self, pages: int) -> dict[str, object]:
        """The pages of a book with a number of pages, as templates expect them."""
        width, height = sides(self.trim)
        sizes = {"width": width, "height": height, "bleed": BLEED if self.bleed else 0.0}
        margins = dict.fromkeys(("outside", "top", "bottom"), OUTSIDE)
        return {**sizes, "two-sided": True, "inside": self.inside(pages), **margins}
