"""Units of work: counting the boards whose upper halves belong to one class."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from binairo_cp.counting import half_lists
from binairo_cp.counting.blocks import Blocks, Numbers
from binairo_cp.counting.kernel import kernel
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
    upper, halves = _halves(census, np.array([packed]), shared.upper)
    lower = upper
    if not shared.symmetric:
        lower, _ = _halves(census, shared.totals - packed, shared.lower)
    if census.distinct == "nothing":
        cut = (shared.lines, shared.full, shared.names, shared.symmetric)
        boards = int(kernel().join_plain(*cut, upper, lower))
    else:
        boards = half_lists.join(census, shared, upper, lower)
    return Unit(packed, boards, halves)


def _halves(census: Census, classes: Numbers, blocks: tuple[Blocks, Blocks]) -> tuple[Any, int]:
    """The halves of classes in the form that is joined, and their number."""
    if census.distinct == "nothing":
        return half_lists.count_ends(tables(census), classes, blocks)
    return half_lists.list_halves(census, tables(census), classes, blocks)


def count_units(census: Census, classes: Iterable[int]) -> list[Unit]:
    """Count several units one after the other; this is the task of a worker."""
    return [count_unit(census, packed) for packed in classes]
