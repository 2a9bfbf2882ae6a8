"""Look for a second solution by clause learning, where the compiled search takes too long.

While clues are removed one by one, each test asks for a solution that differs in one cell. Four
things make the tests of large boards fast (docs/generation.md):

- The next clues to be tested are assumptions of the solver, and all others are permanent. The
  solver starts anew when these clues have been tested.
- Other solutions often differ only in a few rows or in a few columns. So the compiled search first
  looks for these.
- Clauses about a line use both the rule on runs and the rule on balance.
- On large boards, many items are removed before one proof shows that all of them are redundant
  (`Differences`).

In the clauses about a line (`PrefixSums`), the auxiliary variable of k and j is true if there are
at least j ones among the first k cells. In any three cells in a row there are one or two ones, so
two clauses relate the variables of k and k + 3, and most variables are constants. Unit propagation
therefore counts with both rules: it knows that seven open cells hold at least two zeros.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from itertools import islice, product

from binairo_cp.errors import BudgetExceeded
from binairo_cp.puzzle.board import Board, clue_places
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.solving.backends import Budget, Meter
from binairo_cp.solving.backends.bitboard import Bitboard
from binairo_cp.solving.backends.engines import Incremental, Restarting
from binairo_cp.solving.backends.session import Session
from binairo_cp.solving.constraints import Balanced
from binairo_cp.solving.encodings.cnf import Clause, Encoder, blocking_clause, literals

_SOLVER = "minisat22"
_PROVER = "cadical153"
"""Its solutions differ from the known one in fewer cells, and its proofs take half the time."""

_AHEAD = 32
"""How many clues are assumptions, and so can be removed before the solver starts anew."""

_DISTANCES, _NODES = (3, 9, 18), 10_000
"""Other solutions are first looked for that differ only in columns, and in rows, within so many of
the tested cell. The compiled search mostly decides that in less than a millisecond."""

_RUN = 3

_Item = tuple[int, ...]


class OtherSolutions:
    """Decides whether puzzles with a known solution have another one.

    Args:
        puzzle: Any puzzle with this solution. Its rules have balance and a longest run of 2.
        solution: The cells of the known solution.
        order: All cells, in the order in which clues will probably be removed. It matters only for
            the speed.
        meter: Its time limit applies to all searches together.
    """

    def __init__(self, puzzle: Puzzle, solution: str, order: Sequence[int], meter: Meter) -> None:
        self._meter, self._order = meter, order
        self._position = {place: position for position, place in enumerate(order)}
        self._known = literals(solution)
        self._engine = Restarting(_SOLVER)
        self._session = Session(puzzle, self._engine, meter, PrefixSums(len(solution)))
        # Most values are usually the same in both solutions, so these are tried first.
        self._engine.prefer(self._session.solve(self._known, meter) or self._known)
        # No puzzle has all of them, so the first test starts the solver anew.
        self._permanent = set(range(len(solution)))
        self._selector = 0
        self._solution = solution

    def exist(self, puzzle: Puzzle, place: int | None) -> bool:
        """Whether a puzzle has another solution.

        Args:
            puzzle: The puzzle.
            place: An open cell where all other solutions are known to differ; None if none is
                known.

        Raises:
            BudgetExceeded: The time ran out.
        """
        clues = set(clue_places(puzzle.board.cells))
        if not self._permanent <= clues:
            self._restart(clues, place)
        assumed = [self._known[k] for k in sorted(clues - self._permanent)]
        assumed += self._session.sign_assumptions(puzzle)
        if place is None:
            return self._find([self._some_cell_differs(), *assumed])
        is_near = nearby(puzzle, self._solution, place, self._meter) is not None
        if is_near or self._find([-self._known[place], *assumed]):
            # The clue is needed, and remains so when others are removed.
            self._engine.add_until_restart([self._known[place]])
            self._permanent.add(place)
            return True
        return False

    def _find(self, assumed: list[int]) -> bool:
        return self._session.find(assumed, self._meter) is not None

    def _restart(self, clues: set[int], place: int | None) -> None:
        """Make all clues permanent, except for those that will be tested next."""
        tested = [self._position[k] for k in range(len(self._known)) if k not in clues]
        last = max(tested, default=-1) if place is None else self._position[place]
        following = (k for k in self._order[last + 1 :] if k in clues)
        self._permanent = clues.difference(islice(following, _AHEAD))
        self._engine.restart([[self._known[k]] for k in sorted(self._permanent)])

    def _some_cell_differs(self) -> int:
        """A literal that implies: some cell differs from the known solution."""
        if not self._selector:
            self._selector = self._selector_of([blocking_clause(self._known)])
        return self._selector

    def _selector_of(self, clauses: list[list[int]]) -> int:
        """A literal that implies some clauses."""
        selector = self._session.new_variable()
        for clause in clauses:
            self._session.add([-selector, *clause])
        return selector


def nearby(puzzle: Puzzle, solution: str, place: int, meter: Meter) -> str | None:
    """The cells of a solution that differs in an open cell, and otherwise only near it, if found.

    Args:
        puzzle: A puzzle with this solution.
        solution: The cells of the known solution.
        place: The cell.
        meter: Its time limit applies to the search.
    """
    height, width = puzzle.board.height, puzzle.board.width
    row, column = divmod(place, width)
    cells = puzzle.board.cells
    cells = f"{cells[:place]}{'10'[int(solution[place])]}{cells[place + 1 :]}"
    # Some columns of each row, and some rows of the board.
    for distance, (step, unit, at) in product(
        _DISTANCES, ((width, 1, column), (len(cells), width, row))
    ):
        low, high = max(at - distance, 0) * unit, min((at + distance + 1) * unit, step)
        near = "".join(
            solution[k : k + low] + cells[k + low : k + high] + solution[k + high : k + step]
            for k in range(0, len(cells), step)
        )
        budget = Budget(meter.seconds_left, _NODES)
        with suppress(BudgetExceeded):
            part = replace(puzzle, board=Board(height, width, near))
            if found := next(Bitboard().solutions(part, limit=1, budget=budget), None):
                return found.cells
    return None


class Differences:
    """Decides which of some items are needed, given some other solutions and a proof at the end.

    Items are removed in order, each if no other solution is left then: item i is needed if some
    solution breaks i, none of the needed items before it, and no item after it. So of any set of
    solutions, those with the earliest last broken item decide first. When every other solution
    breaks a needed item, the needed items are those that tests one by one would find.

    Attributes:
        needed: The items that are needed as far as known, by number.
        is_proved: Whether no solver need be asked, because each solution breaks one item only.
    """

    def __init__(self) -> None:
        self.needed: set[int] = set()
        self.is_proved = True
        self._broken: list[frozenset[int]] = []

    def add(self, broken: Iterable[int]) -> None:
        """Note another solution by the items that it breaks, none of which is needed so far."""
        self._broken.append(frozenset(broken))
        self.is_proved &= len(self._broken[-1]) == 1
        self.needed = set()
        for items in sorted(self._broken, key=max):
            if not self.needed & items:
                self.needed.add(max(items))

    def complete(self, fixed: Puzzle, solution: str, items: Sequence[_Item], meter: Meter) -> None:
        """Find solutions until each breaks a needed item.

        Args:
            fixed: A puzzle with the clues that are not in the items.
            solution: The cells of the known solution.
            items: The places of the clues of each item.
            meter: Its time limit applies.

        Raises:
            BudgetExceeded: The time ran out.
        """
        known = literals(solution)
        engine = Incremental(_PROVER)
        session = Session(fixed, engine, meter, PrefixSums(len(solution)))
        # Solutions that differ in few cells break few items. Auxiliary variables count too.
        engine.prefer(session.solve(known, meter) or known)
        for literal in session.assumptions(fixed):
            session.add([literal])
        session.add([-known[place] for item in items for place in item])
        while found := session.find(
            [known[place] for number in sorted(self.needed) for place in items[number]], meter
        ):
            self.add(
                number
                for number, item in enumerate(items)
                if any(found[place] != known[place] for place in item)
            )


class PrefixSums(Encoder):
    """An encoder for rules with balance and a longest run of 2.

    Balanced lines include the rule on runs. Each auxiliary variable is a function of the cells.
    """

    def clauses(self, constraint: object) -> list[Clause]:
        if not isinstance(constraint, Balanced):
            return list(super().clauses(constraint))
        length = len(constraint.places)
        sums = [(length + surplus) // 2 for surplus in constraint.surplus]
        number, clauses = _line(length, min(sums), max(sums))
        names = [0, *(place + 1 for place in constraint.places)]
        names += [self.new_variable() for _ in range(number)]
        # The last names are reached by negative numbers.
        names += [-name for name in names[:0:-1]]
        return [[names[literal] for literal in clause] for clause in clauses]


@cache
def _line(length: int, fewest: int, most: int) -> tuple[int, list[Clause]]:
    """The clauses of a line with `fewest` to `most` ones, and their number of auxiliary variables.

    The variables of the cells are 1 to `length`.
    """
    line = _Line(length, fewest, most)
    for k in range(length):
        for j in range(most + 1):
            line.add_step(k, j)
    return len(line.variables), line.clauses


class _Line:
    def __init__(self, length: int, fewest: int, most: int) -> None:
        self._length, self._fewest, self._most = length, fewest, most
        self.variables: dict[tuple[int, int], int] = {}
        self.clauses: list[Clause] = []

    def add_step(self, k: int, j: int) -> None:
        """Relate "at least j ones among the first k cells" to the same of more cells."""
        cell = k + 1
        here, next_same, next_more = (
            self._at_least(k, j),
            self._at_least(k + 1, j),
            self._at_least(k + 1, j + 1),
        )
        self._add([(False, here), (True, next_same)])
        self._add([(False, next_more), (True, here)])
        self._add([(False, here), (True, next_more)], [-cell])
        self._add([(True, here), (False, next_same)], [cell])
        self._add([(False, self._at_least(k, j + 1)), (True, here)])
        if k + _RUN <= self._length:
            self._add([(False, here), (True, self._at_least(k + _RUN, j + 1))])
            more = self._at_least(k + _RUN, j + _RUN)
            self._add([(False, more), (True, self._at_least(k, j + 1))])

    def _at_least(self, k: int, j: int) -> int | bool:
        """The variable, or its value if it is a constant."""
        left = self._length - k
        if j <= max(k // _RUN, self._fewest - (left - left // _RUN)):
            return True
        if j > min(k - k // _RUN, self._most - left // _RUN):
            return False
        return self.variables.setdefault((k, j), self._length + 1 + len(self.variables))

    def _add(self, signed: list[tuple[bool, int | bool]], cells: list[int] | None = None) -> None:
        """Add a clause of literals, each a sign and a variable or constant, and of cells."""
        clause = list(cells or [])
        for sign, variable in signed:
            if isinstance(variable, bool):
                if variable == sign:
                    return
            else:
                clause.append(variable if sign else -variable)
        self.clauses.append(clause)
