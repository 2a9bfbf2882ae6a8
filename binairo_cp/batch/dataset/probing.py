"""Try each set of a recipe for seconds before a run takes hours: can it be fulfilled, how long?"""

from __future__ import annotations

import math
from collections.abc import Callable
from time import perf_counter

from binairo_cp.batch.dataset.recipe import DatasetPlan, SetPlan
from binairo_cp.batch.dataset.rows import DatasetRow, RowWork
from binairo_cp.errors import BudgetExceeded, GenerationError, LimitError
from binairo_cp.generation.puzzles import generate_puzzles
from binairo_cp.puzzle.rules import CLASSIC
from binairo_cp.solving.backends import Budget, Meter

MOST_DISTINCT = {(2, 2): (5, 1), (4, 4): (180_518, 725), (6, 6): (10_008_966_416_430, 22_787_582)}
"""The numbers of classic puzzles up to symmetry, and of irreducible ones (docs/numbers.md)."""

_SECONDS = 2.0
"""How long to try a set, at least for a few puzzles."""
_PATIENCE = 60.0
"""How long to try it at most."""
_FIRST, _MOST = 8, 512
_LEAST_FOUND = 0.05
_LEAST_TWINS = 10
_FAR = 10
"""Refuse sets of so many times the estimated number of puzzles. It is too small where some puzzles
are drawn more often than others."""


def probe(
    plan: DatasetPlan, show: Callable[[float, float | None, str], object]
) -> tuple[float, float]:
    """Try all sets; estimate the seconds of one core for all puzzles, and the characters of rows.

    Raises:
        LimitError: there are too few puzzles of a kind.
        GenerationError: none of a kind is found, or very few.
    """
    _check_known(plan)
    seconds = characters = 0.0
    for number, each in enumerate(plan.sets):
        show(number, len(plan.sets), f"trying puzzles[{each.number}]")
        rows, spent = _tried(each, plan.recipe.certificates)
        _check_distinct(each, rows)
        seconds += spent / len(rows) * each.spec.count
        characters += sum(len(row.text) for row in rows) / len(rows) * each.spec.count
    return seconds, characters


def _check_known(plan: DatasetPlan) -> None:
    """Compare the numbers of puzzles of small sizes with the known ones."""
    for size, (every, irreducible) in MOST_DISTINCT.items():
        of_size = [each for each in plan.sets if each.spec.recipe.rules == CLASSIC]
        of_size = [
            each for each in of_size if each.size == size and each.spec.recipe.clues != "fewest"
        ]
        for sets, most, kind in (
            ([each for each in of_size if _is_irreducible(each)], irreducible, "irreducible "),
            (of_size, every, ""),
        ):
            number = sum(each.spec.count for each in sets)
            if number > most:
                numbers = ", ".join(str(each.number) for each in sets)
                raise LimitError(
                    f"puzzles[{numbers}]: {number:,} {kind}{size[0]}x{size[1]} puzzles, but only "
                    f"{most:,} exist, counting twins once"
                )


def _is_irreducible(each: SetPlan) -> bool:
    kind = each.spec.recipe
    is_free = kind.level is None and kind.clues is None and kind.pattern == "none"
    is_free = is_free and kind.demand is None and not kind.mask and kind.balance is None
    return not kind.signs and (kind.irreducible or is_free)


def _tried(each: SetPlan, certified: bool) -> tuple[list[DatasetRow], float]:
    """The rows of the first puzzles of a set, and the seconds that they took.

    Raises:
        GenerationError: none is found, or very few.
    """
    work = RowWork(each, certified)
    meter = Meter(Budget(_PATIENCE))
    started, rows, end, step = perf_counter(), list[DatasetRow](), 0, 1
    # Twins are found among the puzzles of other shards too, so more are tried than wanted.
    most = min(_MOST, 2 * each.spec.count)
    while end < most and (end < _FIRST or perf_counter() - started < _SECONDS):
        numbers = list(range(end, min(end + step, most)))
        try:
            spec = each.spec
            found = generate_puzzles(spec.recipe, spec.seed, numbers, False, None, meter)
        except BudgetExceeded:
            break
        rows += work.rows(numbers, found)
        end, step = end + len(numbers), 2 * step
    if len(rows) <= _LEAST_FOUND * end:
        tries = f"{each.spec.recipe.tries:,} boards each"
        tried = f"of {end} {each.what} tried ({tries}), {len(rows)} were found"
        raise GenerationError(
            f"puzzles[{each.number}]: {tried if end else f'no {each.what} in {_PATIENCE:.0f} s'}; "
            f"a larger size, another grade or fewer conditions may help"
        )
    return rows, perf_counter() - started


def _check_distinct(each: SetPlan, rows: list[DatasetRow]) -> None:
    """Refuse a set if the twins among a few puzzles show that there are not as many as wanted.

    Raises:
        LimitError: there are not.
    """
    distinct = len({row.digest for row in rows})
    if len(rows) - distinct < _LEAST_TWINS:
        return
    number = _population(len(rows), distinct)
    if each.spec.count > _FAR * number:
        raise LimitError(
            f"puzzles[{each.number}]: {each.spec.count:,} {each.what}, but there are only "
            f"about {number:,.0f}: {len(rows)} were tried, and {distinct} are no twins of others"
        )


def _population(drawn: int, distinct: int) -> float:
    """How many different things there are, if so many of those drawn are distinct.

    Of n equally likely things, m draws find n * (1 - exp(-m / n)) on average.
    """
    low, high = float(distinct), 1e9
    for _ in range(100):
        middle = math.sqrt(low * high)
        if middle * -math.expm1(-drawn / middle) < distinct:
            low = middle
        else:
            high = middle
    return low
