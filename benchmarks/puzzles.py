"""Irreducible puzzles for the benchmarks; ``python -m benchmarks.puzzles`` generates them again."""

from __future__ import annotations

from pathlib import Path
from random import Random

from binairo_cp import CLASSIC, Puzzle
from binairo_cp.formats import Entry, read_sources, write
from instances.make import follows_by_search, plain, reduced

DATA = Path(__file__).parent / "data"

NUMBERS = {6: 200, 10: 200, 14: 100, 20: 30}
"""The number of puzzles of each side."""


def file_of(side: int) -> Path:
    return DATA / f"irreducible-{side}x{side}.line"


def load(side: int) -> list[Puzzle]:
    """The puzzles of a size, in order."""
    file = file_of(side)
    return [entry.puzzle for entry in read_sources([str(file)]) if entry.puzzle]


def main() -> None:
    for side, number in NUMBERS.items():
        rng = Random(f"irreducible {side}")
        entries = [
            Entry(
                reduced(plain(side, side, CLASSIC, rng), rng, follows_by_search), id=f"{side}-{k}"
            )
            for k in range(number)
        ]
        file_of(side).write_text("".join(write(entries, "line")))


if __name__ == "__main__":
    main()
