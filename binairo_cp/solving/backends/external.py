"""Run any SAT solver that reads DIMACS as an external program.

Each query writes a file with all clauses, with assumptions as unit clauses, and runs the program.
Constraints for distinct lines are added lazily, as in any session. Only the output of the program
is used; its exit status is ignored.

Nothing is installed with it: Debian has cadical, minisat, cryptominisat and picosat, among others.
A query starts a process and solves from the beginning, so each solution costs milliseconds or more.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from binairo_cp.errors import BackendError, BudgetExceeded, FormatError
from binairo_cp.puzzle.board import Board
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.solving.backends import UNLIMITED, Budget, Meter
from binairo_cp.solving.backends.session import Session
from binairo_cp.solving.encodings import dimacs, solver_output
from binairo_cp.solving.encodings.cnf import Clause
from binairo_cp.solving.encodings.solver_output import Status
from binairo_cp.workers import child_processes
from binairo_cp.workers.child_processes import CompletedProgram

CNF, RESULT = "{cnf}", "{result}"
"""Placeholders in a command for the input file and the output file."""

_WRITES_A_FILE = ("minisat", "glucose")
"""Programs with these prefixes write the model to a file, which follows the input file."""


@dataclass(frozen=True, slots=True)
class External:
    """The backend. Its unit of work is a run of the program.

    Attributes:
        command: the program and its arguments, with the placeholders `CNF` and `RESULT`.
    """

    command: tuple[str, ...]

    @property
    def name(self) -> str:
        return f"external:{shlex.join(self.command)}"

    @classmethod
    def named(cls, options: list[str]) -> External:
        """Create the backend from a name: ``external:kissat``, ``external:cadical -q {cnf}``.

        Without `CNF`, the input file is appended, for MiniSat followed by the output file.

        Raises:
            BackendNameError: there is no command, or no program of that name.
        """
        words = child_processes.split_command(":".join(options))
        if not any(CNF in word for word in words):
            words.append(CNF)
            if Path(words[0]).name.startswith(_WRITES_A_FILE):
                words.append(RESULT)
        return cls(tuple(words))

    def solutions(
        self, puzzle: Puzzle, *, limit: int | None = None, budget: Budget = UNLIMITED
    ) -> Iterator[Board]:
        """Solve as the protocol says."""
        meter = Meter(budget)
        program = _Program(self.command, len(puzzle.board.cells))
        yield from Session(puzzle, program, meter).solutions(puzzle, limit, meter)


class _Program:
    """The program as the engine of a session."""

    def __init__(self, command: tuple[str, ...], cells: int) -> None:
        self._command = command
        self._cells = cells
        self._clauses: list[str] = []
        self._top = cells
        self._core: list[int] = []

    def add(self, clause: Clause) -> None:
        self._top = max(self._top, *map(abs, clause))
        self._clauses.append(dimacs.line(clause))

    def solve(self, assumed: list[int], meter: Meter) -> list[int] | None:
        meter.check_clock()
        meter.spend()
        with TemporaryDirectory(prefix="binairo-") as folder:
            cnf, result = Path(folder, "puzzle.cnf"), Path(folder, "result.txt")
            self._write(cnf, assumed)
            words = child_processes.fill_placeholders(self._command, {CNF: cnf, RESULT: result})
            ended = child_processes.run_program(words, meter.seconds_left)
            answer = result.read_bytes() if result.exists() else ended.output
        return self._model(answer, ended, assumed)

    def core(self) -> list[int]:
        return self._core

    def _write(self, file: Path, assumed: list[int]) -> None:
        top = max([self._top, *map(abs, assumed)])
        with open(file, "w", encoding="ascii", newline="\n") as out:
            out.write(f"p cnf {top} {len(self._clauses) + len(assumed)}\n")
            out.writelines(self._clauses)
            out.writelines(dimacs.line([assumption]) for assumption in assumed)

    def _model(
        self, answer: bytes, ended: CompletedProgram, assumed: list[int]
    ) -> list[int] | None:
        program = self._command[0]
        try:
            output = solver_output.read(answer, self._cells, program)
        except FormatError as error:
            raise BackendError(f"the output of {program} can't be read: {error}") from error
        if output.status is Status.UNSATISFIABLE:
            self._core = assumed
            return None
        if output.models:
            model = output.models[0]
            return solver_output.literals(model, self._cells)
        if output.status is Status.UNKNOWN:
            raise BudgetExceeded("work")
        raise BackendError(f"{program} printed no answer ({ended.reason})")
