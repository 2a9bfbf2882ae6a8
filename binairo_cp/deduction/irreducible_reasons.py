"""Irreducible reasons: sets of rules and known cells that no longer imply a cell without any one.

They need not be smallest. An element is needed if some board with another value in the cell breaks
no other element of the reason. Such boards are known, or the solver finds them when it is asked
whether the other elements are enough. Each leads to more: if one cell of the broken element gets
another value, then perhaps only one other element is broken ("model rotation", Marques-Silva and
Lynce, "On improving MUS extraction algorithms", 2011).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import compress
from operator import ne

from binairo_cp.deduction.conflict_boards import ConflictBoards, Deviation
from binairo_cp.deduction.named_rules import RuleTable
from binairo_cp.deduction.small_hitting_sets import disjoint, each_bit, union
from binairo_cp.puzzle.board import Board
from binairo_cp.solving.backends import Meter
from binairo_cp.solving.backends.engines import Incremental
from binairo_cp.solving.encodings.cnf import Encoder, literals

_SOLVER = "minisat22"

Implied = tuple[int, int]
"""A cell, and known cells and rules that imply its value."""

_MOST_SHRUNK = 8
"""Maximum number of cells for which all rules and known cells are made irreducible."""

_CALL = 50
"""The work of a call of the solver on small boards; on others it is half the number of cells. The
unit is about 5 microseconds."""

_ELEMENTS = 8
"""A call with so many more elements takes one more unit."""

_FLIP = 1
"""The work to change a cell of a board."""


class Implications:
    """What the rules of a puzzle and the cells of a solution imply.

    Args:
        rules: The rules.
        solution: The solution.
        meter: Limits the time; every method may raise `BudgetExceeded`.
    """

    def __init__(self, rules: RuleTable, solution: Board, meter: Meter) -> None:
        self._rules, self._meter = rules, meter
        self._cells = len(solution.cells)
        self._values = literals(solution.cells)
        self._encoder, self._solver = Encoder(self._cells), Incremental(_SOLVER)
        self._literals = dict(enumerate(self._values))
        self._bits = {literal: 1 << place for place, literal in enumerate(self._values)}
        self._powers = [1 << place for place in range(self._cells)]

    def refutation(self, place: int, elements: int) -> int | None:
        """The cells that differ from the solution on a board with another value in a cell.

        None if no board has all the elements and another value there: they imply its value.
        """
        assumed = [-self._values[place]]
        assumed += [self._literals.get(each) or self._add(each) for each in each_bit(elements)]
        # The solver replaces the phases by those of its search.
        self._solver.prefer(self._values)
        model = self._solver.solve(assumed, self._meter)
        if model is None:
            return None
        return sum(compress(self._powers, map(ne, model, self._values)))

    def used(self) -> int:
        """The elements that the solver used to find that there is no such board."""
        return sum(self._bits.get(each, 0) for each in self._solver.core())

    def _add(self, element: int) -> int:
        """Add a rule to the formula; the literal for: it holds."""
        selector = self._literals[element] = self._encoder.new_variable()
        self._bits[selector] = 1 << element
        for clause in self._encoder.clauses(self._rules.constraint(element - self._cells)):
            self._solver.add([-selector, *clause])
        return selector


class IrreducibleReasons:
    """The irreducible reasons found so far, on a board that fills up.

    Sets of known cells and rules are integers: the cells have the lowest bits.

    Args:
        rules: The rules.
        implications: Decides whether elements imply a cell.
        boards: Boards with other values.
    """

    def __init__(
        self, rules: RuleTable, implications: Implications, boards: ConflictBoards
    ) -> None:
        self._rules, self._implications, self._boards = rules, implications, boards
        self._cells = rules.number_of_cells
        self._runs = rules.runs << self._cells
        # Those found here break more than others, and would slow the search for hitting sets.
        self._more_boards = boards.without_boards()
        self._last = Deviation(rules)
        self._found: dict[int, int] = {}
        self._facts = 0
        self._work = 0

    def begin(self, facts: int) -> None:
        """Keep what follows from some known cells."""
        self._facts = facts
        cells = (1 << self._cells) - 1
        self._found = {
            place: elements
            for place, elements in self._found.items()
            if not facts >> place & 1 and not elements & cells & ~facts
        }

    @property
    def best(self) -> Implied | None:
        """The smallest reason found so far."""
        return min(self._found.items(), key=lambda pair: pair[1].bit_count(), default=None)

    def add(self, candidates: Iterable[Implied]) -> None:
        """Find smaller reasons within some, quickly."""
        for place, core in [(place, self._core(place, each)) for place, each in candidates]:
            if core:
                self._add(place, core)

    def add_one_by_one(self, candidates: Iterable[Implied], work: int) -> None:
        """Find smaller reasons within some, leaving out one element at a time.

        This takes longer. Rules about three neighbours go first, since a known cell often does the
        same. The others are kept where they make several known cells unnecessary.
        """
        self._work = work
        for place, each in candidates:
            self._add(place, each, one_by_one=True)

    def within(self, place: int, elements: int, work: int) -> int:
        """An irreducible reason within one, which is not compared with others."""
        others, self._found = self._found, {}
        self.add_one_by_one([(place, self._core(place, elements))], work)
        mine, self._found = self._found[place], others
        return mine

    def add_any(self, places: Iterable[int], work: int) -> None:
        """Find smaller reasons for any of some cells, within all rules and known cells."""
        self._work = 2 * work
        cores = sorted(self._cores(places), key=lambda pair: pair[1].bit_count())
        self._work = work
        for place, core in cores[:_MOST_SHRUNK]:
            self._add(place, core)

    def _cores(self, places: Iterable[int]) -> Iterator[Implied]:
        """The elements that imply some cells, at least one of them, until the work is done."""
        for place in places:
            if core := self._core_of_all(place):
                yield place, core
                if self._work < 0:
                    return

    def _core_of_all(self, place: int) -> int:
        """The elements that imply the value of a cell, of all known cells and rules.

        The rules that two lines differ are added when a board breaks them.
        """
        number = 0
        while number < len(self._rules):
            number = len(self._rules)
            if core := self._core(place, self._facts | (1 << number) - 1 << self._cells):
                return core
        return 0

    def _core(self, place: int, elements: int) -> int:
        """The elements that imply the value of a cell; 0 if they don't all together."""
        self._work -= max(_CALL, self._cells // 2) + elements.bit_count() // _ELEMENTS
        cells = self._implications.refutation(place, elements)
        if cells is None:
            return self._implications.used()
        self._last = Deviation(self._rules, cells)
        self._more_boards.add(self._last)
        return 0

    def _add(self, place: int, elements: int, *, one_by_one: bool = False) -> None:
        """Find an irreducible reason within a reason, if it is the smallest so far."""
        most = self.best[1].bit_count() - 1 if self.best else elements.bit_count()
        sets = self._sets(place)
        needed = 0
        while self._work >= 0 or not self.best:
            left = {each & elements for each in sets}
            needed |= union(each for each in left if not each & each - 1)
            if needed.bit_count() > most or len(disjoint(sorted(left, key=int.bit_count))) > most:
                return
            rest = elements & ~needed
            if not rest:
                self._found[place] = elements
                return
            if one_by_one:
                rest = rest & self._runs or rest
            tried = rest & -rest
            if core := self._core(place, elements & ~tried):
                elements = elements & ~tried if one_by_one else core
            else:
                needed = self._rotated(self._last, place, elements, needed | tried)

    def _sets(self, place: int) -> set[int]:
        """The known conflict sets of a cell."""
        return {
            each
            for boards in (self._boards, self._more_boards)
            for each in boards.sets(place, self._facts)
        }

    def _rotated(self, board: Deviation, place: int, elements: int, needed: int) -> int:
        """More needed elements, from a board that breaks only one element."""
        broken = board.conflict_set(self._facts) & elements
        for cell in each_bit(self._rules.cells_of(broken)):
            if cell != place:
                self._work -= 2 * _FLIP
                board.flip(cell)
                other = board.conflict_set(self._facts) & elements
                if not other & other - 1 and not other & needed:
                    needed = self._rotated(board, place, elements, needed | other)
                board.flip(cell)
        return needed
