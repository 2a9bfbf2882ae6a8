"""The grades of many puzzles of one shape as an array, without an object for each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from binairo_cp.deduction.contradiction import NESTED
from binairo_cp.deduction.grading import (
    LEVEL_OF,
    Grade,
    cost,
    grade_of_result,
    grade_results,
    has_all_techniques,
)
from binairo_cp.deduction.techniques import LEVELS
from binairo_cp.kernels import deduction as kernel
from binairo_cp.puzzle.rules import Rules
from binairo_cp.puzzle.shape import Shape
from binairo_cp.puzzle.slices import Numbers

_RANKS = np.array([LEVELS.index(LEVEL_OF[name]) for name in kernel.GRADED])


@dataclass(frozen=True, slots=True, eq=False)
class GradeArray:
    """The grades of n puzzles.

    Attributes:
        results: n x `kernel.RESULT_WORDS` numbers, undefined for puzzles without a grade.
        has_grade: n flags; False for a puzzle that breaks a rule, or for which compiled code is too
            slow.
        cells: the number of cells of a board.
    """

    results: Numbers
    has_grade: npt.NDArray[np.bool_]
    cells: int

    def __iter__(self) -> Iterator[Grade | None]:
        """Yield the grades; None for puzzles without one."""
        rows = zip(self.results.tolist(), self.has_grade.tolist(), strict=True)
        return (grade_of_result(row, self.cells) if has else None for row, has in rows)

    @property
    def placed(self) -> Numbers:
        """The number of cells that each technique of `kernel.GRADED` filled."""
        return self.results[:, kernel.PLACED : kernel.LOOKS]

    @property
    def levels(self) -> Numbers:
        """The places of the levels in `LEVELS`; undefined for puzzles without a grade."""
        ranks = ((self.placed > 0) * _RANKS).max(axis=1)
        return np.where(self.results[:, kernel.OPEN_CELLS] > 0, len(LEVELS) - 1, ranks)

    @property
    def scores(self) -> list[float]:
        """The scores; undefined for puzzles without a grade."""
        looks = dict(zip(kernel.GRADED, self.results[:, kernel.LOOKS :].T, strict=True))
        looks[NESTED.name] = self.results[:, kernel.OPEN_CELLS]
        rounds = self.results[:, kernel.ROUNDS]
        total = cost(self.placed.sum(axis=1), rounds, looks, self.cells)
        return [round(number, 1) for number in total.tolist()]

    def chosen(self, flags: npt.NDArray[np.bool_]) -> GradeArray:
        """Those of some of the puzzles."""
        return GradeArray(self.results[flags], self.has_grade[flags], self.cells)


def grade_arrays(
    clues: npt.NDArray[np.uint8], rules: Rules, wanted: npt.NDArray[np.bool_] | None = None
) -> GradeArray:
    """Like `grading.grade_plain`, for an array of n x h x w bytes ``0``, ``1`` and ``.``.

    Of these puzzles, those that are `wanted` are graded; all if it is None.
    """
    number, height, width = clues.shape
    results = np.zeros((number, kernel.RESULT_WORDS), np.int64)
    has_grade = np.zeros(number, np.bool_)
    rows = np.arange(number) if wanted is None else np.flatnonzero(wanted)
    if len(rows) and has_all_techniques():
        cells = np.ascontiguousarray(clues[rows]).reshape(len(rows), -1)
        found, tries = grade_results(cells.data, Shape.of(height, width, rules))
        results[rows] = found
        is_whole = (results[rows, kernel.OPEN_CELLS] == 0) | tries
        has_grade[rows] = (results[rows, kernel.BROKEN] == 0) & is_whole
    return GradeArray(results, has_grade, height * width)
