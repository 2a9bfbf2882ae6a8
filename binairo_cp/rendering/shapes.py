"""Pictures as short lists of shapes, the common input of all painters; symbols, formats and limits.

Lengths are in units, with `CELL` units to a cell, or in points on pages. x goes right, y down.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache, lru_cache
from math import acos, cos, pi, sin
from typing import Literal, NamedTuple

from binairo_cp.deduction.styles import CHARACTERS, Symbols

CELL = 10.0
"""The side of a cell, in units."""

Ink = Literal[
    "ink", "paper", "shade", "grey", "faint", "filled", "reason", "line", "supposed", "broken"
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

CAP_HEIGHT = 0.73
"""The height of digits and capitals as a fraction of the text size."""

DIGIT_SIZE = 0.62 * CELL

SYMBOL_SIZE = 0.8 * CELL
"""The size of text in the built-in fonts whose symbols are as large as those of a board."""

_DISC = 0.29 * CELL
_RIM = 0.07 * CELL
_SUN = 0.135 * CELL
_RAYS = 8
_RAY = (0.215 * CELL, 0.285 * CELL)
"""The rays end where the disc behind a sign begins."""
_MOON = 0.32 * CELL
_BITE = (0.17 * CELL, -0.06 * CELL, 0.27 * CELL)
"""The circle cut out of the moon: its centre relative to the moon's centre, and its radius."""
_ARC_POINTS = 18
_SQUARE = 0.26 * CELL
_HEART = 0.0185 * CELL
"""A unit of the curve of the heart, which is 32 units wide."""
_STAR = (0.3 * CELL, 0.13 * CELL)
"""The distances of the tips and of the corners between them from the middle."""

Form = Literal["text", "svg", "png", "pdf", "html"]

FORMS: dict[Form, tuple[str, ...]] = {
    "text": (".txt",),
    "svg": (".svg",),
    "png": (".png",),
    "pdf": (".pdf",),
    "html": (".html", ".htm"),
}
"""The file name extensions of each format."""

MOST_CELLS = 500_000
"""The most cells on all boards of one file of pages: a PDF of so many takes 1.2 GB of memory."""

MOST_PER_PAGE = 100
MOST_MARGIN = 500.0
"""In mm."""

SMALLEST_CELL, LARGEST_CELL = 4, 400
"""In pixels."""


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


class Mark(NamedTuple):
    """The symbol of a value, centred at a point; clues are bold."""

    x: float
    y: float
    value: str
    symbols: Symbols
    bold: bool = False


Shape = Rect | Segments | Circle | Polygon | Text


@dataclass
class Picture:
    """A list of shapes of a given width and height, painted in order.

    Attributes:
        description: a text alternative for screen readers.
    """

    width: float
    height: float
    shapes: list[Shape | Mark] = field(default_factory=list)
    title: str = ""
    description: str = ""

    def painted(self) -> Iterator[Shape]:
        """The shapes, with those of the symbols in place of marks."""
        for shape in self.shapes:
            if isinstance(shape, Mark):
                yield from shapes_of(shape)
            else:
                yield shape


# A board repeats a few lengths many times.
@lru_cache(maxsize=1 << 14)
def decimal(length: float) -> str:
    """A length as text, rounded to hundredths."""
    text = f"{length:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def shapes_of(mark: Mark) -> Iterator[Shape]:
    """Yield the shapes of a symbol."""
    return _PAINTERS[mark.symbols](mark.value, mark.x, mark.y, mark.bold)


def _digit(value: str, x: float, y: float, bold: bool) -> Iterator[Shape]:
    yield Text(x, y + DIGIT_SIZE * CAP_HEIGHT / 2, DIGIT_SIZE, value, bold=bold)


def _disc(value: str, x: float, y: float, bold: bool) -> Iterator[Shape]:
    if value == "1":
        yield Circle(x, y, _DISC + _RIM / 2, "ink")
    else:
        yield Circle(x, y, _DISC, "paper", _RIM)


def _sun_or_moon(value: str, x: float, y: float, bold: bool) -> Iterator[Shape]:
    if value == "1":
        left, up = x + 0.05 * CELL, y
        yield Polygon(tuple((round(left + dx, 3), round(up + dy, 3)) for dx, dy in _crescent()))
        return
    yield Circle(x, y, _SUN, "paper", _RIM)
    inner, outer = _RAY
    directions = ((cos(2 * pi * k / _RAYS), sin(2 * pi * k / _RAYS)) for k in range(_RAYS))
    rays = tuple(
        tuple(round(v, 3) for v in (x + inner * c, y + inner * s, x + outer * c, y + outer * s))
        for c, s in directions
    )
    yield Segments(rays, _RIM)  # type: ignore[arg-type]  # each has four numbers


def _square(value: str, x: float, y: float, bold: bool) -> Iterator[Shape]:
    side = _SQUARE + (_RIM / 2 if value == "1" else 0)
    fill, stroke = ("ink", 0.0) if value == "1" else ("paper", _RIM)
    yield Rect(x - side, y - side, 2 * side, 2 * side, fill, stroke)  # type: ignore[arg-type]


def _heart_or_star(value: str, x: float, y: float, bold: bool) -> Iterator[Shape]:
    if value == "0":
        yield Polygon(tuple((round(x + dx, 3), round(y + dy, 3)) for dx, dy in _heart()))
        return
    corners = [
        (round(x + _STAR[k % 2] * sin(pi * k / 5), 3), round(y - _STAR[k % 2] * cos(pi * k / 5), 3))
        for k in range(10)
    ]
    yield Segments(
        tuple((*a, *b) for a, b in zip(corners, corners[1:] + corners[:1], strict=True)), 0.8 * _RIM
    )


@cache
def _heart() -> tuple[tuple[float, float], ...]:
    """A curve with two lobes above a point (https://mathworld.wolfram.com/HeartCurve.html)."""
    angles = (2 * pi * k / (4 * _ARC_POINTS) for k in range(4 * _ARC_POINTS))
    return tuple(
        (
            _HEART * 16 * sin(a) ** 3,
            -_HEART * (2.5 + 13 * cos(a) - 5 * cos(2 * a) - 2 * cos(3 * a) - cos(4 * a)),
        )
        for a in angles
    )


@cache
def _crescent() -> tuple[tuple[float, float], ...]:
    """A disc minus another disc, as a polygon around the centre of the first."""
    bx, by, r = _BITE
    distance = (bx * bx + by * by) ** 0.5
    towards = pi + acos(-bx / distance) if by < 0 else acos(bx / distance)
    # The half angles between the circles' crossings, seen from the centre of each.
    outer = acos((_MOON**2 + distance**2 - r**2) / (2 * _MOON * distance))
    inner = acos((r**2 + distance**2 - _MOON**2) / (2 * r * distance))
    steps = [k / _ARC_POINTS for k in range(_ARC_POINTS + 1)]
    rim = [towards + outer + (2 * pi - 2 * outer) * step for step in steps]
    bite = [towards + pi + inner - 2 * inner * step for step in steps]
    return (
        *((_MOON * cos(a), _MOON * sin(a)) for a in rim),
        *((bx + r * cos(a), by + r * sin(a)) for a in bite),
    )


_PAINTERS: dict[Symbols, Callable[[str, float, float, bool], Iterator[Shape]]] = {
    "digits": _digit,
    "circles": _disc,
    "sunmoon": _sun_or_moon,
    "squares": _square,
    "letters": lambda value, *place: _digit(CHARACTERS["letters"][int(value)], *place),
    "hearts": _heart_or_star,
}
