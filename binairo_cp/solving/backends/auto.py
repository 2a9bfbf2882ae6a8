"""The portfolio: the bitboard with a bound on its work, then clause learning.

The bitboard decides most puzzles in microseconds to milliseconds; what resists it for `NODES`
nodes is better learned from. The bound is on work and not on time, so that the same puzzle always
gets the same answer. Lines that are too long for the bitboard go to clause learning at once, unless
so few clues are there that a solution can be constructed.

While the bitboard is not loaded, which takes half a second and happens in every new process,
clause learning has a first go at a puzzle of ordinary size: it mostly answers before that.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, ClassVar

from binairo_cp.errors import BackendNameError, BudgetExceeded
from binairo_cp.puzzle.board import Board
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.solving.backends.contract import (
    UNLIMITED,
    Backend,
    Budget,
    Count,
    Counter,
    Meter,
    count_by_showing,
)
from binairo_cp.solving.backends.pairs import Pairs, is_nearly_empty
from binairo_cp.solving.backends.pysat import PySat
from binairo_cp.workers import resource_limits

if TYPE_CHECKING:
    from binairo_cp.solving.backends.bitboard import Bitboard

NODES = 5_000
"""How many nodes the bitboard may spend before clause learning takes over."""

NODES_IF_OPEN = 40_000
"""The same for a board with few clues, which it mostly solves by luck, and for counting."""

LONGEST = 64
"""The longest line that the bitboard takes, in cells."""

_BITBOARD = "binairo_cp.solving.backends.bitboard"
_FIRST_CONFLICTS = 300
_FIRST_SIDE = 20
_BOARDS = 100
_FEW = 1_000


@dataclass(frozen=True, slots=True)
class Auto:
    """The backend; its unit of work is that of the backend at work: a node, then a conflict."""

    name: ClassVar[str] = "auto"

    @classmethod
    def named(cls, options: list[str]) -> Auto:
        """From the parts of a name: there are no options.

        Raises:
            BackendNameError: there are some.
        """
        if options:
            raise BackendNameError("auto takes no options")
        return cls()

    def solutions(
        self, puzzle: Puzzle, *, limit: int | None = None, budget: Budget = UNLIMITED
    ) -> Relay:
        """As the contract says; the iterator tells who answered."""
        return Relay(puzzle, limit, budget)

    def count(
        self, puzzle: Puzzle, *, limit: int | None = None, budget: Budget = UNLIMITED
    ) -> Count:
        """As the contract says.

        Only one backend counts: the bitboard, if it soon finds all solutions or many.
        """
        meter = Meter(budget)
        if meter.seconds_left == 0:
            return Count(0, (), "time", self.name)
        backend, counted = _for_many(puzzle, limit, meter)
        if counted and (counted.stopped_by != "limit" or counted.found == limit):
            return counted
        left = Budget(meter.seconds_left, meter.work_left)
        if isinstance(backend, Counter):
            return backend.count(puzzle, limit=limit, budget=left)
        return count_by_showing(backend, puzzle, limit=limit, budget=left)


class Relay:
    """The solutions of a puzzle, each once, from one backend after the other.

    Attributes:
        answered_by: the name of the backend that had the last word so far.
    """

    def __init__(self, puzzle: Puzzle, limit: int | None, budget: Budget) -> None:
        self.answered_by = Auto.name
        self._boards = self._run(puzzle, limit, budget)

    def __iter__(self) -> Iterator[Board]:
        return self

    def __next__(self) -> Board:
        return next(self._boards)

    def _run(self, puzzle: Puzzle, limit: int | None, budget: Budget) -> Iterator[Board]:
        meter = Meter(budget)
        # Without time nothing is loaded.
        meter.check_clock()
        if limit is None or limit > _FEW:
            backend, _ = _for_many(puzzle, limit, meter)
            self.answered_by = backend.name
            left = Budget(meter.seconds_left, meter.work_left)
            yield from backend.solutions(puzzle, limit=limit, budget=left)
            return
        given: set[Board] = set()
        for backend, work in _for_few(puzzle):
            self.answered_by = backend.name
            part = _part(meter, work)
            try:
                for board in backend.solutions(puzzle, limit=limit, budget=part):
                    if board not in given:
                        given.add(board)
                        yield board
                        if len(given) == limit:
                            return
            except BudgetExceeded as error:
                if error.by == "time" or work is None:
                    raise
                meter.spend(part.work or 0)
            else:
                return


def _for_few(puzzle: Puzzle) -> Iterator[tuple[Backend, int | None]]:
    """The backends for a puzzle of which a few solutions are wanted, with what each may spend."""
    side = max(puzzle.board.height, puzzle.board.width)
    if side <= _FIRST_SIDE and _BITBOARD not in sys.modules:
        yield PySat(), _FIRST_CONFLICTS
    if side > LONGEST and is_nearly_empty(puzzle):
        yield Pairs(), _BOARDS
    if side <= LONGEST and (bitboard := _bitboard()):
        yield bitboard, NODES_IF_OPEN if bitboard.tries_luck(puzzle.board) else NODES
    yield PySat(), None


def _for_many(puzzle: Puzzle, limit: int | None, meter: Meter) -> tuple[Backend, Count | None]:
    """The backend for a puzzle of which many solutions are wanted, and what it counted so far."""
    side = max(puzzle.board.height, puzzle.board.width)
    if side <= LONGEST and (bitboard := _bitboard()):
        part = _part(meter, NODES_IF_OPEN)
        few = _FEW if limit is None else min(limit, _FEW)
        counted = bitboard.count(puzzle, limit=few, budget=part)
        if counted.stopped_by != "work":
            return bitboard, counted
        meter.spend(part.work or 0)
    return PySat(), None


def _part(meter: Meter, work: int | None) -> Budget:
    """What is left of a budget, and not more than so much work."""
    left = [each for each in (work, meter.work_left) if each is not None]
    return Budget(meter.seconds_left, min(left, default=None))


@cache
def _bitboard() -> Bitboard | None:
    """The bitboard; None where it can't be had, which is said once."""
    try:
        with resource_limits.pause_clock():
            from binairo_cp.solving.backends.bitboard import Bitboard
    except ImportError as error:
        logging.getLogger(__name__).warning(
            "binairo: without numba puzzles take longer (%s)", error
        )
        return None
    return Bitboard()
