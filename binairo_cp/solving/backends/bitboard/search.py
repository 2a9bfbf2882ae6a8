"""Depth-first search on a stack of boards, with look-ahead where that pays off.

A node is one propagation. To branch, the search copies the board of a node, and sets an open cell
to 1 on one of the two boards and to 0 on the other. With look-ahead, it first tries the values of
the open cells. After that, most published puzzles need no branch and irreducible puzzles need few
(docs/bitboard.md has the numbers of nodes).
"""

from __future__ import annotations

from typing import Any, NamedTuple

from numba import njit

from binairo_cp.solving.backends.bitboard.levels import (
    BEST_COLUMN,
    BEST_ROW,
    DEPTH,
    FOUND,
    NODES,
    STATUS,
    copy,
    is_full,
    load,
    store,
)
from binairo_cp.solving.backends.bitboard.look_ahead import choose_cell, clear_implied, try_values
from binairo_cp.solving.backends.bitboard.propagation import level_words, propagate, set_cell

NOT_STARTED, DONE, STOPPED, BUDGET = 0, 1, 2, 3
"""The status of a search: not started, exhausted, or paused because enough solutions were found
(STOPPED) or the work ran out (BUDGET)."""


class Tables(NamedTuple):
    """The consequences of every state of a line; see `line.table`.

    Attributes:
        ternary: `line.ternary_numbers`.
        rows: `line.table` for rows; empty if there is none.
        columns: the same for columns.
    """

    ternary: Any
    rows: Any
    columns: Any


class Buffers(NamedTuple):
    """The memory for a search of h x w boards.

    Attributes:
        boards: the boards of all levels, with `propagation.level_words` words each.
        implied: 2 * (h + w) words: the values that other values implied.
    """

    boards: Any
    implied: Any


class Limits(NamedTuple):
    """When the search of a puzzle stops, and how it branches.

    Attributes:
        solutions: stop after this many solutions.
        nodes: stop after this many nodes, including those of earlier calls.
        look_ahead: 1 to try the values of open cells before branching, else 0.
        salt: seeds the random choice of the first value of a branch; with 0, it is always 1.
    """

    solutions: int
    nodes: int
    look_ahead: int
    salt: int


@njit
def _advance(
    boards: Any,
    shape: Any,
    tables: Any,
    signs: Any,
    implied: Any,
    found: Any,
    state: Any,
    limits: Any,
) -> int:
    """Resume a search from its state; return its new status."""
    lines = shape.height + shape.width
    words = level_words(lines)
    while state[DEPTH] >= 0:
        if state[FOUND] >= limits.solutions:
            return STOPPED
        if state[NODES] >= limits.nodes:
            return BUDGET
        base = state[DEPTH] * words
        state[NODES] += 1
        alive = propagate(boards, base, shape, tables, signs)
        if alive and not is_full(boards, base, shape):
            if limits.look_ahead:
                alive = try_values(
                    boards, base, shape, tables, signs, implied, found, state, limits
                )
                if alive and state[FOUND] >= limits.solutions:
                    # Resume on the same level later; the values found by look-ahead remain.
                    continue
            else:
                clear_implied(implied, lines)
                choose_cell(boards, base, shape, implied, state)
        if alive and is_full(boards, base, shape):
            store(boards, base, shape, found, state)
            alive = False
        if alive:
            _branch(boards, base, shape, state, limits.salt)
        else:
            state[DEPTH] -= 1
    return DONE


@njit(forceinline=True)
def _branch(boards: Any, base: int, shape: Any, state: Any, salt: int) -> None:
    """Set the chosen cell to one value on the next level, which is searched first, and to the other
    value on this level. The first value is 1, or a hash of the cell and the salt.
    """
    height = shape.height
    lines = height + shape.width
    words = level_words(lines)
    row, column = state[BEST_ROW], state[BEST_COLUMN]
    zero = 0
    if salt:
        zero = (((row * 64 + column) * 2 + 1) * salt >> 20) & 1
    copy(boards, base, base + words, words)
    set_cell(boards, base, height, lines, row, column, 1 - zero)
    set_cell(boards, base + words, height, lines, row, column, zero)
    state[DEPTH] += 1


@njit
def search(
    cells: Any,
    signs: Any,
    shape: Any,
    tables: Any,
    buffers: Any,
    found: Any,
    states: Any,
    limits: Any,
) -> None:
    """Search each puzzle whose status is not DONE.

    For n puzzles of one shape, with h rows and w columns:

    Args:
        cells: n x (h * w) bytes ``0``, ``1`` and ``.``, row by row.
        signs: n x 2 x (h + w) words, the equal and the opposite signs along each line; bit k is a
            sign between cells k and k + 1. Without signs, it can be 1 x 2 x 0.
        shape: the `Shape` of the puzzles.
        tables: the `Tables` of their lines.
        buffers: the `Buffers`. A resumed search needs their content, so only the search of a single
            puzzle can be resumed.
        found: n x k x h words; the rows of the last k solutions of each puzzle are stored here.
        states: n x `STATE_WORDS` numbers; all have the status `NOT_STARTED` at first.
        limits: the `Limits` of the search.
    """
    for k in range(len(cells)):
        state = states[k]
        if state[STATUS] == NOT_STARTED:
            load(cells[k], shape, buffers.boards)
        if state[STATUS] != DONE:
            state[STATUS] = _advance(
                buffers.boards,
                shape,
                tables,
                signs[k if signs.shape[2] else 0],
                buffers.implied,
                found[k],
                state,
                limits,
            )
