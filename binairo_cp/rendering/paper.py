"""Sheets of paper: their sizes, their margins, and how boxes fit on them. Lengths are in points."""

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
_OWN = re.compile(r"(\d{1,4}(?:\.\d{1,3})?)x(\d{1,4}(?:\.\d{1,3})?)(mm|in)")
_SHORTEST, _LONGEST = 40 * MM, 2_000 * MM
_LEAST_ROOM = 30 * MM


@dataclass(frozen=True, slots=True)
class Paper:
    """A sheet with the same margin on all sides."""

    width: float
    height: float
    margin: float

    @property
    def room(self) -> tuple[float, float]:
        """The width and the height between the margins."""
        return self.width - 2 * self.margin, self.height - 2 * self.margin


def paper(size: str, margin: float) -> Paper:
    """A sheet by the name of its size, or by its sides such as ``170x240mm``.

    Args:
        size: a name of `SIZES`, or width x height in mm or in.
        margin: in millimetres.

    Raises:
        RenderError: an unknown size, or margins that leave no room.
    """
    width, height = _sides(size)
    sheet = Paper(width, height, margin * MM)
    if margin < 0 or min(sheet.room) < _LEAST_ROOM:
        raise RenderError(
            f"margins of {margin:g} mm leave {max(0, min(sheet.room) / MM):.0f} mm of a "
            f"{width / MM:.0f}x{height / MM:.0f} mm page; expected {_LEAST_ROOM / MM:.0f} or more"
        )
    return sheet


def _sides(size: str) -> tuple[float, float]:
    if known := SIZES.get(size.lower()):
        return known
    given = _OWN.fullmatch(size.lower().replace(" ", ""))
    if not given:
        raise RenderError(
            f"page size {size!r} is unknown; expected one of {', '.join(SIZES)}, or a width and "
            "height such as 170x240mm or 6x9in"
        )
    unit = MM if given[3] == "mm" else 72.0
    width, height = float(given[1]) * unit, float(given[2]) * unit
    if min(width, height) < _SHORTEST or max(width, height) > _LONGEST:
        raise RenderError(
            f"page size {size} is out of range; expected sides of {_SHORTEST / MM:.0f} to "
            f"{_LONGEST / MM:.0f} mm"
        )
    return width, height


@dataclass(frozen=True, slots=True)
class Boxes:
    """Equal boxes in columns and rows, with gaps between them."""

    columns: int
    rows: int
    width: float
    height: float
    gap: float

    def corner(self, number: int) -> tuple[float, float]:
        """The upper left corner of a box, counted from 0, row by row."""
        row, column = divmod(number, self.columns)
        return column * (self.width + self.gap), row * (self.height + self.gap)


def boxes(
    room: tuple[float, float], number: int, gap: float, content: tuple[float, float], head: float
) -> Boxes:
    """As many boxes in a room, in the columns that let their content be largest.

    Args:
        room: the width and the height there are.
        number: how many boxes.
        gap: between them.
        content: the width and the height of what goes into each, in any unit.
        head: what each box needs above that.
    """
    best, best_scale = None, float("-inf")
    for columns in range(1, number + 1):
        rows = ceil(number / columns)
        width = (room[0] - gap * (columns - 1)) / columns
        height = (room[1] - gap * (rows - 1)) / rows
        tried = Boxes(columns, rows, width, height, gap)
        if (scale := scale_in(tried, content, head)) > best_scale + 1e-9:
            best, best_scale = tried, scale
    assert best is not None
    return best


def scale_in(box: Boxes, content: tuple[float, float], head: float) -> float:
    """How many points a unit of the content may have in a box."""
    return min(box.width / content[0], (box.height - head) / content[1])
