"""Search for puzzles with a given number of clues, through all sets of clues.

A set of clues that agrees with two known boards is no puzzle. The known boards are the bits of
words: a word for each clue says which boards agree with it. So a set of clues is ruled out by the
AND of a few words. Only sets that agree with fewer than two known boards are returned.

The search chooses the cells in a fixed order. It does not continue where the rule of no triples
alone leads to a contradiction: such clues agree with no board.

``benchmarks/lower_bounds.py`` uses it.
"""

from __future__ import annotations

from binairo_cp.kernels import cython_stub as cython
from binairo_cp.kernels.arrays import zeros
from binairo_cp.kernels.words import ALL, Index, Word, cell, first, size

_SAMPLE = 64
"""The number of boards that are copied from the known ones to rule out sets with two more clues:
one for each bit of a word."""

Clue = cython.typedef(cython.short)
"""The number of a clue; -1 stands for none."""


@cython.final
@cython.cclass
class Clues:
    """The clues of a set and the values that follow from them.

    Cells are numbered in the order of the search. Clue 2c + v: cell c has value v.

    Args:
        neighbours: at [4 c + d, k], the cell k + 1 steps from cell c in direction d (left, right,
            up, down); -1 if there is none.
    """

    neighbours: Index[:, ::1]
    cells: Index  # the number of cells
    values: Index[::1]  # the value of each cell; -1 if it is open
    wrong: Word[::1]  # for each clue, all bits if it contradicts the others, else 0
    trail: Index[::1]  # the cells that have values, in the order in which they got them
    length: Index  # how many cells have values

    def __init__(self, neighbours: Index[:, ::1]) -> None:
        cells: Index = neighbours.shape[0] >> 2
        if neighbours.shape[0] != 4 * cells or neighbours.shape[1] != 2 or not 1 <= cells <= 128:
            raise ValueError("expected two neighbours in four directions of 1 to 128 cells")
        for k in range(4 * cells):
            for step in range(2):
                if not -1 <= neighbours[k, step] < cells:
                    raise ValueError(f"expected neighbours from -1 to {cells - 1}")
        self.neighbours, self.cells, self.length = neighbours, cells, 0
        self.values, self.trail = zeros("q", cells), zeros("q", cells)
        self.wrong = zeros("Q", 2 * cells)
        for k in range(cells):
            self.values[k] = -1

    def assign(self, place: Index, value: Index) -> bool:
        """Give a cell a value, and all cells whose values follow; False at a contradiction."""
        if not 0 <= place < self.cells or value >> 1:
            raise ValueError(f"cell {place} and value {value}; expected 0 or 1")
        return _assign(self, place, value)

    def undo(self, length: Index) -> None:
        """Remove the last values until a number of them is left."""
        _undo(self, max(0, length))

    def known(self) -> tuple[list[int], list[bool]]:
        """The values of the cells, and which clues are wrong."""
        return list(self.values), [word != 0 for word in self.wrong]


@cython.cfunc
def _assign(clues: Clues, place: Index, value: Index) -> cython.bint:
    """Give a cell a value, and all cells whose values follow; return False at a contradiction."""
    if clues.values[place] >= 0:
        return clues.values[place] == value
    done: Index = clues.length
    _set(clues, place, value)
    while done < clues.length:
        place = clues.trail[done]
        value = clues.values[place]
        done += 1
        for direction in range(4):
            next_cell: Index = clues.neighbours[4 * place + direction, 0]
            second: Index = clues.neighbours[4 * place + direction, 1]
            if next_cell < 0:
                continue
            if clues.values[next_cell] == value:
                # A pair: the cells at both ends are different.
                opposite: Index = clues.neighbours[4 * place + (direction ^ 1), 0]
                if not (_differs(clues, second, value) and _differs(clues, opposite, value)):
                    return False
            elif second >= 0 and clues.values[second] == value and clues.values[next_cell] < 0:
                _set(clues, next_cell, 1 - value)
    return True


@cython.inline
def _differs(clues: Clues, place: Index, value: Index) -> cython.bint:
    """Make a cell different from a value, if there is a cell; return whether that is possible."""
    if place < 0:
        return True
    if clues.values[place] < 0:
        _set(clues, place, 1 - value)
    return clues.values[place] != value


@cython.inline
def _set(clues: Clues, place: Index, value: Index) -> None:
    clues.values[place] = value
    clues.wrong[2 * place + 1 - value] = ALL
    clues.trail[clues.length] = place
    clues.length += 1


@cython.cfunc
def _undo(clues: Clues, length: Index) -> None:
    """Remove the last values until a number of them is left."""
    while clues.length > length:
        clues.length -= 1
        place: Index = clues.trail[clues.length]
        clues.wrong[2 * place + 1 - clues.values[place]] = 0
        clues.values[place] = -1


@cython.final
@cython.cclass
class Search:
    """A search for sets of clues that few known boards agree with.

    Args:
        clues: no clues.
        boards: at [b, w], the cells of board b as bits, in two words; all boards are different.
        agree: at [k, w], which boards agree with clue k, as bits; no bit is set beyond the boards.
        number: the number of clues of a set, 3 or more.
    """

    clues: Clues  # the clues of the set so far, with what follows
    boards: Word[:, ::1]
    agree: Word[:, ::1]
    number: Index
    words: Index  # the number of words in a line of `agree`
    chosen: Index[::1]  # the clues of the set so far
    lengths: Index[::1]  # how many cells had values before each of them
    place: Index[::1]  # the next clue to try at each depth
    end: Index[::1]  # the clue where each depth ends
    agreeing: Word[:, ::1]  # for each depth, the known boards that agree, as bits
    block: Word[:, ::1]  # 2 x 64 words to transpose
    sample: Word[::1]  # which of the copied boards agree with each clue, as bits
    here: Word  # the copied boards, as bits
    found: Index  # the number of sets found

    def __init__(
        self, clues: Clues, boards: Word[:, ::1], agree: Word[:, ::1], number: Index
    ) -> None:
        if number < 3:
            raise ValueError(f"sets of {number} clues; expected 3 or more")
        if agree.shape[0] != 2 * clues.cells or boards.shape[1] != 2:
            raise ValueError(
                f"expected two words a board, and which agree with {clues.cells} cells"
            )
        if boards.shape[0] > 64 * agree.shape[1] or agree.shape[1] < 1:
            raise ValueError(f"expected a bit for each of {boards.shape[0]} boards")
        extra: Word = ALL
        if boards.shape[0] < 64 * agree.shape[1]:
            extra = ALL ^ (cell(boards.shape[0] & 63) - 1)
            for k in range(agree.shape[0]):
                if (
                    boards.shape[0] >> 6 != agree.shape[1] - 1
                    or agree[k, agree.shape[1] - 1] & extra
                ):
                    raise ValueError(f"a bit is set beyond {boards.shape[0]} boards")
        self.clues, self.boards, self.agree, self.number = clues, boards, agree, number
        self.words, self.here, self.found = agree.shape[1], 0, 0
        self.chosen, self.lengths = zeros("q", number), zeros("q", number)
        self.place, self.end = zeros("q", number), zeros("q", number)
        self.agreeing, self.block = zeros("Q", number, self.words), zeros("Q", 2, 64)
        self.sample = zeros("Q", 2 * clues.cells)


@cython.cfunc
def _transpose(search: Search, part: Index) -> None:
    """Transpose 64 words as a matrix of bits (Warren, "Hacker's Delight", 2012)."""
    step: Index = 32
    mask: Word = 0xFFFFFFFF
    while step:
        begin: Index = 0
        while begin < 64:
            for row in range(begin, begin + step):
                low: Word = search.block[part, row]
                high: Word = search.block[part, row + step]
                changed: Word = (low >> step ^ high) & mask
                search.block[part, row] = low ^ (changed << step)
                search.block[part, row + step] = high ^ changed
            begin += 2 * step
        step >>= 1
        mask ^= (mask << step) & ALL


@cython.cfunc
def _draw_sample(search: Search, depth: Index, begin: Index) -> None:
    """Copy the first boards that agree with the clues up to a depth, from the cell `begin` on."""
    number: Index = 0
    cells = search.clues.cells
    low: Index = begin >> 6
    high: Index = (cells + 63) >> 6
    for word in range(search.words):
        left: Word = search.agreeing[depth, word]
        while left and number < _SAMPLE:
            board: Index = 64 * word + first(left)
            left &= left - 1
            for part in range(low, high):
                search.block[part, number] = search.boards[board, part]
            number += 1
        if number == _SAMPLE:
            break
    search.here = ALL if number == _SAMPLE else cell(number) - 1
    for part in range(low, high):
        _transpose(search, part)
    for place in range(begin, cells):
        ones: Word = search.block[place >> 6, place & 63] & search.here
        search.sample[2 * place + 1] = ones
        search.sample[2 * place] = search.here & ~ones


@cython.cfunc
def _agree_with_two(search: Search, depth: Index, clue: Index) -> cython.bint:
    """Whether two of the boards that agree up to a depth agree with a clue."""
    found: Index = 0
    for word in range(search.words):
        found += size(search.agreeing[depth, word] & search.agree[clue, word])
        if found > 1:
            return True
    return False


@cython.inline
def _is_ruled_out(search: Search, here: Word, clue: Index) -> cython.bint:
    """Whether a clue contradicts the set, or agrees with two copied boards.

    Args:
        search: the search.
        here: the copied boards that agree with the set.
        clue: the clue.
    """
    left: Word = search.sample[clue] & here
    return ((left & (left - 1)) | search.clues.wrong[clue]) != 0


@cython.cfunc
def _has_open_clues(search: Search, here: Word, begin: Index) -> cython.bint:
    """Whether a clue from `begin` on is not ruled out."""
    found: Index = 0
    # A sum over all clues instead of an early end, so that the C compiler vectorizes the loop.
    for clue in range(begin, 2 * search.clues.cells):
        found += 0 if _is_ruled_out(search, here, clue) else 1
    return found > 0


@cython.cfunc
def _restrict(search: Search, depth: Index, clue: Index) -> cython.bint:
    """Store which boards agree with the clues up to a depth; return whether there is one."""
    left: Word = 0
    for word in range(search.words):
        before: Word = search.agreeing[depth - 1, word] if depth else ALL
        search.agreeing[depth, word] = before & search.agree[clue, word]
        left |= search.agreeing[depth, word]
    return left != 0


@cython.cfunc
def _add(search: Search, found: Clue[:, ::1], length: Index) -> cython.bint:
    """Store a set of clues; return whether there was room."""
    if search.found == found.shape[0]:
        return False
    for k in range(search.number):
        found[search.found, k] = search.chosen[k] if k < length else -1
    search.found += 1
    return True


@cython.cfunc
def _try_last(search: Search, found: Clue[:, ::1], depth: Index, clue: Index) -> cython.bint:
    """Find the sets with one clue more than those up to a depth; return whether there was room."""
    here: Word = search.sample[clue] & search.here
    begin: Index = 2 * ((clue >> 1) + 1)
    if not here and not _restrict(search, depth, clue):
        return _add(search, found, depth + 1)
    if not _has_open_clues(search, here, begin):
        return True
    if here:
        _restrict(search, depth, clue)
    for last in range(begin, 2 * search.clues.cells):
        if _is_ruled_out(search, here, last) or _agree_with_two(search, depth, last):
            continue
        search.chosen[search.number - 1] = last
        if not _add(search, found, search.number):
            return False
    return True


@cython.cfunc
def _find_sets(search: Search, clues: Clues, found: Clue[:, ::1], second: Index) -> cython.bint:
    """Search from the first clue; return whether there was room."""
    number = search.number
    depth: Index = 0
    while depth >= 0:
        if search.place[depth] >= search.end[depth]:
            depth -= 1
            if depth >= 0:
                _undo(clues, search.lengths[depth])
            continue
        clue: Index = search.place[depth]
        search.place[depth] += 1
        search.chosen[depth] = clue
        search.lengths[depth] = clues.length
        if not _assign(clues, clue >> 1, clue & 1):
            _undo(clues, search.lengths[depth])
            continue
        if depth == number - 2:
            has_room = _try_last(search, found, depth, clue)
            _undo(clues, search.lengths[depth])
            if not has_room:
                return False
            continue
        if not _restrict(search, depth, clue):
            if not _add(search, found, depth + 1):
                return False
            _undo(clues, search.lengths[depth])
            continue
        begin: Index = 2 * ((clue >> 1) + 1)
        if depth == number - 3:
            _draw_sample(search, depth, begin >> 1)
        depth += 1
        search.place[depth] = second if depth == 1 else begin
    return True


def find_sets(search: Search, first_clue: Index, second: Index, found: Clue[:, ::1]) -> int:
    """Find the sets of clues that agree with fewer than two known boards.

    Args:
        search: the search.
        first_clue: the first clue.
        second: the second clue, in a later cell than the first one.
        found: at [k, i], receives clue i of the k-th set; the rest of the row is -1. A set with
            fewer clues agrees with no known board. It stands for all sets that contain it and
            otherwise only clues in later cells.

    Returns:
        The number of sets found, or -1 if there was no room for them.

    Raises:
        ValueError: the clues are out of order, or the sets have another length.
    """
    literals: Index = 2 * search.clues.cells
    if not 0 <= first_clue < literals or not first_clue >> 1 < second >> 1 < literals >> 1:
        raise ValueError(f"clues {first_clue} and {second} of {literals}")
    if found.shape[1] != search.number:
        raise ValueError(f"expected sets of {search.number} clues")
    search.found = 0
    for depth in range(search.number):
        search.end[depth] = literals
    search.place[0], search.end[0], search.end[1] = first_clue, first_clue + 1, second + 1
    has_room: cython.bint = True
    with cython.nogil:
        _undo(search.clues, 0)
        has_room = _find_sets(search, search.clues, found, second)
    return search.found if has_room else -1
