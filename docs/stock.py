"""Generate the puzzles that the web page has without a server.

``python -m docs.stock`` (or ``make stock``) writes ``stock-SIZE.json`` and ``daily.json`` in
``binairo_cp/service/static``: for each grade a list of puzzles. Each puzzle is its clues in the
run-length code of puzzle-binairo.com, in which a letter stands for 1 (a) to 26 (z) open cells. The
seeds are fixed, so the same version of the generator writes the same files.

The puzzle of the day is chosen from ``daily.json``. If its lists change, so do past days.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import get_args

import binairo_cp
from binairo_cp.deduction.techniques import Level

FOLDER = Path(__file__).parent.parent / "binairo_cp/service/static"
SIZES = (6, 8, 10, 12, 14)
GRADES: tuple[Level, ...] = get_args(Level)[:-1]
"""All but "beyond logic": these puzzles can be solved without guessing."""
COUNT = 20
DAILY_SIZE = 10
DAILY_COUNT = 40


def pack(clues: str) -> str:
    """The run-length code of clues."""
    return re.sub(r"\.{1,26}", lambda run: chr(ord("a") + len(run[0]) - 1), clues)


def unpack(code: str) -> str:
    """The clues of a run-length code."""
    return re.sub("[a-z]", lambda letter: "." * (ord(letter[0]) - ord("a") + 1), code)


def generated(size: int, count: int, seed: str) -> dict[Level, list[str]]:
    """Puzzles of a size by grade, as codes."""
    return {
        grade: [
            pack(made.puzzle.board.cells)
            for made in binairo_cp.generate(
                size, count=count, grade=grade, distinct=True, seed=seed
            )
        ]
        for grade in GRADES
    }


def write(name: str, puzzles: dict[Level, list[str]]) -> None:
    """Write a file of puzzles, one a line."""
    (FOLDER / name).write_text(json.dumps(puzzles, indent=0) + "\n", encoding="utf-8")


def main() -> None:
    """Write all files."""
    for size in SIZES:
        write(f"stock-{size}.json", generated(size, COUNT, "stock"))
    write("daily.json", generated(DAILY_SIZE, DAILY_COUNT, "daily"))


if __name__ == "__main__":
    main()
