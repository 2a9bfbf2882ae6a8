"""Count all solutions: our backend, the model counter Ganak and clingo on the same puzzles."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.util import find_spec
from statistics import median
from time import perf_counter

from benchmarks import puzzles, sets, tables
from benchmarks.apart import Late, apart
from benchmarks.tools import clingo_control
from binairo_cp import UNRULY, Board, Puzzle, count
from binairo_cp.formats import read_sources
from binairo_cp.solving.encodings.cnf import encode

SECONDS = tables.sized(3.0, 15.0, 600.0)
"""The time limit for all puzzles of a row."""

PUZZLES = tables.sized(1, 10)
TAKEN = {6: 4, 10: 4, 14: 3}
"""The number of clues removed from irreducible puzzles, by side, to get many solutions."""

Counters = dict[str, tuple[str, Callable[[Puzzle], int]]]


def by_ganak(puzzle: Puzzle) -> int:
    """Count the models of our clauses, projected to the cells; there are as many as solutions."""
    import pyganak

    counter = pyganak.Counter()
    for clause in encode(puzzle)[1]:
        counter.add_clause(clause)
    counter.set_sampling_set(list(range(1, len(puzzle.board.cells) + 1)))
    return int(counter.count())


def by_clingo(puzzle: Puzzle) -> int:
    found = 0

    def one_more(model: object) -> None:
        nonlocal found
        found += 1

    clingo_control(puzzle, 0).solve(on_model=one_more)
    return found


def by_backend(puzzle: Puzzle) -> int:
    return count(puzzle, limit=10**9).count


COUNTERS: Counters = {
    "auto": ("", by_backend),
    "pyganak": ("pyganak", by_ganak),
    "clingo": ("clingo", by_clingo),
}
"""The library that must be installed, and the function that counts, by name."""


def sets_to_count() -> Iterator[tuple[str, list[Puzzle]]]:
    yield "empty 6x6, classic", [Puzzle(Board.empty(6, 6))]
    yield "empty 6x6, unruly", [Puzzle(Board.empty(6, 6), UNRULY)]
    source = str(sets.INSTANCES / "edge/many-solutions.txt")
    yield (
        "instances/edge/many-solutions",
        [entry.puzzle for entry in read_sources([source]) if entry.puzzle][:PUZZLES],
    )
    for side, taken in TAKEN.items():
        some = []
        for puzzle in puzzles.load(side)[:PUZZLES]:
            cells = list(puzzle.board.cells)
            for place in [k for k, cell in enumerate(cells) if cell != "."][:taken]:
                cells[place] = "."
            some.append(Puzzle(Board(side, side, "".join(cells)), puzzle.rules))
        yield f"irreducible {side}x{side}, {taken} clues taken", some
    if tables.sized(tiny=False, usual=True):
        yield "empty 8x8, classic", [Puzzle(Board.empty(8, 8))]


def work(name: str, some: list[Puzzle]) -> list[tuple[int, float]]:
    """The count and the milliseconds for each puzzle, after a warm-up."""
    counter = COUNTERS[name][1]
    assert counter(Puzzle(Board.empty(4, 4))) == 72
    assert count(Puzzle(Board.empty(4, 4)), backend="bitboard").count == 72
    results = []
    for puzzle in some:
        started = perf_counter()
        number = counter(puzzle)
        results.append((number, 1000 * (perf_counter() - started)))
    return results


def rows() -> Iterator[tables.Row]:
    for title, some in sets_to_count():
        row: tables.Row = {"counted": title, "puzzles": len(some), "median solutions": ""}
        for name in COUNTERS:
            row |= {f"{name} {what}": "" for what in ("ms", "wrong", "times auto")}
        numbers: list[int] = []
        first = 0.0
        for name, (needs, _) in COUNTERS.items():
            row[f"{name} ms"] = "not installed"
            if needs and not find_spec(needs):
                continue
            try:
                results, _ = apart(work, name, some, seconds=SECONDS)
            except Late:
                row[f"{name} ms"] = f"not in {SECONDS:g} s"
                continue
            numbers = numbers or [number for number, _ in results]
            middle = median(milliseconds for _, milliseconds in results)
            row["median solutions"] = f"{median(numbers):g}"
            row[f"{name} ms"] = round(middle, 2)
            row[f"{name} wrong"] = sum(a != b for (a, _), b in zip(results, numbers, strict=True))
            first = first or middle
            row[f"{name} times auto"] = round(middle / first, 1)
        yield row
