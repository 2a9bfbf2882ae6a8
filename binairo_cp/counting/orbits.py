"""Count boards up to symmetry, with Burnside's lemma.

The number of orbits is the mean, over all symmetries, of the number of boards that a symmetry
fixes.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from binairo_cp.counting.blocks import Numbers, rows_of
from binairo_cp.counting.sizes import Census, differences, is_closed, mirror
from binairo_cp.errors import LimitError, WrongAnswer
from binairo_cp.kernels import fixed_boards as kernel
from binairo_cp.puzzle.symmetries import Symmetry, symmetries

MAX_WIDTH = 16
"""The columns that fit two words, a byte for each."""
MAX_HALVES = 2e11
"""The most upper halves to search, which takes about an hour."""
MAX_CELLS = 120
"""The most cells of a board that is searched cell by cell, unless it is a square."""


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

    Raises:
        LimitError: the count is out of reach.
    """
    check_reach(census)
    one_of_kind = {kind_of(census, each): each for each in reversed(symmetries_of(census)[1:])}
    numbers = {kind: count_fixed(census, each) for kind, each in one_of_kind.items()}
    results = []
    for complement in (True, False) if is_closed(census) else (False,):
        group = symmetries_of(census, complement)
        fixed = boards + sum(numbers[kind_of(census, each)] for each in group[1:])
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
    for each in symmetries_of(census)[1:]:
        check_fixed(census, each)


def symmetries_of(census: Census, complement: bool = True) -> tuple[Symmetry, ...]:
    """The symmetries that map boards to boards; the identity is the first one.

    Without `complement`, those that swap 0 and 1 are left out.
    """
    group = symmetries(census.height, census.width, complement and is_closed(census))
    if census.rows_differ == census.columns_differ:
        return group
    return tuple(each for each in group if not makes_rows_columns(each))


def count_fixed(census: Census, symmetry: Symmetry) -> int:
    """Return the number of boards that a symmetry fixes; it must map boards to boards.

    Raises:
        LimitError: the search would take too long.
    """
    check_fixed(census, symmetry)
    if cycles(symmetry) is None:
        return 0
    if _is_diagonal(symmetry):
        return _count_symmetric(census)
    if (upright := _by_halves(census, symmetry)) is None:
        return count_by_cells(census, symmetry)
    _, rows_reversed, columns_reversed = _parts(symmetry)
    return _count_mirrored(upright, rows_reversed and columns_reversed, symmetry.complemented)


def check_fixed(census: Census, symmetry: Symmetry) -> None:
    """Check that the boards that a symmetry fixes can be counted.

    Raises:
        LimitError: they can't.
    """
    if cycles(symmetry) is None or _is_diagonal(symmetry):
        return
    if (upright := _by_halves(census, symmetry)) is not None:
        if (halves := _halves(upright)) > MAX_HALVES:
            raise LimitError(
                f"{census.name} boards can't be counted up to symmetry: "
                f"about {halves:.1g} half boards must be searched (limit {MAX_HALVES:.1g})"
            )
    elif census.height != census.width and census.height * census.width > MAX_CELLS:
        raise LimitError(
            f"{census.name} boards can't be counted up to symmetry: "
            f"the limit is {MAX_CELLS} cells, or {MAX_WIDTH} in each line"
        )


def kind_of(census: Census, symmetry: Symmetry) -> tuple[bool, ...]:
    """The kind of a symmetry; symmetries of the same kind fix the same number of boards.

    A symmetry that makes rows columns maps the boards that one symmetry fixes to those that the
    conjugate symmetry fixes.
    """
    turned, rows_reversed, columns_reversed = _parts(symmetry)
    if turned:
        return True, rows_reversed == columns_reversed, symmetry.complemented
    is_square = census.height == census.width and census.rows_differ == census.columns_differ
    one, other = rows_reversed, columns_reversed
    if is_square:
        one, other = one and other, one or other
    return False, one, other, symmetry.complemented


def makes_rows_columns(symmetry: Symmetry) -> bool:
    """Whether a symmetry turns rows into columns."""
    return _parts(symmetry)[0]


def _is_diagonal(symmetry: Symmetry) -> bool:
    """Whether a symmetry is a reflection in a diagonal; both fix the same number of boards."""
    turned, rows_reversed, columns_reversed = _parts(symmetry)
    return turned and rows_reversed == columns_reversed


def _by_halves(census: Census, symmetry: Symmetry) -> Census | None:
    """The census or its transpose, so that the symmetry reverses the rows; None if that is no use.

    A half turn reverses the rows of both. It is counted where there are fewer halves.
    """
    turned, rows_reversed, columns_reversed = _parts(symmetry)
    if turned or not (rows_reversed or columns_reversed):
        return None
    both = [census] * rows_reversed + [census.transposed] * columns_reversed
    usable = [each for each in both if each.width <= MAX_WIDTH]
    return min(usable, key=_halves, default=None)


def _parts(symmetry: Symmetry) -> tuple[bool, bool, bool]:
    """Whether a symmetry makes rows columns, and where the image has its first cell from.

    Returns:
        Whether rows become columns, whether the first cell of the image is from another row than
        the first one, and whether it is from another column.
    """
    row, column = divmod(symmetry.order[0], symmetry.width)
    second = symmetry.order[1] if symmetry.width > 1 else symmetry.order[0]
    return second // symmetry.width != row, row > 0, column > 0


def _halves(census: Census) -> float:
    """About the number of upper halves: as if columns without triples were independent."""
    rows = census.height // 2
    columns = [1.0, 2.0, 4.0]
    for k in range(3, rows + 1):
        columns.append(columns[k - 1] + columns[k - 2])
    lines = len(rows_of(census.width, census.rules))
    return float(lines) ** rows * (columns[rows] / 2.0**rows) ** census.width


def _count_mirrored(census: Census, mirrored: bool, complemented: bool) -> int:
    """Count the boards that are their own image upside down, perhaps mirrored or complemented."""
    rows, ones = _rows(census, mirrored, complemented), census.rules.ones(census.height)
    goal = (census.height, ones[0], ones[-1], census.rows_differ)
    return sum(
        number * kernel.count_mirrored(rows, _following(census), *goal, first)
        for first, number in _first_rows(census)
    )


def _rows(census: Census, mirrored: bool, complemented: bool) -> kernel.MirroredRows:
    """The legal rows of a census, and their images."""
    lines, width = rows_of(census.width, census.rules), census.width
    full = (1 << width) - 1
    moved = mirror(lines, width) if mirrored else lines
    images = np.searchsorted(lines, moved ^ full if complemented else moved)
    # If the image is mirrored, the columns on the right follow from those on the left. If it is
    # only complemented, all columns are balanced.
    followed = (width + 1) // 2 if mirrored else 0 if complemented else width
    ones = np.zeros((len(lines), 2), np.uint64)
    columns = np.zeros(2, np.uint64)
    for column in range(followed):
        shift = np.uint64(8 * (column % 8))
        cells = (lines >> column & 1) + (lines[images] >> column & 1)
        ones[:, column // 8] |= cells.astype(np.uint64) << shift
        columns[column // 8] |= np.uint64(255) << shift
    differ = differences(lines, width, census.columns_differ)
    differ |= differ[images]
    return kernel.MirroredRows(lines.data, full, images.data, ones.data, differ.data, columns.data)


@lru_cache(maxsize=2)
def _following(census: Census) -> kernel.Following:
    lines = rows_of(census.width, census.rules)
    return kernel.Following(lines.data, (1 << census.width) - 1)


def _first_rows(census: Census) -> list[tuple[int, int]]:
    """One row of each set of rows that differ only by a symmetry, and the size of the set.

    Boards with these first rows are images of each other.
    """
    lines, full = rows_of(census.width, census.rules), (1 << census.width) - 1
    images = [lines, mirror(lines, census.width)]
    if is_closed(census):
        images += [full ^ each for each in images]
    least = np.stack(images).min(axis=0)
    smallest, number = np.unique(least, return_counts=True)
    return list(zip(np.searchsorted(lines, smallest).tolist(), number.tolist(), strict=True))


def _count_symmetric(census: Census) -> int:
    """Count the boards that are their own reflection in a diagonal."""
    lines = rows_of(census.width, census.rules)
    closed = is_closed(census)
    return sum(
        (2 if closed else 1)
        * kernel.count_symmetric(lines.data, census.width, census.rows_differ, first)
        for first in range(len(lines) // 2 if closed else len(lines))
    )


def count_by_cells(census: Census, symmetry: Symmetry) -> int:
    """Return the number of boards that a symmetry fixes, by a search cell by cell."""
    found = cycles(symmetry)
    if found is None:
        return 0
    row, column = census.rules.ones(census.width), census.rules.ones(census.height)
    boards = kernel.FixedBoards(
        census.height,
        census.width,
        census.rows_differ,
        census.columns_differ,
        (row[0], row[-1]),
        (column[0], column[-1]),
    )
    return kernel.count_fixed(boards, *(each.data for each in found))


def cycles(symmetry: Symmetry) -> tuple[Numbers, Numbers, Numbers] | None:
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
