"""How the time grows with the side of the board, by backend, and with the number of puzzles.

Our generator makes the puzzles: irreducible ones, which have no redundant clue and need search, and
puzzles of medium grade, similar to published ones, which logic solves. It makes none above 64 cells
a side. Puzzles of 80x80 and 100x100 are four smaller boards side by side, without
the clues that proofs find redundant among two thirds of the cells. The times are of the processor,
since other processes change them less. The answer is compared with the known solution outside the
measured time. If a backend leaves all puzzles of a side unknown, it gets no larger ones.

For the number of puzzles, whole commands check files of puzzles of medium grade.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Literal

from benchmarks import tables
from benchmarks.apart import Late, apart
from binairo_cp import Board, Puzzle, Verdict, board, check, is_solution
from binairo_cp.puzzle.board import OPEN

SIDES = tables.sized((4, 6, 8), (4, 6, 8, 10, 12, 14, 16, 20, 24, 30, 36, 40, 50, 60, 64))
MEDIUM = 6
"""The smallest side of puzzles of medium grade."""

IRREDUCIBLE = tables.sized(8, 60, 64)
"""The largest side of irreducible puzzles; one of 60x60 takes about 20 s to generate."""

LARGE = tables.sized((40,), (80, 100), (80, 100))
"""The sides of puzzles made of four boards."""

GROUP = 240
"""How many of their clues are tested with one proof."""

PUZZLES = tables.sized(2, 12, 50)
FEW = tables.sized(1, 4, 10)
"""The number of puzzles of a side, and of sides above 20."""

A_PUZZLE = tables.sized(0.2, 10.0, 60.0)
"""The time limit in seconds for a puzzle; after that it is unknown."""

A_SIDE = tables.sized(0.2, 10.0, 600.0)
"""The time in seconds after which no further puzzle of a side is started."""

BACKENDS = ("auto", "bitboard", "pysat", "pysat:cadical195", "cpsat", "backtracking")

NUMBERS = [10**k for k in range(tables.sized(4, 8, 9))]
"""The numbers of puzzles in a file."""

DIFFERENT = 500
"""The number of different ones, each in several symmetric forms."""

Made = tuple[Puzzle, Board]
"""A puzzle and its solution."""

Family = dict[int, list[Made]]


def families() -> dict[str, Family]:
    """The puzzles by kind and side; the first of each is for the warm-up."""
    found: dict[str, Family] = {"irreducible": {}, "medium": {}}
    for side in SIDES:
        number = 1 + (PUZZLES if side <= 20 else FEW)
        if side <= IRREDUCIBLE:
            found["irreducible"][side] = _made(side, None, number)
        if side >= MEDIUM:
            found["medium"][side] = _made(side, "medium", number)
    found["large"] = {side: [_large(side, number) for number in range(2)] for side in LARGE}
    return found


def _made(side: int, level: Literal["medium"] | None, number: int) -> list[Made]:
    # Imported here, since the memory of processes that only solve is measured.
    from binairo_cp.generation.puzzles import Recipe, generate_puzzles

    made = generate_puzzles(Recipe(side, side, level=level), "growth", range(number), graded=False)
    return [(each.puzzle, each.solution) for each in made if each]


def _large(side: int, number: int) -> Made:
    # As above.
    from binairo_cp.generation.other_solutions import Differences
    from binairo_cp.solving.backends import UNLIMITED, Meter

    empty, seeds = Board.empty(side, side), count(1000 * number)
    drawn = (_unfolded(board(side // 2, seed=seed)[0]) for seed in seeds)
    solution = next(some for some in drawn if is_solution(Puzzle(empty), some))
    left, order = list(solution.cells), Random(number).sample(range(side**2), 2 * side**2 // 3)
    for begin in range(0, len(order), GROUP):
        group = order[begin : begin + GROUP]
        for place in group:
            left[place] = OPEN
        fewer, found = Puzzle(Board(side, side, "".join(left))), Differences()
        found.complete(fewer, solution.cells, [(place,) for place in group], Meter(UNLIMITED))
        for kept in found.needed:
            left[group[kept]] = solution.cells[group[kept]]
    return Puzzle(Board(side, side, "".join(left))), solution


def _unfolded(quarter: Board) -> Board:
    """A board of four times the size. A cell and its image in a middle line differ."""
    other, side = str.maketrans("01", "10"), quarter.width
    rows = [quarter.cells[k : k + side] for k in range(0, len(quarter.cells), side)]
    upper = [row + row[::-1].translate(other) for row in rows]
    lower = [row.translate(other) for row in reversed(upper)]
    return Board(2 * side, 2 * side, "".join(upper + lower))


def rows(backend: str, kind: str, family: Family) -> list[tables.Row]:
    """The results of one backend, by side."""
    check(Puzzle(Board.empty(2, 2)), backend="bitboard" if backend == "auto" else backend)
    table: list[tables.Row] = []
    for side, (warm, *some) in family.items():
        _seconds(backend, warm)
        end = perf_counter() + A_SIDE
        found: list[tuple[float, bool]] = []
        for made in some:
            if perf_counter() > end and found:
                break
            found.append(_seconds(backend, made))
        unknown = sum(not known for _, known in found)
        times = [1000 * seconds for seconds, _ in found]
        row: tables.Row = {"puzzles": kind, "side": side, "backend": backend, "number": len(found)}
        table.append(row | tables.spread(times) | {"unknown": unknown})
        if unknown == len(found):
            break
    return table


def _seconds(backend: str, made: Made) -> tuple[float, bool]:
    puzzle, solution = made
    started = process_time()
    outcome = check(puzzle, backend=backend, time_limit=A_PUZZLE)
    seconds = process_time() - started
    known = outcome.verdict != Verdict.UNKNOWN
    if known:
        assert (outcome.verdict, outcome.solution) == (Verdict.UNIQUE, solution), backend
    return seconds, known


def all_tables() -> Iterator[tables.Table]:
    memory: list[tables.Row] = []
    for kind, family in families().items():
        table: list[tables.Row] = []
        for backend in BACKENDS:
            if kind == "large" and backend == "bitboard":
                continue  # It takes lines of up to 64 cells.
            print(f"{kind}, {backend}...", flush=True)
            seconds = 30 + (2 * A_PUZZLE + 2 * A_SIDE) * len(family)
            try:
                found, peak = apart(rows, backend, kind, family, seconds=seconds)
            except Late:
                table.append(_late(kind, backend, seconds))
                continue
            table += found
            memory.append({"puzzles": kind, "backend": backend, "peak memory MB": peak})
        title = f"{A_PUZZLE:g} s per puzzle; stops after a side with only unknown results"
        yield f"{kind} puzzles by side; {title}", table
    yield "memory, each backend in its own process, all sides", memory
    yield "files of medium 10x10 puzzles by number, whole commands", list(by_number())


def by_number() -> Iterator[tables.Row]:
    """The time and the memory of `check` for files of lines, with two workers."""
    from benchmarks import batch  # as above

    boards = batch.variants(puzzle.board for puzzle, _ in _made(10, "medium", DIFFERENT))
    run = batch.Run("line", "line", 2)
    with TemporaryDirectory() as folder:
        source, out = Path(folder, "x.line"), Path(folder, "out")
        for number in NUMBERS:
            print(f"{number} puzzles...", flush=True)
            batch.write(source, boards, number, "line")
            seconds, memory = batch.measure(run, source, out)
            if number <= len(boards):
                batch.validate(source, out, "line")
            yield {
                "number": number,
                "seconds": round(seconds, 3),
                "us per puzzle": round(seconds / number * 1e6, 2),
                "memory MB": round(memory),
            }


def _late(kind: str, backend: str, seconds: float) -> tables.Row:
    table: tables.Row = {"puzzles": kind, "side": 0, "backend": backend, "number": 0}
    return table | {"median ms": f"not done in {seconds:g} s", "p99 ms": "", "unknown": ""}


if __name__ == "__main__":
    tables.report("growth", all_tables())
