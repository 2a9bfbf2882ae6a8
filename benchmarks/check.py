"""``check`` per puzzle: each backend on each set, with its memory.

A clause learner remembers what it learned, so no puzzle is decided twice. The first puzzle of each
shape and rules is a warm-up. What is built or loaded once is not in the figures; ``startup.py`` has
it. All answers, including those of the warm-up, are checked outside the measured time.
"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median
from time import perf_counter

from benchmarks import sets, tables
from benchmarks.apart import Late, apart
from binairo_cp import Board, Puzzle, Verdict, check

BACKENDS = (
    "auto",
    "bitboard",
    "pysat",
    "pysat:glucose4",
    "pysat:cadical195",
    "pysat:minisat22:fresh",
    "cpsat",
    "cpsat:differences",
    "backtracking",
)
"""The default backend comes first; the times of the others are ratios to it."""

PUZZLES = tables.sized(2, 100, 1_000_000)
"""The maximum number of puzzles of a set."""

A_PUZZLE = tables.sized(0.2, 1.0, 60.0)
"""The time limit in seconds for a puzzle; after that it is unknown."""

A_SET = tables.sized(0.5, 2.0, 600.0)
"""The time in seconds after which no further puzzle of a set is started."""


Times = tuple[list[float], int]


def times(backend: str) -> dict[str, Times]:
    """For each set: milliseconds per puzzle, without the warm-up, and the number of unknowns."""
    if backend == "auto":
        # Otherwise it would load the bitboard only for the first hard puzzle.
        check(Puzzle(Board.empty(2, 2)), backend="bitboard")
    return {name: _of_set(backend, some) for name, some in sets.sets().items()}


def _of_set(backend: str, some: list[sets.Known]) -> Times:
    taken: list[float] = []
    warm: set[tuple[object, ...]] = set()
    unknown = 0
    end = perf_counter() + A_SET
    for known in some:
        if len(taken) == PUZZLES or (perf_counter() > end and taken):
            break
        shape = sets.shape(known.puzzle)
        started = perf_counter()
        outcome = check(known.puzzle, backend=backend, time_limit=A_PUZZLE)
        seconds = perf_counter() - started
        assert outcome.verdict in (known.verdict, Verdict.UNKNOWN), (backend, known)
        if shape in warm:
            taken.append(seconds * 1000)
            unknown += outcome.verdict == Verdict.UNKNOWN
        warm.add(shape)
    return taken, unknown


def row(backend: str, found: Times, first: Times) -> tables.Row:
    taken, unknown = found
    figures: tables.Row = {"backend": backend, "puzzles": len(taken)}
    figures |= {"median ms": "", "p99 ms": "", "unknown": unknown, "ratio": ""}
    if taken:
        figures |= tables.spread(taken)
    if taken and first[0]:
        figures["ratio"] = round(median(taken) / median(first[0]), 2)
    return figures


def all_tables() -> Iterator[tables.Table]:
    found: dict[str, dict[str, Times]] = {}
    memory: list[tables.Row] = []
    names = list(sets.sets())
    for backend in BACKENDS:
        print(f"{backend}...", flush=True)
        seconds = 60 + 4 * A_SET * len(names)
        try:
            found[backend], peak = apart(times, backend, seconds=seconds)
            memory.append({"backend": backend, "peak memory MB": peak})
        except Late:
            memory.append({"backend": backend, "peak memory MB": f"not done in {seconds:g} s"})
    first = found[BACKENDS[0]]
    for name in names:
        rows = [row(backend, by_set[name], first[name]) for backend, by_set in found.items()]
        yield f"check, {name}", rows
    yield "memory, each backend in its own process, all sets", memory


if __name__ == "__main__":
    tables.report("check", all_tables())
