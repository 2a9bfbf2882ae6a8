"""Grades compared with the levels of published puzzles, and the speed of grading.

The published puzzles come from the folder named by ``BINAIRO_REAL_PUZZLES``. Without it, only the
speed on our own puzzles is measured.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import product
from typing import Any, NamedTuple

from benchmarks import puzzles, tables
from benchmarks.published import published, solutions
from binairo_cp import Puzzle
from binairo_cp.deduction.driver import rounds
from binairo_cp.deduction.grading import Grade, ScaleName, grade, grade_of, grade_plain
from binairo_cp.deduction.grading import published as published_level
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


class Correlation(NamedTuple):
    """How well a grade or a score agrees with the levels of a publisher.

    Attributes:
        tau_b: Kendall's tau-b. It stays below 1 if only the levels have ties.
        somers_d: Somers' D: of the pairs of puzzles with different levels, the part in order less
            the part in the wrong order.
    """

    tau_b: float
    somers_d: float


def rank_correlation(ranks: list[tuple[int, float, Any]]) -> Correlation:
    """The correlation of levels and grades in each group, from (level, grade, group)."""
    agree = tied_one = tied_two = 0
    for (a, b, one_group), (c, d, other_group) in product(ranks, repeat=2):
        if one_group == other_group:
            one, two = (a > c) - (a < c), (b > d) - (b < d)
            agree += one * two
            tied_one += one != 0
            tied_two += two != 0
    tau_b = agree / max(1.0, (tied_one * tied_two) ** 0.5)
    return Correlation(round(tau_b, 3), round(agree / max(1, tied_one), 3))


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
        shapes = [(puzzle.board.height, puzzle.board.width) for _, puzzle in given[source]]
        ranks.append({"source": source, "puzzles": len(graded)} | _correlations(graded, shapes))
    yield "levels of the publishers and grades", rows
    yield "rank correlation", ranks
    yield "scales of publishers", list(scales(given))


def _correlations(graded: list[tuple[int, Grade]], shapes: list[Any]) -> tables.Row:
    """The rank correlations of our levels over all sizes, and of levels and scores in each size."""
    by_level = [(level, LEVELS.index(each.level)) for level, each in graded]
    by_score = [(level, each.score) for level, each in graded]
    together = rank_correlation([(*pair, 0) for pair in by_level])
    level, score = (
        rank_correlation([(*pair, shape) for pair, shape in zip(pairs, shapes, strict=True)])
        for pairs in (by_level, by_score)
    )
    return {
        "tau-b": together.tau_b,
        "level: tau-b in a size": level.tau_b,
        "level: Somers' D": level.somers_d,
        "score: tau-b in a size": score.tau_b,
        "score: Somers' D": score.somers_d,
    }


def scales(given: dict[str, list[tuple[int, Puzzle]]]) -> Iterator[tables.Row]:
    """How many puzzles of a publisher's level have which level of its scale."""
    names: dict[str, ScaleName] = {"sgt-unruly": "sgt", "puzzle-binairo.com": "puzzle-binairo"}
    for source, scale in names.items():
        counted = Counter(
            (level, published_level(puzzle, scale, lambda: None).level)
            for level, puzzle in given[source]
        )
        for (level, found), number in sorted(counted.items()):
            yield {"source": source, "its level": level, "--scale": found, "puzzles": number}


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
    tables.report("grades", all_tables())
