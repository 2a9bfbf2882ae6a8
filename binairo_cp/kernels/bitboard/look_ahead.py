"""Look-ahead: try the values of open cells before the search branches.

If a value fails, the cell gets the other value. If it leads to a full board, that is a solution,
and the cell gets the other value too. Cells that both values set in the same way are fixed. A value
that was implied by another value, which did not fail, needs no separate trial.
"""

from __future__ import annotations

from binairo_cp.kernels import cython_stub as cython
from binairo_cp.kernels.bitboard.levels import Search, copy, filled_cells, is_full, store
from binairo_cp.kernels.bitboard.propagation import propagate, set_cell
from binairo_cp.kernels.line import Direction
from binairo_cp.kernels.words import LARGE, Index, Word, cell, first, size


@cython.inline_nogil_noexcept
def _freedom(search: Search, direction: Direction, line: Index) -> Index:
    """How much a line can still vary; small if a value in it has many consequences."""
    ones, zeros = search.boards[line], search.boards[line + search.lines]
    rest = min(direction.max_ones - size(ones), direction.max_zeros - size(zeros))
    return rest * size(direction.cells & ~(ones | zeros))


@cython.inline_nogil_noexcept
def _freest_last(search: Search, base: Index, direction: Direction, least: Index) -> Index:
    """The line of one direction with the least freedom, if that is less than `least`; else -1.

    It has an open cell with a value that was not implied.
    """
    best: Index = -1
    for k in range(direction.begin, direction.begin + direction.count):
        if _untried(search, base, direction, k):
            freedom = _freedom(search, direction, base + k)
            if freedom < least:
                least, best = freedom, k
    return best


@cython.inline_nogil_noexcept
def _untried(search: Search, base: Index, direction: Direction, k: Index) -> Word:
    """The open cells of line k with a value that was not implied."""
    lines = search.lines
    return (
        direction.cells
        & ~(search.boards[base + k] | search.boards[base + lines + k])
        & ~(search.implied[k] & search.implied[lines + k])
    )


@cython.nogil_noexcept
def choose_cell(search: Search, base: Index) -> cython.bint:
    """Choose an open cell with a value that was not implied, and store it in the search.

    It is in the line with the least freedom, and there in the crossing line with the least freedom.

    Returns:
        Whether there is such a cell.
    """
    height = search.height
    row = _freest_last(search, base, search.rows, LARGE)
    least: Index = LARGE
    if row >= 0:
        least = _freedom(search, search.rows, base + row)
    best = _freest_last(search, base, search.columns, least)
    if best < 0:
        best = row
    if best < 0:
        return False
    if best < height:
        cells = _untried(search, base, search.rows, best)
        search.best_row = best
        search.best_column = _best_crossing(search, base, search.columns, cells)
    else:
        cells = _untried(search, base, search.columns, best)
        search.best_row = _best_crossing(search, base, search.rows, cells)
        search.best_column = best - height
    return True


@cython.inline_nogil_noexcept
def _best_crossing(search: Search, base: Index, crossing: Direction, cells: Word) -> Index:
    """Of the lines that cross a line at some cells, the one with the least freedom."""
    least: Index = LARGE
    place: Index = 0
    while cells:
        k = first(cells)
        cells &= cells - 1
        freedom = _freedom(search, crossing, base + crossing.begin + k)
        if freedom < least:
            least, place = freedom, k
    return place


@cython.nogil_noexcept
def clear_implied(search: Search) -> None:
    """Forget which values were implied by others."""
    for k in range(2 * search.lines):
        search.implied[k] = 0


@cython.nogil_noexcept
def _fill_common(search: Search, base: Index, one: Index, other: Index) -> cython.bint:
    """Fill the open cells on which two boards agree; return whether there were any."""
    lines = search.lines
    any_new: cython.bint = False
    for row in range(search.height):
        known = search.boards[base + row] | search.boards[base + lines + row]
        for zero in range(2):
            k = zero * lines + row
            new = search.boards[one + k] & search.boards[other + k] & ~known
            while new:
                any_new = True
                set_cell(search, base, row, first(new), zero)
                new &= new - 1
    return any_new


@cython.nogil_noexcept
def try_values(search: Search, base: Index) -> cython.bint:
    """Try the values of the open cells of a board.

    The cell to branch on is stored in the search: of the cells tried before the work ran out, the
    one whose two values had the most consequences.

    Returns:
        False if nothing is left to search on this board. If True, the board may be full, or enough
        solutions may have been found.
    """
    height, lines, words = search.height, search.lines, search.words
    clear_implied(search)
    most: Index = -1
    best_row: Index = -1
    best_column: Index = -1
    while (
        search.found < search.most_found
        and search.nodes < search.most_nodes
        and choose_cell(search, base)
    ):
        row, column = search.best_row, search.best_column
        before = filled_cells(search, base)
        trial: Index = base + words
        gain: Index = 1
        failed: Index = -1
        for zero in range(2):
            if search.implied[zero * lines + row] & cell(column):
                continue
            copy(search, base, trial)
            set_cell(search, trial, row, column, zero)
            search.nodes += 1
            if not propagate(search, trial):
                failed = zero
                break
            if is_full(search, trial):
                store(search, trial)
                failed = zero
                break
            gain *= filled_cells(search, trial) - before
            for k in range(2 * lines):
                search.implied[k] |= search.boards[trial + k]
            trial += words
        if failed >= 0 and trial > base + words:
            # The consequences of the other value are known already.
            copy(search, base + words, base)
            continue
        if failed >= 0:
            set_cell(search, base, row, column, 1 - failed)
        else:
            for zero in range(2):
                search.implied[zero * lines + row] |= cell(column)
                search.implied[zero * lines + height + column] |= cell(row)
            if gain > most:
                most, best_row, best_column = gain, row, column
            if trial < base + 3 * words or not _fill_common(
                search, base, base + words, base + 2 * words
            ):
                continue
        search.nodes += 1
        if not propagate(search, base):
            return False
        if is_full(search, base):
            return True
    filled: Word = 0
    if best_row >= 0:
        filled = search.boards[base + best_row] | search.boards[base + lines + best_row]
    if best_row >= 0 and not filled & cell(best_column):
        search.best_row, search.best_column = best_row, best_column
    else:
        clear_implied(search)
        choose_cell(search, base)
    return True
