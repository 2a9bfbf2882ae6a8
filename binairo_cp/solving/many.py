"""Decide arrays of puzzles of one shape with one call of the compiled search."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from binairo_cp.kernels import bitboard as kernel
from binairo_cp.puzzle.rules import Rules
from binairo_cp.puzzle.verification import are_solutions
from binairo_cp.solving.backends import bitboard

Cells = npt.NDArray[np.uint8]
Words = npt.NDArray[np.uint64]
Flags = npt.NDArray[np.bool_]

_MOST_COUNTED = 1_000
"""The search counts no further; puzzles with more solutions are left to a separate search."""

NODES = 1_000
"""Default node limit per puzzle. Puzzles that need more are left to a separate search."""


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
    signs: Words | None = None,
    nodes: int = NODES,
) -> Decided:
    """Search for solutions of each puzzle.

    Args:
        clues: n x h x w bytes ``0``, ``1`` and ``.``; h and w at most `verification.LONGEST`.
        rules: the rules of all puzzles.
        limit: the number of solutions that ends the search for a puzzle.
        kept: the number of solutions per puzzle to return and check.
        signs: n x 2 x (h + w) words in the layout of the kernel; None or no words without signs.
        nodes: the node limit per puzzle.
    """
    number, height, width = clues.shape
    words = np.zeros((number, max(kept, 1), height), np.uint64)
    results = np.empty((number, 2), np.int64)
    cells = np.ascontiguousarray(clues, np.uint8).tobytes()
    has_signs = signs is not None and signs.shape[2] > 0
    sign_words = np.require(signs, np.uint64, ["C", "W"]).data if has_signs else None
    with bitboard.borrowed(height, width, rules) as searcher:
        searcher.prepare_tables(number)
        most = min(limit, _MOST_COUNTED)
        kernel.search_all(searcher.search, cells, sign_words, words.data, results.data, most, nodes)
    found, is_complete = results[:, 0], results[:, 1] == 1
    is_decided = is_complete | (found >= limit)
    solutions = []
    for k in range(kept):
        has = np.flatnonzero(found > k)
        all_have = len(has) == number
        boards = _boards(words[:, k] if all_have else words[has, k], width)
        those = slice(None) if all_have else has
        of_these = signs[those] if signs is not None and has_signs else None
        is_decided[those] &= are_solutions(boards, clues[those], rules, of_these)
        if not all_have:
            boards, some = np.zeros(clues.shape, np.uint8), boards
            boards[has] = some
        solutions.append(boards)
    return Decided(found, is_decided, is_complete, tuple(solutions))


def _boards(words: npt.NDArray[np.uint64], width: int) -> Cells:
    """The boards with these n x h words of rows, as n x h x w bytes ``0`` and ``1``."""
    rows = words.astype("<u8")
    size = -(-width // 8)
    packed = np.ascontiguousarray(rows.view(np.uint8).reshape(*rows.shape, 8)[:, :, :size])
    bits = np.unpackbits(packed.reshape(-1), bitorder="little")
    return bits.reshape(*rows.shape, 8 * size)[:, :, :width] + np.uint8(ord("0"))
