"""Remove clues and signs one by one, from many puzzles in parallel.

Two tests decide whether a clue is redundant:

- The solvers look for a solution with the other value in the clue's cell (`UniquenessTest`). If
  there is none, the clue is redundant. A clue that is needed stays needed, since fewer clues only
  allow more solutions. So it suffices to test each clue once.
- The techniques up to a level deduce the clue's value from the other clues. Then they also still
  deduce everything else.

Clues in an orbit of the pattern's symmetries are kept or removed together.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt

from binairo_cp.deduction.techniques import LEVELS, Level
from binairo_cp.generation.recipes import sign_places
from binairo_cp.generation.single_attempts import NODES, TOGETHER
from binairo_cp.puzzle.board import OPEN, Board
from binairo_cp.puzzle.rules import Puzzle, Rules, Sign
from binairo_cp.puzzle.shape import Shape
from binairo_cp.solving.backends import Meter
from binairo_cp.solving.many import Decided, decide

if TYPE_CHECKING:
    from binairo_cp.deduction.demands import Demand
    from binairo_cp.deduction.grading import Grade
    from binairo_cp.generation.other_solutions import OtherSolutions

Cells = npt.NDArray[np.uint8]
Words = npt.NDArray[np.uint64]
Numbers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

_OPEN = np.uint8(ord(OPEN))


@dataclass(slots=True)
class Batch:
    """n puzzles of h x w cells with the same rules.

    Attributes:
        solutions: n x (h * w) bytes ``0`` and ``1``.
        clues: n x (h * w) bytes ``0``, ``1`` and ``.``.
        signs: n x 2 x (h + w) words, in the bitboard's layout; 1 x 2 x 0 without signs.
    """

    height: int
    width: int
    rules: Rules
    solutions: Cells
    clues: Cells
    signs: Words

    @property
    def has_signs(self) -> bool:
        return bool(self.signs.shape[2])

    def part(self, which: Numbers) -> Batch:
        """Copy some of the puzzles."""
        signs = self.signs[which] if self.has_signs else self.signs
        return Batch(
            self.height, self.width, self.rules, self.solutions[which], self.clues[which], signs
        )

    def puzzle(self, k: int) -> Puzzle:
        """A puzzle by its number."""
        return Puzzle(self._board(self.clues[k]), self.rules, self._signs_of(k))

    def solution(self, k: int) -> Board:
        """The known solution of a puzzle."""
        return self._board(self.solutions[k])

    def _board(self, cells: Cells) -> Board:
        return Board(self.height, self.width, cells.tobytes().decode())

    def _signs_of(self, k: int) -> tuple[Sign, ...]:
        signs = []
        places = sign_places(self.height, self.width) if self.has_signs else sign_places(1, 1)
        for line, bit, one, _ in places:
            for relation in range(2):
                if int(self.signs[k, relation, line]) >> bit & 1:
                    row, column = divmod(one, self.width)
                    direction: Literal["R", "D"] = "R" if line < self.height else "D"
                    signs.append(Sign(row, column, direction, "x" if relation else "="))
        return tuple(signs)

    def put(self, which: Numbers, others: Batch) -> None:
        """Replace the clues and signs of some puzzles by those of others."""
        self.clues[which] = others.clues
        if self.has_signs:
            self.signs[which] = others.signs


RedundancyTest = Callable[[Batch, Numbers, Numbers], Flags]
"""Decides for puzzles from which something was removed whether it was redundant.

The arguments are the puzzles without it, the places of the removed clues (n x k, padded with -1)
and the numbers of the removed signs (n, -1 for none). Each puzzle lost clues or a sign.
"""


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

    def __call__(self, batch: Batch, places: Numbers, signs: Numbers) -> Flags:
        """Whether the puzzles are still unique.

        Raises:
            BudgetExceeded: The time ran out.
        """
        if places.shape[1] > 1:
            return self.are_unique(batch)
        other = batch.part(np.arange(len(batch.clues)))
        row, column = np.nonzero(places >= 0)
        place = places[row, column]
        # 0x30 and 0x31 differ in the lowest bit.
        other.clues[row, place] = other.solutions[row, place] ^ 1
        if batch.has_signs:
            put_signs(other, signs, "wrong")
        decided = _decide(other, limit=1)
        unique = (decided.found == 0) & decided.is_complete
        unclear = np.flatnonzero(~decided.is_decided)
        return self._settled(batch, unique, unclear, places[:, 0])

    def are_unique(self, batch: Batch) -> Flags:
        """Which puzzles have exactly one solution.

        Raises:
            BudgetExceeded: The time ran out.
        """
        decided = _decide(batch, limit=2)
        unique = (decided.found == 1) & decided.is_complete
        unknown = np.full(len(batch.clues), -1)
        return self._settled(batch, unique, np.flatnonzero(~decided.is_decided), unknown)

    def are_irreducible(self, batch: Batch) -> Flags:
        """In which puzzles no clue is redundant.

        Raises:
            BudgetExceeded: The time ran out.
        """
        irreducible = np.ones(len(batch.clues), bool)
        no_signs = np.full(len(batch.clues), -1)
        for place in range(batch.clues.shape[1]):
            self._meter.check_clock()
            tested = np.flatnonzero(irreducible & (batch.clues[:, place] != _OPEN))
            if len(tested):
                reduced = batch.part(tested)
                reduced.clues[:, place] = _OPEN
                places = np.full((len(tested), 1), place)
                irreducible[tested] = ~self(reduced, places, no_signs[tested])
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
    """The cells of each solution, in the order of the items that `remove_redundant` tests."""
    cells = {}
    for solution, order in zip(batch.solutions, orders, strict=True):
        places = orbits[order[order < len(orbits)]].ravel()
        cells[solution.tobytes()] = places[places >= 0].tolist()
    return cells


def by_logic(level: Level) -> RedundancyTest:
    """A test whether the techniques up to a level still deduce what was removed."""

    def is_redundant(batch: Batch, places: Numbers, signs: Numbers) -> Flags:
        # A removed sign has no cell of its own, so all cells must be deduced.
        targets = np.ascontiguousarray(np.where(signs[:, None] >= 0, -1, places))
        return solves(batch, level, targets)

    return is_redundant


def by_demand(demand: Demand, level: Level | None, meter: Meter) -> RedundancyTest:
    """A test whether the solving path is still no harder than a level, and as demanded.

    What the path must have is left to later removals.
    """
    base, hardest = demand.easiest(), demand.hardest(level)
    if base is not None:
        base = min(base, hardest, key=LEVELS.index)

    def is_redundant(batch: Batch, places: Numbers, signs: Numbers) -> Flags:
        # What the closure of a level that is allowed finds does not change the path after it.
        redundant = np.zeros(len(batch.clues), bool)
        if base is not None:
            redundant = by_logic(base)(batch, places, signs)
        left = np.flatnonzero(~redundant)
        for k, grade in zip(left.tolist(), grades(batch.part(left), meter), strict=True):
            is_solved = grade.left == 0 and LEVELS.index(grade.level) <= LEVELS.index(hardest)
            redundant[k] = is_solved and demand.is_kept_by(grade)
        return redundant

    return is_redundant


def grades(batch: Batch, meter: Meter) -> list[Grade]:
    """The grades of puzzles, each of which has a solution."""
    from binairo_cp.deduction.grading import grade_each

    return grade_each([batch.puzzle(k) for k in range(len(batch.clues))], meter)


def solves(batch: Batch, level: Level, targets: Numbers | None = None) -> Flags:
    """For which puzzles the techniques up to a level deduce the target cells, or all cells."""
    # Imported here, because it loads code that only puzzles of a level need.
    from binairo_cp.deduction import closure

    shape = Shape.of(batch.height, batch.width, batch.rules)
    return np.frombuffer(closure.reaches(batch.clues, shape, level, targets, batch.signs), np.bool_)


def _decide(batch: Batch, limit: int) -> Decided:
    clues = batch.clues.reshape(-1, batch.height, batch.width)
    return decide(clues, batch.rules, limit, signs=batch.signs, nodes=NODES)


def remove_redundant(
    batch: Batch,
    orders: Numbers,
    orbits: Numbers,
    is_redundant: RedundancyTest,
    check_clock: Callable[[], None],
    fewest: int = 0,
    fewest_signs: int = 0,
) -> None:
    """Remove redundant clues and signs from each puzzle of a batch, in its own order.

    Args:
        batch: The puzzles; their clues and signs are changed.
        orders: n x m numbers of items. The first numbers are rows of `orbits`, the following ones
            are signs.
        orbits: The places of the clues that are removed together, one set per row, padded with -1.
        is_redundant: The test for each removal.
        check_clock: Is called before each test, and may raise.
        fewest: The number of clues to keep at least.
        fewest_signs: The number of signs to keep at least.
    """
    # The last row is for signs, which have no places.
    table = np.concatenate([orbits, np.full((1, orbits.shape[1]), -1)])
    all_puzzles = np.arange(len(batch.clues))

    def remove(which: Numbers, items: Numbers) -> Numbers:
        """Remove some items from some puzzles, those of a puzzle together, if they are redundant.

        Returns:
            The puzzles that kept them.
        """
        is_sign = items >= len(orbits)
        places = table[np.where(is_sign, -1, items)].reshape(len(which), -1)
        signs = np.where(is_sign, items - len(orbits), -1)[:, 0]
        removed = clue_counts(batch)[which] - np.count_nonzero(places >= 0, axis=1) >= fewest
        if batch.has_signs:
            removed = np.where(is_sign[:, 0], sign_counts(batch)[which] > fewest_signs, removed)
            # Signs are tested one by one.
            removed &= ~is_sign.any(axis=1) | (items.shape[1] == 1)
        tested = which[removed]
        if len(tested):
            check_clock()
            reduced = batch.part(tested)
            row, column = np.nonzero(places[removed] >= 0)
            reduced.clues[row, places[removed][row, column]] = _OPEN
            if batch.has_signs:
                put_signs(reduced, signs[removed], "none")
            redundant = is_redundant(reduced, places[removed], signs[removed])
            batch.put(tested[redundant], reduced.part(np.flatnonzero(redundant)))
            removed[removed] = redundant
        left: Numbers = which[~removed]
        return left

    for begin in range(0, orders.shape[1], TOGETHER):
        items = orders[:, begin : begin + TOGETHER]
        left = all_puzzles
        if begin < orders.shape[1] // 2:
            # While a board is mostly clues, most are redundant, and usually several at once.
            left = remove(all_puzzles, items)
        for column in items.T:
            if len(left):
                remove(left, column[left, None])


def put_signs(batch: Batch, signs: Numbers, kind: Literal["none", "right", "wrong"]) -> None:
    """Set a sign of each puzzle, by its number, as in the solution or wrong, or remove it."""
    which = np.flatnonzero(signs >= 0)
    line, bit, one, other = _sign_array(batch.height, batch.width)[signs[which]].T
    mask = np.uint64(1) << bit.astype(np.uint64)
    batch.signs[which, :, line] &= ~mask[:, None]
    if kind != "none":
        is_equal = batch.solutions[which, one] == batch.solutions[which, other]
        relation = np.where(is_equal == (kind == "right"), 0, 1)
        batch.signs[which, relation, line] |= mask


@cache
def _sign_array(height: int, width: int) -> Numbers:
    return np.array(sign_places(height, width), np.int64).reshape(-1, 4)


def clue_counts(batch: Batch) -> Numbers:
    """The number of clues of each puzzle."""
    counts: Numbers = np.count_nonzero(batch.clues != _OPEN, axis=1)
    return counts


def sign_counts(batch: Batch) -> Numbers:
    """The number of signs of each puzzle."""
    counts: Numbers = np.bitwise_count(batch.signs).sum(axis=(1, 2)).astype(np.int64)
    return counts
