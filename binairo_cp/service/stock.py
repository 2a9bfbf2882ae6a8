"""The puzzles that the web page has without a server.

For each grade there is a list of puzzles. Each puzzle is its clues in the run-length code of
puzzle-binairo.com, in which a letter stands for 1 (a) to 26 (z) open cells. The puzzle of the day
is chosen from its own lists: if they change, so do past days.
"""

from __future__ import annotations

import json
from math import ceil
from typing import get_args

from binairo_cp.deduction.techniques import Level
from binairo_cp.features.convert import convert
from binairo_cp.features.generate import generate

SIZES = (6, 8, 10, 12, 14)
GRADES: tuple[Level, ...] = get_args(Level)[:-1]
"""All but "beyond logic": these puzzles can be solved without guessing."""

DAILY_SIZE = 10
PER_WEEK: dict[Level, int] = dict(zip(GRADES, (1, 2, 2, 1, 1), strict=True))
"""How many puzzles of the day of each grade a week has, as in `static/daily.js`."""

Puzzles = dict[Level, list[str]]


def generated(size: int, counts: dict[Level, int], seed: str) -> Puzzles:
    """Puzzles of a size by grade, as codes. The same seed gives the same puzzles."""
    return {
        grade: [
            convert(made, to="task").split()[0]
            for made in generate(size, count=count, grade=grade, distinct=True, seed=seed)
        ]
        for grade, count in counts.items()
    }


def files(per_level: int, days: int, seed: str) -> dict[str, bytes]:
    """The files of the page with puzzles, by name.

    Args:
        per_level: number of puzzles of each size and grade.
        days: number of days until a puzzle of the day comes again, then turned or mirrored.
        seed: the seed of the generator.
    """
    stock = {
        f"stock-{size}.json": generated(size, dict.fromkeys(GRADES, per_level), seed)
        for size in SIZES
    }
    weeks = ceil(days / 7)
    counts = {grade: number * weeks for grade, number in PER_WEEK.items()}
    stock["daily.json"] = generated(DAILY_SIZE, counts, f"{seed}-daily")
    return {name: written(puzzles) for name, puzzles in stock.items()}


def written(puzzles: Puzzles) -> bytes:
    """A file of puzzles, one a line."""
    return (json.dumps(puzzles, indent=0) + "\n").encode()
