"""Grades, and closures as the generator uses them: each of the clues is tried without."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt

from binairo_cp import CLASSIC, Board, Puzzle
from binairo_cp.deduction import closure, grading
from binairo_cp.deduction.techniques import LEVELS, Level
from binairo_cp.formats import read_sources
from binairo_cp.puzzle.shape import Shape

_HERE = Path(__file__).parent.parent
Cells = npt.NDArray[np.uint8]


def work() -> dict[str, Callable[[], object]]:
    """The grades and the closures by name."""
    pieces: dict[str, Callable[[], object]] = {}
    for side, times, tried in ((6, 400, 100), (10, 150, 8), (14, 60, 1)):
        clues = _instances(side)
        pieces[f"grades, {side}x{side}, without trials"] = _grades(clues, times, tries=False)
        pieces[f"grades, {side}x{side}, with trials"] = _grades(clues, tried, tries=True)
    pieces["grades, 10x10, irreducible"] = _grades(_irreducible(10)[:20], 1, tries=True)
    for side, times, level in (
        (6, 100, "easy"), (10, 60, "easy"), (14, 30, "easy"),
        (6, 100, "hard"), (10, 60, "hard"), (14, 30, "hard"),
        (6, 20, "expert"), (10, 2, "expert"), (14, 1, "expert"),
    ):  # fmt: skip
        pieces[f"closure, {side}x{side}, {level}"] = _closures(_instances(side), times, level)
    hard = [Puzzle(Board(10, 10, each)) for each in _irreducible(10)] * 2
    pieces["levels, 10x10, irreducible"] = partial(grading.levels_plain, hard)
    one = _instances(6)[:1]
    pieces["grade, 6x6, one by one"] = lambda: [
        grading.grade_arrays(_cells(one, 6), CLASSIC) for _ in range(500)
    ]
    return pieces


def _instances(side: int) -> list[str]:
    """The clues of our instances, which are like published puzzles."""
    files = sorted((_HERE.parent / "instances" / "classic").glob(f"{side:02}x{side:02}-*.txt"))
    return [entry.puzzle.board.cells for entry in read_sources(map(str, files)) if entry.puzzle]


def _irreducible(side: int) -> list[str]:
    lines = (_HERE / "data" / f"irreducible-{side}x{side}.line").read_text().splitlines()
    return [line.split()[0] for line in lines]


def _cells(boards: list[str], side: int) -> Cells:
    cells = np.frombuffer("".join(boards).encode(), np.uint8).reshape(-1, side, side)
    return np.where(cells == ord("."), np.uint8(2), cells & 1).astype(np.uint8)


def _grades(boards: list[str], times: int, *, tries: bool) -> Callable[[], object]:
    clues = np.repeat(_cells(boards, int(len(boards[0]) ** 0.5)), times, axis=0)
    return lambda: grading.grade_arrays(clues, CLASSIC, tries)


def _closures(boards: list[str], times: int, level: Level) -> Callable[[], object]:
    """Whether the clues of each board without one of them still give it."""
    assert level in LEVELS
    side = int(len(boards[0]) ** 0.5)
    clues = _cells(boards, side).reshape(len(boards), -1)
    puzzle, place = np.nonzero(clues < 2)
    fewer = clues[puzzle]
    fewer[np.arange(len(fewer)), place] = 2
    fewer, targets = np.repeat(fewer, times, axis=0), np.repeat(place[:, None], times, axis=0)
    shape = Shape.of(side, side, CLASSIC)
    return lambda: closure.reaches(fewer, closure.NO_SIGNS, shape, level, targets)
