"""Explanations: the sizes of smallest ones, the time for a hint, how far apart steps are, and the
lines of nested contradictions.

The puzzles of the first two come from the folder named by ``BINAIRO_REAL_PUZZLES``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise, starmap
from random import Random
from statistics import mean, median
from time import process_time
from typing import Any

from benchmarks import tables
from benchmarks.published import published, solutions
from binairo_cp import Board, Puzzle, explain, generate, hint, solve
from binairo_cp.deduction.best_steps import best_steps
from binairo_cp.deduction.nested_contradiction import NESTED
from binairo_cp.deduction.orders import distance
from binairo_cp.deduction.steps import Step
from binairo_cp.solving.backends import UNLIMITED, Meter

_SOURCE = "demystify"
_PUZZLES = tables.sized(1, 1_000)
_EACH = tables.sized(1, 12)
_BOARDS = 3
_MOST_CELLS = 196
_PUZZLES_EACH = tables.sized(1, 20)


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


def hints() -> Iterator[tables.Row]:
    """CPU milliseconds for a hint on boards of the usual path, from evenly chosen sources."""
    by_source: dict[str, list[Puzzle]] = defaultdict(list)
    for _, record, puzzle in published():
        if solutions(record) == 1 and len(puzzle.board.cells) <= _MOST_CELLS:
            by_source[str(record["source"])].append(puzzle)
    random = Random(1)
    boards = [
        (puzzle, board)
        for _, puzzles in sorted(by_source.items())
        for puzzle in random.sample(puzzles, min(len(puzzles), _EACH))
        for board in random.choices(boards_of(puzzle), k=_BOARDS)
    ]
    for best in (False, True):
        times = sorted(milliseconds(puzzle, board, best) for puzzle, board in boards)
        yield {
            "hint": "`--best`" if best else "usual",
            "boards": len(times),
            "ms: median": round(median(times), 1),
            "ms: 99th percentile": round(times[len(times) * 99 // 100], 1),
            "above 50 ms": f"{sum(each > 50 for each in times) / len(times):.2%}",
        }


def boards_of(puzzle: Puzzle) -> list[Board]:
    """The boards before each round of the usual path."""
    boards = [puzzle.board]
    for steps in explain(puzzle).rounds:
        board = boards[-1]
        for cell, value in (pair for step in steps for pair in step.values.items()):
            board = board.with_cell(cell, value)
        boards.append(board)
    return boards[:-1] or boards


def milliseconds(puzzle: Puzzle, board: Board, best: bool) -> float:
    begun = process_time()
    hint(puzzle, board, best=best)
    return (process_time() - begun) * 1_000


def jumps() -> Iterator[tables.Row]:
    """The mean distance from a step to the next, on generated 10x10 puzzles of each level."""
    made = {
        level: [each.puzzle for each in generate(10, grade=level, count=_PUZZLES_EACH, seed=1)]
        for level in ("easy", "medium", "hard", "expert")
    }
    orders: dict[str, dict[str, Any]] = {
        "usual": {},
        "`--order local`": {"order": "local"},
        "`--teach`": {"teach": True},
    }
    for name, order in orders.items():
        means = {
            level: round(mean(jump for puzzle in puzzles for jump in _jumps(puzzle, order)), 1)
            for level, puzzles in made.items()
        }
        yield {"order": name, **means}


def _jumps(puzzle: Puzzle, order: dict[str, Any]) -> Iterator[int]:
    return starmap(distance, pairwise([*step.values] for step in explain(puzzle, **order).steps))


def nested_lines() -> Iterator[tables.Row]:
    """The lines of nested contradictions of generated puzzles."""
    for size in (8, 10):
        made = generate(size, grade="beyond-logic", count=_PUZZLES_EACH, seed=1)
        steps = [step for each in made for step in explain(each.puzzle).steps]
        lines = [str(step).count("\n") for step in steps if step.technique == NESTED.name]
        yield {
            "size": f"{size}x{size}",
            "steps": len(lines),
            "lines: mean": round(mean(lines), 1),
            "lines: most": max(lines),
        }


def all_tables() -> Iterator[tables.Table]:
    if any(record["source"] == _SOURCE for _, record, _ in published()):
        yield "smallest explanations of demystify's puzzles", list(sizes())
        yield "time for a hint on published puzzles up to 14x14", list(hints())
    yield "mean distance between steps", list(jumps())
    yield "lines of a nested contradiction", list(nested_lines())


if __name__ == "__main__":
    tables.report("explanations", all_tables())
