"""The effort of a solving path: at how many lines a person looks to follow it.

docs/deduction.md has the model. No number in it was fitted, and it says nothing about minutes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from binairo_cp.deduction.steps import Step
from binairo_cp.deduction.techniques import LEVELS
from binairo_cp.puzzle.board import OPEN
from binairo_cp.puzzle.rules import Puzzle

_QUARTILE = 0.6745
"""The upper quartile of the normal distribution, in standard deviations."""

_Lines = frozenset[tuple[bool, int]]


@dataclass(frozen=True, slots=True)
class Effort:
    """How many looks at a line a solving path takes.

    They are about normally distributed, since many independent searches add up.

    Attributes:
        mean: the expected number.
        deviation: the standard deviation.
    """

    mean: float
    deviation: float

    def __str__(self) -> str:
        lower, _, upper = self.quartiles
        return f"{self.mean:.0f} ({lower:.0f}..{upper:.0f})"

    @property
    def quartiles(self) -> tuple[float, float, float]:
        """The numbers that a quarter, half and three quarters of people stay below."""
        width = _QUARTILE * self.deviation
        return round(self.mean - width, 1), round(self.mean, 1), round(self.mean + width, 1)

    def to_dict(self) -> dict[str, Any]:
        """The field ``effort`` of a grade in a result record."""
        return {"mean": round(self.mean, 1), "quartiles": list(self.quartiles)}


def effort_of(puzzle: Puzzle, path: Sequence[Sequence[Step]]) -> Effort:
    """The effort of a solving path, in rounds."""
    total = _Total()
    number_of_lines = puzzle.board.height + puzzle.board.width
    left = puzzle.board.cells.count(OPEN)
    changed: _Lines = frozenset()
    for steps in path:
        total.add(number_of_lines * LEVELS.index(steps[0].level))
        open_steps = list(steps)
        while open_steps:
            near = [each for each in open_steps if changed & _lines_of(each)]
            if steps[0].chain:
                size = sum(each.size for each in open_steps) / len(open_steps)
                total.add_search(len(open_steps), 2 * left, size)
            elif near:
                total.add_search(len(near), len(changed))
            else:
                total.add(len(changed))
                total.add_search(len(open_steps), number_of_lines)
            step = (near or open_steps)[0]
            open_steps.remove(step)
            total.add(len(step.values))
            left -= len(step.values)
            changed = _lines_of(step)
    return Effort(total.mean, total.variance**0.5)


def _lines_of(step: Step) -> _Lines:
    """The rows and columns of the cells that a step fills."""
    return frozenset(
        (is_row, number)
        for cell in step.values
        for is_row, number in ((True, cell[0]), (False, cell[1]))
    )


class _Total:
    """The mean and the variance of a sum of independent numbers."""

    def __init__(self) -> None:
        self.mean = self.variance = 0.0

    def add(self, number: float) -> None:
        self.mean += number

    def add_search(self, right: int, places: int, looks: float = 1) -> None:
        """Add the looks until one of some right places is found, in random order.

        The number of places is distributed by the negative hypergeometric distribution.
        """
        places = max(places, right)
        self.mean += looks * (places + 1) / (right + 1)
        variance = right * (places + 1) * (places - right) / ((right + 1) ** 2 * (right + 2))
        self.variance += looks**2 * variance
