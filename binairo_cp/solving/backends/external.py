"""Any SAT solver that reads DIMACS and prints its answer, as a program of its own.

Each question is a file of all clauses, with what is assumed as unit clauses, and a new run.
Distinct lines are added when they are needed, as in any session. What the program prints is
believed only if it is an answer; its exit status never is.
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
from binairo_cp.solving.backends.contract import UNLIMITED, Budget, Meter
from binairo_cp.solving.backends.session import Session
from binairo_cp.solving.encodings import dimacs, solver_output
from binairo_cp.solving.encodings.cnf import Clause
from binairo_cp.solving.encodings.solver_output import Status
from binairo_cp.workers import child_processes
from binairo_cp.workers.child_processes import CompletedProgram

CNF, RESULT = "{cnf}", "{result}"
"""What stands in a command for the file of the clauses, and for the file of the answer."""

_WRITES_A_FILE = ("minisat", "glucose")
"""Programs whose names begin so write the values to a file that is named after the clauses."""


@dataclass(frozen=True, slots=True)
class External:
    """The backend; its unit of work is a run of the program.

    Attributes:
        command: its words; `CNF` and `RESULT` in them stand for files.
    """

    command: tuple[str, ...]

    @property
    def name(self) -> str:
        return f"external:{shlex.join(self.command)}"

    @classmethod
    def named(cls, options: list[str]) -> External:
        """From the parts of a name: ``external:kissat``, ``external:cadical --sat -q {cnf}``.

        Without `CNF` the file of the clauses comes last, and then, for MiniSat, that of the answer.

        Raises:
            BackendNameError: no command, or no program of that name.
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
        """As the contract says."""
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
            ended = child_processes.run(words, meter.seconds_left)
            answer = result.read_bytes() if result.exists() else ended.output
        return self._model(answer, ended, assumed)

    def core(self) -> list[int]:
        return self._core

    def _write(self, file: Path, assumed: list[int]) -> None:
        top = max([self._top, *map(abs, assumed)])
        with open(file, "w", encoding="ascii", newline="\n") as out:
            out.write(f"p cnf {top} {len(self._clauses) + len(assumed)}\n")
            out.writelines(self._clauses)
            out.writelines(dimacs.line([each]) for each in assumed)

    def _model(
        self, answer: bytes, ended: CompletedProgram, assumed: list[int]
    ) -> list[int] | None:
        program = self._command[0]
        try:
            output = solver_output.read(answer, self._cells, program)
        except FormatError as error:
            raise BackendError(f"what {program} printed is no answer: {error}") from error
        if output.status is Status.UNSATISFIABLE:
            self._core = assumed
            return None
        if output.models:
            model = output.models[0]
            return solver_output.literals(model, self._cells)
        if output.status is Status.UNKNOWN:
            raise BudgetExceeded("work")
        raise BackendError(f"{program} gave no answer ({ended.reason})")
