"""``check`` per puzzle, by backend and size, on irreducible puzzles."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median
from time import perf_counter

from benchmarks import puzzles, tables
from binairo_cp import Puzzle, check

BACKENDS = {
    6: ["pysat", "pysat:minisat22:fresh", "cpsat", "backtracking"],
    10: ["pysat", "pysat:glucose4", "pysat:cadical195", "pysat:minisat22:fresh", "cpsat"],
    14: ["pysat", "pysat:glucose4", "pysat:cadical195", "pysat:minisat22:fresh", "cpsat"],
    20: ["pysat", "pysat:glucose4", "pysat:cadical195", "pysat:minisat22:fresh", "cpsat"],
}
"""The default backend comes first; the others are told as ratios to it."""

SLOW = {"cpsat": {14: 40, 20: 15}, "pysat:minisat22:fresh": {20: 15}}
"""How many puzzles are enough for the slow ones."""


WARM_UP = 5


def times(backend: str, given: list[Puzzle]) -> list[float]:
    """Milliseconds for each puzzle but the first few, each seen for the first time.

    A clause learner remembers: to decide the same puzzle twice would time its memory. So answers
    are compared after each call, outside its time, and the warm-up has puzzles of its own.
    """
    taken = []
    for puzzle in given:
        started = perf_counter()
        outcome = check(puzzle, backend=backend)
        taken.append((perf_counter() - started) * 1000)
        assert outcome.verdict == "unique", puzzle
    return taken[WARM_UP:]


def main_tables() -> Iterator[tuple[str, list[tables.Row]]]:
    for side, names in BACKENDS.items():
        given = puzzles.load(side)
        rows: list[tables.Row] = []
        first = 0.0
        for name in names:
            taken = times(name, given[: SLOW.get(name, {}).get(side, len(given))])
            first = first or median(taken)
            ratio = round(median(taken) / first, 1)
            rows.append(
                {"backend": name, "puzzles": len(taken), **tables.spread(taken), "ratio": ratio}
            )
        yield f"check, irreducible {side}x{side}", rows


if __name__ == "__main__":
    tables.report("check", main_tables())
