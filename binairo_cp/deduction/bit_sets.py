"""Sets as integers, with a bit for each member."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import reduce
from operator import or_


def bits(places: Iterable[int]) -> int:
    """The integer with some bits."""
    return sum(1 << place for place in places)


def union(sets: Iterable[int]) -> int:
    """The bits of any of some integers."""
    return reduce(or_, sets, 0)


def each_bit(number: int) -> Iterator[int]:
    """The places of the bits of an integer."""
    while number:
        lowest = number & -number
        yield lowest.bit_length() - 1
        number ^= lowest
