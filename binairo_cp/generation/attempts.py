"""Try to make puzzles from many random boards at once, as arrays: remove clues one by one.

They are the puzzles of `single_attempts`, which also makes those with signs, of a demand, and with
the fewest clues. Two tests decide whether a clue is redundant:

- The solvers look for a solution with the other value in the clue's cell (`UniquenessTest`). If
  there is none, the clue is redundant. A clue that is needed stays needed, since fewer clues only
  allow more solutions. So it suffices to test each clue once.
- The techniques up to a level deduce the clue's value from the other clues. Then they also still
  deduce everything else.

Clues in an orbit of the pattern's symmetries are kept or removed together.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from binairo_cp.deduction.techniques import LEVELS, Level
from binairo_cp.generation.boards import draw_boards, seed_of, words
from binairo_cp.generation.recipes import GeneratedPuzzle, Recipe, orbits
from binairo_cp.generation.single_attempts import NODES, TOGETHER
from binairo_cp.puzzle.board import OPEN, Board
from binairo_cp.puzzle.rules import Puzzle, Rules
from binairo_cp.puzzle.shape import Shape
from binairo_cp.solving.backends import Meter
from binairo_cp.solving.many import Decided, decide

if TYPE_CHECKING:
    from binairo_cp.generation.other_solutions import OtherSolutions

Cells = npt.NDArray[np.uint8]
Numbers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

_BEYOND: Level = LEVELS[-1]
_OPEN = np.uint8(ord(OPEN))


@dataclass(slots=True)
class Batch:
    """n puzzles of h x w cells with the same rules.

    Attributes:
        solutions: n x (h * w) bytes ``0`` and ``1``.
        clues: n x (h * w) bytes ``0``, ``1`` and ``.``.
    """

    height: int
    width: int
    rules: Rules
    solutions: Cells
    clues: Cells

    def part(self, which: Numbers) -> Batch:
        """Copy some of the puzzles."""
        return replace(self, solutions=self.solutions[which], clues=self.clues[which])

    def puzzle(self, k: int) -> Puzzle:
        """A puzzle by its number."""
        return Puzzle(self._board(self.clues[k]), self.rules)

    def solution(self, k: int) -> Board:
        """The known solution of a puzzle."""
        return self._board(self.solutions[k])

    def _board(self, cells: Cells) -> Board:
        return Board(self.height, self.width, cells.tobytes().decode())

    def clue_counts(self) -> Numbers:
        """The number of clues of each puzzle."""
        counts: Numbers = np.count_nonzero(self.clues != _OPEN, axis=1)
        return counts

    def decide(self, limit: int) -> Decided:
        """Count the solutions of each puzzle up to a limit, if the compiled search can."""
        clues = self.clues.reshape(-1, self.height, self.width)
        return decide(clues, self.rules, limit, nodes=NODES)

    def solves(self, level: Level, targets: Numbers | None = None) -> Flags:
        """For which puzzles the techniques up to a level deduce the target cells, or all cells."""
        # Imported here, because it loads code that only puzzles of a level need.
        from binairo_cp.deduction import closure

        shape = Shape.of(self.height, self.width, self.rules)
        return np.frombuffer(closure.reaches(self.clues, shape, level, targets), np.bool_)


RedundancyTest = Callable[[Batch, Numbers], Flags]
"""Decides for puzzles from which clues were removed whether these were redundant.

The arguments are the puzzles without them, and the places of the clues: n x k, padded with -1.
"""


def attempt(recipe: Recipe, seeds: list[int], meter: Meter) -> list[GeneratedPuzzle | None]:
    """Try to generate a puzzle from each seed; None if it does not fit the recipe."""
    meter.check_clock()
    batch = _filled(recipe, seeds)
    sets = orbits(recipe.height, recipe.width, recipe.pattern)
    size = max(map(len, sets))
    together = np.array([[*places, *[-1] * (size - len(places))] for places in sets])
    keys = np.array([words(seed_of("clues", seed), len(sets)) for seed in seeds], np.uint64)
    orders = np.argsort(keys, axis=1, kind="stable")
    test = UniquenessTest(meter, orders_of(batch, orders, together))
    is_redundant: RedundancyTest = test
    level = recipe.level
    if level not in (None, _BEYOND) and not recipe.irreducible:

        def is_redundant(batch: Batch, places: Numbers) -> Flags:
            return batch.solves(level, np.ascontiguousarray(places))

    fewest = recipe.clues if isinstance(recipe.clues, int) else 0
    remove_redundant(batch, orders, together, is_redundant, meter.check_clock, fewest)
    good = test.are_unique(batch)
    if isinstance(recipe.clues, int):
        good &= batch.clue_counts() == recipe.clues
    if recipe.irreducible and (isinstance(recipe.clues, int) or recipe.pattern != "none"):
        good &= UniquenessTest(meter).are_irreducible(batch)
    if level is not None:
        which = np.flatnonzero(good)
        good[which] = _are_of_level(level, batch.part(which))
    return [
        GeneratedPuzzle(batch.puzzle(k), batch.solution(k)) if is_good else None
        for k, is_good in enumerate(good.tolist())
    ]


def _filled(recipe: Recipe, seeds: list[int]) -> Batch:
    """Draw solved boards, with all cells as clues."""
    boards = draw_boards(recipe.height, recipe.width, seeds, recipe.rules, recipe.method)
    text = "".join(board.cells for board in boards).encode()
    solutions = np.frombuffer(text, np.uint8).reshape(len(boards), -1)
    return Batch(recipe.height, recipe.width, recipe.rules, solutions, solutions.copy())


def _are_of_level(level: Level, batch: Batch) -> Flags:
    number = LEVELS.index(level)
    fits = np.ones(len(batch.clues), bool)
    if number > 0:
        fits &= ~batch.solves(LEVELS[number - 1])
    if level != _BEYOND:
        fits &= batch.solves(level)
    return fits


class UniquenessTest:
    """Decides whether puzzles are still unique. It is a `RedundancyTest`.

    The compiled search decides most puzzles. Clause learning decides the rest.

    Args:
        meter: The time limit of all tests together.
        orders: The cells of each solution, in the order in which clues are removed.
    """

    def __init__(self, meter: Meter, orders: dict[bytes, list[int]] | None = None) -> None:
        self._meter, self._orders = meter, orders or {}
        self._others: dict[str, OtherSolutions] = {}

    def __call__(self, batch: Batch, places: Numbers) -> Flags:
        """Whether the puzzles are still unique.

        Raises:
            BudgetExceeded: The time ran out.
        """
        if places.shape[1] > 1:
            return self.are_unique(batch)
        row, place = np.arange(len(batch.clues)), places[:, 0]
        other = batch.part(row)
        # 0x30 and 0x31 differ in the lowest bit.
        other.clues[row, place] = other.solutions[row, place] ^ 1
        decided = other.decide(limit=1)
        unique = (decided.found == 0) & decided.is_complete
        return self._settled(batch, unique, np.flatnonzero(~decided.is_decided), place)

    def are_unique(self, batch: Batch) -> Flags:
        """Which puzzles have exactly one solution.

        Raises:
            BudgetExceeded: The time ran out.
        """
        decided = batch.decide(limit=2)
        unique = (decided.found == 1) & decided.is_complete
        unknown = np.full(len(batch.clues), -1)
        return self._settled(batch, unique, np.flatnonzero(~decided.is_decided), unknown)

    def are_irreducible(self, batch: Batch) -> Flags:
        """In which puzzles no clue is redundant.

        Raises:
            BudgetExceeded: The time ran out.
        """
        irreducible = np.ones(len(batch.clues), bool)
        for place in range(batch.clues.shape[1]):
            self._meter.check_clock()
            tested = np.flatnonzero(irreducible & (batch.clues[:, place] != _OPEN))
            if len(tested):
                reduced = batch.part(tested)
                reduced.clues[:, place] = _OPEN
                irreducible[tested] = ~self(reduced, np.full((len(tested), 1), place))
        return irreducible

    def _settled(self, batch: Batch, unique: Flags, unclear: Numbers, places: Numbers) -> Flags:
        """Complete the flags of the puzzles that the compiled search has not decided."""
        for k in unclear.tolist():
            place = int(places[k]) if places[k] >= 0 else None
            unique[k] = not self._others_of(batch, k).exist(batch.puzzle(k), place)
        return unique

    def _others_of(self, batch: Batch, k: int) -> OtherSolutions:
        # Imported here, because most puzzles are small and never need a solver of PySAT.
        from binairo_cp.generation.other_solutions import OtherSolutions

        solution = batch.solution(k).cells
        if solution not in self._others:
            order = self._orders.get(solution.encode()) or range(len(solution))
            self._others[solution] = OtherSolutions(batch.puzzle(k), solution, order, self._meter)
        return self._others[solution]


def orders_of(batch: Batch, orders: Numbers, orbits: Numbers) -> dict[bytes, list[int]]:
    """The cells of each solution, in the order of the sets that `remove_redundant` tests."""
    cells = {}
    for solution, order in zip(batch.solutions, orders, strict=True):
        places = orbits[order].ravel()
        cells[solution.tobytes()] = places[places >= 0].tolist()
    return cells


def remove_redundant(
    batch: Batch,
    orders: Numbers,
    orbits: Numbers,
    is_redundant: RedundancyTest,
    check_clock: Callable[[], None],
    fewest: int = 0,
) -> None:
    """Remove redundant clues from each puzzle of a batch, in its own order.

    Args:
        batch: The puzzles; their clues are changed.
        orders: n x m numbers of rows of `orbits`.
        orbits: The places of the clues that are removed together, one set per row, padded with -1.
        is_redundant: The test for each removal.
        check_clock: Is called before each test, and may raise.
        fewest: The number of clues to keep at least.
    """
    all_puzzles = np.arange(len(batch.clues))

    def remove(which: Numbers, sets: Numbers) -> Numbers:
        """Remove some sets from some puzzles, those of a puzzle together, if they are redundant.

        Returns:
            The puzzles that kept them.
        """
        places = orbits[sets].reshape(len(which), -1)
        counts = batch.clue_counts()[which] - np.count_nonzero(places >= 0, axis=1)
        removed = counts >= fewest
        tested = which[removed]
        if len(tested):
            check_clock()
            reduced = batch.part(tested)
            row, column = np.nonzero(places[removed] >= 0)
            reduced.clues[row, places[removed][row, column]] = _OPEN
            redundant = is_redundant(reduced, places[removed])
            batch.clues[tested[redundant]] = reduced.clues[redundant]
            removed[removed] = redundant
        left: Numbers = which[~removed]
        return left

    for begin in range(0, orders.shape[1], TOGETHER):
        sets = orders[:, begin : begin + TOGETHER]
        left = all_puzzles
        if begin < orders.shape[1] // 2:
            # While a board is mostly clues, most are redundant, and usually several at once.
            left = remove(all_puzzles, sets)
        for column in sets.T:
            if len(left):
                remove(left, column[left, None])
