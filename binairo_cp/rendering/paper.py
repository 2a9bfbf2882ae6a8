"""Paper sizes, margins, and grids of boxes on a page. Lengths are in points."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import ceil

from binairo_cp.errors import RenderError

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
