"""Draw the pictures of docs/numbers.md, and write the record puzzles of the web page.

python -m docs.number_pictures
"""

from __future__ import annotations

import json
from itertools import pairwise
from math import log2
from pathlib import Path

import numpy as np

import binairo_cp as bn
from binairo_cp.counting import unit_files
from binairo_cp.counting.fewest_clues import (
    NO_LIMIT,
    FewestUnits,
    classes_of_boards,
    distribution,
    smallest_sets,
    tasks_of,
)
from binairo_cp.counting.sizes import Census

DOCS = Path(__file__).parent
NUMBERS = DOCS / "numbers"
RECORDS = DOCS.parent / "binairo_cp/service/static/records.json"

# OEIS A253316, and the numbers of docs/census.md.
CLASSIC = {2: 2, 4: 72, 6: 4140, 8: 4111116, 10: 48183195384, 12: 4972955852202492}
PLAIN = {2: 2, 4: 90, 6: 11222, 8: 12413918, 10: 117925227108, 12: 9396732711449280}

EXTREMES = {
    "4x4-classic-irreducible-8-clues": "4x4, 8 clues, none redundant: the most",
    "6x6-classic-irreducible-15-clues": "6x6, 15 clues, none redundant: the most",
    "8x8-classic-7-clues": "8x8, 7 clues: the fewest",
    "8x8-classic-16-clues": "8x8, 16 clues: the fewest of this board, the most that any needs",
}

# From docs/reduction.md.
LARGER = {
    "12x12, 18 clues: the fewest known": (
        "..1.........0........0..00.......0.................1.0.........11..................."
        ".1....................................1..0...0..00.......00."
    ),
    "10x10, 12 clues: the fewest known": (
        "...1....1........0.......0............................0.......11.........1.........."
        "0.....1.......11"
    ),
}


def minima(side: int) -> list[tuple[int, int]]:
    """The number of classes of boards for each number of fewest clues."""
    census = Census(side, side)
    classes = classes_of_boards(census)
    if side == 8:
        form = FewestUnits(census, tasks_of(classes), NO_LIMIT)
        units = unit_files.read(str(DOCS / "census/fewest-clues/8x8-classic.gz"), form)
        fewest = np.array([each for k in sorted(units) for each in units[k].fewest])
    else:
        fewest = np.bitwise_count(smallest_sets(census, classes.boards)).astype(np.int64)
    return [(row.clues, row.classes) for row in distribution(fewest, classes.sizes)]


def draw_plots() -> None:
    """Draw the histograms and the growth rate."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "binairo", "font.size": 8}):
        figure = Figure(figsize=(8, 2.6), layout="constrained")
        for place, side in enumerate((6, 8), 1):
            axes = figure.add_subplot(1, 3, place)
            clues, classes = zip(*minima(side), strict=True)
            bars = axes.bar(clues, classes)
            axes.bar_label(bars, [f"{each:,}" for each in classes], fontsize=5)
            axes.set(title=f"{side}x{side}", xlabel="fewest clues", ylabel="classes of boards")
        axes = figure.add_subplot(1, 3, 3)
        for name, counts in (("classic", CLASSIC), ("lines may repeat", PLAIN)):
            sides = list(counts)
            axes.plot(sides, [log2(counts[n]) / n**2 for n in sides], marker="o", label=name)
            axes.plot(
                [(a + b) / 2 for a, b in pairwise(sides)],
                [log2(counts[b] / counts[a]) / (b * b - a * a) for a, b in pairwise(sides)],
                marker="x",
                linestyle=":",
                label=f"{name}, per new cell",
            )
        axes.set(title="bits per cell of n x n", xlabel="n")
        axes.legend(fontsize=6)
        out = NUMBERS / "plots.svg"
        figure.savefig(out, metadata={"Date": None})
    # matplotlib ends lines of paths with spaces.
    out.write_text("".join(f"{line.rstrip()}\n" for line in out.read_text().splitlines()))


def first_lines() -> dict[str, str]:
    """The title and the first puzzle of each file of extreme puzzles."""
    return {
        title: (NUMBERS / f"{name}.line").read_text().splitlines()[0]
        for name, title in EXTREMES.items()
    }


def draw_puzzles() -> None:
    """Draw the first puzzle of each file."""
    for name in EXTREMES:
        cells = (NUMBERS / f"{name}.line").read_text().splitlines()[0]
        (NUMBERS / f"{name}.svg").write_bytes(bn.render(cells, to="svg", solution=True, cell=28))


def write_records() -> None:
    """Write the puzzles that the page offers; each must have one solution."""
    records = []
    for title, cells in {**first_lines(), **LARGER}.items():
        side = int(title.split("x")[0])
        assert bn.check(cells).verdict == "unique", title
        clues = sum(cell != "." for cell in cells)
        assert f"{clues} clues" in title
        assert len(cells) == side * side
        records.append(
            {"id": title, "height": side, "width": side, "clues": cells, "rules": "classic"}
        )
    RECORDS.write_text(json.dumps(records, indent=1) + "\n")


if __name__ == "__main__":
    draw_puzzles()
    write_records()
    draw_plots()
