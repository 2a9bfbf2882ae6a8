"""Check that every puzzle of the sound sets has exactly one solution, and print a row for each set.

`make solve` runs it. The exit status is 1 if a puzzle is not unique or can't be read.
"""

from __future__ import annotations

import sys
from pathlib import Path
from time import perf_counter

import binairo_cp as bn
from binairo_cp.formats import read_sources

SETS = ("classic", "unruly", "signs", "rectangular", "odd")
WIDTHS = (11, 7, 6, 7)
NEXT = """
Try it on a puzzle of yours, where a dot is an empty cell, or open the page:
  .venv/bin/binairo solve '..1. ...0 ..10 .0..'
  .venv/bin/binairo serve
"""


def row(*cells: object) -> None:
    """Print a row of the table: the name to the left, numbers to the right."""
    name, *numbers = zip(map(str, cells), WIDTHS, strict=True)
    print(name[0].ljust(name[1]), *(cell.rjust(width) for cell, width in numbers))


def main() -> int:
    """Check all sets."""
    folder = Path(__file__).resolve().parent
    row("set", "puzzles", "unique", "seconds")
    faults = []
    for name in SETS:
        start = perf_counter()
        entries = list(read_sources([str(folder / name)]))
        outcomes = list(bn.check_many(entries))
        wrong = [
            f"{entry.source}:{entry.line}: {entry.id}: {outcome.verdict}"
            for entry, outcome in zip(entries, outcomes, strict=True)
            if outcome.verdict != "unique"
        ]
        row(name, len(entries), len(entries) - len(wrong), f"{perf_counter() - start:.2f}")
        faults += wrong
    print(*faults, sep="\n", end="\n" if faults else "")
    print(NEXT, end="")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
