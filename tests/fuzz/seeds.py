"""Seed puzzles: small ones of ``instances/``, and some unusual ones."""

from __future__ import annotations

from functools import cache
from itertools import islice
from pathlib import Path

from binairo_cp import PLUS, UNRULY, Board, Puzzle, Rules, Sign, formats
from binairo_cp.formats import Entry

INSTANCES = Path(__file__).resolve().parents[2] / "instances"
_MOST_CELLS = 64
_OF_A_FILE = 2


@cache
def some_entries() -> tuple[Entry, ...]:
    """Small puzzles of all rules, with and without ids and signs."""
    signs = (Sign(0, 0, "R", "="), Sign(0, 1, "D", "x"))
    own = (
        Entry(Puzzle(Board.empty(4, 4)), id="1"),
        Entry(Puzzle(Board.empty(1, 1), UNRULY), id="tiny"),
        Entry(Puzzle(Board.parse("1..0 .... ..1. ...."), PLUS, signs), id="with signs"),
        Entry(Puzzle(Board.parse("0.1.. ...1. 1...."), Rules(longest_run=3, odd="ones")), id="odd"),
        Entry(Puzzle(Board.parse("0. .1 .. 1."), Rules(balanced=False)), id="2"),
        Entry(Puzzle(Board.parse("0110 1001 0101 1010")), id="full"),
    )
    names = [str(path) for path in sorted(INSTANCES.rglob("*.txt"))]
    found: list[Entry] = []
    for name in names:
        for entry in islice(formats.read_sources([name]), _OF_A_FILE):
            if entry.puzzle and len(entry.puzzle.board.cells) <= _MOST_CELLS:
                found.append(entry)
    return (*own, *found)
