"""Count the sets of cells that hit every set of a family: all of them, or the minimal ones.

Both searches take a smallest set that is not hit, and try each of its cells. A cell that was tried
is excluded from the later branches, so that nothing is counted twice.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from binairo_cp.puzzle.bits.words import ONE, ZERO, first, lowest, size


@njit
def _smallest(sets: Any, number: int, excluded: Any) -> Any:
    """The cells of a smallest set that are not excluded."""
    smallest, cells = ZERO, np.uint64(65)
    for k in range(number):
        each = sets[k] & ~excluded
        if size(each) < cells:
            smallest, cells = each, size(each)
    return smallest


@njit
def _keep_unhit(sets: Any, number: int, chosen: Any, unhit: Any) -> int:
    """Copy the sets that some cells do not hit; return their number."""
    kept = 0
    for k in range(number):
        if sets[k] & chosen == ZERO:
            unhit[kept] = sets[k]
            kept += 1
    return kept


@njit
def _add_leaf(counts: Any, chosen: Any, free: Any, orbits: Any) -> None:
    """Count the sets that contain the chosen cells and any orbits of free cells."""
    kinds = np.zeros(5, np.int64)
    while free != ZERO:
        orbit = orbits[first(free)]
        free &= ~orbit
        kinds[np.int64(size(orbit))] += 1
    counts[np.int64(size(chosen)), kinds[1], kinds[2], kinds[4]] += 1


@njit
def count_hitting(sets: Any, orbits: Any, counts: Any) -> None:
    """Count all sets of cells that hit every given set and consist of whole orbits.

    Args:
        sets: the sets to hit, as words.
        orbits: the orbit of each cell, as a word; orbits have 1, 2 or 4 cells.
        counts: `counts[k, a, b, c]` receives the number of groups of sets with k certain cells and
            any of a free cells, b free pairs and c free orbits of four.
    """
    cells = len(orbits)
    every = (ONE << np.uint64(cells)) - ONE
    unhit = np.zeros((cells + 2, len(sets)), np.uint64)
    number = np.zeros(cells + 2, np.int64)
    chosen, excluded = np.zeros(cells + 2, np.uint64), np.zeros(cells + 2, np.uint64)
    open_cells = np.zeros(cells + 2, np.uint64)
    number[0] = _keep_unhit(sets, len(sets), ZERO, unhit[0])
    depth, entered = 0, True
    while depth >= 0:
        if entered and number[depth] == 0:
            _add_leaf(counts, chosen[depth], every & ~chosen[depth] & ~excluded[depth], orbits)
        elif entered:
            open_cells[depth] = _smallest(unhit[depth], number[depth], excluded[depth])
        if number[depth] == 0 or open_cells[depth] == ZERO:
            depth, entered = depth - 1, False
            continue
        orbit = orbits[first(open_cells[depth])]
        open_cells[depth] &= ~orbit
        chosen[depth + 1] = chosen[depth] | orbit
        excluded[depth + 1] = excluded[depth]
        excluded[depth] |= orbit
        number[depth + 1] = _keep_unhit(unhit[depth], number[depth], orbit, unhit[depth + 1])
        depth, entered = depth + 1, True


@njit
def _sets_by_cell(sets: Any, cells: int) -> Any:
    """For each cell, the sets that contain it, as words of bits."""
    members = np.zeros((cells, len(sets) // 64 + 1), np.uint64)
    for k in range(len(sets)):
        left = sets[k]
        while left != ZERO:
            members[first(left), k // 64] |= ONE << np.uint64(k % 64)
            left &= left - ONE
    return members


@njit
def _smallest_unhit(sets: Any, hit: Any, excluded: Any) -> tuple[Any, bool]:
    """The cells of a smallest set not hit that are not excluded, and whether there is a set."""
    smallest, cells = ZERO, np.uint64(65)
    for k in range(len(sets)):
        if hit[k // 64] >> np.uint64(k % 64) & ONE == ZERO:
            each = sets[k] & ~excluded
            if size(each) < cells:
                smallest, cells = each, size(each)
    return smallest, cells < np.uint64(65)


@njit
def _all_needed(chosen: Any, members: Any, hit_twice: Any) -> bool:
    """Whether each chosen cell is the only one of them in some set."""
    while chosen != ZERO:
        own = members[first(chosen)]
        chosen &= chosen - ONE
        needed = False
        for word in range(len(own)):
            needed |= own[word] & ~hit_twice[word] != ZERO
        if not needed:
            return False
    return True


@njit
def _count_images(chosen: Any, images: Any, counts: Any) -> None:
    """For each symmetry, count a set that it maps to itself."""
    cells = np.int64(size(chosen))
    for k in range(len(images)):
        left, image = chosen, ZERO
        while left != ZERO:
            image |= images[k, first(left)]
            left &= left - ONE
        counts[k, cells] += image == chosen


@njit
def count_minimal(sets: Any, images: Any, wanted: int, counts: Any, found: Any) -> int:
    """Count the minimal sets of cells that hit every given set.

    The search turns back when a chosen cell is no longer the only one in any set (Murakami and
    Uno, "Efficient algorithms for dualizing large-scale hypergraphs", 2014).

    Args:
        sets: the sets to hit, as words.
        images: for each symmetry, the image of each cell as a word.
        wanted: the number of cells of the sets to store.
        counts: `counts[g, k]` receives the number of sets of k cells that symmetry g maps to
            themselves.
        found: receives sets with `wanted` cells, until it is full.

    Returns:
        The number of stored sets.
    """
    cells = images.shape[1]
    members = _sets_by_cell(sets, cells)
    once = np.zeros((cells + 2, members.shape[1]), np.uint64)
    twice = np.zeros((cells + 2, members.shape[1]), np.uint64)
    chosen, excluded = np.zeros(cells + 2, np.uint64), np.zeros(cells + 2, np.uint64)
    open_cells = np.zeros(cells + 2, np.uint64)
    stored, depth, entered = 0, 0, True
    while depth >= 0:
        if entered:
            open_cells[depth], unhit = _smallest_unhit(sets, once[depth], excluded[depth])
            if not unhit:
                _count_images(chosen[depth], images, counts)
                if stored < len(found) and np.int64(size(chosen[depth])) == wanted:
                    found[stored] = chosen[depth]
                    stored += 1
        if open_cells[depth] == ZERO:
            depth, entered = depth - 1, False
            continue
        cell = lowest(open_cells[depth])
        open_cells[depth] ^= cell
        chosen[depth + 1] = chosen[depth] | cell
        excluded[depth + 1] = excluded[depth]
        excluded[depth] |= cell
        own = members[first(cell)]
        for word in range(len(own)):
            twice[depth + 1, word] = twice[depth, word] | once[depth, word] & own[word]
            once[depth + 1, word] = once[depth, word] | own[word]
        entered = _all_needed(chosen[depth + 1], members, twice[depth + 1])
        depth += entered
    return stored
