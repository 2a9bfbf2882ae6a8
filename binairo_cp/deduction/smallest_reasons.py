"""The smallest set of rules and known cells that implies the value of an open cell.

A set of rules and known cells implies a value exactly if it has an element in common with every
*conflict set*: the rules and known cells that some board breaks, in which the cell has the other
value. So a smallest such set is a smallest hitting set of all conflict sets. There are too many to
list. We start with boards close to the solution and find the others as they are needed, with a SAT
solver (implicit hitting sets, as in Ignatiev, Previti, Liffiton and Marques-Silva, "Smallest MUS
extraction with minimal hitting set dualization", 2015). The idea to explain steps this way is from
demystify (Espasa, Gent, Hoffmann, Jefferson and Lynch, "Using small MUSes to explain how to solve
pen and paper puzzles", 2021) and from Bogaerts, Gamba and Guns ("A framework for step-wise
explaining how to solve constraint satisfaction problems", 2021).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import isqrt

from binairo_cp.deduction.conflict_boards import ConflictBoards, Deviation
from binairo_cp.deduction.irreducible_reasons import Implications, Implied, IrreducibleReasons
from binairo_cp.deduction.named_rules import RuleTable
from binairo_cp.deduction.small_hitting_sets import SetsToHit, bits, each_bit, union
from binairo_cp.errors import BudgetExceeded
from binairo_cp.puzzle.board import Board
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.solving.backends import Budget, Meter

_AT_ONCE = 9
"""Maximum number of disjoint conflict sets that are added at once."""

_CHECK = 75
"""The work to find a board with the solver. The unit is about the work for one set or one element,
some 5 microseconds."""

_USUAL_CELLS = 100
"""On boards with k times as many cells, it takes about k * sqrt(k) times as much."""

_LARGE = 8
"""Larger sizes are seldom proved on boards of 10x10. They get two thirds of the work."""


@dataclass(frozen=True, slots=True)
class Bound:
    """A cell has no reasons of some sizes without cells that are new.

    Attributes:
        size: The largest of these sizes.
        cells: The cells that differ on the boards of the proof. If other cells get known, these
            boards break as many known cells as before, and the bound holds.
        new: Cells that are known since then. With one of them there may be smaller reasons.
    """

    size: int
    cells: int
    new: int = 0

    def with_known(self, cells: int) -> Bound:
        """The bound if more cells are known."""
        if self.cells & cells:
            return Bound(self.size, self.cells, self.new | cells)
        return self


class ReasonBounds:
    """The bounds for each cell."""

    def __init__(self) -> None:
        # The latest comes last, and has the smallest size.
        self._bounds: dict[int, list[Bound]] = {}

    def add_known(self, cells: int) -> None:
        """Adapt the bounds to more known cells."""
        self._bounds = {
            place: [bound.with_known(cells) for bound in bounds]
            for place, bounds in self._bounds.items()
        }

    def get(self, place: int, size: int) -> Bound | None:
        """The latest bound of a cell for at least some size; None if there is none."""
        for bound in reversed(self._bounds.get(place, ())):
            if bound.size >= size:
                return bound
        return None

    def add(self, place: int, bound: Bound, base: Bound | None) -> None:
        """Add a bound. `base` is an earlier one that its proof relies on."""
        if base:
            bound = Bound(min(bound.size, base.size), bound.cells | base.cells)
        larger = [each for each in self._bounds.get(place, ()) if each.size > bound.size]
        self._bounds[place] = [*larger, bound]


@dataclass(frozen=True, slots=True)
class Reason:
    """A set of rules and known cells that implies the value of an open cell.

    Attributes:
        proved: Whether no smaller set implies any open cell.
    """

    place: int
    known: tuple[int, ...]
    rules: tuple[int, ...]
    proved: bool


class SmallestReasons:
    """The search for smallest reasons on a board that fills up.

    Sets of known cells and rules are integers: the cells have the lowest bits.

    Args:
        puzzle: The puzzle.
        solution: One of its solutions.
        implied: The cells with the same value in all solutions.
        meter: Limits the time; every method may raise `BudgetExceeded`.
    """

    def __init__(
        self, puzzle: Puzzle, solution: Board, implied: Iterable[int], meter: Meter
    ) -> None:
        self.rules = RuleTable(puzzle, solution)
        self._meter = meter
        self._cells = self.rules.number_of_cells
        self._implied = bits(implied)
        self._implications = Implications(self.rules, solution, meter)
        self._boards = ConflictBoards(self.rules, solution)
        self._irreducible = IrreducibleReasons(self.rules, self._implications, self._boards)
        scaled = _CHECK * isqrt(self._cells**3) // isqrt(_USUAL_CELLS**3)
        self._check = max(_CHECK, scaled)
        self._bounds = ReasonBounds()
        self._facts = 0
        # For each cell, the number of its boards, new known cells, and the conflict sets.
        self._to_hit: dict[int, tuple[int, int, SetsToHit]] = {}
        # There is no reason of this size for any cell.
        self._excluded = 0

    def find(self, known: Iterable[int], candidates: list[Implied], work: int) -> Reason | None:
        """Find a smallest reason for the value of any open cell.

        Args:
            known: The known cells.
            candidates: Open cells, each with rules and known cells that imply its value.
            work: The work limit. If it is not enough for a proof, the result is irreducible.

        Returns:
            The reason; None if none was found.
        """
        self._begin(bits(known))
        self._irreducible.add(candidates)
        best = self._irreducible.best
        size = best[1].bit_count() if best else self._cells
        limit = Meter(Budget(work=work if size <= _LARGE else 2 * work // 3))
        try:
            best = self._smaller(size, limit) or best
        except BudgetExceeded as error:
            if error.by == "time":
                raise
            return self._without_proof(candidates, work)
        return self._reason(*best, proved=True) if best else None

    def within(self, place: int, elements: int, work: int) -> Reason:
        """An irreducible reason for a cell within elements that imply its value."""
        found = self._irreducible.within(place, elements, work)
        return self._reason(place, found, proved=False)

    def _without_proof(self, candidates: list[Implied], work: int) -> Reason | None:
        """The smallest reason that further work finds."""
        if candidates:
            self._irreducible.add_one_by_one(candidates, work // 4)
        else:
            self._irreducible.add_any(self._open_places(), work)
        best = self._irreducible.best
        return (
            self._reason(*best, proved=best[1].bit_count() == self._excluded + 1) if best else None
        )

    def _begin(self, facts: int) -> None:
        self._bounds.add_known(facts & ~self._facts)
        self._irreducible.begin(facts)
        self._facts, self._excluded = facts, 0
        self._to_hit = {}

    def _open_places(self) -> list[int]:
        return list(each_bit(self._implied & ~self._facts))

    def elements(self, known: Iterable[int], rules: Iterable[int]) -> int:
        """A set of known cells and rules."""
        return bits(known) | bits(rules) << self._cells

    def _reason(self, place: int, elements: int, *, proved: bool) -> Reason:
        known = each_bit(elements & ((1 << self._cells) - 1))
        return Reason(place, tuple(known), tuple(each_bit(elements >> self._cells)), proved)

    def _smaller(self, size: int, limit: Meter) -> Implied | None:
        """A cell and a smallest reason with less than `size` elements; None if there is none."""
        places = self._open_places()
        for most in range(1, size):
            for place in places:
                bound = self._bounds.get(place, most)
                if bound and not bound.new:
                    continue
                if reason := self._with_at_most(most, place, bound, limit):
                    return place, reason
            self._excluded = most
        return None

    def _with_at_most(self, most: int, place: int, bound: Bound | None, limit: Meter) -> int:
        """A reason for a cell with at most `most` elements; 0 if there is none.

        If there was none before, it has one of the cells that are known since then.
        """
        new = bound.new if bound else 0
        self._boards.add_near(place, limit.spend)
        while True:
            self._meter.check_clock()
            sets = self._sets(place, new, limit)
            if most < len(sets.disjoint):
                chosen, size, proof = None, len(sets.disjoint) - 1, sets.disjoint
            else:
                chosen, size, proof = sets.hitting_set(most), most, sets.minimal
            if chosen is None:
                cells = union(sets.names[each] for each in proof)
                self._bounds.add(place, Bound(size, cells), bound)
                return 0
            if not self._add_disjoint(place, chosen, limit):
                return chosen

    def _sets(self, place: int, new: int, limit: Meter) -> SetsToHit:
        """The conflict sets of a cell, and the set of the new known cells if it is not empty."""
        number = self._boards.number(place)
        *key, sets = self._to_hit.get(place, (0, 0, None))
        if sets is None or key != [number, new]:
            cells_of = self._boards.sets(place, self._facts)
            sets = SetsToHit({**cells_of, new: 0} if new else cells_of, limit.spend)
            self._to_hit[place] = number, new, sets
        return sets

    def _add_disjoint(self, place: int, chosen: int, limit: Meter) -> bool:
        """Add boards that keep the chosen elements; whether there are any."""
        hit = chosen
        for number in range(_AT_ONCE):
            limit.spend(self._check)
            cells = self._implications.refutation(place, hit)
            if cells is None:
                return number > 0
            board = self._nearer(Deviation(self.rules, cells), place, hit)
            self._boards.add(board)
            hit |= board.conflict_set(self._facts)
        return True

    def _nearer(self, board: Deviation, place: int, kept: int) -> Deviation:
        """Take cells over from the solution while the board keeps some elements, for a small set.

        The board keeps its value in the place, and breaks no more rules and known cells.
        """
        size = board.conflict_set(self._facts).bit_count()
        for each in each_bit(board.cells & ~(1 << place)):
            board.flip(each)
            broken = board.conflict_set(self._facts)
            if broken & kept or broken.bit_count() > size:
                board.flip(each)
            else:
                size = broken.bit_count()
        return board
