"""The portfolio: the bitboard with a work limit, then clause learning, and both again with more.

It combines `bitboard` and `pysat`, and needs what these need. It takes boards of any size.

The bitboard decides most puzzles in microseconds to milliseconds. If it takes longer than clause
learning usually takes for such a board, clause learning gets its turn. The limits are on work, not
on time, so that the same puzzle always gets the same result. Lines that are too long for the
bitboard go directly to clause learning, unless the board has so few clues that a solution can be
constructed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from binairo_cp.errors import BudgetExceeded
from binairo_cp.puzzle.board import OPEN, Board
from binairo_cp.puzzle.lines import why_impossible
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.solving.backends import (
    OWN_SOLVER_SIDE,
    UNLIMITED,
    Backend,
    Budget,
    Count,
    Counter,
    Meter,
    count_by_showing,
)
from binairo_cp.solving.backends.bitboard import MAX_LENGTH, Bitboard, few
from binairo_cp.solving.backends.pairs import Pairs, is_nearly_empty

NODES = 5_000
"""The least node limit of the first turn of the bitboard."""

NODES_TO_COUNT = 40_000
"""The node limit of the bitboard if many solutions are requested."""

_BOARDS = 100
_OPEN_PAIRS_PER_NODE = 20
_CONFLICTS_PER_OPEN_CELL = 4
_LARGE_SIDE, _LARGE_SHARE = 31, 16
"""From this side on, the bitboard gets so much less work."""

_LONGER = (1, 8, 64)
_FEW = 1_000


@dataclass(frozen=True, slots=True)
class Auto:
    """The backend. Its unit of work is that of the current backend: a node, then a conflict."""

    name: ClassVar[str] = "auto"
    few = staticmethod(few)

    def solutions(
        self, puzzle: Puzzle, *, limit: int | None = None, budget: Budget = UNLIMITED
    ) -> Portfolio:
        """Solve as the protocol says. The iterator knows which backend answered."""
        return Portfolio(puzzle, limit, budget)

    def count(
        self, puzzle: Puzzle, *, limit: int | None = None, budget: Budget = UNLIMITED
    ) -> Count:
        """Count as the protocol says.

        Only one backend counts: the bitboard, if it quickly finds all solutions or many.
        """
        meter = Meter(budget)
        if meter.seconds_left == 0:
            return Count(0, (), "time", self.name)
        if _is_impossible(puzzle):
            return Count(0, (), None, self.name)
        backend, counted = _for_many(puzzle, limit, meter)
        if counted and (counted.stopped_by != "limit" or counted.found == limit):
            return counted
        if isinstance(backend, Counter):
            return backend.count(puzzle, limit=limit, budget=_left(meter))
        return count_by_showing(backend, puzzle, limit=limit, budget=_left(meter))


class Portfolio:
    """The solutions of a puzzle, each once, from several backends in turn.

    Attributes:
        answered_by: the name of the latest backend.
    """

    __slots__ = ("_boards", "answered_by")

    def __init__(self, puzzle: Puzzle, limit: int | None, budget: Budget) -> None:
        self.answered_by = Auto.name
        self._boards = self._run(puzzle, limit, budget)

    def __iter__(self) -> Iterator[Board]:
        # Loops then need no call of `__next__` for each solution.
        return self._boards

    def __next__(self) -> Board:
        return next(self._boards)

    def _run(self, puzzle: Puzzle, limit: int | None, budget: Budget) -> Iterator[Board]:
        meter = Meter(budget)
        # Load nothing if there is no time.
        meter.check_clock()
        if limit is None or limit > _FEW:
            yield from self._run_for_many(puzzle, limit, meter)
            return
        yielded: list[Board] = []
        for backend, work in _for_few(puzzle):
            self.answered_by = backend.name
            part = _part(budget, work)
            seen = frozenset(yielded)
            try:
                for board in backend.solutions(puzzle, limit=limit, budget=part):
                    if board in seen:
                        continue
                    yielded.append(board)
                    yield board
                    if len(yielded) == limit:
                        return
            except BudgetExceeded as error:
                if error.by == "time" or work is None:
                    raise
                meter.spend(part.work or 0)
                budget = _left(meter)
            else:
                return
            # Most puzzles are decided before, in less time than this takes.
            if _is_impossible(puzzle):
                self.answered_by = Auto.name
                return

    def _run_for_many(self, puzzle: Puzzle, limit: int | None, meter: Meter) -> Iterator[Board]:
        if _is_impossible(puzzle):
            return
        backend, _ = _for_many(puzzle, limit, meter)
        self.answered_by = backend.name
        yield from backend.solutions(puzzle, limit=limit, budget=_left(meter))


def _is_impossible(puzzle: Puzzle) -> bool:
    return why_impossible(puzzle.board.height, puzzle.board.width, puzzle.rules) is not None


def _for_few(puzzle: Puzzle) -> Iterator[tuple[Backend, int | None]]:
    """The backends to find a few solutions of a puzzle, with their work limits.

    The limits were chosen by measurements (docs/bitboard.md). The bitboard first gets the nodes
    that take about as long as clause learning usually takes. Where it needs more, clause
    learning is slow too. On boards with a solver of their own it gets one turn: what it does not
    decide soon, it mostly does not decide at all.
    """
    side = max(puzzle.board.height, puzzle.board.width)
    if side > MAX_LENGTH and is_nearly_empty(puzzle):
        yield Pairs(), _BOARDS
    open_cells = puzzle.board.cells.count(OPEN)
    nodes = max(NODES, open_cells**2 // _OPEN_PAIRS_PER_NODE)
    if side < OWN_SOLVER_SIDE:
        for longer in _LONGER:
            yield Bitboard(), longer * nodes
            yield _pysat(), longer * _CONFLICTS_PER_OPEN_CELL * (open_cells + 1)
    elif side <= MAX_LENGTH:
        yield Bitboard(), nodes if side < _LARGE_SIDE else max(NODES, nodes // _LARGE_SHARE)
    yield _pysat(), None


def _for_many(puzzle: Puzzle, limit: int | None, meter: Meter) -> tuple[Backend, Count | None]:
    """The backend to find many solutions of a puzzle, and its count if it is already known."""
    side = max(puzzle.board.height, puzzle.board.width)
    if side <= MAX_LENGTH:
        part = _part(_left(meter), NODES_TO_COUNT)
        few = _FEW if limit is None else min(limit, _FEW)
        counted = Bitboard().count(puzzle, limit=few, budget=part)
        if counted.stopped_by != "work":
            return Bitboard(), counted
        meter.spend(part.work or 0)
    return _pysat(), None


def _left(meter: Meter) -> Budget:
    return Budget(meter.seconds_left, meter.work_left)


def _part(budget: Budget, work: int | None) -> Budget:
    """A budget with at most this amount of work."""
    if (left := budget.work) is not None:
        work = left if work is None else min(work, left)
    return _budget(budget.seconds, work)


_budget = lru_cache(maxsize=1 << 10)(Budget)
"""Making one takes longer than all else before the search of a small puzzle."""


def _pysat() -> Backend:
    """Clause learning, imported on first use: most puzzles don't need it."""
    from binairo_cp.solving.backends.pysat import PySat

    return PySat()
