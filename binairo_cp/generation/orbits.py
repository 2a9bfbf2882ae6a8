"""Orbits of cells: clues that are kept or removed together, so that their pattern is symmetric."""

from __future__ import annotations

from functools import cache
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from binairo_cp.errors import LimitError

Pattern = Literal[
    "none", "rotate2", "rotate4", "mirror", "flip", "mirror4", "diagonal", "diagonal4", "full"
]
"""The symmetry of the clues: none, half turns, quarter turns, left-right reflection, top-bottom
reflection, both of these, reflection in the main diagonal, in both diagonals, all of these."""

PATTERNS: tuple[Pattern, ...] = get_args(Pattern)

_SQUARE_PATTERNS = ("rotate4", "diagonal", "diagonal4", "full")


@cache
def orbits(height: int, width: int, pattern: Pattern) -> npt.NDArray[np.int64]:
    """Return the sets of places that are images of each other.

    Returns:
        Places, one set per row, padded with -1 to the size of the largest set. The array is
        cached: don't change it.

    Raises:
        LimitError: The pattern needs a square board, and the board is not square.
    """
    if pattern in _SQUARE_PATTERNS and height != width:
        raise LimitError(f"{pattern} needs a square board, not {height}x{width}")
    places = np.arange(height * width).reshape(height, width)
    images = _images(places, pattern)
    orbit_of = np.minimum.reduce([image.reshape(-1) for image in images])
    sets: dict[int, list[int]] = {}
    for place, orbit in enumerate(orbit_of.tolist()):
        sets.setdefault(orbit, []).append(place)
    size = max(map(len, sets.values()))
    return np.array([[*members, *[-1] * (size - len(members))] for members in sets.values()])


@cache
def _sums(height: int, width: int, pattern: Pattern) -> int:
    """The possible numbers of clues, which are sums of sizes of orbits, as bits of an integer."""
    sums = 1
    for size in np.count_nonzero(orbits(height, width, pattern) >= 0, axis=1).tolist():
        sums |= sums << size
    return sums


def fits(height: int, width: int, pattern: Pattern, clues: int) -> bool:
    """Whether a pattern can have exactly this number of clues."""
    return bool(_sums(height, width, pattern) >> clues & 1)


def _images(places: npt.NDArray[np.int64], pattern: Pattern) -> list[npt.NDArray[np.int64]]:
    """The images of the places under the symmetries of a pattern, which form a group."""
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
