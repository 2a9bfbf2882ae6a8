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

from binairo_cp.deduction.named_rules import Deviation, RuleTable, bits, each_bit, union
from binairo_cp.deduction.small_hitting_sets import SetsToHit
from binairo_cp.errors import BudgetExceeded
from binairo_cp.puzzle.board import Board
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.solving.backends import Budget, Meter
from binairo_cp.solving.backends.engines import Incremental
from binairo_cp.solving.encodings.cnf import Encoder, literals

_SOLVER = "minisat22"

_NEAR = 3
"""The first boards differ from the solution in up to four cells that are no further apart."""

_AT_ONCE = 6
"""Maximum number of disjoint conflict sets that are added at once."""

_MOST_SHRUNK = 8
"""Maximum number of cells that are tried, those with the smallest cores first."""

_MOST_PAIRS = 1_000
"""Maximum number of pairs of lines that must differ in a core."""

_BOARD = 5
"""The work to make a board."""

_CHECK = 50
"""The work of a call of the solver. The unit is about the work for one set or one element."""


@dataclass(frozen=True, slots=True)
class Reason:
    """A set of rules and known cells that implies the value of an open cell.

    Attributes:
        place: The open cell.
        known: The known cells.
        rules: The numbers of the rules.
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

    Attributes:
        rules: The rules by number.
    """

    def __init__(
        self, puzzle: Puzzle, solution: Board, implied: Iterable[int], meter: Meter
    ) -> None:
        self.rules = RuleTable(puzzle, solution)
        self._board, self._meter = puzzle.board, meter
        self._cells = len(puzzle.board.cells)
        self._implied = bits(implied)
        self._literals = literals(solution.cells)
        self._encoder, self._solver = Encoder(self._cells), Incremental(_SOLVER)
        self._selectors: dict[int, int] = {}
        # For each cell, boards with another value there: the cells that differ, the broken rules.
        self._boards: list[dict[int, int]] = [{} for _ in range(self._cells)]
        self._has_near = 0
        # For each cell, that there are no reasons of some size if some cells stay as they are.
        self._none_up_to: dict[int, tuple[int, int]] = {}
        self._facts = 0

    def find(
        self, known: Iterable[int], candidates: Iterable[tuple[int, int]], work: int
    ) -> Reason | None:
        """Find a smallest reason for the value of any open cell.

        Args:
            known: The known cells.
            candidates: Open cells, each with rules and known cells that imply its value. If the
                work is not enough for a proof, the result is the smallest part of one of them.
            work: The work limit.

        Returns:
            The reason; None if none was found.
        """
        facts = self._begin(bits(known))
        best = self._best_of(candidates, facts)
        limit = Meter(Budget(work=work))
        try:
            smaller = self._smaller(facts, best[1].bit_count() if best else self._cells, limit)
        except BudgetExceeded as error:
            if error.by == "time":
                raise
            return self._reason(*best, proved=False) if best else None
        best = smaller or best
        return self._reason(*best, proved=True) if best else None

    def _begin(self, facts: int) -> int:
        """Forget what the cells that are new among the known cells, or no longer, may change."""
        changed, self._facts = self._facts ^ facts, facts
        self._none_up_to = {
            place: (size, cells)
            for place, (size, cells) in self._none_up_to.items()
            if not cells & changed
        }
        return facts

    def elements(self, known: Iterable[int], rules: Iterable[int]) -> int:
        """A set of known cells and rules."""
        return bits(known) | bits(rules) << self._cells

    def _reason(self, place: int, elements: int, *, proved: bool) -> Reason:
        known = each_bit(elements & ((1 << self._cells) - 1))
        return Reason(place, tuple(known), tuple(each_bit(elements >> self._cells)), proved)

    def _best_of(self, candidates: Iterable[tuple[int, int]], facts: int) -> tuple[int, int] | None:
        """A cell and an irreducible reason for it, the smallest that was found."""
        cores = [(place, core) for place, each in candidates if (core := self._core(place, each))]
        best: tuple[int, int] | None = None
        for place, core in cores or self._cores(facts):
            most = best[1].bit_count() - 1 if best else core.bit_count()
            if smaller := self._shrunk(place, core, most):
                best = place, smaller
        return best

    def _cores(self, facts: int) -> list[tuple[int, int]]:
        """The open cells with the smallest cores of all rules and known cells."""
        every = facts | bits(self.rules.numbers(_MOST_PAIRS)) << self._cells
        each = ((place, self._core(place, every)) for place in each_bit(self._implied & ~facts))
        cores = [(place, core) for place, core in each if core]
        return sorted(cores, key=lambda pair: pair[1].bit_count())[:_MOST_SHRUNK]

    def _shrunk(self, place: int, elements: int, most: int) -> int:
        """An irreducible reason within a reason; 0 if it would have more elements than `most`."""
        needed = 0
        for element in sorted(each_bit(elements), reverse=True):
            if elements >> element & 1:
                if smaller := self._core(place, elements & ~(1 << element)):
                    elements = smaller
                elif (needed := needed + 1) > most:
                    return 0
        return elements

    def _core(self, place: int, elements: int) -> int:
        """The elements that imply the value of a cell; 0 if they don't all together."""
        return 0 if self._model(place, elements) is not None else self._used()

    def _differing(self, place: int, elements: int) -> int | None:
        """The cells that differ from the solution on a board with another value in a cell.

        None if no board has all the elements and another value there.
        """
        model = self._model(place, elements)
        if model is None:
            return None
        true = set(model[: self._cells])
        return bits(k for k, each in enumerate(self._literals) if each not in true)

    def _model(self, place: int, elements: int) -> list[int] | None:
        """A model of a board with all the elements and another value in a cell, or None."""
        self._assumed = {self._literal(each): 1 << each for each in each_bit(elements)}
        # Phases are set for each call, since the solver forgets them when it gets new variables.
        self._solver.prefer(self._literals)
        return self._solver.solve([*self._assumed, -self._literals[place]], self._meter)

    def _used(self) -> int:
        """The elements that the solver used in its last proof."""
        used = 0
        for each in self._solver.core():
            used |= self._assumed.get(each, 0)
        return used

    def _literal(self, element: int) -> int:
        """The literal for: a cell has its value in the solution, or a rule holds."""
        if element < self._cells:
            return self._literals[element]
        if element not in self._selectors:
            selector = self._selectors[element] = self._encoder.new_variable()
            for clause in self._encoder.clauses(self.rules.constraint(element - self._cells)):
                self._solver.add([-selector, *clause])
        return self._selectors[element]

    def _smaller(self, facts: int, size: int, limit: Meter) -> tuple[int, int] | None:
        """A cell and a smallest reason with less than `size` elements; None if there is none."""
        places = list(each_bit(self._implied & ~facts))
        for most in range(1, size):
            for place in places:
                is_open = self._none_up_to.get(place, (0, 0))[0] < most
                if is_open and (reason := self._with_at_most(most, place, facts, limit)):
                    return place, reason
        return None

    def _with_at_most(self, most: int, place: int, facts: int, limit: Meter) -> int:
        """A reason for a cell with at most `most` elements; 0 if there is none."""
        self._add_near(place, limit)
        while True:
            self._meter.check_clock()
            boards = self._boards[place]
            cells_of = {
                broken << self._cells | cells & facts: cells for cells, broken in boards.items()
            }
            sets = SetsToHit(cells_of, limit.spend)
            if most < (number := len(sets.disjoint)):
                cells = union(cells_of[each] for each in sets.disjoint)
                self._none_up_to[place] = number - 1, cells
                return 0
            chosen = sets.hitting_set(most)
            if chosen is None:
                cells = union(cells_of[each] for each in sets.minimal)
                self._none_up_to[place] = most, cells
                return 0
            if not self._add_disjoint(place, chosen, facts, limit):
                return chosen

    def _add_disjoint(self, place: int, chosen: int, facts: int, limit: Meter) -> bool:
        """Add boards that keep the chosen elements; whether there are any."""
        hit = chosen
        for number in range(_AT_ONCE):
            limit.spend(_CHECK)
            cells = self._differing(place, hit)
            if cells is None:
                return number > 0
            board = self._nearer(Deviation(self.rules, cells), place, hit, facts)
            self._add(board)
            hit |= board.broken << self._cells | board.cells & facts
        return True

    def _nearer(self, board: Deviation, place: int, kept: int, facts: int) -> Deviation:
        """Take cells over from the solution while the board keeps some elements, for a small set.

        The board keeps its value in the place, and breaks no more rules and known cells.
        """
        cells = list(each_bit(board.cells & ~(1 << place)))
        size = board.broken.bit_count() + (board.cells & facts).bit_count()
        for each in cells:
            board.flip(each)
            broken = board.broken << self._cells | board.cells & facts
            if broken & kept or broken.bit_count() > size:
                board.flip(each)
            else:
                size = broken.bit_count()
        return board

    def _add(self, board: Deviation) -> None:
        for place in each_bit(board.cells):
            self._boards[place][board.cells] = board.broken

    def _add_near(self, place: int, limit: Meter) -> None:
        """Add boards that differ from the solution in a cell and a few others near it."""
        if self._has_near >> place & 1:
            return
        height, width = self._board.height, self._board.width
        row, column = divmod(place, width)
        rows = range(max(0, row - _NEAR), min(height, row + _NEAR + 1))
        columns = range(max(0, column - _NEAR), min(width, column + _NEAR + 1))
        for other_row in rows:
            for other_column in columns:
                # The corners of a rectangle, which may be a line or a single cell.
                corners = {k * width + m for k in (row, other_row) for m in (column, other_column)}
                limit.spend(_BOARD)
                if self._swaps(corners, place):
                    self._add(Deviation(self.rules, bits(corners)))
        self._has_near |= 1 << place

    def _swaps(self, corners: set[int], place: int) -> bool:
        """Whether other values in the corners leave as many ones in their lines, or it is one."""
        ones = sum(self._literals[each] > 0 for each in corners)
        if len(corners) < 4:
            return len(corners) == 1 or ones == 1
        opposite = max(corners) + min(corners) - place
        return ones == 2 and self._literals[place] * self._literals[opposite] > 0
