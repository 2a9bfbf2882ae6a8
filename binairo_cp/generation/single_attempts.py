"""Try to make a puzzle from one random board: remove clues and signs one by one, without numpy."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Literal, TypeVar

from binairo_cp.deduction.techniques import LEVELS, Level
from binairo_cp.errors import BudgetExceeded
from binairo_cp.generation.boards import draw_boards, seed_of, words
from binairo_cp.generation.recipes import GeneratedPuzzle, Recipe, orbits, sign_places
from binairo_cp.kernels import bitboard as kernel
from binairo_cp.kernels.arrays import zeros
from binairo_cp.puzzle.board import OPEN, Board
from binairo_cp.puzzle.rules import Puzzle, Sign
from binairo_cp.puzzle.shape import Shape
from binairo_cp.solving.backends import Budget, Meter, bitboard

if TYPE_CHECKING:
    from binairo_cp.deduction.demands import Demand
    from binairo_cp.deduction.grading import Grade
    from binairo_cp.generation.other_solutions import OtherSolutions

TOGETHER = 8
"""How many items of a puzzle are first removed together, as an attempt to save tests."""

NODES = 2_000
"""Nodes of the compiled search for one test, which take about as long as one call of a solver that
learns clauses. If they don't suffice, that solver decides."""

GROUPED_SIDE = 35
"""From this side on, one proof for many clues takes less time than tests one by one."""

_GROUP = 240
"""How many items are removed with one proof. With fewer, there are more proofs; with more, more
solutions break several items, and so show less (measured at 60x60)."""

_CONFLICTS_PER_CELL = 16
"""After so many conflicts per cell in all proofs, the next board is taken (docs/generation.md)."""

_CONFLICTS = 50_000
_EXPERT, _BEYOND = LEVELS[-2:]
_HARD = LEVELS[-3]
_OPEN = ord(OPEN)

_T = TypeVar("_T")
_Item = tuple[int, ...]
"""What is removed together: places of clues, or -1 - k for sign k of `sign_places`."""


def attempt(
    recipe: Recipe, seed: int, meter: Meter, by_search: bool = False
) -> GeneratedPuzzle | None:
    """Try to generate a puzzle from a seed; None if it does not fit the recipe.

    If `by_search`, the fewest clues are searched, and others added up to the number of the recipe.

    Raises:
        LimitError, GenerationError: There is no solved board, or none was found.
        BudgetExceeded: The time ran out.
    """
    meter.check_clock()
    height, width = recipe.height, recipe.width
    [solution] = draw_boards(height, width, [seed], recipe.rules, recipe.method)
    with bitboard.borrowed(height, width, recipe.rules) as searcher:
        one = _One(recipe, solution, meter, searcher)
        try:
            one.reduce(seed, by_search)
            is_found = one.is_unique() and one.fits()
        except BudgetExceeded as error:
            if error.by == "time":
                raise
            # The proofs take long for this board; they mostly don't for the next one.
            return None
        return GeneratedPuzzle(one.puzzle(), solution) if is_found else None


def _shuffled(items: Sequence[_T], seed: int, what: str) -> list[_T]:
    """Shuffle once per seed."""
    keys = words(seed_of(what, seed), len(items))
    return [items[k] for k in sorted(range(len(items)), key=keys.__getitem__)]


class _One:
    """A puzzle in the making, without any sign at first; what is removed becomes open in `clues`.

    Attributes:
        clues: the bytes of all cells.
        signs: items with one sign each.
    """

    def __init__(
        self, recipe: Recipe, solution: Board, meter: Meter, searcher: bitboard.Searcher
    ) -> None:
        self.recipe, self.meter, self._proofs = recipe, meter, meter
        self.clues = bytearray(solution.cells.encode())
        self.signs: set[int] = set()
        self._pairs = sign_places(recipe.height, recipe.width)
        self._solution, self._order = solution, [*range(len(self.clues))]
        self._others: OtherSolutions | None = None
        lines = recipe.height + recipe.width
        self._sign_words = zeros("Q", 2 * lines).cast("B").cast("Q", (1, 2, lines))
        self._search, self._results = searcher.search, zeros("q", 1, 2)
        self._found = zeros("Q", recipe.height).cast("B").cast("Q", (1, 1, recipe.height))

    def reduce(self, seed: int, by_search: bool) -> None:
        """Leave some clues and signs, in an order by a seed."""
        recipe = self.recipe
        pairs = _shuffled(range(len(self._pairs)), seed, "signs")
        if by_search or recipe.clues == "fewest":
            self._toggle(-1 - pair for pair in pairs[: recipe.signs])
            self._leave_fewest(_shuffled(self._order, seed, "added clues"))
            return
        # Start with twice as many signs as requested, so that there is a choice.
        signs = [(-1 - pair,) for pair in pairs[: 2 * recipe.signs]]
        self._toggle(chain.from_iterable(signs))
        items = _shuffled(orbits(recipe.height, recipe.width, recipe.pattern), seed, "clues")
        self._remove_redundant(_shuffled([*items, *signs], seed, "items") if signs else items)

    def _toggle(self, signs: Iterable[int]) -> None:
        """Put signs that are not there, and remove those that are."""
        for sign in signs:
            self.signs ^= {sign}
            self._flip(sign)

    def _flip(self, sign: int, *, is_wrong: bool = False) -> None:
        line, bit, _, _ = self._pairs[-1 - sign]
        self._sign_words[0, self._relation(sign) ^ is_wrong, line] ^= 1 << bit

    def _relation(self, sign: int) -> int:
        """0 if the cells of a sign have the same value in the solution, and otherwise 1."""
        _, _, one, other = self._pairs[-1 - sign]
        return int(self._solution.cells[one] != self._solution.cells[other])

    def puzzle(self) -> Puzzle:
        """The puzzle as it is now."""
        recipe, signs = self.recipe, []
        for sign in sorted(self.signs, reverse=True):
            line, _, place, _ = self._pairs[-1 - sign]
            direction: Literal["R", "D"] = "R" if line < recipe.height else "D"
            relation: Literal["=", "x"] = "x" if self._relation(sign) else "="
            signs.append(Sign(*divmod(place, recipe.width), direction, relation))
        board = Board(recipe.height, recipe.width, self.clues.decode())
        return Puzzle(board, recipe.rules, tuple(signs))

    def count(self) -> int:
        """The number of clues."""
        return len(self.clues) - self.clues.count(_OPEN)

    def _leave_fewest(self, order: Sequence[int]) -> None:
        """Leave the smallest set of clues found within the conflicts; add others up to a number.

        Raises:
            BudgetExceeded: The time ran out.
        """
        # Imported here, because it loads the solvers of PySAT, and few puzzles need them.
        from binairo_cp.reduction.fewest import fewest_clues

        full = self.puzzle()
        budget = Budget(self.meter.seconds_left, _CONFLICTS)
        smallest = fewest_clues(full, full.board, budget=budget)
        if smallest.stopped_by == "time":
            raise BudgetExceeded("time")
        self.clues[:] = smallest.puzzle.board.cells.encode()
        if isinstance(self.recipe.clues, int):
            places = (place for place in order if self.clues[place] == _OPEN)
            for place in islice(places, max(0, self.recipe.clues - self.count())):
                self.clues[place] = ord(self._solution.cells[place])

    def _remove_redundant(self, items: list[_Item]) -> None:
        """Remove redundant clues and signs, in order."""
        self._order = [place for item in items for place in item if place >= 0]
        by_logic = self._logic_test()
        is_redundant = by_logic or self.is_unique
        is_large = max(self.recipe.height, self.recipe.width) >= GROUPED_SIDE
        if is_large and not by_logic and not self.signs and self.recipe.clues is None:
            conflicts = _CONFLICTS_PER_CELL * len(self.clues)
            self._proofs = Meter(Budget(self.meter.seconds_left, conflicts))
            for begin in range(0, len(items), _GROUP):
                self._remove_group(items[begin : begin + _GROUP])
            return
        for begin in range(0, len(items), TOGETHER):
            some = items[begin : begin + TOGETHER]
            # While a board is mostly clues, most are redundant, and usually several at once.
            if begin >= len(items) // 2 or not self._remove([*chain(*some)], is_redundant):
                for item in some:
                    self._remove(item, is_redundant)

    def _remove_group(self, items: Sequence[_Item]) -> None:
        """Remove the clues of a large board that tests one by one find redundant, in less time."""
        # Imported here, because it loads a solver of PySAT.
        from binairo_cp.generation.other_solutions import Differences

        differences, known = Differences(), self._solution.cells
        for number, item in enumerate(items):
            self._leave(item, False)
            self.meter.check_clock()
            for place in item:
                other, is_decided = self._other_solution(place)
                differences.is_proved &= is_decided
                if other:
                    tested = items[: number + 1]
                    differences.add(
                        n
                        for n, some in enumerate(tested)
                        if any(other[k] != known[k] for k in some)
                    )
                    for n, some in enumerate(tested):
                        self._leave(some, n in differences.needed)
                    break
        if not differences.is_proved:
            self._leave(chain(*items), False)
            differences.complete(self.puzzle(), known, items, self._proofs)
            for number in differences.needed:
                self._leave(items[number], True)

    def _leave(self, places: Iterable[int], is_clue: bool) -> None:
        for place in places:
            self.clues[place] = ord(self._solution.cells[place]) if is_clue else _OPEN

    def _other_solution(self, place: int) -> tuple[str | None, bool]:
        """The cells of a solution that differs in an open cell, if a short search finds one.

        Returns:
            The cells, and whether the search has decided that there is one or none.
        """
        from binairo_cp.generation.other_solutions import nearby

        cells = bytearray(self.clues)
        # 0x30 and 0x31 differ in the lowest bit.
        cells[place] = ord(self._solution.cells[place]) ^ 1
        kernel.search_all(self._search, bytes(cells), None, self._found, self._results, 1, NODES)
        if self._results[0, 0]:
            height, width = self.recipe.height, self.recipe.width
            rows = (f"{self._found[0, 0, row]:0{width}b}" for row in range(height))
            return "".join(row[::-1] for row in rows), True
        if self._results[0, 1]:
            return None, True
        other = nearby(self.puzzle(), self._solution.cells, place, self.meter)
        return other, other is not None

    def _remove(self, item: Sequence[int], is_redundant: Callable[[Sequence[int]], bool]) -> bool:
        """Remove clues together or a sign, if that is redundant."""
        recipe, before = self.recipe, bytes(self.clues)
        if is_sign := min(item) < 0:
            # Signs are tested one by one.
            fewest = 0 if recipe.irreducible else recipe.signs
            if len(item) > 1 or len(self.signs) <= fewest:
                return False
            self._toggle(item)
        else:
            fewest = recipe.clues if isinstance(recipe.clues, int) else 0
            if self.count() - len(item) < fewest:
                return False
            for place in item:
                self.clues[place] = _OPEN
        self.meter.check_clock()
        if is_redundant(item):
            return True
        if is_sign:
            self._toggle(item)
        self.clues[:] = before
        return False

    def _logic_test(self) -> Callable[[Sequence[int]], bool] | None:
        """The test by logic that is likely to leave puzzles of the requested level.

        None if a search must decide.
        """
        recipe, demand, level = self.recipe, self.recipe.demand, self.recipe.level
        has_chains = level == _HARD if demand is None else "sign chain" in dict(demand.needs)
        hardest = level if demand is None else demand.hardest(level)
        if hardest in (None, _BEYOND) or recipe.irreducible or level == _BEYOND:
            return None
        if recipe.signs and has_chains:
            # Chains of signs make these hard, and the compiled techniques don't find them.
            return partial(self._solves, _EXPERT)
        if demand is None:
            return partial(self._solves, hardest)
        return partial(self._is_kept, demand, demand.easiest(), hardest)

    def _is_kept(
        self, demand: Demand, easiest: Level | None, hardest: Level, item: Sequence[int]
    ) -> bool:
        """Whether the solving path is still no harder than a level, and as demanded.

        What the path must have is left to later removals.
        """
        base = min(easiest or hardest, hardest, key=LEVELS.index)
        is_found = self._solves(base, item)
        # What the closure of a level that is allowed finds does not change the path after it.
        if is_found and easiest:
            return True
        # Without signs the compiled techniques find all that there is, in less time than a grade.
        if not (is_found or self.recipe.signs or (base != hardest and self._solves(hardest, item))):
            return False
        grade = self._grade()
        is_solved = grade.left == 0 and LEVELS.index(grade.level) <= LEVELS.index(hardest)
        return is_solved and demand.is_kept_by(grade)

    def fits(self) -> bool:
        """Whether a unique puzzle is as the recipe says."""
        recipe, signs = self.recipe, len(self.signs)
        has_number = isinstance(recipe.clues, int)
        # The signs that were tested late may all have been needed.
        if signs > recipe.signs or (signs < recipe.signs and not recipe.irreducible):
            return False
        if has_number and self.count() != recipe.clues:
            return False
        is_tested = recipe.irreducible and (has_number or recipe.pattern != "none")
        if is_tested and any(map(self._is_redundant, range(len(self.clues)))):
            return False
        return self._is_of_level()

    def _is_of_level(self) -> bool:
        """Whether the solving path of a unique puzzle is as the recipe says."""
        level, demand = self.recipe.level, self.recipe.demand
        if level and not self._may_be(level):
            return False
        if demand is None:
            # With signs the compiled techniques may find less than the complete ones.
            return not (level and self.recipe.signs) or self._grade().level == level
        easier = LEVELS.index(demand.hardest_need) - 1
        if easier >= 0 and self._solves(LEVELS[easier]):
            return False
        grade, hardest = self._grade(), demand.hardest(level)
        # The test by logic takes signs, and all clues that are irreducible, as they come.
        is_of_level = LEVELS.index(grade.level) <= LEVELS.index(hardest)
        is_of_level &= level in (None, grade.level) and bool(grade.hardest)
        return is_of_level and demand.is_met_by(self.puzzle(), grade, self.meter)

    def _may_be(self, level: Level) -> bool:
        number = LEVELS.index(level)
        if number and self._solves(LEVELS[number - 1]):
            return False
        return bool(self.recipe.signs) or level == _BEYOND or self._solves(level)

    def _grade(self) -> Grade:
        # Imported here, because it loads code that only puzzles of a level need.
        from binairo_cp.deduction.grading import grade

        return grade(self.puzzle(), self.meter)

    def is_unique(self, item: Sequence[int] = ()) -> bool:
        """Whether there is no other solution, given that others differ in a single clue or sign.

        Raises:
            BudgetExceeded: The time ran out.
        """
        recipe, cells, known = self.recipe, bytearray(self.clues), 1
        place = item[0] if len(item) == 1 else None
        if place is not None:
            known = 0
            if place >= 0:
                # 0x30 and 0x31 differ in the lowest bit.
                cells[place] = ord(self._solution.cells[place]) ^ 1
            else:
                self._flip(place, is_wrong=True)
        signs, results = self._sign_words if recipe.signs else None, self._results
        kernel.search_all(self._search, bytes(cells), signs, self._found, results, known + 1, NODES)
        if place is not None and place < 0:
            self._flip(place, is_wrong=True)
            place = None
        if results[0, 0] > known:
            return False
        if results[0, 1] == 1:
            return results[0, 0] == known
        # Imported here, because most puzzles are small and never need a solver of PySAT.
        from binairo_cp.generation.other_solutions import OtherSolutions, has_other

        if not item:
            return not has_other(self.puzzle(), self._solution.cells, self._proofs)
        if self._others is None:
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

    def _solves(self, level: Level, item: Sequence[int] = ()) -> bool:
        """Whether the techniques up to a level find the values of clues, or with a sign all."""
        # Imported here, because it loads code that only puzzles of a level need.
        from binairo_cp.deduction import closure

        recipe = self.recipe
        clues = memoryview(bytes(self.clues)).cast("B", (1, len(self.clues)))
        targets = memoryview(array("q", item or (-1,))).cast("B").cast("q", (1, len(item) or 1))
        shape = Shape.of(recipe.height, recipe.width, recipe.rules)
        signs = {"signs": self._sign_words} if recipe.signs else {}
        return bool(closure.reaches(clues, shape, level, targets, **signs)[0])
