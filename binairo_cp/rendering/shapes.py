"""Pictures as short lists of shapes, the common input of all painters.

Lengths are in units, with `CELL` units to a cell, or in points on pages. x goes right, y down.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal, NamedTuple

CELL = 10.0
"""The side of a cell, in units."""

Ink = Literal[
    "ink",
    "paper",
    "shade",
    "grey",
    "faint",
    "filled",
    "reason",
    "line",
    "supposed",
    "broken",
]
"""A colour by its use: text and symbols (``ink``), the background (``paper``), the background of
clues on a solved board (``shade``), secondary text (``grey``), thin lines (``faint``); for a step,
the filled cells, the cells of the reason, the outline of the row or column (``line``), the
consequences of a tried value (``supposed``), and the cells that break a rule (``broken``)."""

COLOURS: dict[Ink, str] = {
    "ink": "#000000",
    "paper": "#ffffff",
    "shade": "#dedede",
    "grey": "#555555",
    "faint": "#8c8c8c",
    "filled": "#ffd54a",
    "reason": "#cfe3f7",
    "line": "#1f5fa8",
    "supposed": "#e3d3f5",
    "broken": "#ee8f7f",
}
"""The inks on white paper. They also differ in brightness, for black-and-white print."""


class Rect(NamedTuple):
    """A rectangle with a fill, a border or both."""

    x: float
    y: float
    width: float
    height: float
    fill: Ink | None = None
    stroke: float = 0.0
    ink: Ink = "ink"


class Segments(NamedTuple):
    """Straight lines (x1, y1, x2, y2) of the same width, with round ends."""

    segments: tuple[tuple[float, float, float, float], ...]
    width: float
    ink: Ink = "ink"


class Circle(NamedTuple):
    """A circle with a fill, a border or both."""

    x: float
    y: float
    radius: float
    fill: Ink | None = None
    stroke: float = 0.0
    ink: Ink = "ink"


class Polygon(NamedTuple):
    """A filled polygon."""

    points: tuple[tuple[float, float], ...]
    fill: Ink = "ink"


class Text(NamedTuple):
    """A line of text; y is its baseline, x its start, middle or end according to `anchor`."""

    x: float
    y: float
    size: float
    text: str
    anchor: Literal["start", "middle", "end"] = "middle"
    bold: bool = False
    ink: Ink = "ink"


Shape = Rect | Segments | Circle | Polygon | Text


@dataclass
class Picture:
    """A list of shapes of a given width and height, painted in order.

    Attributes:
        title: a short title.
        description: a text alternative for screen readers.
    """

    width: float
    height: float
    shapes: list[Shape] = field(default_factory=list)
    title: str = ""
    description: str = ""


# A board repeats a few lengths many times.
@lru_cache(maxsize=1 << 14)
def decimal(length: float) -> str:
    """A length as text, rounded to hundredths."""
    text = f"{length:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


class PlacedPicture(NamedTuple):
    """A picture on a page: its upper left corner, and the points per unit."""

    picture: Picture
    x: float
    y: float
    scale: float = 1.0
