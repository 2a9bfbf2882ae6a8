"""Grades compared with the levels of published puzzles, and the speed of grading.

The published puzzles come from the folder named by ``BINAIRO_REAL_PUZZLES``. Without it, only the
speed on our own puzzles is measured.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import product

from benchmarks import puzzles, tables
from benchmarks.published import published, solutions
from binairo_cp import Puzzle
from binairo_cp.deduction.driver import rounds
from binairo_cp.deduction.grading import grade, grade_of, grade_plain
from binairo_cp.deduction.techniques import LEVELS

ORDER = {"trivial": 1, "easy": 2, "normal": 3}
SOURCES = ("puzzle-binairo.com", "binarypuzzle.com", "sgt-unruly", "thilerion", "demystify")
ROUNDS = tables.sized(1, 5)
AT_LEAST = tables.sized(10, 4_000)


def load() -> dict[str, list[tuple[int, Puzzle]]]:
    """The puzzles with one solution by source, with the levels of the source."""
    found: dict[str, list[tuple[int, Puzzle]]] = defaultdict(list)
    for _, record, puzzle in published():
        level = str(record.get("level", ""))
        level = str(ORDER.get(level, level))
        if solutions(record) == 1 and level.isdecimal():
            found[record["source"]].append((int(level), puzzle))
    return found


def rank_correlation(pairs: list[tuple[int, int]]) -> float:
    """Kendall's tau-b, which accounts for ties."""
    agree = tied_one = tied_two = 0
    for (a, b), (c, d) in product(pairs, repeat=2):
        one, two = (a > c) - (a < c), (b > d) - (b < d)
        agree += one * two
        tied_one += one != 0
        tied_two += two != 0
    return agree / max(1.0, (tied_one * tied_two) ** 0.5)


def levels(given: dict[str, list[tuple[int, Puzzle]]]) -> Iterator[tuple[str, list[tables.Row]]]:
    rows: list[tables.Row] = []
    ranks: list[tables.Row] = []
    for source in SOURCES:
        graded = [(level, grade(puzzle)) for level, puzzle in given[source]]
        for level in sorted({level for level, _ in graded}):
            counted = Counter(
                found.level for published_level, found in graded if published_level == level
            )
            rows.append({"source": source, "its level": level, **{k: counted[k] for k in LEVELS}})
        pairs = [(level, LEVELS.index(found.level)) for level, found in graded]
        ranks.append(
            {"source": source, "puzzles": len(pairs), "tau-b": round(rank_correlation(pairs), 2)}
        )
    yield "levels of the publishers and grades", rows
    yield "rank correlation", ranks


def speed(given: dict[str, list[tuple[int, Puzzle]]]) -> tuple[str, list[tables.Row]]:
    rows: list[tables.Row] = []
    sets: dict[str, list[Puzzle]] = {
        f"puzzle-binairo.com {side}x{side}": [
            puzzle for _, puzzle in given["puzzle-binairo.com"] if puzzle.board.height == side
        ]
        for side in (6, 10, 14, 20)
    }
    sets["binarypuzzle.com 10x10"] = [
        puzzle for _, puzzle in given["binarypuzzle.com"] if puzzle.board.height == 10
    ]
    sets["irreducible 10x10"] = puzzles.load(10)
    for name, found in sets.items():
        some = found[:AT_LEAST]
        if not some:
            continue
        answers = grade_plain(some)
        for answer, puzzle in zip(answers, some, strict=True):
            assert answer in (None, grade_of(puzzle, rounds(puzzle)))
        many = some * -(-AT_LEAST // len(some))
        best = min(tables.milliseconds(lambda m=many: grade_plain(m)) for _ in range(ROUNDS))
        by_logic = sum(answer is not None for answer in grade_plain(some, tries=False)) / len(some)
        rows.append(
            {
                "puzzles": name,
                "without contradiction": f"{by_logic:.0%}",
                "us per puzzle": round(best / len(many) * 1000, 1),
                "per second": round(len(many) / best * 1000),
            }
        )
    return "grading by the compiled techniques, one core", rows


def all_tables() -> Iterator[tuple[str, list[tables.Row]]]:
    given = load()
    if given:
        yield from levels(given)
    yield speed(given)


if __name__ == "__main__":
    tables.report(
        "grades", all_tables(), [tables.Plot("grading", ["puzzles"], ["per second"], log=False)]
    )
