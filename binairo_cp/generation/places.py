"""Places of clues and signs: which belong together under a symmetry, and how many there can be."""

from __future__ import annotations

from functools import cache
from itertools import chain

from binairo_cp.errors import LimitError
from binairo_cp.generation import Pattern

_SQUARE_PATTERNS = ("rotate4", "diagonal", "diagonal4", "full")

_Grid = list[list[int]]


@cache
def orbits(height: int, width: int, pattern: Pattern) -> tuple[tuple[int, ...], ...]:
    """Return the sets of places that are images of each other.

    Raises:
        LimitError: The pattern needs a square board, and the board is not square.
    """
    if pattern in _SQUARE_PATTERNS and height != width:
        raise LimitError(f"{pattern} needs a square board, not {height}x{width}")
    images = [chain.from_iterable(image) for image in _images(height, width, pattern)]
    sets: dict[int, list[int]] = {}
    for place, same in enumerate(zip(*images, strict=True)):
        sets.setdefault(min(same), []).append(place)
    return tuple(map(tuple, sets.values()))


@cache
def _sums(height: int, width: int, pattern: Pattern) -> int:
    """The possible numbers of clues, which are sums of sizes of orbits, as bits of an integer."""
    sums = 1
    for places in orbits(height, width, pattern):
        sums |= sums << len(places)
    return sums


def fits(height: int, width: int, pattern: Pattern, clues: int) -> bool:
    """Whether a pattern can have exactly this number of clues."""
    return bool(_sums(height, width, pattern) >> clues & 1)


def _images(height: int, width: int, pattern: Pattern) -> list[_Grid]:
    """The images of the places under the symmetries of a pattern, which form a group."""
    places = [list(range(row * width, (row + 1) * width)) for row in range(height)]
    left, up = [row[::-1] for row in places], places[::-1]
    half = left[::-1]
    over, across = _transposed(places), _transposed(half)
    quarters = [over[::-1], _transposed(up)]
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


def _transposed(grid: _Grid) -> _Grid:
    return [list(column) for column in zip(*grid, strict=True)]


@cache
def sign_places(height: int, width: int) -> tuple[tuple[int, int, int, int], ...]:
    """The possible places of signs: pairs of neighbours, horizontal ones first.

    Returns:
        For each pair its line, the place of its first cell in the line, and the places of both
        cells on the board.
    """
    across = [
        (row, column, row * width + column, row * width + column + 1)
        for row in range(height)
        for column in range(width - 1)
    ]
    down = [
        (height + column, row, row * width + column, (row + 1) * width + column)
        for row in range(height - 1)
        for column in range(width)
    ]
    return (*across, *down)
