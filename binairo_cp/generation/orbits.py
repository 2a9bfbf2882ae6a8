"""Which clues come and go together, so that their pattern is symmetric."""

from __future__ import annotations

from functools import cache
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from binairo_cp.errors import LimitError

Pattern = Literal[
    "none", "rotate2", "rotate4", "mirror", "flip", "mirror4", "diagonal", "diagonal4", "full"
]
"""How the clues lie: turned by a half or a quarter, left for right, upside down, both of these,
mirrored along one diagonal, along both, all of it."""

PATTERNS: tuple[Pattern, ...] = get_args(Pattern)

_OF_SQUARES = ("rotate4", "diagonal", "diagonal4", "full")


@cache
def orbits(height: int, width: int, pattern: Pattern) -> npt.NDArray[np.int64]:
    """The sets of places that are images of each other.

    Returns:
        Places, to be read only: a set a row, as many columns as the largest set has places;
        -1 where there is none.

    Raises:
        LimitError: a pattern of squares, and a board that is none.
    """
    if pattern in _OF_SQUARES and height != width:
        raise LimitError(f"{pattern} is for squares, not {height}x{width} boards")
    places = np.arange(height * width).reshape(height, width)
    ways = _images(places, pattern)
    orbit_of = np.minimum.reduce([way.reshape(-1) for way in ways])
    sets: dict[int, list[int]] = {}
    for place, orbit in enumerate(orbit_of.tolist()):
        sets.setdefault(orbit, []).append(place)
    size = max(map(len, sets.values()))
    return np.array([[*found, *[-1] * (size - len(found))] for found in sets.values()])


@cache
def _sums(height: int, width: int, pattern: Pattern) -> int:
    """The numbers of places that whole sets have together, as the bits of a number."""
    sums = 1
    for size in np.count_nonzero(orbits(height, width, pattern) >= 0, axis=1).tolist():
        sums |= sums << size
    return sums


def fits(height: int, width: int, pattern: Pattern, clues: int) -> bool:
    """Whether so many clues can lie in a pattern."""
    return bool(_sums(height, width, pattern) >> clues & 1)


def _images(places: npt.NDArray[np.int64], pattern: Pattern) -> list[npt.NDArray[np.int64]]:
    """The places as the symmetries of a pattern, a group, order them."""
    half, left, up = places[::-1, ::-1], places[:, ::-1], places[::-1]
    over, across = places.T, places[::-1, ::-1].T
    quarters = [np.rot90(places), np.rot90(places, 3)]
    return {
        "none": [places],
        "rotate2": [places, half],
        "rotate4": [places, half, *quarters],
        "mirror": [places, left],
        "flip": [places, up],
        "mirror4": [places, half, left, up],
        "diagonal": [places, over],
        "diagonal4": [places, half, over, across],
        "full": [places, half, *quarters, left, up, over, across],
    }[pattern]
