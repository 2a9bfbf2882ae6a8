"""Decide arrays of puzzles of one shape with one call of the compiled search.

Few puzzles are decided by clause learning until the search is loaded or compiled.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from binairo_cp.puzzle.board import Board
from binairo_cp.puzzle.rules import Puzzle, Rules
from binairo_cp.puzzle.verification import are_solutions
from binairo_cp.solving import loading
from binairo_cp.solving.backends.bitboard import kernel, searchers
from binairo_cp.solving.backends.bitboard.levels import FOUND, STATUS
from binairo_cp.solving.backends.bitboard.search import DONE, Limits
from binairo_cp.solving.backends.pysat import PySat

Cells = npt.NDArray[np.uint8]
Flags = npt.NDArray[np.bool_]

_MOST_COUNTED = 1_000
"""The search counts no further; puzzles with more solutions are left to a separate search."""

NODES = 1_000
"""Default node limit per puzzle. Puzzles that need more are left to a separate search."""


_EASY_CELLS = 150
"""On boards with at most so many cells, clause learning decides every puzzle in little time. It has
no limit of nodes. The compiled search needed at most 513 for the clues of 300 puzzles of 10x10.
"""


class Decided(NamedTuple):
    """The results for n puzzles of h x w cells.

    Attributes:
        found: n numbers of solutions found.
        is_decided: n flags: all solutions or as many as the limit were found, and
            `verification.are_solutions` accepted all kept solutions.
        is_complete: n flags: all solutions were found.
        solutions: for each kept solution, n x h x w bytes ``0`` and ``1``. The board of a puzzle
            with fewer solutions is undefined.
    """

    found: npt.NDArray[np.int64]
    is_decided: Flags
    is_complete: Flags
    solutions: tuple[Cells, ...]


def decide(
    clues: Cells,
    rules: Rules,
    limit: int,
    kept: int = 0,
    signs: npt.NDArray[np.uint64] = kernel.NO_SIGNS,
    nodes: int = NODES,
) -> Decided:
    """Search for solutions of each puzzle.

    Args:
        clues: n x h x w bytes ``0``, ``1`` and ``.``; h and w at most `verification.LONGEST`.
        rules: the rules of all puzzles.
        limit: the number of solutions that ends the search for a puzzle.
        kept: the number of solutions per puzzle to return and check.
        signs: n x 2 x (h + w) words in the layout of the kernel, or `kernel.NO_SIGNS`.
        nodes: the node limit per puzzle; clause learning has none.
    """
    number, height, width = clues.shape
    if (
        kept == 0
        and height * width <= _EASY_CELLS
        and not signs.shape[2]
        and not loading.BITBOARD.pays_off(clues.size)
    ):
        return _decide_each(clues, rules, limit)
    words = np.zeros((number, max(kept, 1), height), np.uint64)
    states = kernel.new_states(number)
    with searchers.borrowed(height, width, rules) as searcher:
        searcher.prepare_tables(number)
        searcher.search(
            np.require(clues.reshape(number, -1), np.uint8, requirements=["C", "W"]),
            np.ascontiguousarray(signs, np.uint64),
            words,
            states,
            Limits(min(limit, _MOST_COUNTED), nodes, 1, 0),
        )
    found, is_complete = states[:, FOUND], states[:, STATUS] == DONE
    is_decided = is_complete | (found >= limit)
    solutions = []
    for k in range(kept):
        has = np.flatnonzero(found > k)
        all_have = len(has) == number
        boards = _boards(words[:, k] if all_have else words[has, k], width)
        those = slice(None) if all_have else has
        of_these = signs[those] if signs.shape[2] else None
        is_decided[those] &= are_solutions(boards, clues[those], rules, of_these)
        if not all_have:
            boards, some = np.zeros(clues.shape, np.uint8), boards
            boards[has] = some
        solutions.append(boards)
    return Decided(found, is_decided, is_complete, tuple(solutions))


def _decide_each(clues: Cells, rules: Rules, limit: int) -> Decided:
    """Decide puzzles one by one, by clause learning, without limits."""
    _, height, width = clues.shape
    puzzles = [Puzzle(Board(height, width, each.tobytes().decode()), rules) for each in clues]
    found = [sum(1 for _ in PySat().solutions(puzzle, limit=limit)) for puzzle in puzzles]
    numbers = np.array(found, np.int64)
    return Decided(numbers, np.ones(len(clues), bool), numbers < limit, ())


def _boards(words: npt.NDArray[np.uint64], width: int) -> Cells:
    """The boards with these n x h words of rows, as n x h x w bytes ``0`` and ``1``."""
    rows = words.astype("<u8")
    size = -(-width // 8)
    packed = np.ascontiguousarray(rows.view(np.uint8).reshape(*rows.shape, 8)[:, :, :size])
    bits = np.unpackbits(packed.reshape(-1), bitorder="little")
    return bits.reshape(*rows.shape, 8 * size)[:, :, :width] + np.uint8(ord("0"))
