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
from itertools import compress
from math import isqrt
from operator import itemgetter, ne

from binairo_cp.deduction.named_rules import RuleTable
from binairo_cp.deduction.small_hitting_sets import SetsToHit, bits, each_bit, union
from binairo_cp.errors import BudgetExceeded
from binairo_cp.solving.backends import Budget, Meter
from binairo_cp.solving.backends.engines import Incremental

_SOLVER = "minisat22"

_AT_ONCE = 9
"""Maximum number of disjoint conflict sets that are added at once."""

_CHECK = 75
"""The work to find a board with the solver. The unit is about the work for one set or one element,
some 5 microseconds."""

_USUAL_CELLS = 100
"""On boards with k times as many cells, a board takes about k * sqrt(k) times as much."""

_MOST_SHRUNK = 8
"""Of so many sets that imply cells, the shortest, rules and known cells are left out."""

Implied = tuple[int, int]
"""A cell, and known cells and rules that imply its value."""


@dataclass(frozen=True, slots=True)
class Reason:
    """A set of rules and known cells that implies the value of an open cell.

    Attributes:
        proved: Whether no smaller set implies any open cell.
    """

    place: int
    elements: int
    proved: bool


def _size(implied: Implied) -> int:
    return implied[1].bit_count()


class SmallestReasons:
    """The search for smallest reasons on a board that fills up.

    Sets of known cells and rules are integers: the cells have the lowest bits. The solver and the
    boards that it found are kept for the next step: without them each takes five times as long. So
    are the reasons found, since a reason still holds when more cells are known. Every method may
    raise `BudgetExceeded`.
    """

    def __init__(self, rules: RuleTable, meter: Meter) -> None:
        self._rules, self._meter = rules, meter
        self._solver = Incremental(_SOLVER)
        self._added = bits(range(rules.number_of_cells))
        # For each cell: the cells that differ on its boards, with the rules that these break.
        self._boards: dict[int, dict[int, int]] = {}
        self._known, self._open = 0, list[int]()
        # Irreducible reasons, of earlier steps too.
        self._found: dict[int, int] = {}
        # For each cell: the number of its boards, and the conflict sets.
        self._to_hit: dict[int, tuple[int, SetsToHit]] = {}
        # There is no reason of this size for any cell.
        self._excluded = 0

    def begin(self, known: Iterable[int], open_places: list[int]) -> None:
        """Search with some known cells, for the open cells whose value can be explained."""
        self._known, self._open = bits(known), open_places
        self._to_hit, self._excluded = {}, 0
        self._found = {place: self._found[place] for place in open_places if place in self._found}

    def find(self, candidates: list[Implied], work: int) -> Reason | None:
        """Find a smallest reason for the value of any open cell.

        Args:
            candidates: Open cells, each with rules and known cells that imply its value.
            work: The work limit. If it is not enough for a proof, the result is irreducible.

        Returns:
            The reason; None if no cell is implied.
        """
        limit = Meter(Budget(work=work))
        everything = self._known | self._rules.single
        cores = self._cores(candidates)
        for rules in (everything, everything | self._rules.pairs):
            cores = cores or self._cores((place, rules) for place in self._open)
        if not cores and not self._found:
            return None
        self._shrink(cores[:_MOST_SHRUNK])
        best = min(self._found.items(), key=_size)
        try:
            return Reason(*(self._smaller(_size(best), limit) or best), proved=True)
        except BudgetExceeded as error:
            if error.by == "time":
                raise
        # The solver may have left out what would make others unnecessary.
        self._shrink(candidates[:_MOST_SHRUNK])
        best = min(self._found.items(), key=_size)
        return Reason(*best, proved=_size(best) == self._excluded + 1)

    def _shrink(self, candidates: Iterable[Implied]) -> None:
        for place, elements in candidates:
            found = self.within(place, elements)
            self._found[place] = min(self._found.get(place, found), found, key=int.bit_count)

    def _cores(self, candidates: Iterable[Implied]) -> list[Implied]:
        """What the solver needs of some elements to imply cells, the smallest first."""
        cores = list[Implied]()
        for place, elements in candidates:
            if not self._board(place, elements):
                needed = bits(abs(literal) - 1 for literal in self._solver.core())
                cores.append((place, needed & elements))
        return sorted(filter(itemgetter(1), cores), key=_size)

    def within(self, place: int, elements: int) -> int:
        """An irreducible reason for a cell within elements that imply its value.

        Rules about three neighbours are left out first, since a known cell often does the same. The
        others are kept where they make several known cells unnecessary.
        """
        needed, conflicts = 0, self._conflicts(place)
        while elements & ~needed:
            left = {conflict & elements for conflict in conflicts}
            needed |= union(conflict for conflict in left if not conflict & conflict - 1)
            rest = elements & ~needed
            tried = rest & self._rules.runs or rest
            tried &= -tried
            if tried and not self._board(place, elements & ~tried):
                elements &= ~tried
            else:
                needed |= tried
        return elements

    def _smaller(self, size: int, limit: Meter) -> Implied | None:
        """A cell and a smallest reason with less than `size` elements; None if there is none."""
        for most in range(1, size):
            for place in self._open:
                if reason := self._with_at_most(most, place, limit):
                    return place, reason
            self._excluded = most
        return None

    def _with_at_most(self, most: int, place: int, limit: Meter) -> int:
        """A reason for a cell with at most `most` elements; 0 if there is none."""
        while True:
            self._meter.check_clock()
            boards = len(self._boards_of(place))
            number, sets = self._to_hit.get(place, (0, None))
            if sets is None or number != boards:
                sets = SetsToHit(self._conflicts(place), limit.spend)
                self._to_hit[place] = boards, sets
            chosen = sets.hitting_set(most)
            if chosen is None:
                return 0
            if not self._add_disjoint(place, chosen, limit):
                return chosen

    def _conflicts(self, place: int) -> set[int]:
        boards = self._boards_of(place).items()
        return {broken | cells & self._known for cells, broken in boards}

    def _boards_of(self, place: int) -> dict[int, int]:
        """The boards with another value in a cell: those near the solution, and those found."""
        if place not in self._boards:
            near = self._rules.near(place)
            self._boards[place] = {cells: self._rules.broken(cells, cells) for cells in near}
        return self._boards[place]

    def _add_disjoint(self, place: int, chosen: int, limit: Meter) -> bool:
        """Add boards that keep the chosen elements; whether there are any."""
        hit = chosen
        scaled = _CHECK * isqrt(self._rules.number_of_cells**3) // isqrt(_USUAL_CELLS**3)
        for number in range(_AT_ONCE):
            limit.spend(max(_CHECK, scaled))
            if not (cells := self._board(place, hit)):
                return number > 0
            cells, broken = self._nearer(cells, place, hit)
            for other in each_bit(cells):
                self._boards_of(other)[cells] = broken
            hit |= broken | cells & self._known
        return True

    def _nearer(self, cells: int, place: int, kept: int) -> tuple[int, int]:
        """Take cells over from the solution while a board keeps some elements, for a small set.

        The board keeps its value in the place, and breaks no more rules and known cells.
        """
        broken = self._rules.broken(cells, cells)
        size = (broken | cells & self._known).bit_count()
        for other in each_bit(cells & ~(1 << place)):
            fewer = cells & ~(1 << other)
            after = self._rules.broken(fewer, 1 << other, broken)
            conflict = after | fewer & self._known
            if not conflict & kept and conflict.bit_count() <= size:
                cells, broken, size = fewer, after, conflict.bit_count()
        return cells, broken

    # The solver

    def _board(self, place: int, elements: int) -> int:
        """The cells that differ from the solution on a board with all of some elements and another
        value in a cell; 0 if there is no such board: they imply its value.
        """
        values, cells = self._rules.values, self._rules.number_of_cells
        for element in each_bit(elements & ~self._added):
            for clause in self._rules.clauses[element - cells]:
                self._solver.add(clause)
        self._added |= elements
        assumed = [values[k] if k < cells else k + 1 for k in each_bit(elements)]
        # The solver replaces the phases by those of its search.
        self._solver.prefer(values)
        model = self._solver.solve([-values[place], *assumed], self._meter)
        if model is None:
            return 0
        return bits(compress(range(cells), map(ne, model, values)))
