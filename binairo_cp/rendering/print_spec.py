"""What print shops ask of a book: trim sizes, bleed and margins.

The figures are those of black-and-white paperbacks. KDP has its rules on the help pages "Set Trim
Size, Bleed, and Margins"; the figures here are from sites that repeat it, so compare before you
print. IngramSpark has its own in:

- IngramSpark, "File Requirements for Print Books" and "Manufacturing and File Setup Tips": 0.5 in
  from the trim on all sides, and no printer's marks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from binairo_cp.rendering.pages import sides

INCH = 72.0
Trim = Literal["6x9in", "7x10in", "8x10in", "8.5x11in", "a4", "a5"]
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
