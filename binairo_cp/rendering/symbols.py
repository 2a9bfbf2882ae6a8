"""The symbols for 0 and 1: digits, circles, or sun and moon."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from math import acos, cos, pi, sin

from binairo_cp.deduction.styles import Symbols
from binairo_cp.rendering.shapes import CELL, Circle, Polygon, Segments, Shape, Text

NAMES: dict[Symbols, tuple[str, str]] = {
    "digits": ("zeros", "ones"),
    "circles": ("open circles", "full circles"),
    "sunmoon": ("suns", "moons"),
}
"""The plural names of 0 and 1."""

CAP_HEIGHT = 0.73
"""The height of digits and capitals as a fraction of the text size."""

_DIGIT_SIZE = 0.62 * CELL
_DISC = 0.29 * CELL
_RIM = 0.07 * CELL
_SUN = 0.17 * CELL
_RAYS = 8
_RAY = (0.25 * CELL, 0.33 * CELL)
_MOON = 0.32 * CELL
_BITE = (0.17 * CELL, -0.06 * CELL, 0.27 * CELL)
"""The circle cut out of the moon: its centre relative to the moon's centre, and its radius."""
_ARC_POINTS = 18


def shapes_of(symbols: Symbols, value: str, x: float, y: float, *, bold: bool) -> Iterator[Shape]:
    """Yield the shapes of a value's symbol, centred at a point; clues are bold."""
    return _PAINTERS[symbols](value, x, y, bold)


def _digit(value: str, x: float, y: float, bold: bool) -> Iterator[Shape]:
    yield Text(x, y + _DIGIT_SIZE * CAP_HEIGHT / 2, _DIGIT_SIZE, value, bold=bold)


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
}
