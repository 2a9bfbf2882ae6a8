"""The default backend compared with its members, the bitboard and PySAT, on sets of all kinds.

All times are CPU times of single calls, of quick puzzles the best of some rounds. The backends run
one after the other, each in a new thread whose solvers have learned nothing. The first puzzle of
each shape is a warm-up. A puzzle that reaches the time limit counts with the time that it took. A
backend that is slow stops early; the ratio to it is over the puzzles that it has done. The verdicts
of all backends are compared, those of the warm-up too.

*Other reading*: the same puzzles with distinct lines if they had none, and without if they had.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from random import Random
from statistics import median
from time import thread_time
from typing import Any

from benchmarks import puzzles, sets, tables
from binairo_cp import CLASSIC, UNRULY, Board, Puzzle, Verdict, check, solve
from binairo_cp.generation.boards import draw_boards
from binairo_cp.generation.puzzles import Recipe, generate_puzzles
from binairo_cp.solving import backends

AUTO, *MEMBERS = NAMES = ("auto", "bitboard", "pysat")
TASKS: dict[str, Callable[..., Any]] = {
    "check": lambda puzzle, **options: check(puzzle, reasons="none", **options),
    "solve": solve,
}

NUMBER = tables.sized(3, 100, 1_000)
GENERATED = tables.sized(3, 20, 100)
"""The most puzzles of a set, with those for the warm-up."""

A_PUZZLE = tables.sized(0.1, 1.0, 20.0)
"""The time limit in CPU seconds for a puzzle."""

A_SET = tables.sized(0.1, 1.0, 200.0)
"""The CPU seconds after which no further puzzle of a set is started, for each backend."""

QUICK = 0.3
ROUNDS = tables.sized(2, 3)
"""Backends that decide a set in `QUICK` CPU seconds are measured in several rounds."""

SIDES = tables.sized((20,), (20, 30, 40, 50, 60))
LARGEST = tables.sized(10, 50)
"""The largest irreducible puzzles."""

RECIPES = {
    "irreducible 24x24": Recipe(24, 24, irreducible=True),
    "irreducible 30x30": Recipe(30, 30, irreducible=True),
    "medium 50x50": Recipe(50, 50, level="medium"),
    "medium 60x60": Recipe(60, 60, level="medium"),
    "irreducible 12x30": Recipe(12, 30, irreducible=True),
    "irreducible 20x40": Recipe(20, 40, irreducible=True),
    "irreducible 25x25": Recipe(25, 25, irreducible=True),
    "signs 10x10": Recipe(10, 10, UNRULY, signs=25, irreducible=True),
    "signs 20x20": Recipe(20, 20, UNRULY, signs=100, irreducible=True),
    "signs 30x30": Recipe(30, 30, UNRULY, signs=225, irreducible=True),
}
"""Puzzles that are quickly generated."""

_ALTERED = ("irreducible 20x20", "irreducible 30x30", "irreducible 50x50", "signs 20x20")
_SEED = "handover"


@dataclass
class Times:
    """The results of one set, task and reading.

    Attributes:
        seconds: by backend, those of each puzzle.
        unknown: by backend, the number of puzzles that it did not decide.
    """

    seconds: dict[str, list[float]] = field(default_factory=lambda: {name: [] for name in NAMES})
    unknown: dict[str, int] = field(default_factory=lambda: dict.fromkeys(NAMES, 0))

    def milliseconds(self, name: str) -> float:
        return 1000 * sum(self.seconds[name])

    @property
    def ratio(self) -> float:
        """The time of `auto`, as a multiple of the better member's, which may have done fewer."""
        return max(map(self._ratio, MEMBERS))

    def _ratio(self, member: str) -> float:
        ours, theirs = self.seconds[AUTO], self.seconds[member]
        common = min(len(ours), len(theirs))
        return sum(ours[:common]) / sum(theirs[:common]) if common else 0.0


def all_sets() -> dict[str, list[Puzzle]]:
    found = {
        name: [known.puzzle for known in some]
        for name, some in sets.sets().items()
        if not name.startswith("irreducible")
    }
    for side in puzzles.NUMBERS:
        found[f"irreducible {side}x{side}"] = puzzles.load(side)
    for height, width in puzzles.LARGE if LARGEST == 50 else ():
        found[f"irreducible {height}x{width}"] = puzzles.load(height, width)
    for name, recipe in RECIPES.items():
        made = generate_puzzles(recipe, _SEED, range(GENERATED), graded=False)
        found[name] = [each.puzzle for each in made if each]
    for name in _ALTERED:
        some = found.get(name, [])[:GENERATED]
        found[f"{name}, a tenth of the clues removed"] = [fewer(each, 0.1) for each in some]
        found[f"{name}, a third of the clues removed"] = [fewer(each, 1 / 3) for each in some]
        found[f"{name}, one wrong clue"] = [contradictory(each) for each in some]
    for side in SIDES:
        size = f"{side}x{side}"
        found[f"nearly empty {size}"] = opened(side, (0.0, 0.0, 0.01, 0.02, 0.03, 0.06, 0.09, 0.12))
        found[f"mostly open {size}"] = opened(side, (0.13, 0.15, 0.14, 0.16, 0.18, 0.2, 0.22, 0.24))
    found["random clues 10x10 to 30x30"] = [
        with_random_clues(side, part, number)
        for side in (10, 20, 30)
        for part in (0.04, 0.08, 0.12)
        for number in range(4)
    ]
    return {name: some[:NUMBER] for name, some in found.items() if some}


def fewer(puzzle: Puzzle, part: float) -> Puzzle:
    """A puzzle without this part of its clues."""
    cells = puzzle.board.cells
    clues = [place for place, value in enumerate(cells) if value != "."]
    removed = set(Random(cells).sample(clues, round(part * len(clues))))
    return _with_cells(puzzle, (v if k not in removed else "." for k, v in enumerate(cells)))


def contradictory(puzzle: Puzzle) -> Puzzle:
    """A puzzle without a solution: one more clue, which is wrong. Of some, the bitboard finds this
    one the hardest.
    """
    solution = check(puzzle, backend="bitboard").solution
    assert solution
    cells = puzzle.board.cells
    places = [place for place, value in enumerate(cells) if value == "."]
    tried = [
        _with_cells(
            puzzle,
            ("10"[int(solution.cells[k])] if k == place else v for k, v in enumerate(cells)),
        )
        for place in Random(cells).sample(places, min(8, len(places)))
    ]
    return max(tried, key=lambda each: _nodes(each))


def _nodes(puzzle: Puzzle) -> int:
    from binairo_cp.solving.backends.bitboard import BitboardSearch, Searcher

    search = BitboardSearch(puzzle, Searcher(puzzle.board.height, puzzle.board.width, puzzle.rules))
    search.resume(1, 20_000)
    return search.nodes


def opened(side: int, parts: tuple[float, ...]) -> list[Puzzle]:
    """Puzzles with clues in these parts of their cells, from random boards; in turn with distinct
    lines and without.
    """
    made = []
    for number, part in enumerate(parts):
        rng = Random(f"{side} {part}")
        rules = (CLASSIC, UNRULY)[number % 2]
        [board] = draw_boards(side, side, [rng.getrandbits(63)], rules)
        clues = set(rng.sample(range(side * side), round(part * side * side)))
        cells = (v if k in clues else "." for k, v in enumerate(board.cells))
        made.append(_with_cells(Puzzle(board, rules), cells))
    return made


def with_random_clues(side: int, part: float, number: int) -> Puzzle:
    """A puzzle with random values in this part of its cells, which mostly has no solution."""
    rng = Random(f"{side} {part} {number}")
    clues = rng.sample(range(side * side), round(part * side * side))
    values = {place: rng.choice("01") for place in clues}
    return Puzzle(Board(side, side, "".join(values.get(k, ".") for k in range(side * side))))


def _with_cells(puzzle: Puzzle, cells: Iterator[str]) -> Puzzle:
    board = puzzle.board
    return replace(puzzle, board=Board(board.height, board.width, "".join(cells)))


def other_reading(puzzle: Puzzle) -> Puzzle:
    rules = replace(puzzle.rules, distinct_lines=not puzzle.rules.distinct_lines)
    return replace(puzzle, rules=rules)


def measured(some: list[Puzzle], task: str) -> Times:
    """The times of all backends, of quick puzzles the best of several rounds."""
    ordered = sorted(some, key=lambda each: str(sets.shape(each)))
    best = _round(ordered, task, NAMES)
    quick = [name for name in NAMES if sum(best.seconds[name]) < QUICK]
    for _ in range(ROUNDS - 1):
        again = _round(ordered, task, quick)
        for name in quick:
            pairs = zip(best.seconds[name], again.seconds[name], strict=False)
            best.seconds[name] = [min(pair) for pair in pairs]
    return best


def _round(ordered: list[Puzzle], task: str, names: Iterable[str]) -> Times:
    """One round; each backend has a new thread, whose solvers have learned nothing."""
    times = Times()
    verdicts: dict[int, set[Verdict]] = {}
    for name in names:
        with ThreadPoolExecutor(1) as thread:
            results = thread.submit(_run, name, ordered, task).result()
        for place, (seconds, verdict, is_warm) in enumerate(results):
            verdicts.setdefault(place, set()).add(verdict)
            if is_warm:
                times.seconds[name].append(seconds)
                times.unknown[name] += verdict == Verdict.UNKNOWN
    for place, each in verdicts.items():
        assert len(each - {Verdict.UNKNOWN}) <= 1, (each, ordered[place])
    return times


def _run(name: str, some: list[Puzzle], task: str) -> list[tuple[float, Verdict, bool]]:
    """The CPU seconds and the verdict of each call, and whether its shape was warm."""
    warm: set[tuple[object, ...]] = set()
    results = []
    left = A_SET
    for puzzle in some:
        if left < 0 and len(results) > 1:
            break
        shape = sets.shape(puzzle)
        started = thread_time()
        outcome = TASKS[task](puzzle, backend=name, time_limit=A_PUZZLE)
        seconds = thread_time() - started
        left -= seconds
        results.append((seconds, outcome.verdict, shape in warm))
        warm.add(shape)
    return results


def all_tables() -> Iterator[tables.Table]:
    # Time limits are in CPU time of the thread too, so that other programs matter little.
    backends.monotonic = thread_time
    ratios: list[tables.Row] = []
    details: list[tables.Row] = []
    for name, some in all_sets().items():
        row: tables.Row = {"puzzles": name}
        for reading, read in (("", some), (", other reading", list(map(other_reading, some)))):
            for task in TASKS:
                times = measured(read, task)
                if not times.seconds[AUTO]:
                    continue  # each puzzle has a shape of its own
                if f"{AUTO} ms" not in row:
                    row["number"] = len(times.seconds[AUTO])
                    row |= {f"{each} ms": round(times.milliseconds(each), 1) for each in NAMES}
                row[f"{task}{reading}"] = round(times.ratio, 2)
                details.append(_details(name, f"{task}{reading}", times))
        print(row, flush=True)
        ratios.append(row)
    yield "auto / best member; CPU ms are those of check, summed over each set", ratios
    yield "sums and medians of each set, task and reading", details
    yield "ratios above 1.25", [each for each in details if float(each["auto / best"]) > 1.25]


def _details(name: str, task: str, times: Times) -> tables.Row:
    row: tables.Row = {"puzzles": name, "task": task}
    for each in NAMES:
        row[f"{each} puzzles"] = len(times.seconds[each])
        row[f"{each} ms"] = round(times.milliseconds(each), 1)
        row[f"{each} median ms"] = round(1000 * median(times.seconds[each] or [0.0]), 3)
        row[f"{each} unknown"] = times.unknown[each]
    return row | {"auto / best": round(times.ratio, 2)}


if __name__ == "__main__":
    tables.report(
        "auto",
        all_tables(),
    )
