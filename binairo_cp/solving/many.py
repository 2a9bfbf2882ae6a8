"""Decide arrays of puzzles of one shape in compiled code.

Puzzles without signs are propagated side by side first. Those that this does not solve are
searched, from their clues. The results are the same as without it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from binairo_cp.kernels import bitboard as kernel
from binairo_cp.kernels import lanes
from binairo_cp.puzzle.rules import Rules
from binairo_cp.puzzle.shape import Shape
from binairo_cp.puzzle.symmetries import Signs
from binairo_cp.puzzle.verification import Cells, Flags, are_solutions
from binairo_cp.solving.backends import bitboard

Words = npt.NDArray[np.uint64]

_MOST_COUNTED = 1_000
"""The search counts no further; puzzles with more solutions are left to a separate search."""

_OPEN = ord(".")

NODES = 1_000
"""Default node limit per puzzle. Puzzles that need more are left to a separate search."""


class Decided(NamedTuple):
    """The results for n puzzles of h x w cells.

    Attributes:
        found: n numbers of solutions found.
        is_decided: n flags: all solutions or as many as the limit were found, and
            `verification.are_solutions` accepted all kept solutions.
        is_complete: n flags: all solutions were found.
        solutions: for each kept solution, n x h x w bytes ``0`` and ``1``. The boards of puzzles
            with fewer solutions may have open cells (``.``) too, and mean nothing.
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
        clues: n x h x w bytes ``0``, ``1`` and ``.``; h and w at most `shape.LONGEST`.
        rules: the rules of all puzzles.
        limit: the number of solutions that ends the search for a puzzle.
        kept: the number of solutions per puzzle to return and check.
        signs: n x 2 x (h + w) words in the layout of the kernel; None or no words without signs.
        nodes: the node limit per puzzle.
    """
    number = len(clues)
    found, is_complete = np.ones(number, np.int64), np.ones(number, bool)
    solutions = [np.full(clues.shape, _OPEN, np.uint8) for _ in range(kept)]
    has_signs = signs is not None and signs.shape[2] > 0
    left, begun = np.arange(number), clues
    shape = Shape.of(*clues.shape[1:], rules)
    if not has_signs and shape.fits_lanes(number):
        boards, is_solved = _propagated(clues, shape)
        solutions[:1] = [boards][:kept]
        left = np.flatnonzero(~is_solved)
        # The clues stay. If propagation found another value for one, there is no solution.
        begun = np.where(clues[left] == _OPEN, boards[left], clues[left])
    if len(left):
        some = left if len(left) < number else slice(None)
        of_these = signs[some] if signs is not None and has_signs else None
        words, results = _search(begun, rules, limit, max(kept, 1), of_these, nodes)
        found[some], is_complete[some] = results[:, 0], results[:, 1] == 1
        for k, boards in enumerate(solutions):
            has = np.flatnonzero(results[:, 0] > k)
            boards[left[has]] = _boards(words[has, k], clues.shape[2])
    is_decided = is_complete | (found >= limit)
    for k, boards in enumerate(solutions):
        has = np.flatnonzero(found > k)
        if not len(has):
            break
        those = slice(None) if len(has) == number else has
        of_those = signs[those] if signs is not None and has_signs else None
        is_decided[those] &= are_solutions(boards[those], clues[those], rules, of_those)
    return Decided(found, is_decided, is_complete, tuple(solutions))


def _search(
    clues: Cells, rules: Rules, limit: int, kept: int, signs: Words | None, nodes: int
) -> tuple[Words, npt.NDArray[np.int64]]:
    """The results of `kernel.search_all`: n x kept x h words, and n x 2 numbers."""
    number, height, width = clues.shape
    words = np.zeros((number, kept, height), np.uint64)
    results = np.empty((number, 2), np.int64)
    cells = np.ascontiguousarray(clues, np.uint8).tobytes()
    of_signs = None if signs is None else np.require(signs, np.uint64, ["C", "W"]).data
    with bitboard.borrowed(height, width, rules) as searcher:
        searcher.prepare_tables(number)
        most = min(limit, _MOST_COUNTED)
        kernel.search_all(searcher.search, cells, of_signs, words.data, results.data, most, nodes)
    return words, results


def _propagated(clues: Cells, shape: Shape) -> tuple[Cells, Flags]:
    """The boards after propagation, and which of them are solved."""
    boards, is_solved = bytearray(clues), bytearray(len(clues))
    group = lanes.LaneSolver(*shape.lane_rules(), bool(shape.distinct_rows))
    lanes.solve_all(group, boards, is_solved)
    flags = np.frombuffer(is_solved, np.uint8) == 1
    return np.frombuffer(boards, np.uint8).reshape(clues.shape), flags


def _boards(words: npt.NDArray[np.uint64], width: int) -> Cells:
    """The boards with these n x h words of rows, as n x h x w bytes ``0`` and ``1``."""
    rows = words.astype("<u8")
    size = -(-width // 8)
    packed = np.ascontiguousarray(rows.view(np.uint8).reshape(*rows.shape, 8)[:, :, :size])
    bits = np.unpackbits(packed.reshape(-1), bitorder="little")
    return bits.reshape(*rows.shape, 8 * size)[:, :, :width] + np.uint8(ord("0"))


def sign_words(signs: Sequence[Signs], height: int, width: int) -> npt.NDArray[np.uint64]:
    """The signs of n puzzles along their lines: n x 2 (equal, opposite) x (height + width) words.

    Bit k of a word is a sign between cells k and k + 1 of the line.
    """
    lines = height + width
    places = []
    bits = []
    for number, some in enumerate(signs):
        for (relation, line), bit in bitboard.sign_places(some, height, width):
            places.append((2 * number + relation) * lines + line)
            bits.append(bit)
    words = np.zeros(len(signs) * 2 * lines, np.uint64)
    np.bitwise_or.at(words, places, np.array(bits, np.uint64))
    return words.reshape(-1, 2, lines)
