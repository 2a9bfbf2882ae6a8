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


@cython.nogil_noexcept
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


@cython.inline_nogil_noexcept
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


@cython.nogil_noexcept
def _start(search: Search, cells: cython.p_uchar, puzzle: Index) -> None:
    """Begin with a puzzle; its clues follow those of the puzzles before it."""
    search.puzzle = puzzle
    search.depth = search.found = search.nodes = 0
    search.best_row = search.best_column = 0
    load(search, cells, puzzle * search.height * search.width)


def _set_up(
    search: Search,
    number: Index,
    cells: bytes,
    signs: Word[:, :, ::1] | None,
    solutions: Word[:, :, ::1],
) -> None:
    """Check the sizes of the arguments, and keep the arrays."""
    if len(cells) != number * search.height * search.width:
        raise ValueError("the number of cells is not that of the boards")
    shape = solutions.shape
    if shape[0] != number or shape[1] < 1 or shape[2] != search.height:
        raise ValueError("expected solutions of n x k x height words")
    search.signed = signs is not None
    if signs is not None:
        if signs.shape[0] != number or signs.shape[1] != 2 or signs.shape[2] != search.lines:
            raise ValueError("expected signs of n x 2 x (height + width) words")
        search.signs = signs
    search.solutions, search.kept = solutions, shape[1]


def start(
    search: Search, cells: bytes, signs: Word[:, :, ::1] | None, solutions: Word[:, :, ::1]
) -> None:
    """Begin the search of one puzzle, which `resume` continues.

    For h rows and w columns:

    Args:
        search: the rules and the memory.
        cells: h * w bytes ``0``, ``1`` and ``.``, row by row.
        signs: 1 x 2 x (h + w) words, as in `Search`; None without signs.
        solutions: 1 x k x h words; the rows of the last k solutions are stored here.

    Raises:
        ValueError: an argument has another size.
    """
    _set_up(search, 1, cells, signs, solutions)
    _start(search, cells, 0)


def resume(
    search: Search, most_found: Index, most_nodes: Index, look_ahead: cython.bint, salt: Index
) -> tuple[bool, int, int]:
    """Continue the search of one puzzle; the limits are those in `Search`.

    Returns:
        Whether all solutions were found, how many were found, and the nodes spent, both in total.

    Raises:
        ValueError: the search has no rules.
    """
    if not search.lines:
        raise ValueError("expected a search with rules and memory")
    search.most_found, search.most_nodes = most_found, most_nodes
    search.look_ahead, search.salt = look_ahead, salt
    with cython.nogil:
        status = _advance(search)
    return status == DONE, search.found, search.nodes


def solution(search: Search, number: Index) -> bytearray:
    """A solution of one puzzle by its number, from 0, as bytes ``0`` and ``1``.

    Raises:
        ValueError: it is not among those stored.
    """
    if not max(0, search.found - search.kept) <= number < search.found:
        raise ValueError("this solution is not stored")
    cells = bytearray(search.height * search.width)
    place: Index = 0
    bytes_of_cells: cython.p_uchar = cells
    for row in range(search.height):
        ones = search.solutions[0, number % search.kept, row]
        for column in range(search.width):
            bytes_of_cells[place] = 48 + ((ones >> column) & 1)
            place += 1
    return cells


def search_all(
    search: Search,
    cells: bytes,
    signs: Word[:, :, ::1] | None,
    solutions: Word[:, :, ::1],
    results: cython.longlong[:, ::1],
    most_found: Index,
    most_nodes: Index,
) -> None:
    """Search each of n puzzles with look-ahead.

    For h rows and w columns:

    Args:
        search: the rules and the memory.
        cells: n x h * w bytes ``0``, ``1`` and ``.``, row by row.
        signs: n x 2 x (h + w) words, as in `Search`; None without signs.
        solutions: n x k x h words; the rows of the last k solutions of each puzzle are stored here.
        results: n x 2 numbers, which are set: the number of solutions found, and 1 if these are all
            solutions, else 0.
        most_found: as in `Search`.
        most_nodes: as in `Search`.

    Raises:
        ValueError: an argument has another size.
    """
    number: Index = results.shape[0]
    if results.shape[1] != 2:
        raise ValueError("expected results of n x 2 numbers")
    _set_up(search, number, cells, signs, solutions)
    search.most_found, search.most_nodes = most_found, most_nodes
    search.look_ahead, search.salt = True, 0
    data: cython.p_uchar = cells
    with cython.nogil:
        for k in range(number):
            _start(search, data, k)
            results[k, 1] = _advance(search) == DONE
            results[k, 0] = search.found
