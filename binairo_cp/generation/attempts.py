"""Try to make puzzles from many random boards at once, as arrays: remove their clues and signs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from binairo_cp.deduction.techniques import LEVELS, Level
from binairo_cp.errors import BudgetExceeded
from binairo_cp.generation import clue_removal
from binairo_cp.generation.boards import draw_boards, seed_of, words
from binairo_cp.generation.clue_removal import Batch, Numbers
from binairo_cp.generation.recipes import GeneratedPuzzle, Recipe, orbits, sign_places
from binairo_cp.puzzle.board import OPEN
from binairo_cp.solving.backends import Budget, Meter

if TYPE_CHECKING:
    from binairo_cp.deduction.demands import Demand

_BEYOND: Level = LEVELS[-1]
_CONFLICTS = 50_000
_EXPERT: Level = LEVELS[-2]
_HARD: Level = LEVELS[-3]


def attempt(
    recipe: Recipe, seeds: list[int], meter: Meter, by_search: bool
) -> list[GeneratedPuzzle | None]:
    """Try to generate a puzzle from each seed; None if it does not fit the recipe.

    If `by_search`, the fewest clues are searched, and others added up to the number of the recipe.
    """
    meter.check_clock()
    batch = _filled(recipe, seeds)
    if by_search or recipe.clues == "fewest":
        return _searched(recipe, batch, seeds, meter)
    return _reduced(recipe, batch, seeds, meter)


def _reduced(
    recipe: Recipe, batch: Batch, seeds: list[int], meter: Meter
) -> list[GeneratedPuzzle | None]:
    """Remove clues and signs from each of the filled boards."""
    # Start with twice as many signs as requested, so that there is a choice.
    signs = _put_signs(batch, seeds, 2 * recipe.signs)
    together = _padded(orbits(recipe.height, recipe.width, recipe.pattern))
    orders = _orders(signs, seeds, len(together))
    by_search = clue_removal.UniquenessTest(meter, clue_removal.orders_of(batch, orders, together))
    clue_removal.remove_redundant(
        batch,
        orders,
        together,
        _logic_test(recipe, meter) or by_search,
        meter.check_clock,
        fewest=recipe.clues if isinstance(recipe.clues, int) else 0,
        fewest_signs=0 if recipe.irreducible else recipe.signs,
    )
    return _fitting(recipe, batch, by_search.are_unique(batch), meter)


def _padded(sets: tuple[tuple[int, ...], ...]) -> Numbers:
    size = max(map(len, sets))
    return np.array([[*places, *[-1] * (size - len(places))] for places in sets])


def _searched(
    recipe: Recipe, batch: Batch, seeds: list[int], meter: Meter
) -> list[GeneratedPuzzle | None]:
    """Leave the fewest clues of each of the filled boards, and add others up to a number."""
    _put_signs(batch, seeds, recipe.signs)
    _leave_fewest(batch, meter)
    if isinstance(recipe.clues, int):
        orders = _shuffled(np.arange(batch.clues.shape[1]), seeds, "added clues")
        counts = clue_removal.clue_counts(batch).tolist()
        for k, (order, count) in enumerate(zip(orders, counts, strict=True)):
            places = order[batch.clues[k][order] == ord(OPEN)][: max(0, recipe.clues - count)]
            batch.clues[k, places] = batch.solutions[k, places]
    good = clue_removal.UniquenessTest(meter).are_unique(batch)
    return _fitting(recipe, batch, good, meter)


def _fitting(
    recipe: Recipe, batch: Batch, good: clue_removal.Flags, meter: Meter
) -> list[GeneratedPuzzle | None]:
    """Return the good puzzles that fit the recipe, and None for all others."""
    if isinstance(recipe.clues, int):
        good &= clue_removal.clue_counts(batch) == recipe.clues
    if recipe.signs:
        # The signs that were tested late may all have been needed.
        signs_left = clue_removal.sign_counts(batch)
        good &= signs_left <= recipe.signs
        good &= recipe.irreducible | (signs_left == recipe.signs)
    if recipe.irreducible and (isinstance(recipe.clues, int) or recipe.pattern != "none"):
        good &= clue_removal.UniquenessTest(meter).are_irreducible(batch)
    return _of_level(recipe, batch, good, meter)


def _filled(recipe: Recipe, seeds: list[int]) -> Batch:
    """Draw solved boards, with all cells as clues, and without signs."""
    boards = draw_boards(recipe.height, recipe.width, seeds, recipe.rules, recipe.method)
    text = "".join(board.cells for board in boards).encode()
    solutions = np.frombuffer(text, np.uint8).reshape(len(boards), -1)
    signs = np.zeros((1, 2, 0), np.uint64)
    if recipe.signs:
        signs = np.zeros((len(boards), 2, recipe.height + recipe.width), np.uint64)
    return Batch(recipe.height, recipe.width, recipe.rules, solutions, solutions.copy(), signs)


def _leave_fewest(batch: Batch, meter: Meter) -> None:
    """Reduce the clues of each puzzle to the smallest set found within the conflict budget."""
    # Imported here, because it loads the solvers of PySAT, and few puzzles need them.
    from binairo_cp.reduction.fewest import fewest_clues

    for k in range(len(batch.clues)):
        full = batch.puzzle(k)
        meter.check_clock()
        budget = Budget(meter.seconds_left, _CONFLICTS)
        smallest = fewest_clues(full, full.board, budget=budget)
        if smallest.stopped_by == "time":
            raise BudgetExceeded("time")
        batch.clues[k] = np.frombuffer(smallest.puzzle.board.cells.encode(), np.uint8)


def _put_signs(batch: Batch, seeds: list[int], number: int) -> Numbers:
    """Put random signs on each board, at most as many as there are places; return their numbers."""
    pairs = np.arange(len(sign_places(batch.height, batch.width)))
    signs = _shuffled(pairs, seeds, "signs")[:, :number]
    for column in signs.T:
        clue_removal.put_signs(batch, column, "right")
    return signs


def _orders(signs: Numbers, seeds: list[int], sets: int) -> Numbers:
    """Shuffle the sets of clues and the signs of each puzzle: the order in which to test them."""
    clues = _shuffled(np.arange(sets), seeds, "clues")
    if not signs.shape[1]:
        return clues
    items = np.concatenate([clues, signs + sets], axis=1)
    rows = [_shuffled(row, [seed], "items") for row, seed in zip(items, seeds, strict=True)]
    return np.concatenate(rows)


def _shuffled(numbers: Numbers, seeds: list[int], what: str) -> Numbers:
    """Shuffle the numbers once per seed."""
    keys = np.array([words(seed_of(what, seed), len(numbers)) for seed in seeds], np.uint64)
    return numbers[np.argsort(keys, axis=1, kind="stable")]


def _logic_test(recipe: Recipe, meter: Meter) -> clue_removal.RedundancyTest | None:
    """The test by logic that is likely to leave puzzles of the requested level.

    None if a search must decide.
    """
    if recipe.level == _BEYOND or recipe.irreducible:
        return None
    chains = recipe.level == _HARD
    if recipe.demand is not None:
        chains = "sign chain" in dict(recipe.demand.needs)
        if recipe.demand.hardest(recipe.level) == _BEYOND:
            return None
    if recipe.signs and chains:
        # Chains of signs make these hard, and the compiled techniques don't find them.
        return clue_removal.by_logic(_EXPERT)
    if recipe.demand is not None:
        return clue_removal.by_demand(recipe.demand, recipe.level, meter)
    return recipe.level and clue_removal.by_logic(recipe.level)


def _of_level(
    recipe: Recipe, batch: Batch, good: clue_removal.Flags, meter: Meter
) -> list[GeneratedPuzzle | None]:
    """Return the good puzzles that have the requested level, and None for all others."""
    if recipe.level is not None:
        good = _may_be_of_level(recipe.level, batch, good)
    if recipe.demand is not None:
        return _as_demanded(recipe, recipe.demand, batch, good, meter)
    if recipe.level is not None and batch.has_signs:
        from binairo_cp.deduction.grading import grade
    puzzles: list[GeneratedPuzzle | None] = [None] * len(good)
    which = np.flatnonzero(good).tolist()
    for k in which:
        puzzle = batch.puzzle(k)
        # With signs the compiled techniques may find less than the complete ones.
        if (
            recipe.level is None
            or not batch.has_signs
            or grade(puzzle, meter).level == recipe.level
        ):
            puzzles[k] = GeneratedPuzzle(puzzle, batch.solution(k))
    return puzzles


def _as_demanded(
    recipe: Recipe, demand: Demand, batch: Batch, good: clue_removal.Flags, meter: Meter
) -> list[GeneratedPuzzle | None]:
    """Return the good puzzles that meet the demand, and None for all others."""
    puzzles: list[GeneratedPuzzle | None] = [None] * len(good)
    easier = LEVELS.index(demand.hardest_need) - 1
    if easier >= 0:
        good = good & ~clue_removal.solves(batch, LEVELS[easier])
    hardest = LEVELS.index(demand.hardest(recipe.level))
    which = np.flatnonzero(good)
    grades = clue_removal.grades(batch.part(which), meter)
    for k, grade in zip(which.tolist(), grades, strict=True):
        puzzle, is_of_level = batch.puzzle(k), recipe.level in (None, grade.level)
        # The test by logic takes signs, and all clues that are irreducible, as they come.
        is_of_level &= LEVELS.index(grade.level) <= hardest
        if grade.hardest and is_of_level and demand.is_met_by(puzzle, grade, meter):
            puzzles[k] = GeneratedPuzzle(puzzle, batch.solution(k))
    return puzzles


def _may_be_of_level(level: Level, batch: Batch, good: clue_removal.Flags) -> clue_removal.Flags:
    """Select the puzzles of a level; with signs, those that may be of it."""
    which = np.flatnonzero(good)
    part = batch.part(which)
    number = LEVELS.index(level)
    fits = np.ones(len(which), bool)
    if number > 0:
        fits &= ~clue_removal.solves(part, LEVELS[number - 1])
    if level != _BEYOND and not batch.has_signs:
        fits &= clue_removal.solves(part, level)
    good = good.copy()
    good[which] = fits
    return good
