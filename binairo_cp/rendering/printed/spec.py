"""What print shops ask of a book: trim sizes, bleed, margins, paper, and the cover template.

The figures are those of black-and-white paperbacks. KDP has its rules on the help pages "Set Trim
Size, Bleed, and Margins" and "Create a Paperback Cover"; the figures here are from sites that
repeat them, so compare before you print. IngramSpark has its own in:

- IngramSpark, "File Requirements for Print Books" and "Manufacturing and File Setup Tips": 0.5 in
  from the trim on all sides, and no printer's marks.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from binairo_cp.rendering import text_layout
from binairo_cp.rendering.pages import MM, BookPage, Paper
from binairo_cp.rendering.shapes import Picture, PlacedPicture, Rect, Segments, Shape, Text

INCH = 72.0
Trim = Literal["6x9in", "7x10in", "8x10in", "8.5x11in", "a4", "a5"]
Stock = Literal["white", "cream", "colour"]
Printer = Literal["kdp", "ingramspark"]

TRIMS: dict[Trim, tuple[float, float]] = {
    "6x9in": (6 * INCH, 9 * INCH),
    "7x10in": (7 * INCH, 10 * INCH),
    "8x10in": (8 * INCH, 10 * INCH),
    "8.5x11in": (8.5 * INCH, 11 * INCH),
    "a4": (210 * MM, 297 * MM),
    "a5": (148 * MM, 210 * MM),
}
"""The width and height of the pages after cutting."""

BLEED = 0.125 * INCH
OUTSIDE = 0.5 * INCH
"""The margin on all sides but the inside: at least what both printers ask for."""

GUTTERS = ((150, 0.375), (300, 0.5), (500, 0.625), (700, 0.75), (828, 0.875))
"""The inside margin in inches, up to a number of pages, as KDP asks for it."""

INGRAM_INSIDE = 0.5 * INCH
FEWEST_PAGES, MOST_PAGES = 24, GUTTERS[-1][0]
"""How many pages KDP prints."""

THICKNESS: dict[Stock, float] = {
    "white": 0.002252 * INCH,
    "cream": 0.0025 * INCH,
    "colour": 0.002347 * INCH,
}
"""The thickness of a page, for the spine of a KDP cover."""

COVER_SAFE = 0.125 * INCH
SPINE_SAFE = 0.0625 * INCH
SPINE_TEXT_PAGES = 79
"""The fewest pages with which KDP prints text on the spine."""

Box = tuple[float, float, float, float]
"""The left, lower, right and upper edge."""

_LINE = 0.5
_SIZE = 9.0
_TITLE_SIZE = 24.0


@dataclass(frozen=True, slots=True)
class PrintSpec:
    """How the pages of a book are cut.

    Attributes:
        trim: the name of the size after cutting.
        bleed: whether pages are larger than the trim on the three sides that are cut.
        printer: whose smallest inside margin applies.
    """

    trim: Trim = "6x9in"
    bleed: bool = False
    printer: Printer = "kdp"

    @property
    def trim_size(self) -> tuple[float, float]:
        """The width and height after cutting."""
        return TRIMS[self.trim]

    @property
    def edge(self) -> float:
        """The width of the bleed."""
        return BLEED if self.bleed else 0.0

    @property
    def page(self) -> Paper:
        """The pages of the file, with their bleed. The inside, at the spine, has no bleed."""
        width, height = self.trim_size
        return Paper(width + self.edge, height + 2 * self.edge, 0)

    def inside(self, pages: int) -> float:
        """The inside margin of a book with a number of pages."""
        inches = next((inch for most, inch in GUTTERS if pages <= most), GUTTERS[-1][1])
        return max(inches * INCH, INGRAM_INSIDE if self.printer == "ingramspark" else 0)

    def content(self, pages: int) -> Paper:
        """The area between the margins, which the pages are laid out in."""
        width, height = self.trim_size
        return Paper(width - OUTSIDE - self.inside(pages), height - 2 * OUTSIDE, 0)

    def corner(self, number: int, pages: int) -> tuple[float, float]:
        """The upper left corner of the content of a page; odd pages are on the right."""
        left = self.inside(pages) if number % 2 else self.edge + OUTSIDE
        return left, self.edge + OUTSIDE

    def trim_box(self, number: int) -> Box:
        """Where a page is cut, in points from its lower left corner."""
        width, height = self.trim_size
        left = 0.0 if number % 2 else self.edge
        return left, self.edge, left + width, self.edge + height


@dataclass(frozen=True, slots=True)
class CoverSpec:
    """The sheet of a paperback's cover: back, spine and front side by side, with bleed.

    Attributes:
        trim: the name of the size after cutting.
        pages: the number of pages of the book.
        stock: its paper.
    """

    trim: Trim
    pages: int
    stock: Stock = "white"

    @property
    def spine(self) -> float:
        """The width of the spine."""
        return self.pages * THICKNESS[self.stock]

    @property
    def sheet(self) -> Paper:
        """The size of the sheet."""
        width, height = TRIMS[self.trim]
        return Paper(2 * (width + BLEED) + self.spine, height + 2 * BLEED, 0)


def cover(spec: CoverSpec, title: str, author: str) -> BookPage:
    """Return the sheet of the cover, to be put below a design and then hidden."""
    sheet = spec.sheet
    trim_width, height = TRIMS[spec.trim]
    spine_left = BLEED + trim_width
    front_left = spine_left + spec.spine
    shapes: list[Shape] = [
        Rect(BLEED, BLEED, sheet.width - 2 * BLEED, height, None, _LINE, "line"),
        Segments(tuple((x, 0.0, x, sheet.height) for x in (spine_left, front_left)), _LINE, "line"),
    ]
    for left in (BLEED, front_left):
        shapes.append(_safe(left, trim_width, height, COVER_SAFE))
    if spec.spine > 4 * SPINE_SAFE:
        shapes.append(_safe(spine_left, spec.spine, height, SPINE_SAFE))
    shapes += _words(spec, title, author, front_left)
    page = BookPage(trim=(BLEED, BLEED, sheet.width - BLEED, sheet.height - BLEED))
    page.placed.append(PlacedPicture(Picture(sheet.width, sheet.height, shapes), 0, 0))
    return page


def _safe(left: float, width: float, height: float, inset: float) -> Rect:
    """The line that text and pictures have to stay within."""
    return Rect(
        left + inset,
        BLEED + inset,
        width - 2 * inset,
        height - 2 * inset,
        None,
        _LINE,
        "faint",
    )


def _words(spec: CoverSpec, title: str, author: str, front_left: float) -> Iterator[Shape]:
    trim_width, height = TRIMS[spec.trim]
    room = trim_width - 4 * COVER_SAFE
    middle, y = front_left + trim_width / 2, BLEED + height * 0.3
    for line in text_layout.wrap(title, _TITLE_SIZE, room):
        yield Text(middle, y, _TITLE_SIZE, line, bold=True)
        y += 1.3 * _TITLE_SIZE
    for line in text_layout.wrap(author, _SIZE * 1.4, room):
        yield Text(middle, BLEED + height * 0.9, _SIZE * 1.4, line)
    may_have_text = spec.pages >= SPINE_TEXT_PAGES
    notes = (
        f"Back cover. Trim {trim_width / INCH:.3f} x {height / INCH:.3f} in.",
        f"Sheet {spec.sheet.width / INCH:.3f} x {spec.sheet.height / INCH:.3f} in.",
        f"Spine {spec.spine / INCH:.3f} in: {spec.pages} pages on {spec.stock} paper.",
        "The spine may have text." if may_have_text else "The spine is too thin for text.",
        f"Bleed {BLEED / INCH:.3f} in. Keep text within the inner lines.",
        "Remove these lines and notes before printing.",
    )
    for number, note in enumerate(notes):
        size = _SIZE * min(1.0, room / text_layout.text_width(note, _SIZE))
        yield Text(2 * BLEED + COVER_SAFE, BLEED + 40 + number * 14, size, note, "start")
