"""Puzzles side by side: which of them are solved, their boards, and the beginnings of grades."""

import random
from collections.abc import Iterator
from contextlib import ExitStack
from importlib import import_module
from typing import Any
from unittest.mock import patch
from zlib import crc32

from binairo_cp import Board, Puzzle, Rules
from binairo_cp.kernels import deduction, lanes, why_uncompiled
from binairo_cp.puzzle.rules import CLASSIC, UNRULY
from binairo_cp.solving.backends.bitboard import Bitboard, max_counts

SHAPES = [(1, 1), (4, 4), (4, 6), (5, 6), (6, 6), (7, 7), (10, 10)]
LARGE_SHAPES = [(6, 10), (12, 12), (14, 14), (9, 20), (20, 20), (32, 24), (32, 32)]
RULES = [CLASSIC, UNRULY, Rules(odd="ones"), Rules(balanced=False)]
NUMBER = 300
"""More puzzles than the widest vectors have bits of some processors, and fewer than of others."""


def results() -> dict[str, Any]:
    """The results for all shapes."""
    large = {f"{h}x{w}": (h, w, CLASSIC) for h, w in SHAPES + LARGE_SHAPES}
    return quick() | _both(large)


def quick() -> dict[str, Any]:
    """A part of the results. The sources run with vectors of several widths."""
    return _both(
        {
            f"{h}x{w}, {number}": (h, w, rules)
            for h, w in SHAPES
            for number, rules in enumerate(RULES[: 1 + 3 * (h * w < 50)])
        }
    )


def _both(boards: dict[str, tuple[int, int, Rules]]) -> dict[str, Any]:
    solved = {name: _solved(*each) for name, each in boards.items()}
    return solved | {f"grades, {name}": _graded(*each) for name, each in boards.items()}


def _lines(height: int, width: int, rules: Rules) -> Iterator[lanes.LineRules]:
    return (lanes.LineRules(length, *max_counts(length, rules)) for length in (width, height))


def _widths() -> Iterator[None]:
    """Several widths of vectors for the sources. Compiled, the number of bytes is fixed."""
    if not why_uncompiled():
        yield
        return
    for size in (8, 64):
        with ExitStack() as patches:
            for name in ("boards", "solving", "grading"):
                module = import_module(f"{lanes.__name__}.{name}")
                patches.enter_context(patch.object(module, "VECTOR", size))
            yield


def _solved(height: int, width: int, rules: Rules) -> list[int]:
    """How many puzzles are solved, and a checksum of which, and of their solutions."""
    clues = "".join(_puzzles(height, width, rules)).encode()
    found = set()
    for _ in _widths():
        group = lanes.LaneSolver(*_lines(height, width, rules), rules.distinct_lines)
        boards, is_solved = bytearray(clues), bytearray(NUMBER)
        lanes.solve_all(group, boards, is_solved)
        cells = height * width
        solutions = (boards[k * cells : (k + 1) * cells] for k in range(NUMBER) if is_solved[k])
        found.add((sum(is_solved), crc32(is_solved), crc32(b"".join(solutions))))
    (each,) = found
    return list(each)


def _graded(height: int, width: int, rules: Rules) -> list[int]:
    """Checksums of the boards after the techniques that lanes have, and of the results."""
    found = set()
    for _ in _widths():
        boards = bytearray("".join(_puzzles(height, width, rules)).encode())
        size = NUMBER, deduction.RESULT_WORDS
        results = memoryview(bytearray(8 * size[0] * size[1])).cast("q", size)
        lanes.begin_grades(lanes.LaneGrader(*_lines(height, width, rules)), boards, results)
        found.add((crc32(boards), crc32(repr(results.tolist()).encode())))
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
