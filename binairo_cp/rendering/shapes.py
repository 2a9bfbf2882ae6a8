"""Pictures as short lists of shapes, which every painter can paint.

Lengths are in units of which a cell has `CELL`, or in points on pages; x goes right, y goes down.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal, NamedTuple

CELL = 10.0
"""The side of a cell, in units."""

Ink = Literal["ink", "paper", "shade", "grey", "faint", "filled", "reason", "line"]
"""What is painted: text and symbols, the ground, the ground of clues beside solved cells, words
that matter less, thin lines; and of a step the cells that are filled, those of the reason, the
line."""

COLOURS: dict[Ink, str] = {
    "ink": "#000000",
    "paper": "#ffffff",
    "shade": "#dedede",
    "grey": "#555555",
    "faint": "#8c8c8c",
    "filled": "#ffd54a",
    "reason": "#cfe3f7",
    "line": "#1f5fa8",
}
"""The inks on white paper. They differ in brightness too, for print in black and white."""


class Rect(NamedTuple):
    """A rectangle, filled or with a border or both."""

    x: float
    y: float
    width: float
    height: float
    fill: Ink | None = None
    stroke: float = 0.0
    ink: Ink = "ink"


class Lines(NamedTuple):
    """Straight lines (x1, y1, x2, y2) of one width, with round ends."""

    segments: tuple[tuple[float, float, float, float], ...]
    width: float
    ink: Ink = "ink"


class Circle(NamedTuple):
    """A circle, filled or with a border or both."""

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
    """A line of text; y is that of its baseline, x where it starts, ends or has its middle."""

    x: float
    y: float
    size: float
    text: str
    anchor: Literal["start", "middle", "end"] = "middle"
    bold: bool = False
    ink: Ink = "ink"


Shape = Rect | Lines | Circle | Polygon | Text


@dataclass
class Picture:
    """Shapes within a width and a height, painted in their order.

    Attributes:
        title: what it shows, in a few words.
        description: the same for who can't see it.
    """

    width: float
    height: float
    shapes: list[Shape] = field(default_factory=list)
    title: str = ""
    description: str = ""


# Boards have few lengths, many times each.
@lru_cache(maxsize=1 << 14)
def number(length: float) -> str:
    """A length as text, to a hundredth of a unit."""
    text = f"{length:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


class Placed(NamedTuple):
    """A picture on a page: where its upper left corner is, and how many points a unit has."""

    picture: Picture
    x: float
    y: float
    scale: float = 1.0
