"""How many boards there are if images of each other count as one, by Burnside's lemma.

It is the mean, over all symmetries, of the number of boards that a symmetry leaves as they are.
These boards are searched for: a cell and all its images have one value, or opposite ones where 0
and 1 are exchanged, so there are few choices.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from binairo_cp.census.blocks import Numbers
from binairo_cp.census.kernel import kernel
from binairo_cp.census.sizes import Census, is_closed
from binairo_cp.errors import LimitError, WrongAnswer
from binairo_cp.puzzle.bits.shape import Shape
from binairo_cp.puzzle.symmetries import Symmetry, symmetries

MAX_CELLS = 120
"""10x12 and less: a symmetry of 12x12 leaves tens of millions of boards as they are."""


class Orbits(NamedTuple):
    """Boards up to symmetry.

    Attributes:
        symmetries: how many symmetries there are.
        orbits: how many boards there are if images of each other are one.
        without: what is not among the symmetries, in words.
    """

    symmetries: int
    orbits: int
    without: str


def count_orbits(census: Census, boards: int) -> list[Orbits]:
    """How many boards there are up to turns and mirrors and, if that leads from boards to boards,
    the exchange of 0 and 1; and without that.

    Args:
        census: which boards.
        boards: how many there are.

    Raises:
        LimitError: it is out of reach.
    """
    check_reach(census)
    found = []
    for complement in (True, False) if is_closed(census) else (False,):
        group = symmetries(census.height, census.width, complement)
        fixed = boards + sum(count_fixed(census, each) for each in group[1:])
        if fixed % len(group):
            raise WrongAnswer(f"{fixed} fixed boards, which is no multiple of {len(group)}")
        without = "" if complement else ", without the exchange of 0 and 1"
        found.append(Orbits(len(group), fixed // len(group), without))
    return found


def check_reach(census: Census) -> None:
    """See to it that boards can be counted up to symmetry.

    Raises:
        LimitError: they can't.
    """
    if census.height * census.width > MAX_CELLS:
        raise LimitError(f"boards of up to {MAX_CELLS} cells are counted up to symmetry")
    if census.distinct in ("rows", "columns") and census.height == census.width:
        raise LimitError("with rows and columns under different rules, a square can't be turned")


def count_fixed(census: Census, symmetry: Symmetry) -> int:
    """How many boards a symmetry leaves as they are."""
    cycles = _cycles(symmetry)
    if cycles is None:
        return 0
    shape = Shape.of(census.height, census.width, census.rules)._replace(
        distinct_rows=int(census.rows_differ), distinct_columns=int(census.columns_differ)
    )
    return int(kernel().count_fixed(shape, *cycles))


def _cycles(symmetry: Symmetry) -> tuple[Numbers, Numbers, Numbers] | None:
    """The cells that must have one value, or the other: where each set of them begins, the cells,
    and whether each is opposite to the first; None if a cell would have to be its own opposite.
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
