"""Look for a second solution by clause learning, where the compiled search takes too long.

While clues are removed one by one, each test asks for a solution that differs in one cell. Four
things make the tests of large boards fast (docs/generation.md):

- The next clues to be tested are assumptions of the solver, and all others are permanent. The
  solver starts anew when these clues have been tested.
- Other solutions often differ only in a few rows or in a few columns. So the compiled search first
  looks for these.
- Clauses about a line use both the rule on runs and the rule on balance (`prefix_sums`).
- On large boards, many items are removed before one proof shows that all of them are redundant
  (`Differences`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice, product

from binairo_cp.errors import BudgetExceeded
from binairo_cp.puzzle.board import Board, clue_places
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.solving.backends import Budget, Meter
from binairo_cp.solving.backends.bitboard import Bitboard
from binairo_cp.solving.backends.engines import Incremental, Restarting
from binairo_cp.solving.backends.session import Session
from binairo_cp.solving.encodings.cnf import blocking_clause, literals
from binairo_cp.solving.encodings.prefix_sums import PrefixSums

_SOLVER = "minisat22"
_PROVER = "cadical153"
"""Its solutions differ from the known one in fewer cells, and its proofs take half the time."""

_AHEAD = 32
"""How many clues are assumptions, and so can be removed before the solver starts anew."""

_DISTANCES, _NODES = (3, 9, 18), 10_000
"""Other solutions are first looked for that differ only in columns, and in rows, within so many of
the tested cell. The compiled search mostly decides that in less than a millisecond."""

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
        encoder = PrefixSums(len(solution), puzzle.rules.longest_run)
        self._session = Session(puzzle, self._engine, meter, encoder)
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
            self._selector = self._session.new_variable()
            self._session.add([-self._selector, *blocking_clause(self._known)])
        return self._selector


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


def has_other(puzzle: Puzzle, solution: str, meter: Meter) -> bool:
    """Whether a puzzle has another solution than the known one.

    Raises:
        BudgetExceeded: The time or the conflicts ran out.
    """
    known = literals(solution)
    session = _prover(puzzle, known, meter)
    session.add(blocking_clause(known))
    return session.find([], meter) is not None


def _prover(puzzle: Puzzle, known: list[int], meter: Meter) -> Session:
    """A solver for this puzzle only, which first tries the values of the known solution."""
    engine = Incremental(_PROVER)
    session = Session(puzzle, engine, meter, PrefixSums(len(known), puzzle.rules.longest_run))
    # Solutions that differ in few cells break few items. Auxiliary variables count too.
    engine.prefer(session.solve(known, meter) or known)
    for literal in session.assumptions(puzzle):
        session.add([literal])
    return session


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
            meter: Its limits apply.

        Raises:
            BudgetExceeded: The time or the conflicts ran out.
        """
        known = literals(solution)
        session = _prover(fixed, known, meter)
        session.add([-known[place] for item in items for place in item])
        while found := session.find(
            [known[place] for number in sorted(self.needed) for place in items[number]], meter
        ):
            self.add(
                number
                for number, item in enumerate(items)
                if any(found[place] != known[place] for place in item)
            )
