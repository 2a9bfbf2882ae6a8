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
    for side, times, tried in ((6, 800, 600), (10, 900, 120), (14, 700, 40)):
        clues = _instances(side)
        pieces[f"grades, {side}x{side}, without trials"] = _grades(clues, times, tries=False)
        pieces[f"grades, {side}x{side}, with trials"] = _grades(clues, tried, tries=True)
    pieces["grades, 10x10, irreducible"] = _grades(_irreducible(10), 30, tries=True)
    for side, times, level in (
        (6, 2_000, "easy"), (10, 400, "easy"), (14, 120, "easy"),
        (6, 700, "hard"), (10, 120, "hard"), (14, 50, "hard"),
        (6, 120, "expert"), (10, 8, "expert"), (14, 3, "expert"),
    ):  # fmt: skip
        pieces[f"closure, {side}x{side}, {level}"] = _closures(_instances(side), times, level)
    hard = [Puzzle(Board(10, 10, each)) for each in _irreducible(10)] * 12
    pieces["levels, 10x10, irreducible"] = partial(grading.levels_plain, hard)
    (easy, *_) = _instances(6)
    one = Puzzle(Board(6, 6, easy))
    pieces["grade, 6x6, one by one"] = lambda: [grading.grade_plain([one]) for _ in range(3_000)]
    return pieces


def _instances(side: int) -> list[str]:
    """The clues of our instances, which are like published puzzles."""
    files = sorted((_HERE.parent / "instances" / "classic").glob(f"{side:02}x{side:02}-*.txt"))
    return [entry.puzzle.board.cells for entry in read_sources(map(str, files)) if entry.puzzle]


def _irreducible(side: int) -> list[str]:
    lines = (_HERE / "data" / f"irreducible-{side}x{side}.line").read_text().splitlines()
    return [line.split()[0] for line in lines]


def _cells(boards: list[str], side: int) -> Cells:
    return np.frombuffer("".join(boards).encode(), np.uint8).reshape(-1, side, side)


def _grades(boards: list[str], times: int, *, tries: bool) -> Callable[[], object]:
    side = int(len(boards[0]) ** 0.5)
    puzzles = [Puzzle(Board(side, side, each)) for each in boards] * times
    return lambda: grading.grade_plain(puzzles, tries)


def _closures(boards: list[str], times: int, level: Level) -> Callable[[], object]:
    """Whether the clues of each board without one of them still give it."""
    assert level in LEVELS
    side = int(len(boards[0]) ** 0.5)
    clues = _cells(boards, side).reshape(len(boards), -1)
    puzzle, place = np.nonzero(clues != ord("."))
    fewer = clues[puzzle]
    fewer[np.arange(len(fewer)), place] = ord(".")
    fewer, targets = np.repeat(fewer, times, axis=0), np.repeat(place[:, None], times, axis=0)
    shape = Shape.of(side, side, CLASSIC)
    return lambda: closure.reaches(fewer, shape, level, targets)
