"""Try each set of a recipe for seconds before a run takes hours: can it be fulfilled, how long?"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

from binairo_cp.batch.dataset.recipe import DatasetPlan, SetPlan
from binairo_cp.batch.dataset.rows import DatasetRow, RowWork
from binairo_cp.errors import BudgetExceeded, GenerationError
from binairo_cp.generation.puzzles import generate_puzzles
from binairo_cp.solving.backends import Budget, Meter

_SECONDS = 2.0
"""How long to try a set, at least for a few puzzles."""
_PATIENCE = 60.0
"""How long to try it at most."""
_FIRST, _MOST = 8, 512
_LEAST_FOUND = 0.05


def probe(
    plan: DatasetPlan, show: Callable[[float, float | None, str], object]
) -> tuple[float, float]:
    """Try all sets; estimate the seconds of one core for all puzzles, and the characters of rows.

    Raises:
        GenerationError: none of a kind is found, or very few.
    """
    seconds = characters = 0.0
    for number, each in enumerate(plan.sets):
        show(number, len(plan.sets), f"trying puzzles[{each.number}]")
        rows, spent = _tried(each, plan.recipe.certificates)
        seconds += spent / len(rows) * each.spec.count
        characters += sum(len(row.text) for row in rows) / len(rows) * each.spec.count
    return seconds, characters


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
