"""Generate random puzzles: draw a solved board, then remove clues and signs.

Puzzle number k of a seed is the same on every machine, whichever other puzzles are generated.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from binairo_cp.deduction.techniques import LEVELS, Level
from binairo_cp.errors import BudgetExceeded, GenerationError, LimitError
from binairo_cp.generation import Method, Pattern, clue_removal
from binairo_cp.generation.boards import draw_boards, seed_of, shape_of, words
from binairo_cp.generation.clue_removal import Batch, Numbers, fits, orbits
from binairo_cp.generation.masks import MUST, NONE
from binairo_cp.puzzle.board import OPEN, Board
from binairo_cp.puzzle.html import Brief, headed
from binairo_cp.puzzle.rules import CLASSIC, UNRULY, Puzzle, Rules
from binairo_cp.solving.backends import UNLIMITED, Budget, Meter

if TYPE_CHECKING:
    from binairo_cp.deduction.demands import Demand
    from binairo_cp.deduction.grading import Grade


_NONE_WITH_THREE_CLUES = {
    (side, side, rules): 4 for side in range(8, 21, 2) for rules in (CLASSIC, UNRULY)
}
"""No puzzle of three clues has exactly one solution; all of them were tried."""

PROVED = {
    (2, 2, CLASSIC): 1,
    (2, 2, UNRULY): 1,
    (2, 4, UNRULY): 2,
    (4, 4, CLASSIC): 4,
    (4, 4, UNRULY): 4,
    (4, 6, CLASSIC): 5,
    (4, 6, UNRULY): 6,
    (6, 6, CLASSIC): 5,
    (6, 6, UNRULY): 6,
    **_NONE_WITH_THREE_CLUES,
    (6, 8, CLASSIC): 5,
    (8, 8, CLASSIC): 7,
    (10, 10, CLASSIC): 8,
}
"""Proved lower bounds on the clues of a puzzle, by height, width and rules; docs/numbers.md says
how. Up to 6x6, and for 6x8 and 8x8 classic, they are optimal."""

KNOWN = {(10, 10, CLASSIC): 12, (12, 12, CLASSIC): 18, (14, 14, CLASSIC): 26}
"""The fewest clues of any known puzzle, for sizes where fewer may be possible."""

_LEVELS_OF_4X4: dict[Rules, tuple[Level, ...]] = {
    CLASSIC: ("beginner", "easy", "hard", "expert"),
    UNRULY: ("beginner", "easy"),
}
"""The levels of all 4x4 puzzles without signs: each set of clues of each board was graded."""

RARE: dict[tuple[int, int, Rules], dict[Level, str]] = {
    (6, 6, CLASSIC): {"beginner": "none of 20,000"},
    (8, 8, CLASSIC): {"beginner": "none of 20,000", "easy": "38 of 20,000"},
    (10, 10, CLASSIC): {"beginner": "none of 5,000", "easy": "2 of 5,000"},
    (6, 6, UNRULY): {
        "beginner": "1 of 20,000",
        "hard": "none of 20,000",
        "beyond logic": "none of 20,000",
    },
    (8, 8, UNRULY): {"beginner": "none of 20,000", "beyond logic": "none of 20,000"},
}
"""How many irreducible puzzles without signs have a level, where they are fewer than 1 %: measured
for random puzzles, 2026-11-26."""

_DOCUMENTATION = "docs/reduction.md"

_BEYOND: Level = LEVELS[-1]
_CONFLICTS = 50_000
_TRIES_BY_CHANCE = 100
"""After so many boards that leave more clues than asked for, the fewest of each are searched."""
_MOST_UNFIT = 20
_MAX_BOARDS_AT_ONCE = 400
_EXPERT: Level = LEVELS[-2]
_HARD: Level = LEVELS[-3]


def check_clues(height: int, width: int, rules: Rules, clues: int, signs: int) -> None:
    """Reject a number of clues that is proved to be too small.

    Raises:
        LimitError: No puzzle has so few clues.
    """
    size, key = f"{height}x{width}", _key(height, width, rules)
    least = 0 if signs else PROVED.get(key, 0)
    if clues < least:
        known = f", and none with fewer than {KNOWN[key]} is known" if key in KNOWN else ""
        raise LimitError(
            f"{clues} clue{'s' * (clues != 1)} on a board of {size}; expected {least} or more: "
            f"it is proved that no {size} puzzle has fewer{known} ({_DOCUMENTATION})"
        )
    if clues == 0 and _allows_complement(height, width, rules):
        raise LimitError(
            "0 clues; expected 1 or more: without clues, exchanging 0 and 1 in a solution gives "
            "another solution"
        )


def note(height: int, width: int, rules: Rules, clues: object, signs: int) -> str:
    """A warning if the request is for fewer clues than any known puzzle has; otherwise empty."""
    known = None if signs else KNOWN.get(_key(height, width, rules))
    if known is None or not isinstance(clues, int) or clues >= known:
        return ""
    return f"no {height}x{width} puzzle with fewer than {known} clues is known ({_DOCUMENTATION})"


def _key(height: int, width: int, rules: Rules) -> tuple[int, int, Rules]:
    """The key of `PROVED` and `KNOWN`: the same for transposed sizes.

    The rule for lines of odd length makes no difference where no line has odd length.
    """
    if height % 2 == width % 2 == 0:
        rules = replace(rules, odd="either")
    return min(height, width), max(height, width), rules


def _allows_complement(height: int, width: int, rules: Rules) -> bool:
    """Whether exchanging 0 and 1 in a solved board gives a solved board."""
    return rules.odd == "either" or (height % 2 == 0 and width % 2 == 0)


@dataclass(frozen=True, slots=True, repr=False)
class Recipe:
    """The kind of puzzle to generate.

    Attributes:
        height: Rows of the board, 1 to 64.
        width: Columns of the board, 1 to 64.
        rules: Rules with balance and a longest run of 2.
        level: The required difficulty; None for any.
        clues: The number of clues; None to remove clues until all are needed; ``fewest`` for the
            smallest possible number for the board, or the smallest found within 50,000 conflicts
            of the solvers.
        pattern: The symmetry of the clues.
        signs: The number of signs; a maximum if `irreducible`.
        irreducible: Require that the puzzle has several solutions without any one of its clues or
            signs. Without a level, a number of clues and a pattern, this always holds for clues.
        method: How to draw the solved board.
        tries: Maximum number of boards to try per puzzle.
        demand: What the solving path must be like; None for anything.
        mask: Where clues stand, row by row: ``#`` for a clue, ``?`` for one or none, ``.`` for
            none; empty for clues anywhere.
        given: Cells of the solution, row by row, with ``.`` for any value; empty for any board.
        balance: How much the numbers of clues 0 and 1 may differ; None for any numbers.

    Raises:
        LimitError: No such puzzle can exist.
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
    demand: Demand | None = None
    mask: str = ""
    given: str = ""
    balance: int | None = None

    def __repr__(self) -> str:
        # Seeds come from this text. It names what every recipe has, and the other options if given.
        values = ((each.name, getattr(self, each.name)) for each in fields(self))
        shown = (
            f"{name}={value!r}"
            for name, value in values
            if name in ("level", "clues") or value not in (None, "")
        )
        return f"Recipe({', '.join(shown)})"

    def __post_init__(self) -> None:
        shape_of(self.height, self.width, self.rules)
        orbits(self.height, self.width, self.pattern)
        self._check_level()
        cells, pairs = (
            self.height * self.width,
            len(clue_removal.sign_places(self.height, self.width)),
        )
        for name, number, most in (("clues", self.clues, cells), ("signs", self.signs, pairs)):
            if isinstance(number, int) and not 0 <= number <= most:
                raise LimitError(
                    f"{number} {name} on a board of {self.height}x{self.width}; "
                    f"expected 0 to {most}"
                )
        if isinstance(self.clues, int):
            check_clues(self.height, self.width, self.rules, self.clues, self.signs)
            if not fits(self.height, self.width, self.pattern, self.clues):
                raise LimitError(
                    f"{self.clues} clue{'s' * (self.clues != 1)} can't have the symmetry "
                    f"{self.pattern} on a board of {self.height}x{self.width}; expected another "
                    "number of clues, or the symmetry none"
                )
        self._check_mask()
        if self.clues == "fewest" and self.pattern != "none":
            raise LimitError("the fewest clues can't be symmetric; expected the symmetry none")
        if self.demand is not None:
            from binairo_cp.deduction.demands import check_demand

            size = self.height, self.width
            check_demand(self.demand, self.level, self.rules, *size, self.signs)
        if self.tries < 1:
            raise LimitError(f"{self.tries} tries; expected 1 or more")

    def _check_level(self) -> None:
        if self.level is not None and self.level not in get_args(Level):
            raise LimitError(f"level {self.level!r}; expected one of {', '.join(LEVELS)}")
        key = _key(self.height, self.width, self.rules)
        levels = _LEVELS_OF_4X4.get(key[2], LEVELS) if key[:2] == (4, 4) else LEVELS
        if self.level and self.level not in levels and not self.signs:
            raise LimitError(
                f"no 4x4 puzzle has the grade {self.level}; expected {', '.join(levels)}: "
                "all of them were graded"
            )

    def _check_mask(self) -> None:
        must, most = self.mask.count(MUST), len(self.mask) - self.mask.count(NONE)
        if self.balance and self.balance < 0:
            raise LimitError(f"a balance of {self.balance}; expected 0 or more")
        if self.balance == 0 and isinstance(self.clues, int) and self.clues % 2:
            raise LimitError(f"as many 0 as 1 need an even number of clues, not {self.clues}")
        if not self.mask:
            return
        if self.clues == "fewest":
            raise LimitError("the fewest clues of a board can't follow a mask; expected a number")
        if isinstance(self.clues, int) and not must <= self.clues <= most:
            raise LimitError(f"{self.clues} clues; expected {must} to {most}, as in the mask")
        check_clues(self.height, self.width, self.rules, most, self.signs)
        cells = np.array([*self.mask])
        for places in orbits(self.height, self.width, self.pattern):
            if len({*cells[places[places >= 0]]}) > 1:
                raise LimitError(f"the mask does not have the symmetry {self.pattern}")

    @property
    def note(self) -> str:
        """A warning if no such puzzle is known, or few are; otherwise empty."""
        key = _key(self.height, self.width, self.rules)
        rare = RARE.get(key, {}).get(self.level) if self.level and not self.signs else None
        if self.irreducible and rare:
            size = f"{self.height}x{self.width}"
            return f"{rare} random irreducible {size} puzzles had the grade {self.level}"
        return note(self.height, self.width, self.rules, self.clues, self.signs)

    @property
    def can_be_searched(self) -> bool:
        """Whether a number of clues may stand anywhere, so that the fewest can be searched."""
        return isinstance(self.clues, int) and self.pattern == "none" and not self.mask

    @property
    def is_slow(self) -> bool:
        """Whether each puzzle takes long: it is graded by trial, or its clues are minimized."""
        return self.level in (_EXPERT, _BEYOND) or self.clues == "fewest" or self.demand is not None


@dataclass(frozen=True, slots=True, repr=False)
class GeneratedPuzzle(Brief):
    """A generated puzzle.

    Attributes:
        puzzle: The puzzle, which has exactly one solution.
        solution: That solution.
        grade: Its grade, if a level and grades were requested.
        id: Its name: the size, the level, the seed and its number.
    """

    puzzle: Puzzle
    solution: Board
    grade: Grade | None = None
    id: str = ""

    def __str__(self) -> str:
        # With the grade as a comment, the text is still a puzzle.
        return f"{self.puzzle}\n# {self.grade}" if self.grade else str(self.puzzle)

    def _brief(self) -> str:
        return ": ".join(map(str, filter(None, [self.id, self.grade])))

    def _repr_html_(self) -> str:
        """The id, the grade and the puzzle, for notebooks."""
        return headed(self._brief()) + self.puzzle._repr_html_()

    def to_dict(self) -> dict[str, Any]:
        """The fields of the result record, except ``source``."""
        found = {"verdict": "unique", "solution": self.solution.cells}
        grade = {"grade": self.grade.to_dict()} if self.grade else {}
        return {"id": self.id} | self.puzzle.to_dict() | found | grade


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
    tried = 0
    fits: list[bool] = []
    while tried < recipe.tries:
        left = [number for number in numbers if number not in generated]
        if not left:
            break
        by_search = tried >= _TRIES_BY_CHANCE and recipe.can_be_searched
        number_of_tries = 1 if by_search else _tries_at_once(recipe, tried, len(left))
        attempts = range(tried, tried + number_of_tries)
        seeds = [seed_of(str(seed), kind, number, k) for number in left for k in attempts]
        attempted = iter(_attempt(recipe, seeds, meter, fits, by_search))
        for number in left:
            puzzles = [puzzle for puzzle in islice(attempted, len(attempts)) if puzzle]
            generated.update((number, puzzle) for puzzle in puzzles[:1])
        tried = attempts.stop
        if watch:
            watch(tried)
    if graded and (recipe.level is not None or recipe.demand is not None):
        # Imported here and below, because most puzzles need no grade.
        from binairo_cp.deduction.grading import grade_each

        grades = grade_each([each.puzzle for each in generated.values()], meter)
        for number, full_grade in zip(list(generated), grades, strict=True):
            generated[number] = replace(generated[number], grade=full_grade)
    return [generated.get(number) for number in numbers]


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


def _attempt(
    recipe: Recipe, seeds: list[int], meter: Meter, fits: list[bool], by_search: bool
) -> list[GeneratedPuzzle | None]:
    """Try to generate a puzzle from each seed; None if it does not fit the recipe.

    Whether each board has one solution with all clues of the mask is added to `fits`. If
    `by_search`, the fewest clues are searched, and others added up to the number of the recipe.

    Raises:
        GenerationError: None of the first boards has.
    """
    meter.check_clock()
    batch = _filled(recipe, seeds, meter)
    if not recipe.mask or recipe.signs:
        if by_search or recipe.clues == "fewest":
            return _searched(recipe, batch, seeds, meter)
        return _reduced(recipe, batch, seeds, meter)
    # Few boards have one solution with the clues of a narrow mask.
    is_unique = clue_removal.UniquenessTest(meter).are_unique(batch)
    begun = np.flatnonzero(is_unique).tolist()
    fits += is_unique.tolist()
    if not any(fits) and len(fits) >= _MOST_UNFIT:
        raise GenerationError(
            f"{len(fits)} boards were fitted to the mask, and none has only one solution with all "
            f"clues that it allows; expected a mask with more places for clues"
        )
    puzzles: list[GeneratedPuzzle | None] = [None] * len(seeds)
    if begun:
        part = batch.part(np.array(begun))
        made = _reduced(recipe, part, [seeds[k] for k in begun], meter)
        for k, puzzle in zip(begun, made, strict=True):
            puzzles[k] = puzzle
    return puzzles


def _reduced(
    recipe: Recipe, batch: Batch, seeds: list[int], meter: Meter
) -> list[GeneratedPuzzle | None]:
    """Remove clues and signs from each of the filled boards."""
    # Start with twice as many signs as requested, so that there is a choice.
    signs = _put_signs(batch, seeds, 2 * recipe.signs)
    together = orbits(recipe.height, recipe.width, recipe.pattern)
    orders = _orders(signs, seeds, len(together))
    by_search = clue_removal.UniquenessTest(meter, clue_removal.orders_of(batch, orders, together))
    if recipe.mask:
        is_fixed = np.array([each == MUST for each in recipe.mask])[together[:, 0]]
        items = orders < len(together)
        items[items] = is_fixed[orders[items]]
        orders = orders[~items].reshape(len(orders), -1)
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
    if recipe.balance is not None:
        ones = np.count_nonzero(batch.clues == ord("1"), axis=1)
        zeros = clue_removal.clue_counts(batch) - ones
        good &= abs(ones - zeros) <= recipe.balance
    if recipe.signs:
        # The signs that were tested late may all have been needed.
        signs_left = clue_removal.sign_counts(batch)
        good &= signs_left <= recipe.signs
        good &= recipe.irreducible | (signs_left == recipe.signs)
    if recipe.irreducible and (isinstance(recipe.clues, int) or recipe.pattern != "none"):
        good &= clue_removal.UniquenessTest(meter).are_irreducible(batch)
    return _of_level(recipe, batch, good, meter)


def _filled(recipe: Recipe, seeds: list[int], meter: Meter) -> Batch:
    """Draw solved boards, with all cells that the mask allows as clues, and without signs."""
    boards = draw_boards(recipe.height, recipe.width, seeds, recipe.rules, recipe.method)
    allowed = np.array([each != NONE for each in recipe.mask])
    if recipe.given or NONE in recipe.mask:
        # Imported here, because it loads the solvers of PySAT, and few puzzles need them.
        from binairo_cp.generation.fitted_boards import fitted

        # With signs, the clues alone need not be enough.
        mask = None if allowed.all() or recipe.signs else allowed
        given = recipe.given or OPEN * recipe.height * recipe.width
        both = zip(boards, seeds, strict=True)
        boards = [fitted(each, given, mask, recipe.rules, seed, meter) for each, seed in both]
    text = "".join(board.cells for board in boards).encode()
    solutions = np.frombuffer(text, np.uint8).reshape(len(boards), -1)
    signs = np.zeros((1, 2, 0), np.uint64)
    if recipe.signs:
        signs = np.zeros((len(boards), 2, recipe.height + recipe.width), np.uint64)
    clues = solutions.copy()
    if recipe.mask:
        clues[:, ~allowed] = ord(OPEN)
    return Batch(recipe.height, recipe.width, recipe.rules, solutions, clues, signs)


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
    pairs = np.arange(len(clue_removal.sign_places(batch.height, batch.width)))
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
    keys = np.stack([words(seed_of(what, seed), len(numbers)) for seed in seeds])
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
