"""Draw the boards of deduction.md and how-it-works.md: ``python -m docs.board_pictures``."""

from __future__ import annotations

from pathlib import Path

import binairo_cp as bn

FOLDER = Path(__file__).parent / "boards"
CELL = 26
PUZZLE = "..10.....0.11...0....11..0...10....."

TECHNIQUES = {
    "pair": "11.1.........1.0....0..01..........0",
    "sandwich": "1101.........1.0....0..01..........0",
    "count": "110100.0...101.0.11001.010..0101..10",
    "last one": "110100.0...1.1.0.1..0..01....1.....0",
    "two open": ".1001...101.0011011.010.1..0100..101",
    "distinct lines": "..10...101..101010010101..01.0..101.",
}
"""A board for each technique, on which it gives the next step."""


def name_of(technique: str) -> str:
    """The file of a technique."""
    return f"{technique.replace(' ', '-')}.svg"


def pictures() -> dict[str, bytes]:
    """All pictures by name."""
    drawn = {
        name_of(technique): bn.render(board, to="svg", hint=True, cell=CELL)
        for technique, board in TECHNIQUES.items()
    }
    drawn["puzzle.svg"] = bn.render(PUZZLE, to="svg", cell=CELL)
    drawn["solution.svg"] = bn.render(PUZZLE, to="svg", solution=True, cell=CELL)
    return drawn


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, content in pictures().items():
        (FOLDER / name).write_bytes(content)
