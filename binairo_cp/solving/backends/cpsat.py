"""CP-SAT of OR-tools: uniqueness by a blocking clause and a second solve, counting by callback.

It wraps the package ``ortools``, which the installation brings where the index has it. It takes
boards of any size and all rules; loading takes half a second, a small board milliseconds.

This module works around pitfalls of CP-SAT. Values are read only if the status says that there are
any. There is one worker, since several workers may repeat solutions and slow down small puzzles.
Python keeps handling SIGINT, and a long search runs in its own thread, so that Ctrl-C reaches the
caller immediately.
"""

from __future__ import annotations

import atexit
from collections.abc import Generator, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from itertools import islice
from math import inf
from queue import Full, Queue
from threading import Event, Thread
from typing import Any

from ortools.sat.python import cp_model

from binairo_cp.errors import BackendError, BackendNameError, BudgetExceeded
from binairo_cp.puzzle.board import Board
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.solving.backends import UNLIMITED, Budget, Meter
from binairo_cp.solving.encodings.cpsat_model import DISTINCT, Model, encoding_for_few

_SOLUTIONS_AHEAD = 256
_POLL_SECONDS = 0.05
_SHORT_CONFLICTS = 500
_SHORT_SECONDS = 0.05

Values = list[int]


@dataclass(frozen=True, slots=True)
class CpSat:
    """The backend. Its unit of work is a conflict.

    Attributes:
        distinct: the encoding of distinct lines, one of `cpsat_model.DISTINCT`; None selects one by
            the size of the board. Lines that are too long for ``codes`` use the other one.
    """

    distinct: str | None = None

    @property
    def name(self) -> str:
        return ":".join(["cpsat", *filter(None, [self.distinct])])

    @classmethod
    def named(cls, options: list[str]) -> CpSat:
        """Create the backend from a name: ``cpsat``, ``cpsat:codes`` or ``cpsat:differences``.

        Raises:
            BackendNameError: there is no such encoding.
        """
        if options and (len(options) > 1 or options[0] not in DISTINCT):
            raise BackendNameError(f"expected cpsat or cpsat: and one of {', '.join(DISTINCT)}")
        return cls(*options)

    def solutions(
        self, puzzle: Puzzle, *, limit: int | None = None, budget: Budget = UNLIMITED
    ) -> Iterator[Board]:
        """Solve as the protocol says."""
        meter = Meter(budget)
        if limit in (1, 2):
            found = _blocked(puzzle, self.distinct, meter)
        else:
            model = Model(puzzle, self.distinct, meter.check_clock)
            found = _Run(model, meter, enumerate_all=True).solutions()
        with closing(found) as solutions:
            for number, values in enumerate(solutions, 1):
                board = puzzle.board
                yield Board(board.height, board.width, "".join(map(str, values)))
                if number == limit:
                    return


def _blocked(puzzle: Puzzle, distinct: str | None, meter: Meter) -> Generator[Values, None, None]:
    """Solve once per solution, and block each solution before the next search.

    If distinct lines are posted lazily, a solution with two equal lines is skipped, and the
    constraint for this pair is posted.
    """
    model = Model(puzzle, distinct or encoding_for_few(puzzle), meter.check_clock)
    while True:
        values = _solution(model, meter)
        if values is None:
            return
        if model.post_equal_lines(values):
            continue
        yield values
        model.block(values)


def _solution(model: Model, meter: Meter) -> Values | None:
    """A solution of a model, or None if there is none."""
    if meter.work_left is None:
        # A thread costs as much as a small puzzle, and a short search need not be interruptible.
        meter.check_clock()
        solver = new_solver(meter)
        solver.parameters.max_number_of_conflicts = _SHORT_CONFLICTS
        solver.parameters.max_time_in_seconds = min(_SHORT_SECONDS, meter.seconds_left or inf)
        status = solver.solve(model.model)
        meter.work += solver.num_conflicts
        if status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            return _values(model, solver.response_proto)
        if status == cp_model.INFEASIBLE:
            return None
    with closing(_Run(model, meter, enumerate_all=False).solutions()) as solutions:
        return next(solutions, None)


def _values(model: Model, response: Any) -> Values:
    """The values of the cells, which are the first variables."""
    return list(islice(response.solution, model.size))


def new_solver(meter: Meter) -> cp_model.CpSolver:
    """A solver with the fastest settings for Binairo; docs/encodings.md shows measurements."""
    solver = cp_model.CpSolver()
    parameters = solver.parameters
    parameters.num_workers = 1
    parameters.catch_sigint_signal = False
    parameters.cp_model_presolve = False
    parameters.cp_model_probing_level = 0
    parameters.symmetry_level = 0
    parameters.linearization_level = 0
    parameters.use_sat_inprocessing = False
    if (seconds := meter.seconds_left) is not None:
        parameters.max_time_in_seconds = seconds
    if (work := meter.work_left) is not None:
        parameters.max_number_of_conflicts = work
    return solver


_running: set[_Run] = set()


@atexit.register
def _stop_all() -> None:
    """Stop all threads: a solver thread that outlives the interpreter aborts the process."""
    for run in list(_running):
        run.stop()


class _Run(cp_model.CpSolverSolutionCallback):
    """A run of the solver in its own thread, which passes its solutions through a queue."""

    def __init__(self, model: Model, meter: Meter, *, enumerate_all: bool) -> None:
        super().__init__()
        meter.check_clock()
        self._model = model
        self._meter = meter
        self._solver = new_solver(meter)
        self._solver.parameters.enumerate_all_solutions = enumerate_all
        self._thread = Thread(target=self._solve, daemon=True)
        self._queue: Queue[Values | None] = Queue(_SOLUTIONS_AHEAD)
        self._stopped = Event()
        self._outcome: cp_model.CpSolverStatus | Exception | None = None

    def on_solution_callback(self) -> None:
        """Put a solution into the queue; wait while the queue is full."""
        if not self._hand_over(_values(self._model, self.response_proto)):
            self.stop_search()

    def solutions(self) -> Generator[Values, None, None]:
        """The solutions of the run."""
        _running.add(self)
        self._thread.start()
        try:
            while (values := self._queue.get()) is not None:
                yield values
            self._check_outcome()
        finally:
            self.stop()

    def stop(self) -> None:
        """End the search, and wait for the thread: it must end before this object is freed."""
        self._stopped.set()
        self._solver.stop_search()
        self._thread.join()
        _running.discard(self)

    def _solve(self) -> None:
        try:
            self._outcome = self._solver.solve(self._model.model, self)
            self._meter.work += self._solver.num_conflicts
        except Exception as error:
            self._outcome = error
        self._hand_over(None)

    def _hand_over(self, values: Values | None) -> bool:
        """Wait for room in the queue; return False if the run was stopped."""
        while not self._stopped.is_set():
            with suppress(Full):
                self._queue.put(values, timeout=_POLL_SECONDS)
                return True
        return False

    def _check_outcome(self) -> None:
        """After the last solution, check that the search is complete."""
        if isinstance(self._outcome, Exception):
            raise BackendError(f"cpsat failed: {self._outcome}") from self._outcome
        if self._outcome == cp_model.MODEL_INVALID:
            reason = self._model.model.validate() or "no reason given"
            raise BackendError(f"cpsat rejected its model as invalid: {reason}")
        if self._outcome not in (cp_model.OPTIMAL, cp_model.INFEASIBLE):
            self._meter.check_clock()
            raise BudgetExceeded("time" if self._meter.work_left is None else "work")
