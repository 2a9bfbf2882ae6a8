"""Look-ahead: try the values of open cells before the search branches.

If a value fails, the cell gets the other value. If it leads to a full board, that is a solution,
and the cell gets the other value too. Cells that both values set in the same way are fixed. A value
that was implied by another value, which did not fail, needs no separate trial.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from binairo_cp.puzzle.bits.shape import max_ones, max_zeros
from binairo_cp.puzzle.bits.words import ONE, ZERO, at, cell, first, line_of, size
from binairo_cp.solving.backends.bitboard.levels import (
    BEST_COLUMN,
    BEST_ROW,
    FOUND,
    NODES,
    copy,
    filled_cells,
    is_full,
    store,
)
from binairo_cp.solving.backends.bitboard.propagation import level_words, propagate, set_cell


@njit(forceinline=True)
def _freedom(
    boards: Any, line: int, lines: int, most_ones: Any, most_zeros: Any, all_cells: Any
) -> int:
    """How much a line can still vary; small if a value in it has many consequences."""
    ones, zeros = boards[at(line)], boards[at(line + lines)]
    rest = min(most_ones - size(ones), most_zeros - size(zeros))
    return np.int64(rest * size(all_cells & ~(ones | zeros)))


@njit
def choose_cell(boards: Any, base: int, shape: Any, implied: Any, state: Any) -> bool:
    """Choose an open cell with a value that was not implied, and store it in `state`.

    It is in the line with the least freedom, and there in the crossing line with the least freedom.

    Returns:
        Whether there is such a cell.
    """
    height, width = shape.height, shape.width
    lines = height + width
    least, best = 1 << 60, -1
    best_cells = ZERO
    for across in range(2):
        start, count, length = (0, height, width) if across == 0 else (height, width, height)
        all_cells = line_of(length)
        for k in range(start, start + count):
            cells = (
                all_cells
                & ~(boards[at(base + k)] | boards[at(base + lines + k)])
                & ~(implied[at(k)] & implied[at(lines + k)])
            )
            if cells:
                freedom = _freedom(
                    boards,
                    base + k,
                    lines,
                    max_ones(shape, across),
                    max_zeros(shape, across),
                    all_cells,
                )
                if freedom < least:
                    least, best, best_cells = freedom, k, cells
    if best < 0:
        return False
    is_row = best < height
    across = 1 if is_row else 0
    crossing = height if is_row else 0
    all_cells = line_of(height if is_row else width)
    least, place = 1 << 60, 0
    while best_cells:
        k = first(best_cells)
        best_cells &= best_cells - ONE
        freedom = _freedom(
            boards,
            base + crossing + k,
            lines,
            max_ones(shape, across),
            max_zeros(shape, across),
            all_cells,
        )
        if freedom < least:
            least, place = freedom, k
    state[BEST_ROW] = best if is_row else place
    state[BEST_COLUMN] = place if is_row else best - height
    return True


@njit
def clear_implied(implied: Any, lines: int) -> None:
    """Forget which values were implied by others."""
    for k in range(2 * lines):
        implied[at(k)] = ZERO


@njit
def _fill_common(boards: Any, base: int, one: int, other: int, shape: Any) -> bool:
    """Fill the open cells on which two boards agree; return whether there were any."""
    height = shape.height
    lines = height + shape.width
    any_new = False
    for row in range(height):
        known = boards[at(base + row)] | boards[at(base + lines + row)]
        for zero in range(2):
            k = zero * lines + row
            new = boards[at(one + k)] & boards[at(other + k)] & ~known
            while new:
                any_new = True
                set_cell(boards, base, height, lines, row, first(new), zero)
                new &= new - ONE
    return any_new


@njit
def try_values(
    boards: Any,
    base: int,
    shape: Any,
    tables: Any,
    signs: Any,
    implied: Any,
    found: Any,
    state: Any,
    limits: Any,
) -> bool:
    """Try the values of the open cells of a board.

    The cell to branch on is stored in `state`: of the cells tried before the work ran out, the one
    whose two values had the most consequences.

    Returns:
        False if nothing is left to search on this board. If True, the board may be full, or enough
        solutions may have been found.
    """
    height = shape.height
    lines = height + shape.width
    words = level_words(lines)
    clear_implied(implied, lines)
    most, best_row, best_column = -1, -1, -1
    while (
        state[FOUND] < limits.solutions
        and state[NODES] < limits.nodes
        and choose_cell(boards, base, shape, implied, state)
    ):
        row, column = state[BEST_ROW], state[BEST_COLUMN]
        before = filled_cells(boards, base, shape)
        trial, gain, failed = base + words, 1, -1
        for zero in range(2):
            if implied[at(zero * lines + row)] & cell(column):
                continue
            copy(boards, base, trial, words)
            set_cell(boards, trial, height, lines, row, column, zero)
            state[NODES] += 1
            if not propagate(boards, trial, shape, tables, signs):
                failed = zero
                break
            if is_full(boards, trial, shape):
                store(boards, trial, shape, found, state)
                failed = zero
                break
            gain *= filled_cells(boards, trial, shape) - before
            for k in range(2 * lines):
                implied[at(k)] |= boards[at(trial + k)]
            trial += words
        if failed >= 0 and trial > base + words:
            # The consequences of the other value are known already.
            copy(boards, base + words, base, words)
            continue
        if failed >= 0:
            set_cell(boards, base, height, lines, row, column, 1 - failed)
        else:
            for zero in range(2):
                implied[at(zero * lines + row)] |= cell(column)
                implied[at(zero * lines + height + column)] |= cell(row)
            if gain > most:
                most, best_row, best_column = gain, row, column
            if trial < base + 3 * words or not _fill_common(
                boards, base, base + words, base + 2 * words, shape
            ):
                continue
        state[NODES] += 1
        if not propagate(boards, base, shape, tables, signs):
            return False
        if is_full(boards, base, shape):
            return True
    filled = ZERO
    if best_row >= 0:
        filled = boards[at(base + best_row)] | boards[at(base + lines + best_row)]
    if best_row >= 0 and not filled & cell(best_column):
        state[BEST_ROW], state[BEST_COLUMN] = best_row, best_column
    else:
        clear_implied(implied, lines)
        choose_cell(boards, base, shape, implied, state)
    return True
