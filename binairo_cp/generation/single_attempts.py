"""Try to make a puzzle from one random board: `attempts` for one, without numpy.

It makes the same puzzle. For many boards it takes longer, since each test decides only one.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import TYPE_CHECKING

from binairo_cp.deduction.techniques import LEVELS, Level
from binairo_cp.generation.boards import draw_boards, seed_of, words
from binairo_cp.generation.recipes import GeneratedPuzzle, Recipe, orbits
from binairo_cp.kernels import bitboard as kernel
from binairo_cp.kernels.arrays import zeros
from binairo_cp.puzzle.board import OPEN, Board
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.puzzle.shape import Shape
from binairo_cp.solving.backends import Meter, bitboard

if TYPE_CHECKING:
    from binairo_cp.generation.other_solutions import OtherSolutions

TOGETHER = 8
"""How many items of a puzzle are first removed together, as an attempt to save tests."""

NODES = 2_000
"""Nodes of the compiled search for one test, which take about as long as one call of a solver that
learns clauses. If they don't suffice, that solver decides."""

_OPEN = ord(OPEN)


def can_make(recipe: Recipe) -> bool:
    """Whether a recipe is one for `attempt`: no signs, demand or search."""
    return not (recipe.signs or recipe.demand) and recipe.clues != "fewest"


def attempt(recipe: Recipe, seed: int, meter: Meter) -> GeneratedPuzzle | None:
    """Try to generate a puzzle from a seed; None if it does not fit the recipe.

    Raises:
        LimitError, GenerationError: There is no solved board, or none was found.
        BudgetExceeded: The time ran out.
    """
    meter.check_clock()
    height, width = recipe.height, recipe.width
    [solution] = draw_boards(height, width, [seed], recipe.rules, recipe.method)
    together = orbits(height, width, recipe.pattern)
    keys = words(seed_of("clues", seed), len(together))
    order = sorted(range(len(together)), key=keys.__getitem__)
    one = _One(recipe, solution, meter, [place for k in order for place in together[k]])
    by_logic = recipe.level not in (None, LEVELS[-1]) and not recipe.irreducible
    _remove_redundant(
        one, [together[k] for k in order], one.is_deduced if by_logic else one.is_unique
    )
    return GeneratedPuzzle(one.puzzle(), solution) if one.is_unique() and one.fits() else None


class _One:
    """A puzzle in the making; what is removed becomes open in `clues`."""

    def __init__(self, recipe: Recipe, solution: Board, meter: Meter, order: list[int]) -> None:
        self.recipe, self.meter = recipe, meter
        self.clues = bytearray(solution.cells.encode())
        self._solution, self._order = solution, order
        self._others: OtherSolutions | None = None

    def puzzle(self) -> Puzzle:
        recipe = self.recipe
        return Puzzle(Board(recipe.height, recipe.width, self.clues.decode()), recipe.rules)

    def fits(self) -> bool:
        """Whether a unique puzzle is as the recipe says."""
        recipe, clues = self.recipe, self.clues
        count = len(clues) - clues.count(_OPEN)
        if isinstance(recipe.clues, int) and count != recipe.clues:
            return False
        is_clear = not isinstance(recipe.clues, int) and recipe.pattern == "none"
        if recipe.irreducible and not is_clear and any(map(self._is_redundant, range(len(clues)))):
            return False
        if recipe.level is None:
            return True
        number = LEVELS.index(recipe.level)
        if number > 0 and self._solves(LEVELS[number - 1]):
            return False
        return number == len(LEVELS) - 1 or self._solves(recipe.level)

    def is_deduced(self, places: Sequence[int]) -> bool:
        """Whether techniques up to the level of the recipe deduce open cells."""
        level = self.recipe.level
        return level is not None and self._solves(level, places)

    def is_unique(self, places: Sequence[int] = ()) -> bool:
        """Whether there is no other solution, given that others differ at a single place.

        Raises:
            BudgetExceeded: The time ran out.
        """
        recipe = self.recipe
        place = places[0] if len(places) == 1 else None
        cells, known = bytearray(self.clues), 1
        if place is not None:
            # 0x30 and 0x31 differ in the lowest bit.
            cells[place], known = ord(self._solution.cells[place]) ^ 1, 0
        results, rows = zeros("q", 1, 2), zeros("Q", recipe.height).cast("B")
        rows = rows.cast("Q", (1, 1, recipe.height))
        with bitboard.borrowed(recipe.height, recipe.width, recipe.rules) as searcher:
            searcher.prepare_tables(1)
            search = searcher.search
            kernel.search_all(search, bytes(cells), None, rows, results, known + 1, NODES)
        if results[0, 0] > known:
            return False
        if results[0, 1] == 1:
            return results[0, 0] == known
        if self._others is None:
            # Imported here, because most puzzles are small and never need a solver of PySAT.
            from binairo_cp.generation.other_solutions import OtherSolutions

            self._others = OtherSolutions(
                self.puzzle(), self._solution.cells, self._order, self.meter
            )
        return not self._others.exist(self.puzzle(), place)

    def _is_redundant(self, place: int) -> bool:
        value = self.clues[place]
        if value == _OPEN:
            return False
        self.meter.check_clock()
        self.clues[place] = _OPEN
        found = self.is_unique((place,))
        self.clues[place] = value
        return found

    def _solves(self, level: Level, places: Sequence[int] = (-1,)) -> bool:
        # Imported here, because it loads code that only puzzles of a level need.
        from binairo_cp.deduction import closure

        recipe = self.recipe
        clues = memoryview(bytes(self.clues)).cast("B", (1, len(self.clues)))
        targets = memoryview(array("q", places)).cast("B").cast("q", (1, len(places)))
        shape = Shape.of(recipe.height, recipe.width, recipe.rules)
        return bool(closure.reaches(clues, shape, level, targets)[0])


def _remove_redundant(
    one: _One, sets: list[tuple[int, ...]], is_redundant: Callable[[Sequence[int]], bool]
) -> None:
    """Remove redundant sets of clues, in order."""
    fewest = one.recipe.clues if isinstance(one.recipe.clues, int) else 0

    def remove(some: Iterable[tuple[int, ...]]) -> bool:
        """Remove some sets together if they are redundant."""
        places = list(chain.from_iterable(some))
        if len(one.clues) - one.clues.count(_OPEN) - len(places) < fewest:
            return False
        one.meter.check_clock()
        before = bytes(one.clues)
        for place in places:
            one.clues[place] = _OPEN
        if is_redundant(places):
            return True
        one.clues[:] = before
        return False

    for begin in range(0, len(sets), TOGETHER):
        some = sets[begin : begin + TOGETHER]
        # While a board is mostly clues, most are redundant, and usually several at once.
        if begin >= len(sets) // 2 or not remove(some):
            for places in some:
                remove([places])
