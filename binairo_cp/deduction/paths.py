"""Solving paths of many puzzles: which technique fills which cells, round by round."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from binairo_cp.deduction.driver import GRADED, rounds
from binairo_cp.deduction.grading import Grade, grade_of, grade_plain, is_plain
from binairo_cp.kernels import deduction as kernel
from binairo_cp.puzzle.rules import Puzzle


class PathRound(NamedTuple):
    """All that the easiest technique finds on a board.

    Attributes:
        cells: The cells that it fills, numbered row by row from 0.
    """

    technique: str
    cells: list[int]


def graded_paths(puzzles: Sequence[Puzzle]) -> Iterator[tuple[Grade, list[PathRound]]]:
    """The grade and the path of each puzzle; compiled code finds them if there are no signs.

    Args:
        puzzles: Puzzles of the same shape and rules, each of which has exactly one solution.
    """
    if not puzzles:
        return
    grades: Sequence[Grade | None] = [None] * len(puzzles)
    filled = np.zeros((len(puzzles), len(puzzles[0].board.cells)), np.uint32)
    if is_plain(puzzles[0]):
        grades = grade_plain(puzzles, filled=filled.data)
    for puzzle, grade, notes in zip(puzzles, grades, filled, strict=True):
        yield (grade, _path_of(notes)) if grade else _slow(puzzle)


def _path_of(notes: npt.NDArray[np.uint32]) -> list[PathRound]:
    order = np.argsort(notes, kind="stable")
    order = order[notes[order] > 0]
    both = zip(notes[order].tolist(), order.tolist(), strict=True)
    return [
        PathRound(kernel.GRADED[note % kernel.LEN_GRADED], [cell for _, cell in cells])
        for note, cells in groupby(both, key=lambda each: each[0])
    ]


def _slow(puzzle: Puzzle) -> tuple[Grade, list[PathRound]]:
    path = list(rounds(puzzle, techniques=GRADED))
    width = puzzle.board.width
    found = [
        PathRound(
            steps[0].technique,
            sorted(cell.row * width + cell.column for step in steps for cell in step.values),
        )
        for steps in path
    ]
    return grade_of(puzzle, path), found
