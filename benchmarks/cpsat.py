"""CP-SAT: a comparison with another program, the encodings of distinct lines, and phases.

All times are CPU times of one puzzle after the other in one process, so that they can be compared
on a busy machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from statistics import median
from time import process_time

from ortools.sat.python import cp_model

from benchmarks import published, puzzles, tables
from benchmarks.tools import TOOLS
from binairo_cp import Board, Puzzle, check
from binairo_cp.generation.puzzles import Recipe, generate_puzzles
from binairo_cp.puzzle.rules import violations
from binairo_cp.solving.backends import UNLIMITED, Meter
from binairo_cp.solving.backends.cpsat import CpSat, new_solver
from binairo_cp.solving.encodings.cpsat_model import AS_NEEDED, DISTINCT, Model, encoding_for_few

NUMBER = tables.sized({6: 2, 10: 2}, {6: 40, 10: 40, 14: 30, 20: 15, 24: 8, 30: 6})
PEER = "multi-puzzle-solver"
_SECONDS = 60.0


def milliseconds(work: Callable[[], object]) -> float:
    """The processor time of a call."""
    started = process_time()
    work()
    return 1000 * (process_time() - started)


def medians(some: list[Puzzle], work: Callable[[Puzzle], object]) -> float:
    """The median time for a puzzle, after a warm-up with the first one."""
    work(some[0])
    return round(median(milliseconds(lambda p=puzzle: work(p)) for puzzle in some), 2)


def irreducible(side: int) -> list[Puzzle]:
    """Puzzles without a redundant clue."""
    number = NUMBER[side]
    if side in puzzles.NUMBERS:
        return puzzles.load(side)[:number]
    recipe = Recipe(side, side, irreducible=True)
    return [made.puzzle for made in generate_puzzles(recipe, "cpsat", range(number)) if made]


def verdicts() -> Iterator[tuple[str, list[tables.Row]]]:
    """The uniqueness of puzzles, by our backend and by another program on the same solver."""
    sets = [("irreducible", side, irreducible(side)) for side in NUMBER]
    sets += [("published", side, some) for side, some in _published().items()]
    rows: list[tables.Row] = []
    for name, side, some in sets:
        row: tables.Row = {"puzzles": name, "side": side, "number": len(some)}
        row["cpsat ms"] = medians(some, _ours)
        if not TOOLS[PEER].missing:
            row[f"{PEER} ms"] = medians(some, _peer)
            row["ratio"] = round(float(row[f"{PEER} ms"]) / float(row["cpsat ms"]), 1)
        rows.append(row)
    yield "uniqueness, CPU ms per puzzle, medians", rows


def _published() -> dict[int, list[Puzzle]]:
    """The hardest of other people's puzzles with one solution, by their side."""
    found: dict[int, list[tuple[str, Puzzle]]] = {}
    for _, record, puzzle in published.published():
        board, rules = puzzle.board, puzzle.rules
        plain = rules.distinct_lines and not puzzle.signs and board.height == board.width
        if plain and board.height in NUMBER and published.solutions(record) == 1:
            found.setdefault(board.height, []).append((str(record.get("level", "")), puzzle))
    return {
        side: [puzzle for _, puzzle in sorted(some, key=lambda each: each[0], reverse=True)][
            : NUMBER[side]
        ]
        for side, some in sorted(found.items())
    }


def _ours(puzzle: Puzzle, backend: str | CpSat = "cpsat") -> None:
    assert check(puzzle, backend=backend).verdict == "unique"


def _peer(puzzle: Puzzle) -> None:
    result = TOOLS[PEER].solve(puzzle, 2, _SECONDS)
    board = puzzle.board
    assert result.all
    [cells] = result.boards
    assert not violations(puzzle, Board(board.height, board.width, cells))


def encodings() -> Iterator[tuple[str, list[tables.Row]]]:
    """The three ways to post distinct lines."""
    rows: list[tables.Row] = []
    for side in NUMBER:
        some = irreducible(side)[:10]
        for name in (AS_NEEDED, *DISTINCT):
            rows.append(
                {
                    "side": side,
                    "distinct lines": name,
                    "model ms": medians(some, lambda p, n=name: Model(p, n)),
                    "check ms": medians(some, lambda p, n=name: _ours(p, CpSat(n))),
                }
            )
            if side > 20 and name == AS_NEEDED:
                break
    yield "CP-SAT by encoding of distinct lines, irreducible, medians", rows


def phases() -> Iterator[tuple[str, list[tables.Row]]]:
    """Where the time of a verdict goes."""
    rows: list[tables.Row] = []
    for side in NUMBER:
        some = irreducible(side)
        rows.append(
            {
                "side": side,
                "model ms": medians(some, lambda p: Model(p, encoding_for_few(p))),
                "one solve ms": round(median(map(_solve, some)), 2),
                "solves": round(sum(map(_solves, some)) / len(some), 1),
                "all ms": medians(some, _ours),
            }
        )
    yield "where the time of a verdict goes, irreducible, medians", rows


def _solve(puzzle: Puzzle) -> float:
    model = Model(puzzle, encoding_for_few(puzzle))
    solver = new_solver(Meter(UNLIMITED))
    return milliseconds(lambda: solver.solve(model.model))


def _solves(puzzle: Puzzle) -> int:
    """The number of solver calls for a verdict."""
    model = Model(puzzle, encoding_for_few(puzzle))
    solver = new_solver(Meter(UNLIMITED))
    number = 1
    while solver.solve(model.model) != cp_model.INFEASIBLE:
        number += 1
        values = list(solver.response_proto.solution)[: model.size]
        if not model.post_equal_lines(values):
            model.block(values)
    return number


if __name__ == "__main__":
    tables.report(
        "cpsat",
        chain(verdicts(), encodings(), phases()),
    )
