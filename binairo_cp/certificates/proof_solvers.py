"""Solvers that write proofs: those of PySAT, or any program that writes a DRAT proof to a file."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

from binairo_cp.certificates import container, record
from binairo_cp.certificates.formula import Formula
from binairo_cp.errors import BackendError, BackendNameError
from binairo_cp.solving.backends import Meter
from binairo_cp.solving.encodings import solver_output
from binairo_cp.solving.encodings.solver_output import Status
from binairo_cp.workers import child_processes

DEFAULT_SOLVER = "glucose4"

CNF, PROOF = "{cnf}", "{proof}"
"""Placeholders in a command for the file of the formula, and for the file of the proof."""

_EXTERNAL = "external:"
_OPTIONS = {"cadical": ["-q", "--no-binary"], "kissat": ["-q", "--no-binary"]}


def check_solver(solver: str) -> None:
    """Check that a solver can write proofs.

    Raises:
        BackendNameError: The solver can't write proofs, or the program does not exist.
    """
    # Imported here and below because it loads the solvers.
    from binairo_cp.solving.backends.engines import PROOF_SOLVERS

    if solver.startswith(_EXTERNAL):
        _command(solver)
    elif solver not in PROOF_SOLVERS:
        raise BackendNameError(
            f"{solver!r} can't write proofs; expected external:COMMAND or one of "
            f"{', '.join(PROOF_SOLVERS)}"
        )


def _command(solver: str) -> list[str]:
    words = child_processes.split_command(solver.removeprefix(_EXTERNAL))
    if any(PROOF in word for word in words):
        return words
    return [*words, *_OPTIONS.get(Path(words[0]).name, []), CNF, PROOF]


def refute(solver: str, formula: Formula, cells: int, meter: Meter) -> list[int] | bytes:
    """Return the values of the cells in a model, or a proof that there is no model.

    Raises:
        BackendError: The solver failed.
        BudgetExceeded: The time ran out.
    """
    if solver.startswith(_EXTERNAL):
        return _refute_by_program(_command(solver), formula, cells, meter)
    from binairo_cp.solving.backends import engines

    answer = engines.refute(solver, formula.clauses, meter)
    if isinstance(answer, bytes):
        return answer
    # The model ends before the last cells if they occur in no clause.
    return [*answer[:cells], *(-number for number in range(len(answer) + 1, cells + 1))]


def _refute_by_program(
    words: list[str], formula: Formula, cells: int, meter: Meter
) -> list[int] | bytes:
    with TemporaryDirectory(prefix="binairo-") as folder:
        cnf, proof = Path(folder, "puzzle.cnf"), Path(folder, "proof.drat")
        cnf.write_bytes(formula.head + formula.lines)
        filled = child_processes.fill_placeholders(words, {CNF: cnf, PROOF: proof})
        ended = child_processes.run_program(filled, meter.seconds_left)
        output = solver_output.read(ended.output, cells, words[0])
        if output.status is Status.UNSATISFIABLE and proof.exists():
            if proof.stat().st_size > container.MAX_UNPACKED[record.DRAT]:
                raise BackendError(
                    f"the proof of {words[0]} is too large; "
                    f"expected at most {container.MAX_UNPACKED[record.DRAT]:,} bytes"
                )
            return proof.read_bytes()
    if not output.models:
        raise BackendError(f"{words[0]} returned no proof ({ended.reason})")
    return solver_output.literals(output.models[0], cells)


def described(solver: str) -> str:
    """The name of the solver and its version, for the manifest."""
    if solver.startswith(_EXTERNAL):
        return solver
    return f"{solver} of python-sat {version('python-sat')}"
