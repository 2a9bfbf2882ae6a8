"""Write the b-files of docs/numbers/ that count boards: ``python -m docs.number_files [NAME...]``.

Numbers of boards whose units are kept in docs/census/ are added up from there; all others are
counted. All files take about ten minutes of one core, most of it for the boards of 12x12 whose
lines may repeat and for the classes of 12x12.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

from binairo_cp.counting import counting, unit_files
from binairo_cp.counting.census_runs import DISTINCT
from binairo_cp.counting.orbits import count_orbits
from binairo_cp.counting.sizes import Census, Distinct, classes_of
from binairo_cp.counting.units import CensusUnits
from binairo_cp.puzzle.rules import Odd

DOCS = Path(__file__).parent
NUMBERS, CENSUS = DOCS / "numbers", DOCS / "census"

SQUARES = 6
"""The largest n of 2n x 2n boards."""
ANTIDIAGONALS = 9
"""The number of antidiagonals of tables: they end with 2 x 18, 4 x 16, ... 10 x 10, ... 18 x 2."""

Terms = Iterator[int]


@cache
def boards(height: int, width: int, distinct: Distinct, odd: Odd = "either") -> int:
    """The number of boards of a size, from kept units if there are any."""
    census = Census(height, width, distinct, odd)
    for each in (census, census.transposed):
        if (path := kept_units(each)).exists():
            classes = classes_of(each)
            return counting.total(classes, unit_files.read(str(path), CensusUnits(each, classes)))
    return counting.count_boards(census)


def kept_units(census: Census) -> Path:
    """Where the units of a census are kept, if they are."""
    rules = next(name for name, distinct in DISTINCT.items() if distinct == census.distinct)
    odd = "" if census.odd == "either" else f"-{census.odd}"
    name = "plain" if rules == "unruly" else rules
    return CENSUS / f"{census.height}x{census.width}-{name}{odd}.gz"


def squares(distinct: Distinct, most: int = SQUARES) -> Terms:
    """The numbers of 2n x 2n boards, n from 1."""
    return (boards(2 * n, 2 * n, distinct) for n in range(1, most + 1))


def classes(distinct: Distinct, place: int, most: int = 5) -> Terms:
    """The numbers of 2n x 2n boards up to symmetry: with the symbol swap (0) or without it (1)."""
    for n, number in enumerate(squares(distinct, most), 1):
        yield count_orbits(Census(2 * n, 2 * n, distinct), number)[place].orbits


def table(distinct: Distinct, most: int = ANTIDIAGONALS) -> Terms:
    """T(m, n), the numbers of 2m x 2n boards, by antidiagonals: T(1, 1), T(1, 2), T(2, 1), ..."""
    for total in range(2, most + 2):
        for m in range(1, total):
            yield boards(2 * m, 2 * (total - m), distinct)


def odd_squares(distinct: Distinct, most: int = 5) -> Terms:
    """The numbers of boards of side 2n - 1 whose lines have one more 1 than 0, n from 1."""
    return (boards(2 * n - 1, 2 * n - 1, distinct, "ones") for n in range(1, most + 1))


def all_squares(distinct: Distinct, most: int = 8) -> Terms:
    """The numbers of n x n boards whose lines have as many 1 as 0, or one more or less."""
    return (boards(n, n, distinct) for n in range(1, most + 1))


FILES: dict[str, Callable[[], Terms]] = {
    "boards-classic": lambda: squares("lines"),
    "boards-plain": lambda: squares("nothing"),
    "boards-distinct-rows": lambda: squares("rows"),
    "boards-classic-up-to-symmetry": lambda: classes("lines", 0, SQUARES),
    "boards-classic-up-to-rotation-and-reflection": lambda: classes("lines", 1, SQUARES),
    "boards-plain-up-to-symmetry": lambda: classes("nothing", 0),
    "boards-plain-up-to-rotation-and-reflection": lambda: classes("nothing", 1),
    "boards-distinct-rows-up-to-symmetry": lambda: classes("rows", 0),
    "rectangles-classic": lambda: table("lines"),
    "rectangles-plain": lambda: table("nothing"),
    "rectangles-distinct-rows": lambda: table("rows"),
    "odd-squares-classic": lambda: odd_squares("lines"),
    "odd-squares-plain": lambda: odd_squares("nothing"),
    "odd-squares-distinct-rows": lambda: odd_squares("rows"),
    "all-squares-classic": lambda: all_squares("lines"),
    "all-squares-plain": lambda: all_squares("nothing"),
    "all-squares-distinct-rows": lambda: all_squares("rows"),
}
"""The terms of each b-file; all have offset 1."""


def main() -> int:
    """Write the files that are named, or all of them."""
    for name in sys.argv[1:] or FILES:
        lines = [f"{n} {term}\n" for n, term in enumerate(FILES[name](), 1)]
        (NUMBERS / f"{name}.txt").write_text("".join(lines))
        print(name, lines[-1], end="", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
