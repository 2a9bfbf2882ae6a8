"""Generate random puzzles: draw a solved board, then remove clues and signs.

Puzzle number k of a seed is the same on every machine, whichever other puzzles are generated.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice

from binairo_cp.deduction.techniques import LEVELS
from binairo_cp.generation import single_attempts
from binairo_cp.generation.boards import seed_of
from binairo_cp.generation.recipes import GeneratedPuzzle, Recipe
from binairo_cp.solving.backends import UNLIMITED, Meter

__all__ = ["GeneratedPuzzle", "Recipe", "generate_puzzles"]

_TRIES_BY_CHANCE = 100
"""After so many boards that leave more clues than asked for, the fewest of each are searched."""
_MAX_BOARDS_AT_ONCE = 400
_FEW = 3
"""So many boards are tried one by one, which takes less time than to try them as arrays."""
_TO_LOAD_NUMPY = 100
"""After so many boards, or a third for a level, arrays save more time than numpy takes to load."""


def generate_puzzles(
    recipe: Recipe,
    seed: int | str,
    numbers: Sequence[int],
    graded: bool = True,
    watch: Callable[[int], object] | None = None,
    meter: Meter | None = None,
) -> list[GeneratedPuzzle | None]:
    """Generate the puzzles with some numbers.

    Args:
        recipe: The kind of puzzle.
        seed: The random seed; 1 is the same as ``"1"``, as on the command line.
        numbers: Which puzzles of the seed to generate, from 0.
        graded: Whether to include full grades, if the recipe has a level. This takes long for
            levels above hard. The level is correct either way.
        watch: Is called after each round with the number of boards tried so far per missing puzzle.
        meter: Limits the time; None for no limit.

    Returns:
        A puzzle for each number, or None if none was found within the tries of the recipe.

    Raises:
        LimitError: There is no solved board of this size.
        GenerationError: No solved board was found.
        BudgetExceeded: The time ran out.
    """
    meter = meter or Meter(UNLIMITED)
    # The seeds depend on the kind, so that different kinds get different boards.
    kind = replace(recipe, tries=1)
    generated: dict[int, GeneratedPuzzle] = {}
    tried = boards = 0
    while tried < recipe.tries:
        left = [number for number in numbers if number not in generated]
        if not left:
            break
        by_search = tried >= _TRIES_BY_CHANCE and recipe.can_be_searched
        number_of_tries = 1 if by_search else _tries_at_once(recipe, tried, len(left))
        attempts = range(tried, tried + number_of_tries)
        seeds = [[seed_of(str(seed), kind, number, k) for k in attempts] for number in left]
        boards += len(left) * number_of_tries
        most = _TO_LOAD_NUMPY if recipe.level is None else _TO_LOAD_NUMPY // 3
        as_arrays = boards > (_FEW if "numpy" in sys.modules else most)
        found = zip(left, _first_fitting(recipe, seeds, meter, by_search, as_arrays), strict=True)
        generated.update((number, puzzle) for number, puzzle in found if puzzle)
        tried = attempts.stop
        if watch:
            watch(tried)
    if graded and (recipe.level is not None or recipe.demand is not None):
        # Imported here, because most puzzles need no grade.
        from binairo_cp.deduction.grading import grade_each

        grades = grade_each([puzzle.puzzle for puzzle in generated.values()], meter)
        for number, full_grade in zip(list(generated), grades, strict=True):
            generated[number] = replace(generated[number], grade=full_grade)
    return [generated.get(number) for number in numbers]


def _first_fitting(
    recipe: Recipe, seeds: list[list[int]], meter: Meter, by_search: bool, as_arrays: bool
) -> Iterator[GeneratedPuzzle | None]:
    """The first puzzle of each list of seeds that fits the recipe, if any."""
    is_plain = not (by_search or recipe.signs or recipe.demand or recipe.clues == "fewest")
    # Clause learning decides most tests of large boards, and does so one by one.
    is_large = max(recipe.height, recipe.width) >= single_attempts.GROUPED_SIDE
    is_plain &= not (is_large and recipe.level in (None, LEVELS[-1]))
    if is_plain and as_arrays:
        try:
            # Imported here, because it loads numpy.
            from binairo_cp.generation.attempts import attempt
        except ModuleNotFoundError:
            pass  # One by one, the same puzzles take longer.
        else:
            attempted = iter(attempt(recipe, [*chain.from_iterable(seeds)], meter))
            for some in seeds:
                yield next(filter(None, [*islice(attempted, len(some))]), None)
            return
    for some in seeds:
        tries = (single_attempts.attempt(recipe, seed, meter, by_search) for seed in some)
        yield next(filter(None, tries), None)


def _tries_at_once(recipe: Recipe, tried: int, puzzles: int) -> int:
    """The number of boards to try next for each puzzle; the first that fits is used.

    Several boards at once take little longer than one, but the boards after the first fit are
    wasted. So the number is at most one more than a quarter of the boards that failed before.
    """
    if recipe.method == "rows":
        # A board that is not found raises an error, so don't draw boards that may not be needed.
        return 1
    room = max(1, _MAX_BOARDS_AT_ONCE // puzzles)
    return min(1 + tried // 4, room, recipe.tries - tried)
