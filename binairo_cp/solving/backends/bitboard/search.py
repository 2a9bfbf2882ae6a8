"""The search: depth first, with look-ahead where that pays, on a stack of boards.

A node of work is one propagation. Without look-ahead, a node's board is copied, an open cell is
set to 1 on the one and to 0 on the other. With look-ahead, the values of open cells are tried
first. Most published puzzles need no branch after that, and irreducible ones few
(docs/bitboard.md has how many nodes).
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
from binairo_cp.solving.backends.bitboard.look_ahead import forget, next_cell, try_values
from binairo_cp.solving.backends.bitboard.propagation import level_words, propagate, put

FRESH, DONE, STOPPED, BUDGET = 0, 1, 2, 3
"""How far a search is: not begun, ended since there is no more, or paused since as many solutions
as wanted were found or the work ran out."""


class Tables(NamedTuple):
    """What is known of every state of a line; see `line.table`.

    Attributes:
        ternary: `line.ternary_numbers`.
        rows: `line.table` for rows; empty if there is none.
        columns: the same for columns.
    """

    ternary: Any
    rows: Any
    columns: Any


class Room(NamedTuple):
    """The memory of a search of h x w boards.

    Attributes:
        boards: the boards of all levels, `propagation.level_words` words each.
        seen: 2 * (h + w) words: the values that followed from other ones.
    """

    boards: Any
    seen: Any


class Limits(NamedTuple):
    """When a search of a puzzle stops, and how it branches.

    Attributes:
        solutions: stop after this many solutions.
        nodes: stop after this many nodes, those of earlier calls included.
        look_ahead: 1 to try the values of open cells before branching, else 0.
        salt: seeds the choice of the value that a branch tries first; 0 always tries 1 first.
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
    seen: Any,
    found: Any,
    state: Any,
    limits: Any,
) -> int:
    """Search on from where the state says; why it ended."""
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
                alive = try_values(boards, base, shape, tables, signs, seen, found, state, limits)
                if alive and state[FOUND] >= limits.solutions:
                    # The state is that of before, but what was found and settled stays settled.
                    continue
            else:
                forget(seen, lines)
                next_cell(boards, base, shape, seen, state)
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
    """Set the chosen cell to one value on the next level, which is searched first, to the other
    here. The value that comes first is 1, or drawn by the cell and the salt.
    """
    height = shape.height
    lines = height + shape.width
    words = level_words(lines)
    row, column = state[BEST_ROW], state[BEST_COLUMN]
    zero = 0
    if salt:
        zero = (((row * 64 + column) * 2 + 1) * salt >> 20) & 1
    copy(boards, base, base + words, words)
    put(boards, base, height, lines, row, column, 1 - zero)
    put(boards, base + words, height, lines, row, column, zero)
    state[DEPTH] += 1


@njit
def search(
    cells: Any,
    signs: Any,
    shape: Any,
    tables: Any,
    room: Any,
    found: Any,
    states: Any,
    limits: Any,
) -> None:
    """Search on each of the puzzles whose state is not ended.

    With n puzzles of a shape, h rows and w columns:

    Args:
        cells: n x (h * w) bytes ``0``, ``1`` and ``.``, row by row.
        signs: n x 2 x (h + w) words, the equal and the opposite signs along each line; bit k is a
            sign between cells k and k + 1. Without signs it may be 1 x 2 x 0.
        shape: the `Shape` of the puzzles.
        tables: the `Tables` of their lines.
        room: a `Room`. A search that goes on needs what it left there, so only the search of a
            single puzzle can go on.
        found: n x k x h words, room for the rows of the last k solutions of each.
        states: n x `STATE_WORDS` numbers, `FRESH` in all at first.
        limits: the `Limits` of the search.
    """
    for k in range(len(cells)):
        state = states[k]
        if state[STATUS] == FRESH:
            load(cells[k], shape, room.boards)
        if state[STATUS] != DONE:
            state[STATUS] = _advance(
                room.boards,
                shape,
                tables,
                signs[k if signs.shape[2] else 0],
                room.seen,
                found[k],
                state,
                limits,
            )
