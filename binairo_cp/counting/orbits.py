"""Count boards up to symmetry, with Burnside's lemma.

The number of orbits is the mean, over all symmetries, of the number of boards that a symmetry
fixes. The fixed boards are found by search: a cell and all its images have the same value, or
opposite values if the symmetry swaps 0 and 1, so the search has few free choices.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from binairo_cp.counting.blocks import Numbers
from binairo_cp.counting.kernel import kernel
from binairo_cp.counting.sizes import Census, is_closed
from binairo_cp.errors import LimitError, WrongAnswer
from binairo_cp.puzzle.bits.shape import Shape
from binairo_cp.puzzle.symmetries import Symmetry, symmetries

MAX_CELLS = 120
"""Allows boards up to 10x12: a symmetry of 12x12 fixes tens of millions of boards."""


class Orbits(NamedTuple):
    """The number of boards up to symmetry.

    Attributes:
        symmetries: the number of symmetries.
        orbits: the number of boards up to these symmetries.
        without: a phrase that names excluded symmetries; empty if there are none.
    """

    symmetries: int
    orbits: int
    without: str


def count_orbits(census: Census, boards: int) -> list[Orbits]:
    """Count boards up to rotations, reflections and the swap of 0 and 1, and also without the swap.

    The swap is left out if it does not map boards to boards.

    Args:
        census: the size and rules of the boards.
        boards: the number of boards.

    Raises:
        LimitError: the count is out of reach.
    """
    check_reach(census)
    results = []
    for complement in (True, False) if is_closed(census) else (False,):
        group = symmetries(census.height, census.width, complement)
        fixed = boards + sum(count_fixed(census, each) for each in group[1:])
        if fixed % len(group):
            raise WrongAnswer(
                f"the number of fixed boards, {fixed}, is not divisible by {len(group)}"
            )
        without = "" if complement else ", without the exchange of 0 and 1"
        results.append(Orbits(len(group), fixed // len(group), without))
    return results


def check_reach(census: Census) -> None:
    """Check that boards can be counted up to symmetry.

    Raises:
        LimitError: they can't.
    """
    if census.height * census.width > MAX_CELLS:
        raise LimitError(f"boards of up to {MAX_CELLS} cells can be counted up to symmetry")
    if census.distinct in ("rows", "columns") and census.height == census.width:
        raise LimitError(
            "square boards can't be counted up to symmetry if rows and columns have different rules"
        )


def count_fixed(census: Census, symmetry: Symmetry) -> int:
    """Return the number of boards that a symmetry fixes."""
    cycles = _cycles(symmetry)
    if cycles is None:
        return 0
    shape = Shape.of(census.height, census.width, census.rules)._replace(
        distinct_rows=int(census.rows_differ), distinct_columns=int(census.columns_differ)
    )
    return int(kernel().count_fixed(shape, *cycles))


def _cycles(symmetry: Symmetry) -> tuple[Numbers, Numbers, Numbers] | None:
    """The cycles of cells under a symmetry, whose cells have the same or opposite values.

    Returns:
        The index where each cycle begins, the cells, and whether each is opposite to the first cell
        of its cycle. None if a cell would have to be its own opposite.
    """
    begin, cells, opposite = [0], list[int](), list[int]()
    seen = [False] * len(symmetry.order)
    for first in range(len(seen)):
        cell, other = first, 0
        while not seen[cell]:
            seen[cell] = True
            cells.append(cell)
            opposite.append(other)
            cell, other = symmetry.order[cell], other ^ symmetry.complemented
        if other and len(cells) > begin[-1]:
            return None
        if len(cells) > begin[-1]:
            begin.append(len(cells))
    return np.array(begin), np.array(cells), np.array(opposite)
