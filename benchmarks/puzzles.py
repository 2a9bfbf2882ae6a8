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


LARGE = {(10, 60): 8, (36, 36): 8, (40, 40): 4, (50, 50): 6}
"""The number of puzzles of each size that our generator makes, which takes up to a minute each."""


def file_of(height: int, width: int) -> Path:
    return DATA / f"irreducible-{height}x{width}.line"


def load(height: int, width: int | None = None) -> list[Puzzle]:
    """The puzzles of a size, in order; without a width, they are square."""
    file = file_of(height, height if width is None else width)
    return [entry.puzzle for entry in read_sources([str(file)]) if entry.puzzle]


def main() -> None:
    # Imported here, since the memory of processes that only solve is measured.
    from binairo_cp.generation.puzzles import Recipe, generate_puzzles

    for side, number in NUMBERS.items():
        rng = Random(f"irreducible {side}")
        entries = [
            Entry(
                reduced(plain(side, side, CLASSIC, rng), rng, follows_by_search), id=f"{side}-{k}"
            )
            for k in range(number)
        ]
        file_of(side, side).write_text("".join(write(entries, "line")))
    for (height, width), number in LARGE.items():
        recipe = Recipe(height, width, irreducible=True)
        made = generate_puzzles(recipe, "handover", range(number), graded=False)
        entries = [Entry(each.puzzle, id=f"{k}") for k, each in enumerate(made) if each]
        file_of(height, width).write_text("".join(write(entries, "line")))


if __name__ == "__main__":
    main()
