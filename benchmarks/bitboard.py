"""The bitboard, PySAT and CP-SAT: many puzzles in one call, and one by one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from statistics import median
from time import perf_counter

import numpy as np

from benchmarks import puzzles, tables
from benchmarks.published import published
from binairo_cp import Board, Puzzle, check, count, solve
from binairo_cp.puzzle.rules import Rules
from binairo_cp.solving import backends
from binairo_cp.solving.many import decide

AT_LEAST = tables.sized(20, 2_000)
"""A set is repeated until it has at least this many puzzles, like a file."""

ROUNDS = tables.sized(2, 5, 7)
SMALLEST_SET = 5
CPSAT = tables.sized({6: 2, 10: 2, 14: 1, 20: 1}, {6: 60, 10: 60, 14: 30, 20: 15})
IRREDUCIBLE = tables.sized(2, 200)
EMPTY = tables.sized((20,), (20, 30, 40, 50, 60, 64))


def together(given: list[Puzzle]) -> tuple[float, int]:
    """Decide puzzles of one shape in one call.

    Returns:
        Microseconds per puzzle in the best round, and the number of undecided puzzles.
    """
    rules = given[0].rules
    clues = arrays(given * -(-AT_LEAST // len(given)))
    decided = decide(clues, rules, limit=2)
    left = (~decided.is_complete & (decided.found < 2))[: len(given)].sum()
    for puzzle, found, complete in zip(given, decided.found, decided.is_complete, strict=False):
        # Another solver than the measured one, which would remember the puzzle.
        verdict = check(puzzle, backend="pysat:glucose4").verdict
        if complete or found > 1:
            assert verdict == ("none", "unique", "multiple")[int(found)], puzzle
    best = min(seconds(clues, rules) for _ in range(ROUNDS))
    return best / len(clues) * 1e6, int(left)


def seconds(clues: np.ndarray, rules: Rules) -> float:
    started = perf_counter()
    decide(clues, rules, limit=2)
    return perf_counter() - started


def arrays(given: list[Puzzle]) -> np.ndarray:
    board = given[0].board
    text = "".join(puzzle.board.cells for puzzle in given)
    return np.frombuffer(text.encode(), np.uint8).reshape(-1, board.height, board.width)


def microseconds(backend: str, given: list[Puzzle]) -> list[float]:
    """Microseconds for each puzzle, one by one; no puzzle is repeated."""
    solver = backends.get(backend)
    check(Puzzle(Board.empty(2, 2), given[0].rules), backend=solver)
    taken = []
    for puzzle in given:
        started = perf_counter()
        boards = list(solver.solutions(puzzle, limit=2))
        taken.append((perf_counter() - started) * 1e6)
        assert len(boards) < 2 or boards[0] != boards[1]
    return taken


def irreducible() -> Iterator[tables.Row]:
    for side in puzzles.NUMBERS:
        given = puzzles.load(side)[:IRREDUCIBLE]
        kernel, left = together(given)
        pysat = median(microseconds("pysat", given))
        cpsat = median(microseconds("cpsat", given[: CPSAT[side]]))
        yield {
            "puzzles": f"{side}x{side}",
            "number": len(given),
            "bitboard µs": round(kernel, 1),
            "undecided": left,
            "pysat µs": round(pysat),
            "cpsat µs": round(cpsat),
            "pysat / bitboard": round(pysat / kernel),
            "cpsat / bitboard": round(cpsat / kernel),
        }


def of_others() -> Iterator[tables.Row]:
    """Published puzzles without signs, by source and shape."""
    shapes: defaultdict[tuple[str, int, int, Rules], list[Puzzle]] = defaultdict(list)
    for source, _, puzzle in published():
        if not puzzle.signs:
            shapes[source, puzzle.board.height, puzzle.board.width, puzzle.rules].append(puzzle)
    for (source, height, width, rules), given in sorted(shapes.items(), key=lambda item: str(item)):
        if len(given) >= SMALLEST_SET and max(height, width) <= 64:
            given = given[: tables.sized(2, len(given))]
            kernel, left = together(given)
            pysat = median(microseconds("pysat", given))
            yield {
                "source": source,
                "shape": f"{height}x{width}",
                "distinct lines": str(rules.distinct_lines),
                "number": len(given),
                "bitboard µs": round(kernel, 1),
                "undecided": left,
                "pysat µs": round(pysat),
                "pysat / bitboard": round(pysat / kernel),
            }


def one_by_one() -> Iterator[tables.Row]:
    for side in puzzles.NUMBERS:
        given = puzzles.load(side)[:IRREDUCIBLE]
        for backend in ("auto", "bitboard", "pysat"):
            times = [each / 1000 for each in microseconds(backend, given)]
            yield {"puzzles": f"{side}x{side}", "backend": backend, **tables.spread(times)}


def empty_boards() -> Iterator[tables.Row]:
    for side in EMPTY:
        puzzle = Puzzle(Board.empty(side, side))
        assert solve(puzzle).verdict == "solved"
        yield {
            "board": f"{side}x{side}",
            "first solution ms": best_ms(partial(solve, puzzle)),
            "two solutions ms": best_ms(partial(check, puzzle)),
        }


def best_ms(work: Callable[[], object]) -> float:
    return round(min(tables.milliseconds(work) for _ in range(ROUNDS)), 2)


def counts() -> Iterator[tables.Row]:
    for backend in ("bitboard", "auto"):
        started = perf_counter()
        assert count(Puzzle(Board.empty(8, 8)), backend=backend, limit=None).count == 4_111_116
        yield {"backend": backend, "empty 8x8 s": round(perf_counter() - started, 2)}


def all_tables() -> Iterator[tuple[str, list[tables.Row]]]:
    def table(title: str, rows: Iterable[tables.Row]) -> tuple[str, list[tables.Row]]:
        return title, list(rows)

    yield table("check, irreducible puzzles: one call for all, and one by one", irreducible())
    if rows := list(of_others()):
        yield "check, published puzzles", rows
    yield table("check through backends, one by one, irreducible puzzles", one_by_one())
    yield table("empty boards, through auto", empty_boards())
    yield table("all solutions of the empty 8x8", counts())


if __name__ == "__main__":
    tables.report(
        "bitboard",
        all_tables(),
    )
