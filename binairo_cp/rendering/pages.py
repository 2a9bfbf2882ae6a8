"""Pages: their paper, layout, content, headers and page numbers. Lengths are in points."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import ceil
from typing import Literal

from binairo_cp.deduction.styles import USUAL, Style
from binairo_cp.errors import RenderError
from binairo_cp.rendering import text_layout
from binairo_cp.rendering.shapes import Picture, PlacedPicture, Segments, Shape, Text

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
    """Return a sheet of a named size, or of a given width and height such as ``170x240mm``.

    Args:
        size: a key of `SIZES`, or width x height in mm or in.
        margin: in millimetres.

    Raises:
        RenderError: the size is unknown, or the margins leave no space.
    """
    width, height = _sides(size)
    sheet = Paper(width, height, margin * MM)
    if margin < 0 or min(sheet.content_size) < _MIN_CONTENT_SIDE:
        raise RenderError(
            f"margins of {margin:g} mm leave {max(0, min(sheet.content_size) / MM):.0f} mm of a "
            f"{width / MM:.0f}x{height / MM:.0f} mm page; "
            f"expected {_MIN_CONTENT_SIDE / MM:.0f} or more"
        )
    return sheet


def _sides(size: str) -> tuple[float, float]:
    if known := SIZES.get(size.lower()):
        return known
    match = _CUSTOM_SIZE.fullmatch(size.lower().replace(" ", ""))
    if not match:
        raise RenderError(
            f"page size {size!r} is unknown; expected one of {', '.join(SIZES)}, or a width and "
            "height such as 170x240mm or 6x9in"
        )
    unit = MM if match[3] == "mm" else 72.0
    width, height = float(match[1]) * unit, float(match[2]) * unit
    if min(width, height) < _SHORTEST or max(width, height) > _LONGEST:
        raise RenderError(
            f"page size {size} is out of range; expected sides of {_SHORTEST / MM:.0f} to "
            f"{_LONGEST / MM:.0f} mm"
        )
    return width, height


@dataclass(frozen=True, slots=True)
class Grid:
    """Equal boxes in columns and rows, with gaps between them."""

    columns: int
    rows: int
    width: float
    height: float
    gap: float

    def corner(self, number: int) -> tuple[float, float]:
        """Return the upper left corner of a box; boxes are numbered from 0, row by row."""
        row, column = divmod(number, self.columns)
        return column * (self.width + self.gap), row * (self.height + self.gap)


def best_grid(
    area: tuple[float, float], number: int, gap: float, content: tuple[float, float], caption: float
) -> Grid:
    """Return the grid of boxes that allows the largest content.

    Args:
        area: the available width and height.
        number: the number of boxes.
        gap: the space between boxes.
        content: the width and height of the content of a box, in any unit.
        caption: the height reserved above the content of each box.
    """

    def grid(columns: int) -> Grid:
        rows = ceil(number / columns)
        width = (area[0] - gap * (columns - 1)) / columns
        height = (area[1] - gap * (rows - 1)) / rows
        return Grid(columns, rows, width, height, gap)

    # Rounded, so that of equal ones the first is taken.
    grids = map(grid, range(1, number + 1))
    return max(grids, key=lambda each: round(scale_in(each, content, caption), 9))


def scale_in(grid: Grid, content: tuple[float, float], caption: float) -> float:
    """Return the points per unit at which the content just fits a box of a grid."""
    return min(grid.width / content[0], (grid.height - caption) / content[1])


@dataclass(frozen=True, slots=True)
class TypeSizes:
    """Sizes of text and cells, in points.

    Attributes:
        number: the text of a puzzle's number.
        caption: the text beside the number.
        header: the text at the top of a page.
        answer: the text above an answer.
        min_cell: the smallest cell, if the number of puzzles per page is not given.
        max_cell: the largest cell.
        answer_cell: a cell of an answer.
    """

    number: float
    caption: float
    header: float
    answer: float
    min_cell: float
    max_cell: float
    answer_cell: float


NORMAL = TypeSizes(11, 8.5, 10, 7.5, 8 * MM, 13 * MM, 3.6 * MM)
LARGE = TypeSizes(18, 14, 15, 12, 11 * MM, 20 * MM, 6 * MM)


@dataclass(frozen=True, slots=True)
class PageLayout:
    """The layout of a book.

    Attributes:
        paper: the size and margins of the paper.
        per_page: the number of puzzles per page; None for as many as fit well.
        answers: answers on the last pages (``end``), on the page after their puzzles (``back``),
            or no answers (``none``).
        title: the title at the top of each page.
        style: the symbols for 0 and 1, and how explanations are written.
        large: large print.
        solved: show the solutions instead of the puzzles.
        ids: show the puzzles' names.
        names_rules: say above a puzzle how its rules differ from the classic ones.
        section: the text on the right of page headers.
        own_sizes: sizes of text and cells; None for the usual ones.
        answer_places: the texts that say where the answer of a puzzle is, by its number.
        puzzle_places: the texts beside an answer that say where its puzzle is.
    """

    paper: Paper
    per_page: int | None = None
    answers: Answers = "end"
    title: str = ""
    style: Style = USUAL
    large: bool = False
    solved: bool = False
    ids: bool = False
    names_rules: bool = True
    section: str = ""
    own_sizes: TypeSizes | None = None
    answer_places: Mapping[int, str] = field(default_factory=dict)
    puzzle_places: Mapping[int, str] = field(default_factory=dict)

    @property
    def sizes(self) -> TypeSizes:
        return self.own_sizes or (LARGE if self.large else NORMAL)


@dataclass
class BookPage:
    """The content of a page.

    Attributes:
        placed: the pictures, in points from the upper left corner of the page.
        numbers: the numbers of the puzzles on the page.
        answers: the numbers of the puzzles whose answers are on the page.
        heading: the title of a section that starts here, for the outline; empty if none does.
        depth: how deep the heading is in the outline.
        corner: where the pictures' origin is on the paper.
        trim: where the page is cut, in points from its lower left corner; None for its edges.
    """

    placed: list[PlacedPicture] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    answers: list[int] = field(default_factory=list)
    heading: str = ""
    depth: int = 0
    corner: tuple[float, float] = (0.0, 0.0)
    trim: tuple[float, float, float, float] | None = None


def number_pages(pages: Iterator[BookPage], layout: PageLayout) -> Iterator[BookPage]:
    """Add page numbers to pages."""
    for number, page in enumerate(pages, 1):
        page.placed.append(PlacedPicture(_footer(number, layout), 0, 0))
        yield page


def header_height(layout: PageLayout, text: str) -> float:
    """Return the height of the page header; 0 if it is empty."""
    return 2.4 * layout.sizes.header if layout.title or text else 0.0


def footer_height(layout: PageLayout) -> float:
    """Return the height of the page number."""
    return 2.2 * layout.sizes.caption


def content_area(layout: PageLayout, text: str) -> tuple[float, float]:
    """Return the width and height between margins, header and page number."""
    width, height = layout.paper.content_size
    return width, height - header_height(layout, text) - footer_height(layout)


def header(layout: PageLayout, text: str) -> list[Shape]:
    """Return the page header: the book's title on the left, the text for the page on the right."""
    left, right = layout.paper.margin, layout.paper.width - layout.paper.margin
    size = layout.sizes.header
    y = layout.paper.margin + size
    width = right - left
    shapes: list[Shape] = []
    text = text_layout.shorten(text, size, width / 2 if layout.title else width)
    if layout.title:
        title_width = width - text_layout.text_width(text, size) - size
        title = text_layout.shorten(layout.title, size, title_width)
        shapes.append(Text(left, y, size, title, "start", bold=True))
    if text:
        shapes.append(Text(right, y, size, text, "end"))
    if shapes:
        below = y + 0.55 * size
        shapes.append(Segments(((left, below, right, below),), 0.5, "faint"))
    return shapes


def _footer(number: int, layout: PageLayout) -> Picture:
    """The page number, centred on the bottom margin."""
    paper, size = layout.paper, layout.sizes.caption
    text = Text(paper.width / 2, paper.height - paper.margin, size, str(number))
    return Picture(paper.width, paper.height, [text])


def finish_page(page: BookPage, text_shapes: list[Shape], layout: PageLayout) -> BookPage:
    """Put the text on a page whose boards are placed, and return the page."""
    text = Picture(layout.paper.width, layout.paper.height, text_shapes)
    page.placed.append(PlacedPicture(text, 0, 0))
    return page
