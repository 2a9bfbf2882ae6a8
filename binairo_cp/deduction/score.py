"""The score of a puzzle: a model of the time that a person needs.

Pelánek ("Difficulty rating of Sudoku puzzles: an overview and evaluation", 2014) found two sources
of difficulty: how complex the steps are, and how many steps are possible at a time. So the score
adds up, over all rounds, the cost of filling the cells, and the cost of looking for them: to find
one of k possible steps, a person looks at about one k-th of the lines. The numbers were fitted to
the levels of publishers, without human times (docs/deduction.md).
"""

from __future__ import annotations

from collections.abc import Mapping

from binairo_cp.deduction.techniques import LEVELS, Level

COSTS: dict[Level, float] = {level: 4.0**number for number, level in enumerate(LEVELS)}
"""The cost to fill a cell by a technique of a level."""

LOOK = 0.1
"""The cost to look at a line, as a part of the cost to fill a cell."""


def score(
    placed: Mapping[str, int],
    found: Mapping[str, int],
    left: int,
    lines: int,
    level_of: Mapping[str, Level],
) -> float:
    """The score of a solving path.

    Args:
        placed: The number of cells that each technique filled.
        found: The sum of the kernel's `sought` over the rounds of each technique.
        left: The number of cells that need nested contradictions.
        lines: The number of rows and columns.
        level_of: The level of each technique.
    """
    total = COSTS[LEVELS[-1]] * left * (1 + LOOK * lines)
    for name, cells in placed.items():
        looks = found[name] * lines / 1_000
        total += COSTS[level_of[name]] * (cells + LOOK * looks)
    return round(total, 1)
