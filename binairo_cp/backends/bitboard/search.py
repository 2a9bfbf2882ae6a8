"""The search: depth first, with look-ahead where that pays, on a stack of boards.

A node of work is one propagation. Without look-ahead, a node's board is copied, an open cell is
set to 1 on the one and to 0 on the other. With look-ahead, each value of each open cell is tried
first: a value that fails settles the cell, a value that ends with a full board is a solution and
settles the cell too, and what follows from both values holds anyway. A value that followed from
another one that did not fail needs no trial of its own. Few puzzles that people made, or that have
few clues for their size, need a branch after that (docs/bitboard.md has the measurements).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from binairo_cp.backends.bitboard.propagation import (
    CHANGED,
    FULL,
    HEIGHT,
    MOST_ONES,
    MOST_ZEROS,
    SIGNED,
    WIDTH,
    level_words,
    propagate,
    put,
)
from binairo_cp.backends.bitboard.words import ONE, ZERO, at, cell, first, line_of, size

FRESH, DONE, STOPPED, BUDGET = 0, 1, 2, 3
"""How far a search is: not begun, ended since there is no more, or paused since as many solutions
as wanted were found or the work ran out."""

STATUS, DEPTH, FOUND, NODES, BEST_ROW, BEST_COLUMN, STATE_WORDS = range(7)


@njit
def load(cells: Any, shape: Any, boards: Any) -> None:
    """Set up the first level from the bytes of a board, ``0``, ``1`` and ``.``, row by row."""
    height, width = np.int64(shape[HEIGHT]), np.int64(shape[WIDTH])
    lines = height + width
    for k in range(level_words(lines)):
        boards[at(k)] = ZERO
    place = 0
    for row in range(height):
        given, ones = ZERO, ZERO
        for column in range(width):
            # 0x30 and 0x31 are clues, 0x2e is an open cell.
            byte = np.uint64(cells[place])
            place += 1
            given |= ((byte >> np.uint64(4)) & ONE) << np.uint64(column)
            ones |= (byte & ONE) << np.uint64(column)
        ones &= given
        boards[at(row)], boards[at(lines + row)] = ones, given ^ ones
        while given:
            column = first(given)
            zero = np.int64((~ones >> np.uint64(column)) & ONE)
            boards[at(zero * lines + height + column)] |= cell(row)
            given &= given - ONE
    boards[at(2 * lines + CHANGED)] = line_of(height)
    boards[at(2 * lines + CHANGED + 1)] = line_of(width)


@njit(forceinline=True)
def _is_full(boards: Any, base: int, shape: Any) -> bool:
    height = np.int64(shape[HEIGHT])
    full: bool = boards[base + 2 * (height + np.int64(shape[WIDTH])) + FULL] == line_of(height)
    return full


@njit(forceinline=True)
def _copy(boards: Any, source: int, target: int, words: int) -> None:
    for k in range(words):
        boards[at(target + k)] = boards[at(source + k)]


@njit
def _store(boards: Any, base: int, shape: Any, found: Any, state: Any) -> None:
    """Keep the rows of a solution; the next one goes over the oldest if there is no room."""
    place = state[FOUND] % len(found)
    for row in range(np.int64(shape[HEIGHT])):
        found[place, row] = boards[at(base + row)]
    state[FOUND] += 1


@njit
def _filled(boards: Any, base: int, shape: Any) -> int:
    """How many cells are not open."""
    height = np.int64(shape[HEIGHT])
    lines = height + np.int64(shape[WIDTH])
    count = ZERO
    for row in range(height):
        count += size(boards[at(base + row)] | boards[at(base + lines + row)])
    return np.int64(count)


@njit(forceinline=True)
def _freedom(
    boards: Any, line: int, lines: int, most_ones: Any, most_zeros: Any, all_cells: Any
) -> int:
    """How much a line may still vary: small where a cell's value has most consequences."""
    ones, zeros = boards[at(line)], boards[at(line + lines)]
    rest = min(most_ones - size(ones), most_zeros - size(zeros))
    return np.int64(rest * size(all_cells & ~(ones | zeros)))


@njit
def _next_cell(boards: Any, base: int, shape: Any, seen: Any, state: Any) -> bool:
    """Choose an open cell of which a value was not seen: least free line, then least free crossing.

    The cell is left in `state`. False if there is none.
    """
    height, width = np.int64(shape[HEIGHT]), np.int64(shape[WIDTH])
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
                    shape[MOST_ONES + across],
                    shape[MOST_ZEROS + across],
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
            shape[MOST_ONES + across],
            shape[MOST_ZEROS + across],
            all_cells,
        )
        if freedom < least:
            least, place = freedom, k
    state[BEST_ROW] = best if is_row else place
    state[BEST_COLUMN] = place if is_row else best - height
    return True


@njit
def _forget(seen: Any, lines: int) -> None:
    for k in range(2 * lines):
        seen[at(k)] = ZERO


@njit
def _share(boards: Any, base: int, one: int, other: int, shape: Any) -> bool:
    """Fill the cells that two boards have in common; whether there were any."""
    height = np.int64(shape[HEIGHT])
    lines = height + np.int64(shape[WIDTH])
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
def _look_ahead(
    boards: Any,
    base: int,
    shape: Any,
    ternary: Any,
    rows: Any,
    columns: Any,
    signs: Any,
    seen: Any,
    found: Any,
    state: Any,
    stop: int,
    budget: int,
) -> bool:
    """Try the values of the open cells of a board; False if nothing is left to search on it.

    Otherwise the board may be full, or enough solutions were found in between, or else `state` has
    the cell to branch on: that whose two values had the most consequences, among those that were
    tried before the work ran out.
    """
    height = np.int64(shape[HEIGHT])
    lines = height + np.int64(shape[WIDTH])
    words = level_words(lines)
    _forget(seen, lines)
    most, best_row, best_column = -1, -1, -1
    while (
        state[FOUND] < stop
        and state[NODES] < budget
        and _next_cell(boards, base, shape, seen, state)
    ):
        row, column = state[BEST_ROW], state[BEST_COLUMN]
        before = _filled(boards, base, shape)
        trial, gain, failed = base + words, 1, -1
        for zero in range(2):
            if seen[at(zero * lines + row)] & cell(column):
                continue
            _copy(boards, base, trial, words)
            put(boards, trial, height, lines, row, column, zero)
            state[NODES] += 1
            if not propagate(boards, trial, shape, ternary, rows, columns, signs):
                failed = zero
                break
            if _is_full(boards, trial, shape):
                _store(boards, trial, shape, found, state)
                failed = zero
                break
            gain *= _filled(boards, trial, shape) - before
            for k in range(2 * lines):
                seen[at(k)] |= boards[at(trial + k)]
            trial += words
        if failed >= 0 and trial > base + words:
            # What follows from the other value is known.
            _copy(boards, base + words, base, words)
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
        if not propagate(boards, base, shape, ternary, rows, columns, signs):
            return False
        if _is_full(boards, base, shape):
            return True
    filled = ZERO
    if best_row >= 0:
        filled = boards[at(base + best_row)] | boards[at(base + lines + best_row)]
    if best_row >= 0 and not filled & cell(best_column):
        state[BEST_ROW], state[BEST_COLUMN] = best_row, best_column
    else:
        _forget(seen, lines)
        _next_cell(boards, base, shape, seen, state)
    return True


@njit
def _advance(
    boards: Any,
    shape: Any,
    ternary: Any,
    rows: Any,
    columns: Any,
    signs: Any,
    seen: Any,
    found: Any,
    state: Any,
    stop: int,
    budget: int,
    look_ahead: bool,
    salt: int,
) -> int:
    """Search on from where the state says; why it ended."""
    lines = np.int64(shape[HEIGHT] + shape[WIDTH])
    words = level_words(lines)
    while state[DEPTH] >= 0:
        if state[FOUND] >= stop:
            return STOPPED
        if state[NODES] >= budget:
            return BUDGET
        base = state[DEPTH] * words
        state[NODES] += 1
        alive = propagate(boards, base, shape, ternary, rows, columns, signs)
        if alive and not _is_full(boards, base, shape):
            if look_ahead:
                alive = _look_ahead(
                    boards,
                    base,
                    shape,
                    ternary,
                    rows,
                    columns,
                    signs,
                    seen,
                    found,
                    state,
                    stop,
                    budget,
                )
                if alive and state[FOUND] >= stop:
                    # The state is that of before, but what was found and settled stays settled.
                    continue
            else:
                _forget(seen, lines)
                _next_cell(boards, base, shape, seen, state)
        if alive and _is_full(boards, base, shape):
            _store(boards, base, shape, found, state)
            alive = False
        if alive:
            _branch(boards, base, shape, state, salt)
        else:
            state[DEPTH] -= 1
    return DONE


@njit(forceinline=True)
def _branch(boards: Any, base: int, shape: Any, state: Any, salt: int) -> None:
    """Set the chosen cell to one value on the next level, which is searched first, to the other
    here. The value that comes first is 1, or drawn by the cell and the salt.
    """
    height = np.int64(shape[HEIGHT])
    lines = height + np.int64(shape[WIDTH])
    words = level_words(lines)
    row, column = state[BEST_ROW], state[BEST_COLUMN]
    zero = 0
    if salt:
        zero = (((row * 64 + column) * 2 + 1) * salt >> 20) & 1
    _copy(boards, base, base + words, words)
    put(boards, base, height, lines, row, column, 1 - zero)
    put(boards, base + words, height, lines, row, column, zero)
    state[DEPTH] += 1


@njit
def search(
    cells: Any,
    signs: Any,
    shape: Any,
    ternary: Any,
    rows: Any,
    columns: Any,
    boards: Any,
    seen: Any,
    found: Any,
    states: Any,
    stop: int,
    budget: int,
    look_ahead: bool,
    salt: int,
) -> None:
    """Search on each of the puzzles whose state is not ended.

    With n puzzles of a shape, h rows and w columns:

    Args:
        cells: n x (h * w) bytes ``0``, ``1`` and ``.``, row by row.
        signs: n x 2 x (h + w) words, the equal and the opposite signs along each line; bit k is a
            sign between cells k and k + 1. Without signs it may be 1 x 2 x 0.
        shape: `propagation.SHAPE_WORDS` words.
        ternary: `line.ternary_numbers`.
        rows: `line.table` for rows, or empty.
        columns: the same for columns.
        boards: room for a search; one that goes on needs what it left there, so that only the
            search of a single puzzle can go on.
        seen: 2 * (h + w) words for what comes and goes.
        found: n x k x h words, room for the rows of the last k solutions of each.
        states: n x `STATE_WORDS` numbers, `FRESH` in all at first.
        stop: how many solutions are wanted of a puzzle.
        budget: how many nodes, with those before, may be spent on a puzzle.
        look_ahead: whether to try the values of the open cells before a branch.
        salt: draws the value that a branch tries first; 0 for always 1.
    """
    for k in range(len(cells)):
        state = states[k]
        if state[STATUS] == FRESH:
            load(cells[k], shape, boards)
        if state[STATUS] != DONE:
            state[STATUS] = _advance(
                boards,
                shape,
                ternary,
                rows,
                columns,
                signs[k if shape[SIGNED] else 0],
                seen,
                found[k],
                state,
                stop,
                budget,
                look_ahead,
                salt,
            )
