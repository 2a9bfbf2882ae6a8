"""Smallest explanations: their sizes, and the time for each step.

The puzzles of demystify come from the folder named by ``BINAIRO_REAL_PUZZLES``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from statistics import mean, median
from time import process_time

from benchmarks import tables
from benchmarks.published import published
from binairo_cp import Board, Puzzle, solve
from binairo_cp.deduction.best_steps import best_steps
from binairo_cp.deduction.steps import Step
from binairo_cp.solving.backends import UNLIMITED, Meter

_SOURCE = "demystify"
_PUZZLES = tables.sized(1, 1_000)


def timed(puzzle: Puzzle) -> Iterator[tuple[Step, float]]:
    """The steps of a puzzle with one solution, with the CPU milliseconds that each took."""
    solution = solve(puzzle).solution
    assert isinstance(solution, Board)
    begun = process_time()
    for step in best_steps(puzzle, puzzle.board, solution, solution, Meter(UNLIMITED)):
        yield step, (process_time() - begun) * 1_000
        begun = process_time()


def sizes() -> Iterator[tables.Row]:
    """The table, by the level of the source."""
    by_level: dict[str, list[list[tuple[Step, float]]]] = defaultdict(list)
    for _, record, puzzle in published():
        if record["source"] == _SOURCE and sum(map(len, by_level.values())) < _PUZZLES:
            by_level[str(record["level"])].append(list(timed(puzzle)))
    for level, paths in sorted(by_level.items()):
        every = [pair for path in paths for pair in path]
        supports = [step.support for step, _ in every if step.support]
        times = [milliseconds for _, milliseconds in every]
        yield {
            "its level": level,
            "puzzles": len(paths),
            "steps": len(every),
            "mean size": round(mean(each.size for each in supports), 2),
            "largest": max(each.size for each in supports),
            "above 6": sum(each.size > 6 for each in supports),
            "proved": sum(each.smallest for each in supports),
            "ms: median": round(median(times), 1),
            "ms: mean": round(mean(times), 1),
            "ms: most": round(max(times)),
        }


def all_tables() -> Iterator[tables.Table]:
    yield "smallest explanations of demystify's puzzles", list(sizes())


if __name__ == "__main__" and any(record["source"] == _SOURCE for _, record, _ in published()):
    tables.report("explanations", all_tables())
