"""Count the sets of cells that hit every set of a family: all of them, or the minimal ones.

Both searches take a smallest set that is not hit, and try each of its cells. A cell that was tried
is excluded from the later branches, so that nothing is counted twice.
"""

from __future__ import annotations

from binairo_cp.kernels import cython_stub as cython
from binairo_cp.kernels.arrays import zeros
from binairo_cp.kernels.words import ALL, Index, Word, cell, first, line_of, lowest, size


def _check_sets(sets: Word[::1], cells: Index) -> None:
    if not 1 <= cells <= 64:
        raise ValueError(f"{cells} cells; expected 1 to 64")
    outside: Word = 0
    for k in range(sets.shape[0]):
        outside |= sets[k] & ~line_of(cells)
    if outside:
        raise ValueError(f"a set has other cells than the first {cells}")


@cython.final
@cython.cclass
class _Hitting:
    """The search for all sets of cells."""

    orbits: Word[::1]  # the orbit of each cell
    counts: Index[:, :, :, ::1]  # the counts of `count_hitting`
    room: Index  # the number of the given sets
    unhit: Word[::1]  # at ``room * depth``, the sets that the cells chosen so far do not hit
    number: Index[::1]  # by depth, their number
    chosen: Word[::1]  # by depth, the cells chosen so far
    excluded: Word[::1]  # by depth, the cells that may not be chosen
    open_cells: Word[::1]  # by depth, the cells to try next
    kinds: Index[::1]  # the number of free orbits of each size

    def __init__(self, room: Index, orbits: Word[::1], counts: Index[:, :, :, ::1]) -> None:
        depths: Index = orbits.shape[0] + 2
        self.orbits, self.counts, self.room = orbits, counts, room
        self.unhit, self.number = zeros("Q", depths * room), zeros("q", depths)
        self.chosen, self.excluded = zeros("Q", depths), zeros("Q", depths)
        self.open_cells, self.kinds = zeros("Q", depths), zeros("q", 5)


@cython.cfunc
def _smallest(hitting: _Hitting, depth: Index) -> Word:
    """The cells of a smallest set that are not excluded."""
    begin: Index = hitting.room * depth
    smallest: Word = 0
    cells: Index = 65
    for k in range(begin, begin + hitting.number[depth]):
        each: Word = hitting.unhit[k] & ~hitting.excluded[depth]
        if size(each) < cells:
            smallest, cells = each, size(each)
    return smallest


@cython.inline
def _keep_unhit(hitting: _Hitting, depth: Index, chosen: Word) -> None:
    """Keep for the next depth the sets that some cells do not hit."""
    begin: Index = hitting.room * depth
    target: Index = begin + hitting.room
    for k in range(begin, begin + hitting.number[depth]):
        each: Word = hitting.unhit[k]
        hitting.unhit[target] = each
        target += 0 if each & chosen else 1
    hitting.number[depth + 1] = target - begin - hitting.room


@cython.cfunc
def _add_leaf(hitting: _Hitting, chosen: Word, free: Word) -> None:
    """Count the sets that contain the chosen cells and any orbits of free cells."""
    for kind in range(5):
        hitting.kinds[kind] = 0
    while free:
        orbit: Word = hitting.orbits[first(free)]
        free &= ~orbit
        hitting.kinds[size(orbit)] += 1
    hitting.counts[size(chosen), hitting.kinds[1], hitting.kinds[2], hitting.kinds[4]] += 1


@cython.cfunc
def _count_hitting(hitting: _Hitting, every: Word) -> None:
    """Search from the sets at depth 0."""
    depth: Index = 0
    entered: cython.bint = True
    while depth >= 0:
        if entered and hitting.number[depth] == 0:
            free: Word = every & ~hitting.chosen[depth] & ~hitting.excluded[depth]
            _add_leaf(hitting, hitting.chosen[depth], free)
        elif entered:
            hitting.open_cells[depth] = _smallest(hitting, depth)
        if hitting.number[depth] == 0 or not hitting.open_cells[depth]:
            depth -= 1
            entered = False
            continue
        orbit: Word = hitting.orbits[first(hitting.open_cells[depth])]
        hitting.open_cells[depth] &= ~orbit
        hitting.chosen[depth + 1] = hitting.chosen[depth] | orbit
        hitting.excluded[depth + 1] = hitting.excluded[depth]
        hitting.excluded[depth] |= orbit
        _keep_unhit(hitting, depth, orbit)
        depth += 1
        entered = True


def count_hitting(sets: Word[::1], orbits: Word[::1], counts: Index[:, :, :, ::1]) -> None:
    """Count all sets of cells that hit every given set and consist of whole orbits.

    Args:
        sets: the sets to hit, as words.
        orbits: the orbit of each cell, as a word; orbits have 1, 2 or 4 cells.
        counts: ``counts[k, a, b, c]`` receives the number of groups of sets with k certain cells
            and any of a free cells, b free pairs and c free orbits of four.

    Raises:
        ValueError: the arrays don't fit each other.
    """
    cells: Index = orbits.shape[0]
    _check_sets(sets, cells)
    _check_sets(orbits, cells)
    sizes = [size(orbits[k]) for k in range(cells)]
    if any(not orbits[k] & cell(k) or sizes[k] not in (1, 2, 4) for k in range(cells)):
        raise ValueError("an orbit has its cell, and 1, 2 or 4 cells")
    needed = (cells, sizes.count(1), sizes.count(2) // 2, sizes.count(4) // 4)
    if any(counts.shape[k] <= needed[k] for k in range(4)):
        raise ValueError(f"the counts must have more than {needed} places")
    hitting = _Hitting(sets.shape[0], orbits, counts)
    hitting.number[0] = sets.shape[0]
    for k in range(sets.shape[0]):
        hitting.unhit[k] = sets[k]
    with cython.nogil:
        _count_hitting(hitting, line_of(cells))


@cython.final
@cython.cclass
class _Minimal:
    """The search for minimal sets.

    Sets of given sets are lines of words, with a bit for each given set.
    """

    sets: Word[::1]  # the sets to hit
    images: Word[:, ::1]  # for each symmetry, the image of each cell as a word
    counts: Index[:, ::1]  # the counts of `count_minimal`
    words: Index  # the number of words of a line
    members: Word[:, ::1]  # for each cell, the sets that contain it
    once: Word[:, ::1]  # by depth, the sets with a chosen cell
    twice: Word[:, ::1]  # by depth, the sets with two
    chosen: Word[::1]  # by depth, the cells chosen so far
    excluded: Word[::1]  # by depth, the cells that may not be chosen
    open_cells: Word[::1]  # by depth, the cells to try next

    def __init__(self, sets: Word[::1], images: Word[:, ::1], counts: Index[:, ::1]) -> None:
        cells: Index = images.shape[1]
        number: Index = sets.shape[0]
        self.sets, self.images, self.counts = sets, images, counts
        self.words = (number >> 6) + 1
        self.members = zeros("Q", cells, self.words)
        self.once, self.twice = zeros("Q", cells + 2, self.words), zeros("Q", cells + 2, self.words)
        self.chosen, self.excluded = zeros("Q", cells + 2), zeros("Q", cells + 2)
        self.open_cells = zeros("Q", cells + 2)
        for k in range(number):
            left: Word = sets[k]
            while left:
                self.members[first(left), k >> 6] |= cell(k & 63)
                left &= left - 1
        # The bits beyond the last set never need to be hit.
        for k in range(number, 64 * self.words):
            self.once[0, k >> 6] |= cell(k & 63)


@cython.cfunc
def _open_smallest(minimal: _Minimal, depth: Index) -> cython.bint:
    """Open the cells of a smallest set not hit; return whether there is such a set."""
    smallest: Word = 0
    cells: Index = 65
    for word in range(minimal.words):
        unhit: Word = ~minimal.once[depth, word] & ALL
        while unhit:
            each: Word = minimal.sets[64 * word + first(unhit)] & ~minimal.excluded[depth]
            unhit &= unhit - 1
            if size(each) < cells:
                smallest, cells = each, size(each)
    minimal.open_cells[depth] = smallest
    return cells < 65


@cython.cfunc
def _all_needed(minimal: _Minimal, depth: Index) -> cython.bint:
    """Whether each chosen cell is the only one of them in some set."""
    chosen: Word = minimal.chosen[depth]
    while chosen:
        k = first(chosen)
        chosen &= chosen - 1
        needed: Word = 0
        for word in range(minimal.words):
            needed |= minimal.members[k, word] & ~minimal.twice[depth, word]
        if not needed:
            return False
    return True


@cython.cfunc
def _count_images(minimal: _Minimal, chosen: Word) -> None:
    """For each symmetry, count a set that it maps to itself."""
    for k in range(minimal.images.shape[0]):
        left: Word = chosen
        image: Word = 0
        while left:
            image |= minimal.images[k, first(left)]
            left &= left - 1
        if image == chosen:
            minimal.counts[k, size(chosen)] += 1


@cython.cfunc
def _enter(minimal: _Minimal, depth: Index, chosen: Word) -> cython.bint:
    """Choose a cell at the next depth; return whether all chosen cells are needed."""
    minimal.chosen[depth + 1] = minimal.chosen[depth] | chosen
    minimal.excluded[depth + 1] = minimal.excluded[depth]
    minimal.excluded[depth] |= chosen
    k = first(chosen)
    for word in range(minimal.words):
        own: Word = minimal.members[k, word]
        once: Word = minimal.once[depth, word]
        minimal.twice[depth + 1, word] = minimal.twice[depth, word] | once & own
        minimal.once[depth + 1, word] = once | own
    return _all_needed(minimal, depth + 1)


@cython.cfunc
def _count_minimal(minimal: _Minimal, wanted: Index, found: Word[::1]) -> Index:
    """Search from no chosen cell; return the number of stored sets."""
    stored: Index = 0
    depth: Index = 0
    entered: cython.bint = True
    while depth >= 0:
        if entered and not _open_smallest(minimal, depth):
            _count_images(minimal, minimal.chosen[depth])
            if stored < found.shape[0] and size(minimal.chosen[depth]) == wanted:
                found[stored] = minimal.chosen[depth]
                stored += 1
        if not minimal.open_cells[depth]:
            depth -= 1
            entered = False
            continue
        chosen = lowest(minimal.open_cells[depth])
        minimal.open_cells[depth] ^= chosen
        entered = _enter(minimal, depth, chosen)
        if entered:
            depth += 1
    return stored


def count_minimal(
    sets: Word[::1],
    images: Word[:, ::1],
    wanted: Index,
    counts: Index[:, ::1],
    found: Word[::1],
) -> int:
    """Count the minimal sets of cells that hit every given set.

    The search turns back when a chosen cell is no longer the only one in any set (Murakami and
    Uno, "Efficient algorithms for dualizing large-scale hypergraphs", 2014).

    Args:
        sets: the sets to hit, as words.
        images: for each symmetry, the image of each cell as a word.
        wanted: the number of cells of the sets to store.
        counts: ``counts[g, k]`` receives the number of sets of k cells that symmetry g maps to
            themselves.
        found: receives sets with `wanted` cells, until it is full.

    Returns:
        The number of stored sets.

    Raises:
        ValueError: the arrays don't fit each other.
    """
    cells: Index = images.shape[1]
    _check_sets(sets, cells)
    if counts.shape[0] < images.shape[0] or counts.shape[1] <= cells:
        raise ValueError(f"expected {cells + 1} counts for each of {images.shape[0]} symmetries")
    minimal = _Minimal(sets, images, counts)
    stored: Index = 0
    with cython.nogil:
        stored = _count_minimal(minimal, wanted, found)
    return stored
