"""Puzzles drawn at random: a solved board, from which clues and signs are taken away.

Puzzle number k of a seed is the same whatever is made besides it, and on every machine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Literal, get_args

import numpy as np

from binairo_cp.deduction.grading import Grade, grade, grade_plain, is_plain
from binairo_cp.deduction.techniques import LEVELS, Level
from binairo_cp.errors import BudgetExceeded, LimitError
from binairo_cp.generation import clue_removal, least_clues
from binairo_cp.generation.boards import Method, draw_boards
from binairo_cp.generation.clue_removal import Batch, Numbers
from binairo_cp.generation.kernel import shape_of
from binairo_cp.generation.orbits import Pattern, fits, orbits
from binairo_cp.generation.randomness import seed_of, words
from binairo_cp.puzzle.board import Board
from binairo_cp.puzzle.rules import CLASSIC, Puzzle, Rules, Sign
from binairo_cp.reduction.fewest import fewest_clues
from binairo_cp.solving.backends import UNLIMITED, Budget, Meter

_BEYOND: Level = LEVELS[-1]
_CONFLICTS = 50_000
_MOST_AT_ONCE = 400
_EXPERT: Level = LEVELS[-2]
_HARD: Level = LEVELS[-3]


@dataclass(frozen=True, slots=True)
class Recipe:
    """What kind of puzzle is made.

    Attributes:
        height: of the board, 1 to 64 cells.
        width: of the board.
        rules: with balance and no triple.
        level: the grade of the puzzle; None for any.
        clues: how many there are; None for as few as are left; ``fewest`` for the fewest that are
            enough for the board, or as few as were found in 50,000 conflicts of the solvers.
        pattern: how they lie.
        signs: how many there are; at most so many if `irreducible`.
        irreducible: no clue and no sign can go without there being a second solution. Without a
            level, a number of clues and a pattern a puzzle is so anyway, as far as its clues go.
        method: how the solved board is drawn.
        tries: so many boards are tried for a puzzle.

    Raises:
        LimitError: there can be no such puzzle.
    """

    height: int
    width: int
    rules: Rules = CLASSIC
    level: Level | None = None
    clues: int | Literal["fewest"] | None = None
    pattern: Pattern = "none"
    signs: int = 0
    irreducible: bool = False
    method: Method = "auto"
    tries: int = 1_000

    def __post_init__(self) -> None:
        shape_of(self.height, self.width, self.rules)
        orbits(self.height, self.width, self.pattern)
        if self.level is not None and self.level not in get_args(Level):
            raise LimitError(f"level {self.level!r}; expected one of {', '.join(LEVELS)}")
        cells, pairs = (
            self.height * self.width,
            len(clue_removal.sign_places(self.height, self.width)),
        )
        for name, number, most in (("clues", self.clues, cells), ("signs", self.signs, pairs)):
            if isinstance(number, int) and not 0 <= number <= most:
                raise LimitError(
                    f"{number} {name} on a {self.height}x{self.width} board; expected 0 to {most}"
                )
        if isinstance(self.clues, int):
            least_clues.check_clues(self.height, self.width, self.rules, self.clues, self.signs)
            if not fits(self.height, self.width, self.pattern, self.clues):
                raise LimitError(
                    f"{self.clues} clues can't lie as {self.pattern} asks on a "
                    f"{self.height}x{self.width} board: they come in sets that lie symmetrically"
                )
        if self.clues == "fewest" and self.pattern != "none":
            raise LimitError("the fewest clues can't lie symmetrically")
        if self.tries < 1:
            raise LimitError(f"{self.tries} tries; expected 1 or more")

    @property
    def note(self) -> str:
        """What is known to make a search for such puzzles hopeless or long; empty if nothing."""
        return least_clues.note(self.height, self.width, self.rules, self.clues, self.signs)

    @property
    def is_slow(self) -> bool:
        """Whether each puzzle takes long: values are tried, or that clues are fewest is proved."""
        return self.level in (_EXPERT, _BEYOND) or self.clues == "fewest"


@dataclass(frozen=True, slots=True)
class Made:
    """A puzzle that was made.

    Attributes:
        puzzle: the puzzle, which has exactly one solution.
        solution: that solution.
        grade: how hard it is, where a level and the grade were asked for.
    """

    puzzle: Puzzle
    solution: Board
    grade: Grade | None = None


def make(
    recipe: Recipe,
    seed: int | str,
    numbers: Sequence[int],
    graded: bool = True,
    watch: Callable[[int], object] | None = None,
    meter: Meter | None = None,
) -> list[Made | None]:
    """Make the puzzles of some numbers.

    Args:
        recipe: what kind.
        seed: of the whole run; 1 is the same as ``"1"``, as on the command line.
        numbers: which of the run.
        graded: tell the grade in full, which takes long at levels above hard. The level is the one
            that was asked for anyway.
        watch: is called with the number of boards tried for each puzzle that is not found yet.
        meter: how long it may take; None for no bound.

    Returns:
        A puzzle for each number, or None where none was found in the tries of the recipe.

    Raises:
        LimitError: there is no solved board of the size.
        GenerationError: none was found.
        BudgetExceeded: the time ran out.
    """
    meter = meter or Meter(UNLIMITED)
    # Otherwise runs of one seed would have the same boards for puzzles of all kinds.
    kind = replace(recipe, tries=1)
    made: dict[int, Made] = {}
    tried = 0
    while tried < recipe.tries:
        left = [number for number in numbers if number not in made]
        if not left:
            break
        attempts = range(tried, tried + _tries_at_once(recipe, tried, len(left)))
        seeds = [seed_of(str(seed), kind, number, k) for number in left for k in attempts]
        found = iter(_attempt(recipe, seeds, meter))
        for number in left:
            puzzles = [puzzle for puzzle in islice(found, len(attempts)) if puzzle]
            made.update((number, puzzle) for puzzle in puzzles[:1])
        tried = attempts.stop
        if watch:
            watch(tried)
    if graded and recipe.level is not None:
        grades = _grades([each.puzzle for each in made.values()], meter)
        for number, told in zip(list(made), grades, strict=True):
            made[number] = replace(made[number], grade=told)
    return [made.get(number) for number in numbers]


def _tries_at_once(recipe: Recipe, tried: int, puzzles: int) -> int:
    """How many boards are tried next for each puzzle: the first that fits is taken.

    Side by side they take little longer than one, but those behind the first are made in vain. So
    there are at most a quarter as many as have failed before.
    """
    if recipe.method == "rows":
        # A board that is not found ends the run, so none is drawn that may not be needed.
        return 1
    room = max(1, _MOST_AT_ONCE // puzzles)
    return min(1 + tried // 4, room, recipe.tries - tried)


def _attempt(recipe: Recipe, seeds: list[int], meter: Meter) -> list[Made | None]:
    """A puzzle for each seed, if it is of the kind that is asked for."""
    meter.check_clock()
    batch = _filled(recipe, seeds)
    if recipe.clues == "fewest":
        _put_signs(batch, seeds, recipe.signs)
        _leave_fewest(batch, meter)
        return _of_level(recipe, batch, clue_removal.are_unique(batch), meter)
    # Twice as many signs as are wanted, so that there is a choice.
    signs = _put_signs(batch, seeds, 2 * recipe.signs)
    together = orbits(recipe.height, recipe.width, recipe.pattern)
    clue_removal.winnow(
        batch,
        _orders(signs, seeds, len(together)),
        together,
        _question(recipe),
        meter.check_clock,
        fewest=recipe.clues or 0,
        fewest_signs=0 if recipe.irreducible else recipe.signs,
    )
    good = clue_removal.are_unique(batch)
    if recipe.clues is not None:
        good &= clue_removal.clue_counts(batch) == recipe.clues
    if recipe.signs:
        # A sign that was asked about late may be needed.
        signs_left = clue_removal.sign_counts(batch)
        good &= signs_left <= recipe.signs
        good &= recipe.irreducible | (signs_left == recipe.signs)
    if recipe.irreducible and (recipe.clues is not None or recipe.pattern != "none"):
        good &= clue_removal.are_irreducible(batch, meter.check_clock)
    return _of_level(recipe, batch, good, meter)


def _filled(recipe: Recipe, seeds: list[int]) -> Batch:
    """Solved boards with all clues and no sign."""
    boards = draw_boards(recipe.height, recipe.width, seeds, recipe.rules, recipe.method)
    text = "".join(board.cells for board in boards).encode()
    solutions = np.frombuffer(text, np.uint8).reshape(len(boards), -1)
    signs = np.zeros((1, 2, 0), np.uint64)
    if recipe.signs:
        signs = np.zeros((len(boards), 2, recipe.height + recipe.width), np.uint64)
    return Batch(recipe.height, recipe.width, recipe.rules, solutions, solutions.copy(), signs)


def _leave_fewest(batch: Batch, meter: Meter) -> None:
    """Leave the smallest sets of clues that are found by a certain amount of work."""
    for k in range(len(batch.clues)):
        full = _puzzle(batch, k)
        meter.check_clock()
        budget = Budget(meter.seconds_left, _CONFLICTS)
        found = fewest_clues(full, full.board, budget=budget)
        if found.stopped_by == "time":
            raise BudgetExceeded("time")
        batch.clues[k] = np.frombuffer(found.puzzle.board.cells.encode(), np.uint8)


def _put_signs(batch: Batch, seeds: list[int], number: int) -> Numbers:
    """Put so many signs on each board, or on all places if there are fewer; their numbers."""
    pairs = np.arange(len(clue_removal.sign_places(batch.height, batch.width)))
    signs = _shuffled(pairs, seeds, "signs")[:, :number]
    for column in signs.T:
        clue_removal.put_signs(batch, column, "right")
    return signs


def _orders(signs: Numbers, seeds: list[int], sets: int) -> Numbers:
    """The order in which the sets of clues, and the signs, of each puzzle are asked about."""
    clues = _shuffled(np.arange(sets), seeds, "clues")
    if not signs.shape[1]:
        return clues
    items = np.concatenate([clues, signs + sets], axis=1)
    rows = [_shuffled(row, [seed], "items") for row, seed in zip(items, seeds, strict=True)]
    return np.concatenate(rows)


def _shuffled(numbers: Numbers, seeds: list[int], what: str) -> Numbers:
    """The numbers in an order for each seed."""
    keys = np.stack([words(seed_of(what, seed), len(numbers)) for seed in seeds])
    return numbers[np.argsort(keys, axis=1, kind="stable")]


def _question(recipe: Recipe) -> clue_removal.Question:
    """What tells whether a clue may go, so that puzzles of the level are likely to be left."""
    if recipe.level is None or recipe.level == _BEYOND or recipe.irreducible:
        return clue_removal.by_search
    if recipe.signs and recipe.level == _HARD:
        # What makes these hard are chains of signs, which the compiled techniques don't see.
        return clue_removal.by_logic(_EXPERT)
    return clue_removal.by_logic(recipe.level)


def _of_level(
    recipe: Recipe, batch: Batch, good: clue_removal.Flags, meter: Meter
) -> list[Made | None]:
    """The puzzles that are of the level that was asked for."""
    if recipe.level is not None:
        good = _may_be_of_level(recipe.level, batch, good)
    found: list[Made | None] = [None] * len(good)
    which = np.flatnonzero(good).tolist()
    for k in which:
        puzzle = _puzzle(batch, k)
        # With signs the compiled techniques may see less than there is to see.
        if recipe.level is None or not batch.signed or grade(puzzle, meter).level == recipe.level:
            found[k] = Made(puzzle, _board(batch, batch.solutions[k]))
    return found


def _may_be_of_level(level: Level, batch: Batch, good: clue_removal.Flags) -> clue_removal.Flags:
    """Those that are of a level; with signs, those that may be."""
    which = np.flatnonzero(good)
    part = batch.part(which)
    number = LEVELS.index(level)
    fits = np.ones(len(which), bool)
    if number > 0:
        fits &= ~clue_removal.solves(part, LEVELS[number - 1])
    if level != _BEYOND and not batch.signed:
        fits &= clue_removal.solves(part, level)
    good = good.copy()
    good[which] = fits
    return good


def _grades(puzzles: list[Puzzle], meter: Meter) -> list[Grade]:
    if not puzzles:
        return []
    known: list[Grade | None] = [None] * len(puzzles)
    if is_plain(puzzles[0]):
        known = grade_plain(puzzles)
    return [one or grade(puzzle, meter) for one, puzzle in zip(known, puzzles, strict=True)]


def _puzzle(batch: Batch, k: int) -> Puzzle:
    signs = _signs(batch, k) if batch.signed else ()
    return Puzzle(_board(batch, batch.clues[k]), batch.rules, signs)


def _board(batch: Batch, cells: clue_removal.Cells) -> Board:
    return Board(batch.height, batch.width, cells.tobytes().decode())


def _signs(batch: Batch, k: int) -> tuple[Sign, ...]:
    found = []
    for line, bit, one, _ in clue_removal.sign_places(batch.height, batch.width).tolist():
        for relation in range(2):
            if int(batch.signs[k, relation, line]) >> bit & 1:
                row, column = divmod(one, batch.width)
                direction: Literal["R", "D"] = "R" if line < batch.height else "D"
                found.append(Sign(row, column, direction, "x" if relation else "="))
    return tuple(found)
