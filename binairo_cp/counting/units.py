"""Units of work: counting the boards whose upper halves belong to one class."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from binairo_cp.counting import half_lists
from binairo_cp.counting.sizes import Census, tables


class Unit(NamedTuple):
    """The counts of a class.

    Attributes:
        packed: the class.
        boards: the number of boards with an upper half of that class.
        halves: the number of upper halves of that class.
    """

    packed: int
    boards: int
    halves: int


def count_unit(census: Census, packed: int) -> Unit:
    """Count the boards whose upper halves belong to a class."""
    shared = tables(census)
    above, below = np.array([packed]), shared.totals - packed
    if census.distinct == "nothing":
        ends = half_lists.count_ends(census, above, "upper")
        others = ends if shared.symmetric else half_lists.count_ends(census, below, "lower")
        return Unit(packed, half_lists.join_ends(census, ends, others), int(ends.sum()))
    upper = half_lists.list_halves(census, above, "upper")
    lower = upper if shared.symmetric else half_lists.list_halves(census, below, "lower")
    return Unit(packed, half_lists.join(census, upper, lower), upper.number())


def count_units(census: Census, classes: Iterable[int]) -> list[Unit]:
    """Count several units one after the other; this is the task of a worker."""
    return [count_unit(census, packed) for packed in classes]
