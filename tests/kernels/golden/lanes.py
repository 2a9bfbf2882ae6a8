"""Puzzles propagated side by side: which of them are solved, and their boards."""

from __future__ import annotations

import random
from typing import Any
from unittest.mock import patch
from zlib import crc32

from binairo_cp import Board, Puzzle, Rules
from binairo_cp.kernels import lanes, why_uncompiled
from binairo_cp.puzzle.rules import CLASSIC, UNRULY
from binairo_cp.solving.backends.bitboard import Bitboard, max_counts

SHAPES = [(1, 1), (4, 4), (4, 6), (5, 6), (6, 6), (7, 7), (10, 10)]
LARGE_SHAPES = [(6, 10), (12, 12), (14, 14), (9, 20), (20, 20), (32, 24), (32, 32)]
RULES = [CLASSIC, UNRULY, Rules(odd="ones"), Rules(balanced=False)]
NUMBER = 300
"""More puzzles than the widest vectors have bits of some processors, and fewer than of others."""


def results() -> dict[str, Any]:
    """The results for all shapes."""
    return quick() | {f"{h}x{w}": _solved(h, w, CLASSIC) for h, w in SHAPES + LARGE_SHAPES}


def quick() -> dict[str, Any]:
    """A part of the results. The sources run with vectors of several widths."""
    return {
        f"{h}x{w}, {number}": _solved(h, w, rules)
        for h, w in SHAPES
        for number, rules in enumerate(RULES[: 1 + 3 * (h * w < 50)])
    }


def _solved(height: int, width: int, rules: Rules) -> list[int]:
    """How many puzzles are solved, and a checksum of which, and of their solutions."""
    puzzles = list(_puzzles(height, width, rules))
    found = set()
    # Compiled, the number of bytes is fixed.
    for size in (8, 64) if why_uncompiled() else (0,):
        with patch.object(lanes, "VECTOR", size, create=True):
            rows, columns = (
                lanes.LineRules(length, *max_counts(length, rules)) for length in (width, height)
            )
            group = lanes.LaneBoards(rows, columns, rules.distinct_lines)
            clues = "".join(puzzles).encode()
            boards, is_solved = bytearray(len(clues)), bytearray(NUMBER)
            lanes.solve_all(group, clues, boards, is_solved)
        cells = height * width
        solutions = (boards[k * cells : (k + 1) * cells] for k in range(NUMBER) if is_solved[k])
        found.add((sum(is_solved), crc32(is_solved), crc32(b"".join(solutions))))
    (each,) = found
    return list(each)


def _puzzles(height: int, width: int, rules: Rules) -> list[str]:
    """Boards with many cells erased, a few of them with a changed cell."""
    rng = random.Random(f"{height} {width} {rules}")
    boards = list(Bitboard().solutions(Puzzle(Board.empty(height, width), rules), limit=100))
    puzzles = []
    for _ in range(NUMBER):
        cells = list(rng.choice(boards or [Board.empty(height, width)]).cells)
        kept = rng.choice([0.2, 0.4, 0.6, 1])
        cells = [cell if rng.random() < kept else "." for cell in cells]
        if rng.random() < 0.1:
            cells[rng.randrange(len(cells))] = rng.choice("01")
        puzzles.append("".join(cells))
    return puzzles
