"""The sets of puzzles to measure, with the expected verdicts.

The verdicts do not come from the code that is measured. ``instances/index.ndjson`` and the
published records contain counts that were computed independently. For the other reading of the
rules, the bitboard and PySAT, which share no code, must agree.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from random import Random

from benchmarks import puzzles
from benchmarks.published import published, solutions
from binairo_cp import Puzzle, Verdict, count
from binairo_cp.formats import read_sources

INSTANCES = Path(__file__).parent.parent / "instances"
FOLDERS = ("classic", "unruly", "rectangular", "odd", "signs")
VERDICTS = (Verdict.NONE, Verdict.UNIQUE, Verdict.MULTIPLE)


@dataclass(frozen=True)
class Known:
    """A puzzle, and whether it has no solution, one or more."""

    puzzle: Puzzle
    verdict: Verdict


def sets() -> dict[str, list[Known]]:
    """All sets by name, each shuffled, so that its beginning is a fair sample."""
    found = {f"instances/{name}": list(_instances(name)) for name in FOLDERS}
    for side in puzzles.NUMBERS:
        found[f"irreducible {side}x{side}"] = [
            Known(each, Verdict.UNIQUE) for each in puzzles.load(side)
        ]
    for name, record, puzzle in published():
        known = Known(puzzle, VERDICTS[min(solutions(record), 2)])
        found.setdefault(f"published {name}", []).append(known)
    for name, some in found.items():
        Random(name).shuffle(some)
    return found


def _instances(name: str) -> Iterator[Known]:
    for line in (INSTANCES / "index.ndjson").read_text().splitlines():
        record = json.loads(line)
        if record["file"].startswith(f"{name}/"):
            puzzle = _index()[record["id"]]
            yield Known(puzzle, VERDICTS[min(record["solutions"], 2)])


@cache
def _index() -> dict[str, Puzzle]:
    entries = read_sources([str(INSTANCES / "index.ndjson")])
    return {entry.id: entry.puzzle for entry in entries if entry.id and entry.puzzle}


def under(known: Known, *, distinct: bool) -> Known:
    """The same puzzle with or without distinct lines; two independent backends decide it."""
    if known.puzzle.rules.distinct_lines == distinct:
        return known
    rules = replace(known.puzzle.rules, distinct_lines=distinct)
    puzzle = replace(known.puzzle, rules=rules)
    counts = {count(puzzle, backend=name, limit=2).count for name in ("bitboard", "pysat:glucose4")}
    assert len(counts) == 1, puzzle
    return Known(puzzle, VERDICTS[counts.pop()])


def shape(puzzle: Puzzle) -> tuple[object, ...]:
    """The key under which backends cache solvers."""
    return puzzle.board.height, puzzle.board.width, puzzle.rules
