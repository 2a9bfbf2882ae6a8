"""Find the fewest clues of a board, by search for a smallest hitting set.

Every other board differs from the given one in some cells, its *difference set*. A set of clues
determines the board exactly if it hits (contains a cell of) every difference set. The search knows
the small difference sets from the start. When a set of clues hits all known ones, the list of all
boards is scanned for one that has the same clues. If there is one, the search learns its difference
set and continues.

All sets of cells are words. The search shares no code with `reduction.fewest`.
"""

from __future__ import annotations

from binairo_cp.kernels import cython_stub as cython
from binairo_cp.kernels.arrays import zeros
from binairo_cp.kernels.words import ALL, Index, Word, lowest, size

_UNORDERED = 3
"""With so few cells left, it is not worth ordering the next ones."""

_DEPTHS = 66


@cython.final
@cython.cclass
class BoardIndex:
    """All boards of a size, grouped by their first cells."""

    boards: Word[::1]  # all boards in ascending order
    # The index of the first board of each group, and the number of boards at the end.
    start: Index[::1]
    first_boards: Word[::1]  # the first board of each group
    prefix: Word  # the cells in which the boards of a group agree
    groups: Index  # the number of groups

    def __init__(
        self, boards: Word[::1], start: Index[::1], first_boards: Word[::1], prefix: Word
    ) -> None:
        groups: Index = first_boards.shape[0]
        if start.shape[0] != groups + 1 or start[0] != 0 or start[groups] != boards.shape[0]:
            raise ValueError(f"expected where {groups} groups begin, and {boards.shape[0]} boards")
        for k in range(groups):
            if start[k] > start[k + 1]:
                raise ValueError("a group must end where the next one begins")
        self.boards, self.start, self.first_boards = boards, start, first_boards
        self.prefix, self.groups = prefix, groups


@cython.final
@cython.cclass
class _Search:
    """The search for the clues of a board."""

    index: BoardIndex  # all boards
    board: Word  # the board
    room: Index  # how many difference sets can be known
    # At ``room * depth``, the difference sets that the clues chosen so far do not hit.
    unhit: Word[::1]
    number: Index[::1]  # by depth, their number
    chosen: Word[::1]  # by depth, the clues chosen so far
    excluded: Word[::1]  # by depth, the cells that may not be chosen
    open_cells: Word[::1]  # by depth, the cells to try next
    ordered: Word[::1]  # a buffer for sets
    found: Word  # the set of clues that was found

    def __init__(self, index: BoardIndex, room: Index) -> None:
        self.index, self.board, self.room, self.found = index, 0, room, ALL
        self.unhit, self.number = zeros("Q", _DEPTHS * room), zeros("q", _DEPTHS)
        self.chosen, self.excluded = zeros("Q", _DEPTHS), zeros("Q", _DEPTHS)
        self.open_cells, self.ordered = zeros("Q", _DEPTHS), zeros("Q", room)


@cython.cfunc
def _find_small_differences(
    search: _Search, index: BoardIndex, most: Index, enough: Index
) -> Index:
    """Find the differences to other boards of at most a number of cells, until there are enough.

    Returns:
        The number of difference sets, which are then those at depth 0.
    """
    number: Index = 0
    for group in range(index.groups):
        if size((index.first_boards[group] ^ search.board) & index.prefix) > most:
            continue
        for k in range(index.start[group], index.start[group + 1]):
            difference: Word = index.boards[k] ^ search.board
            if size(difference) <= most and difference:
                if number == enough:
                    return number
                search.unhit[number] = difference
                number += 1
    return number


@cython.cfunc
def _other_board(search: _Search, index: BoardIndex, clues: Word) -> Word:
    """The smallest difference to another board with the same clues; 0 if there is none."""
    board = search.board
    smallest: Word = 0
    cells: Index = 65
    wanted: Word = board & clues
    in_prefix: Word = clues & index.prefix
    for group in range(index.groups):
        if (index.first_boards[group] ^ board) & in_prefix:
            continue
        for k in range(index.start[group], index.start[group + 1]):
            if index.boards[k] & clues == wanted and index.boards[k] != board:
                difference: Word = index.boards[k] ^ board
                if size(difference) < cells:
                    smallest, cells = difference, size(difference)
    return smallest


@cython.cfunc
def _keep_minimal(sets: Word[::1], number: Index, ordered: Word[::1]) -> Index:
    """Sort sets by size, and remove those that contain another one; return how many are left."""
    length: Index = 0
    for cells in range(65):
        for k in range(number):
            if size(sets[k]) == cells:
                ordered[length] = sets[k]
                length += 1
        if length == number:
            break
    kept: Index = 0
    for place in range(number):
        each: Word = ordered[place]
        k = 0
        while k < kept and sets[k] & each != sets[k]:
            k += 1
        if k == kept:
            sets[kept] = each
            kept += 1
    return kept


def keep_minimal(sets: Word[::1]) -> int:
    """Sort sets by size, and remove those that contain another one.

    Returns:
        How many are left; they are the first ones.
    """
    number: Index = sets.shape[0]
    ordered: Word[::1] = zeros("Q", number)
    with cython.nogil:
        number = _keep_minimal(sets, number, ordered)
    return number


@cython.cfunc
def _disjoint(search: _Search, depth: Index, enough: Index) -> Index:
    """Count disjoint sets, chosen greedily: a lower bound on the cells that hit all sets.

    It stops above `enough`.
    """
    used: Word = 0
    found: Index = 0
    for k in range(search.room * depth, search.room * depth + search.number[depth]):
        each: Word = search.unhit[k] & ~search.excluded[depth]
        if not each & used:
            used |= each
            found += 1
            if found > enough:
                break
    return found


@cython.cfunc
def _exceeds(search: _Search, depth: Index, cells: Index) -> cython.bint:
    """Whether a bound shows that no given number of cells hits all sets.

    If no cell is in more than two of some sets, then half their number is a lower bound.
    """
    once: Word = 0
    twice: Word = 0
    found: Index = 0
    for k in range(search.room * depth, search.room * depth + search.number[depth]):
        each: Word = search.unhit[k] & ~search.excluded[depth]
        if not each & twice:
            twice |= each & once
            once |= each
            found += 1
            if found > 2 * cells:
                return True
    return _disjoint(search, depth, cells) > cells


def bounds(sets: Word[::1], excluded: Word, cells: Index) -> tuple[int, bool]:
    """The lower bounds of the search on the number of cells that hit all sets.

    Args:
        sets: the sets; smaller ones should come first.
        excluded: cells that may not be chosen.
        cells: a number of cells.

    Returns:
        A lower bound, and whether there is a proof that so many cells are too few.
    """
    no_boards = BoardIndex(sets[:0], zeros("q", 1), sets[:0], 0)
    search = _Search(no_boards, sets.shape[0])
    search.number[0], search.excluded[0] = sets.shape[0], excluded
    for k in range(sets.shape[0]):
        search.unhit[k] = sets[k]
    return _disjoint(search, 0, 64), _exceeds(search, 0, cells)


@cython.cfunc
def _first_of_pairs(search: _Search, depth: Index, cells: Word) -> Word:
    """The cells that hit all sets together with one more cell."""
    begin: Index = search.room * depth
    end: Index = begin + search.number[depth]
    fitting: Word = 0
    while cells:
        each = lowest(cells)
        cells ^= each
        common: Word = ~search.excluded[depth] & ALL
        k: Index = begin
        while k < end and common:
            if not search.unhit[k] & each:
                common &= search.unhit[k]
            k += 1
        if common:
            fitting |= each
    return fitting


@cython.cfunc
def _candidates(search: _Search, depth: Index, left: Index) -> Word:
    """The cells of which one must be chosen next; 0 if the cells left can't hit all sets."""
    smallest: Word = 0
    cells: Index = 65
    common: Word = ALL
    for k in range(search.room * depth, search.room * depth + search.number[depth]):
        each: Word = search.unhit[k] & ~search.excluded[depth]
        common &= each
        if size(each) < cells:
            smallest, cells = each, size(each)
    if left <= 1:
        return common if left == 1 else 0
    if cells == 0 or _exceeds(search, depth, left):
        return 0
    return _first_of_pairs(search, depth, smallest) if left == 2 else smallest


@cython.cfunc
def _most_used(search: _Search, depth: Index) -> Word:
    """The open cell that is in the most sets, as a word."""
    cells: Word = search.open_cells[depth]
    best: Word = 0
    most: Index = -1
    while cells:
        each = lowest(cells)
        cells ^= each
        uses: Index = 0
        for k in range(search.room * depth, search.room * depth + search.number[depth]):
            uses += 1 if search.unhit[k] & each else 0
        if uses > most:
            best, most = each, uses
    return best


@cython.inline
def _choose(search: _Search, depth: Index, chosen: Word) -> None:
    """Keep for the next depth the difference sets that a cell does not hit."""
    begin: Index = search.room * depth
    target: Index = begin + search.room
    for k in range(begin, begin + search.number[depth]):
        each: Word = search.unhit[k]
        if not each & chosen:
            search.unhit[target] = each
            target += 1
    search.number[depth + 1] = target - begin - search.room


@cython.cfunc
def _learn(search: _Search, depth: Index, difference: Word) -> cython.bint:
    """Add a difference set that is hit at no depth so far; return whether there was room."""
    if search.number[0] == search.room:
        return False
    for each in range(depth + 1):
        search.unhit[search.room * each + search.number[each]] = difference
        search.number[each] += 1
    return True


@cython.cfunc
def _find_set(search: _Search, clues: Index) -> Index:
    """Find a set of so many clues that determines the board; smaller ones must not exist.

    Returns:
        1 if there is one, which is then in `found`; 0 if there is none; -1 if there was no room for
        another difference set.
    """
    search.chosen[0] = search.excluded[0] = 0
    depth: Index = 0
    entered: cython.bint = True
    while depth >= 0:
        if entered and search.number[depth] == 0:
            difference = _other_board(search, search.index, search.chosen[depth])
            if not difference:
                search.found = search.chosen[depth]
                return 1
            if not _learn(search, depth, difference):
                return -1
        if entered:
            search.open_cells[depth] = _candidates(search, depth, clues - depth)
        if not search.open_cells[depth]:
            depth -= 1
            entered = False
            continue
        chosen = lowest(search.open_cells[depth])
        if clues - depth > _UNORDERED:
            chosen = _most_used(search, depth)
        search.open_cells[depth] ^= chosen
        search.chosen[depth + 1] = search.chosen[depth] | chosen
        # Later branches exclude the cell, so that no set is tried twice.
        search.excluded[depth + 1] = search.excluded[depth]
        search.excluded[depth] |= chosen
        _choose(search, depth, chosen)
        depth += 1
        entered = True
    return 0


@cython.cfunc
def _find_smallest_set(search: _Search, most: Index, limit: Index) -> cython.bint:
    """Find the fewest clues that determine the board.

    Args:
        search: the search.
        most: how many cells the difference sets have that are known from the start.
        limit: the largest sets to look for; without one, `found` is all cells.

    Returns:
        Whether there was room for all difference sets.
    """
    differences = _find_small_differences(search, search.index, most, search.room >> 1)
    search.number[0] = _keep_minimal(search.unhit, differences, search.ordered)
    search.excluded[0] = 0
    search.found = ALL
    clues = _disjoint(search, 0, 64)
    ended: Index = 0
    while ended == 0 and clues <= limit:
        ended = _find_set(search, clues)
        clues += 1
    return ended >= 0


def fewest_clues(
    index: BoardIndex, boards: Word[::1], most: Index, limit: Index, room: Index, found: Word[::1]
) -> int:
    """Find a smallest set of clues for each of several boards.

    Args:
        index: all boards.
        boards: some of them.
        most: how many cells the difference sets have that are known from the start.
        limit: the largest sets to look for, up to 64.
        room: how many difference sets can be known at a time.
        found: receives a set of clues for each board; all cells if it needs more than `limit`.

    Returns:
        The number of boards done; fewer if there was no room for another difference set.

    Raises:
        ValueError: a number is out of range.
    """
    number: Index = boards.shape[0]
    if found.shape[0] < number or not 0 <= limit <= 64 or room < 1:
        raise ValueError(f"{number} boards, a limit of {limit} (up to 64), room for {room} sets")
    search = _Search(index, room)
    done: Index = 0
    with cython.nogil:
        while done < number:
            search.board = boards[done]
            has_room = _find_smallest_set(search, most, limit)
            found[done] = search.found
            if not has_room:
                break
            done += 1
    return done
