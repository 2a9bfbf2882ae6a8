"""Depth-first search on a stack of boards, with look-ahead where that pays off.

A node is one propagation. To branch, the search copies the board of a node, and sets an open cell
to 1 on one of the two boards and to 0 on the other. With look-ahead, it first tries the values of
the open cells. After that, most published puzzles need no branch and irreducible puzzles need few
(docs/bitboard.md has the numbers of nodes).
"""

from __future__ import annotations

from binairo_cp.kernels import cython_stub as cython
from binairo_cp.kernels.bitboard.levels import (
    BUDGET,
    DONE,
    NOT_STARTED,
    STOPPED,
    Search,
    copy,
    is_full,
    load,
    store,
)
from binairo_cp.kernels.bitboard.look_ahead import choose_cell, clear_implied, try_values
from binairo_cp.kernels.bitboard.propagation import propagate, set_cell
from binairo_cp.kernels.words import Index, Word


@cython.cfunc
@cython.nogil
def _advance(search: Search) -> Index:
    """Resume a search from its state; return its new status."""
    while search.depth >= 0:
        if search.found >= search.most_found:
            return STOPPED
        if search.nodes >= search.most_nodes:
            return BUDGET
        base = search.depth * search.words
        search.nodes += 1
        alive = propagate(search, base)
        if alive and not is_full(search, base):
            if search.look_ahead:
                alive = try_values(search, base)
                if alive and search.found >= search.most_found:
                    # Resume on the same level later; the values found by look-ahead remain.
                    continue
            else:
                clear_implied(search)
                choose_cell(search, base)
        if alive and is_full(search, base):
            store(search, base)
            alive = False
        if alive:
            _branch(search, base)
        else:
            search.depth -= 1
    return DONE


@cython.cfunc
@cython.inline
@cython.nogil
def _branch(search: Search, base: Index) -> None:
    """Set the chosen cell to one value on the next level, which is searched first, and to the other
    value on this level. The first value is 1, or a hash of the cell and the salt.
    """
    row, column = search.best_row, search.best_column
    zero: Index = 0
    if search.salt:
        zero = (((row * 64 + column) * 2 + 1) * search.salt >> 20) & 1
    copy(search, base, base + search.words)
    set_cell(search, base, row, column, 1 - zero)
    set_cell(search, base + search.words, row, column, zero)
    search.depth += 1


def search_all(
    search: Search,
    cells: cython.uchar[:, ::1],
    signs: Word[:, :, ::1],
    solutions: Word[:, :, ::1],
    states: cython.longlong[:, ::1],
    most_found: Index,
    most_nodes: Index,
    look_ahead: cython.bint,
    salt: Index,
) -> None:
    """Search each puzzle whose status is not DONE.

    For n puzzles of one shape, with h rows and w columns:

    Args:
        search: the rules and the memory.
        cells: n x (h * w) bytes ``0``, ``1`` and ``.``, row by row.
        signs: n x 2 x (h + w) words, as in `Search`. Without signs, it can be 1 x 2 x 0.
        solutions: n x k x h words; the rows of the last k solutions of each puzzle are stored here.
        states: n x 6 numbers, all 0 at first: the status, depth, found, nodes, best row and column.
        most_found: as in `Search`.
        most_nodes: as in `Search`.
        look_ahead: as in `Search`.
        salt: as in `Search`.
    """
    search.signs, search.solutions = signs, solutions
    search.signed, search.kept = signs.shape[2] > 0, solutions.shape[1]
    search.most_found, search.most_nodes = most_found, most_nodes
    search.look_ahead, search.salt = look_ahead, salt
    number: Index = cells.shape[0]
    with cython.nogil:
        for k in range(number):
            search.puzzle = k
            search.status, search.depth = states[k, 0], states[k, 1]
            search.found, search.nodes = states[k, 2], states[k, 3]
            search.best_row, search.best_column = states[k, 4], states[k, 5]
            if search.status == NOT_STARTED:
                load(search, cells)
            if search.status != DONE:
                search.status = _advance(search)
            states[k, 0], states[k, 1] = search.status, search.depth
            states[k, 2], states[k, 3] = search.found, search.nodes
            states[k, 4], states[k, 5] = search.best_row, search.best_column
