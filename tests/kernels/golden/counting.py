"""What the census counted: units of many sizes, under all rules."""

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from binairo_cp.counting.sizes import Census, classes_of, oriented
from binairo_cp.counting.units import count_unit

_DISTINCT = ("lines", "rows", "columns", "nothing")


def results() -> dict[str, Any]:
    """All results by name."""
    sizes = [*product(range(2, 9), range(2, 9)), (9, 9), (10, 10), (10, 8), (11, 6), (12, 6)]
    return {**_units(sizes, 6), **_units([(12, 12), (12, 10)], 1)}


def quick() -> dict[str, Any]:
    """Some of them, which take little time without compiled code."""
    return _units([(2, 2), (3, 4), (4, 4), (5, 4), (4, 6)], 6)


def _each(sizes: list[tuple[int, int]]) -> Iterator[Census]:
    for (height, width), distinct in product(sizes, _DISTINCT):
        yield Census(height, width, distinct)  # type: ignore[arg-type]
        if height % 2 or width % 2:
            yield Census(height, width, distinct, "ones")  # type: ignore[arg-type]


def _spread(values: Any, number: int) -> list[int]:
    """Up to so many values from all parts of an array."""
    places = np.unique(np.linspace(0, len(values) - 1, number + 2).astype(int)[1:-1])
    return [int(values[place]) for place in places] if len(values) else []


def _units(sizes: list[tuple[int, int]], number: int) -> dict[str, Any]:
    found = {}
    for census in map(oriented, _each(sizes)):
        units = [count_unit(census, each) for each in _spread(classes_of(census).packed, number)]
        found[f"units {census.name}"] = units
    return found
