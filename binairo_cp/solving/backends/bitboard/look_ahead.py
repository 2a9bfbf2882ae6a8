"""Look-ahead: the values of open cells are tried before the search branches.

A value that fails settles the cell, a value that ends with a full board is a solution and settles
the cell too, and what follows from both values holds anyway. A value that followed from another one
that did not fail needs no trial of its own.
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
from binairo_cp.solving.backends.bitboard.propagation import level_words, propagate, put


@njit(forceinline=True)
def _freedom(
    boards: Any, line: int, lines: int, most_ones: Any, most_zeros: Any, all_cells: Any
) -> int:
    """How much a line may still vary: small where a cell's value has most consequences."""
    ones, zeros = boards[at(line)], boards[at(line + lines)]
    rest = min(most_ones - size(ones), most_zeros - size(zeros))
    return np.int64(rest * size(all_cells & ~(ones | zeros)))


@njit
def next_cell(boards: Any, base: int, shape: Any, seen: Any, state: Any) -> bool:
    """Choose an open cell of which a value was not seen: least free line, then least free crossing.

    The cell is left in `state`. False if there is none.
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
                & ~(seen[at(k)] & seen[at(lines + k)])
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
def forget(seen: Any, lines: int) -> None:
    """Note that no value was seen to follow from another one."""
    for k in range(2 * lines):
        seen[at(k)] = ZERO


@njit
def _share(boards: Any, base: int, one: int, other: int, shape: Any) -> bool:
    """Fill the cells that two boards have in common; whether there were any."""
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
                put(boards, base, height, lines, row, first(new), zero)
                new &= new - ONE
    return any_new


@njit
def try_values(
    boards: Any,
    base: int,
    shape: Any,
    tables: Any,
    signs: Any,
    seen: Any,
    found: Any,
    state: Any,
    limits: Any,
) -> bool:
    """Try the values of the open cells of a board; False if nothing is left to search on it.

    Otherwise the board may be full, or enough solutions were found in between, or else `state` has
    the cell to branch on: that whose two values had the most consequences, among those that were
    tried before the work ran out.
    """
    height = shape.height
    lines = height + shape.width
    words = level_words(lines)
    forget(seen, lines)
    most, best_row, best_column = -1, -1, -1
    while (
        state[FOUND] < limits.solutions
        and state[NODES] < limits.nodes
        and next_cell(boards, base, shape, seen, state)
    ):
        row, column = state[BEST_ROW], state[BEST_COLUMN]
        before = filled_cells(boards, base, shape)
        trial, gain, failed = base + words, 1, -1
        for zero in range(2):
            if seen[at(zero * lines + row)] & cell(column):
                continue
            copy(boards, base, trial, words)
            put(boards, trial, height, lines, row, column, zero)
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
                seen[at(k)] |= boards[at(trial + k)]
            trial += words
        if failed >= 0 and trial > base + words:
            # What follows from the other value is known.
            copy(boards, base + words, base, words)
            continue
        if failed >= 0:
            put(boards, base, height, lines, row, column, 1 - failed)
        else:
            for zero in range(2):
                seen[at(zero * lines + row)] |= cell(column)
                seen[at(zero * lines + height + column)] |= cell(row)
            if gain > most:
                most, best_row, best_column = gain, row, column
            if trial < base + 3 * words or not _share(
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
        forget(seen, lines)
        next_cell(boards, base, shape, seen, state)
    return True
