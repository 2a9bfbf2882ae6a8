"""What print shops ask of a book: trim sizes, bleed, margins, paper, and the cover template.

The figures are those of black-and-white paperbacks. KDP has its rules on the help pages "Set Trim
Size, Bleed, and Margins" and "Create a Paperback Cover"; the figures here are from sites that
repeat them, so compare before you print. IngramSpark has its own in:

- IngramSpark, "File Requirements for Print Books" and "Manufacturing and File Setup Tips": 0.5 in
  from the trim on all sides, and no printer's marks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from binairo_cp.rendering.pages import Paper, sides

INCH = 72.0
Trim = Literal["6x9in", "7x10in", "8x10in", "8.5x11in", "a4", "a5"]
Stock = Literal["white", "cream", "colour"]
Printer = Literal["kdp", "ingramspark"]

TRIMS: dict[Trim, tuple[float, float]] = {name: sides(name) for name in get_args(Trim)}
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

    def inside(self, pages: int) -> float:
        """The inside margin of a book with a number of pages."""
        inches = next((inch for most, inch in GUTTERS if pages <= most), GUTTERS[-1][1])
        return max(inches * INCH, INGRAM_INSIDE if self.printer == "ingramspark" else 0)

    def page(self, pages: int) -> dict[str, object]:
        """The pages of a book with a number of pages, as templates expect them."""
        width, height = TRIMS[self.trim]
        margins = dict.fromkeys(("outside", "top", "bottom"), OUTSIDE)
        return {
            "width": width,
            "height": height,
            "bleed": BLEED if self.bleed else 0.0,
            "two-sided": True,
            "inside": self.inside(pages),
            **margins,
        }


@dataclass(frozen=True, slots=True)
class CoverSpec:
    """The sheet of a paperback's cover: back, spine and front side by side, with bleed.

    Attributes:
        trim: the name of the size after cutting.
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


def cover_values(spec: CoverSpec) -> dict[str, object]:
    """The measures and notes of a cover, as the template expects them."""
    width, height = TRIMS[spec.trim]
    may_have_text = spec.pages >= SPINE_TEXT_PAGES
    return {
        "trim": (width, height),
        "bleed": BLEED,
        "spine": spec.spine,
        "safe": COVER_SAFE,
        "spine-safe": SPINE_SAFE,
        "notes": [
            f"Back cover. Trim {width / INCH:.3f} x {height / INCH:.3f} in.",
            f"Sheet {spec.sheet.width / INCH:.3f} x {spec.sheet.height / INCH:.3f} in.",
            f"Spine {spec.spine / INCH:.3f} in: {spec.pages} pages on {spec.stock} paper.",
            "The spine may have text." if may_have_text else "The spine is too thin for text.",
            f"Bleed {BLEED / INCH:.3f} in. Keep text within the inner lines.",
            "Remove these lines and notes before printing.",
        ],
    }
