"""Find the fewest clues of a board, by search for a smallest hitting set.

Every other board differs from the given one in some cells, its *difference set*. A set of clues
determines the board exactly if it hits (contains a cell of) every difference set. The search knows
the small difference sets from the start. When a set of clues hits all known ones, the list of all
boards is scanned for one that has the same clues. If there is one, the search learns its difference
set and continues.

All sets of cells are words. The search shares no code with `reduction.fewest`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from binairo_cp.puzzle.bits.words import ALL, ZERO, lowest, size

_UNORDERED = 3
"""With so few cells left, it is not worth ordering the next ones."""


class Index(NamedTuple):
    """All boards of a size, grouped by their first cells.

    Attributes:
        boards: all boards in ascending order.
        start: the index of the first board of each group, and the number of boards at the end.
        first: the first board of each group.
        prefix: the cells in which the boards of a group agree.
    """

    boards: Any
    start: Any
    first: Any
    prefix: Any


class Known(NamedTuple):
    """The known difference sets, and at each depth of the search those that are not hit.

    Attributes:
        unhit: by depth, the difference sets that the clues chosen so far do not hit.
        number: by depth, their number.
    """

    unhit: Any
    number: Any


@njit
def small_differences(index: Any, board: Any, most: Any, found: Any) -> int:
    """Find the differences to other boards that have at most a number of cells.

    Args:
        index: an `Index`.
        board: the board.
        most: the number of cells.
        found: receives the difference sets; when it is full, the search ends.

    Returns:
        The number of difference sets.
    """
    number = 0
    for group in range(len(index.first)):
        if size((index.first[group] ^ board) & index.prefix) > most:
            continue
        for k in range(index.start[group], index.start[group + 1]):
            difference = index.boards[k] ^ board
            if size(difference) <= most and difference != ZERO:
                if number == len(found):
                    return number
                found[number] = difference
                number += 1
    return number


@njit
def other_board(index: Any, board: Any, clues: Any) -> Any:
    """The smallest difference to another board with the same clues; 0 if there is none."""
    smallest, cells = ZERO, np.uint64(65)
    wanted, in_prefix = board & clues, clues & index.prefix
    for group in range(len(index.first)):
        if (index.first[group] ^ board) & in_prefix != ZERO:
            continue
        for k in range(index.start[group], index.start[group + 1]):
            if index.boards[k] & clues == wanted and index.boards[k] != board:
                difference = index.boards[k] ^ board
                if size(difference) < cells:
                    smallest, cells = difference, size(difference)
    return smallest


@njit
def keep_minimal(sets: Any, number: int) -> int:
    """Sort sets by size, and remove those that contain another one; return how many are left."""
    sizes = np.zeros(number, np.int64)
    for k in range(number):
        sizes[k] = np.int64(size(sets[k]))
    ordered = sets[:number][np.argsort(sizes, kind="mergesort")]
    kept = 0
    for each in ordered:
        k = 0
        while k < kept and sets[k] & each != sets[k]:
            k += 1
        if k == kept:
            sets[kept] = each
            kept += 1
    return kept


@njit
def disjoint(sets: Any, number: int, excluded: Any, enough: int) -> int:
    """Count disjoint sets, chosen greedily: a lower bound on the cells that hit all sets.

    Args:
        sets: the sets; smaller ones should come first.
        number: how many of them to use.
        excluded: cells that may not be chosen.
        enough: stop counting above this number.
    """
    used, found = ZERO, 0
    for k in range(number):
        each = sets[k] & ~excluded
        if each & used == ZERO:
            used |= each
            found += 1
            if found > enough:
                break
    return found


@njit
def exceeds(sets: Any, number: int, excluded: Any, cells: int) -> bool:
    """Whether a bound shows that no given number of cells hits all sets.

    If no cell is in more than two of some sets, then half their number is a lower bound.

    Args:
        sets: the sets; smaller ones should come first.
        number: how many of them to use.
        excluded: cells that may not be chosen.
        cells: the number of cells.
    """
    once, twice, found = ZERO, ZERO, 0
    for k in range(number):
        each = sets[k] & ~excluded
        if each & twice == ZERO:
            twice |= each & once
            once |= each
            found += 1
            if found > 2 * cells:
                return True
    return disjoint(sets, number, excluded, cells) > cells


@njit
def _first_of_pairs(cells: Any, sets: Any, number: int, excluded: Any) -> Any:
    """The cells that hit all sets together with one more cell."""
    fitting = ZERO
    while cells != ZERO:
        cell = lowest(cells)
        cells ^= cell
        common, k = ~excluded, 0
        while k < number and common != ZERO:
            if sets[k] & cell == ZERO:
                common &= sets[k]
            k += 1
        if common != ZERO:
            fitting |= cell
    return fitting


@njit
def _candidates(sets: Any, number: int, excluded: Any, left: int) -> Any:
    """The cells of which one must be chosen next; 0 if the cells left can't hit all sets."""
    smallest, cells, common = ZERO, np.uint64(65), ALL
    for k in range(number):
        each = sets[k] & ~excluded
        common &= each
        if size(each) < cells:
            smallest, cells = each, size(each)
    if left <= 1:
        return common if left == 1 else ZERO
    if cells == ZERO or exceeds(sets, number, excluded, left):
        return ZERO
    return _first_of_pairs(smallest, sets, number, excluded) if left == 2 else smallest


@njit
def _most_used(cells: Any, sets: Any, number: int) -> Any:
    """The cell that is in the most sets, as a word."""
    best, most = ZERO, -1
    while cells != ZERO:
        each = lowest(cells)
        cells ^= each
        uses = 0
        for k in range(number):
            uses += sets[k] & each != ZERO
        if uses > most:
            best, most = each, uses
    return best


@njit
def _choose(known: Any, depth: int, cell: Any) -> None:
    """Keep for the next depth the difference sets that a cell does not hit."""
    number = 0
    for k in range(known.number[depth]):
        each = known.unhit[depth, k]
        if each & cell == ZERO:
            known.unhit[depth + 1, number] = each
            number += 1
    known.number[depth + 1] = number


@njit
def _learn(known: Any, depth: int, difference: Any) -> bool:
    """Add a difference set that is hit at no depth so far; return whether there was room."""
    if known.number[0] == known.unhit.shape[1]:
        return False
    for each in range(depth + 1):
        known.unhit[each, known.number[each]] = difference
        known.number[each] += 1
    return True


@njit
def clues_of_size(index: Any, board: Any, clues: int, known: Any, found: Any) -> int:
    """Find sets of clues of a given size that determine a board.

    Args:
        index: an `Index`.
        board: the board.
        clues: the largest size; smaller sets must not exist.
        known: `Known`, filled at depth 0.
        found: receives the sets; when it is full, the search ends.

    Returns:
        The number of sets found; -1 if there was no room for another difference set.
    """
    chosen, excluded = np.zeros(clues + 1, np.uint64), np.zeros(clues + 1, np.uint64)
    open_cells = np.zeros(clues + 1, np.uint64)
    number, depth, entered = 0, 0, True
    while depth >= 0:
        if entered and known.number[depth] == 0:
            difference = other_board(index, board, chosen[depth])
            if difference == ZERO:
                found[number] = chosen[depth]
                number += 1
                if number == len(found):
                    return number
                depth, entered = depth - 1, False
                continue
            if not _learn(known, depth, difference):
                return -1
        sets, length = known.unhit[depth], known.number[depth]
        if entered:
            open_cells[depth] = _candidates(sets, length, excluded[depth], clues - depth)
        if open_cells[depth] == ZERO:
            depth, entered = depth - 1, False
            continue
        cell = lowest(open_cells[depth])
        if clues - depth > _UNORDERED:
            cell = _most_used(open_cells[depth], sets, length)
        open_cells[depth] ^= cell
        chosen[depth + 1] = chosen[depth] | cell
        # Later branches exclude the cell, so that no set is tried twice.
        excluded[depth + 1] = excluded[depth]
        excluded[depth] |= cell
        _choose(known, depth, cell)
        depth, entered = depth + 1, True
    return number


@njit
def _smallest_sets(index: Any, board: Any, most: Any, limit: int, known: Any, found: Any) -> int:
    """Find the fewest clues that determine a board.

    Args:
        index: an `Index`.
        board: one of its boards.
        most: how many cells the difference sets have that are known from the start.
        limit: the largest sets to look for.
        known: room for difference sets (`Known`).
        found: receives smallest sets of clues; when it is full, the search ends.

    Returns:
        The number of sets found; -1 if there was no room for another difference set.
    """
    sets = known.unhit[0]
    differences = small_differences(index, board, most, sets[: len(sets) // 2])
    known.number[0] = keep_minimal(sets, differences)
    clues = disjoint(sets, known.number[0], ZERO, 64)
    number = 0
    while number == 0 and clues <= limit:
        number = clues_of_size(index, board, clues, known, found)
        clues += 1
    return number


@njit
def fewest_clues(index: Any, boards: Any, most: Any, limit: int, room: int, found: Any) -> int:
    """Find a smallest set of clues for each of several boards.

    Args:
        index: an `Index`.
        boards: some of its boards.
        most: how many cells the difference sets have that are known from the start.
        limit: the largest sets to look for.
        room: how many difference sets can be known at a time.
        found: receives a set of clues for each board; all cells if it needs more than `limit`.

    Returns:
        The number of boards done; fewer if there was no room for another difference set.
    """
    known = Known(np.zeros((66, room), np.uint64), np.zeros(66, np.int64))
    for k in range(len(boards)):
        found[k] = ALL
        if _smallest_sets(index, boards[k], most, limit, known, found[k : k + 1]) < 0:
            return k
    return len(boards)
