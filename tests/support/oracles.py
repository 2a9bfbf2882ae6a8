"""Independent models of Binairo, used as oracles by the tests.

The models under ``models/`` (an answer set program for clingo, a constraint model for MiniZinc)
were written independently of the package under test, and neither they nor this module import it.
So if the package and an oracle agree, two unrelated methods reached the same answer. Boards are
plain strings here: the symbols row by row, ``.`` for an open cell.
"""

import functools
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import clingo

_MODELS = Path(__file__).resolve().parents[2] / "models"
_CLINGO_MODEL = _MODELS / "binairo.lp"
_MINIZINC_MODEL = _MODELS / "binairo.mzn"

# The models spell a sign out; the words are the same in both.
_DIRECTION = {"R": "right", "D": "down"}
_RELATION = {"=": "equal", "x": "opposite"}

# What MiniZinc prints once the search is over. Without one of these lines the solutions printed
# so far need not be all of them.
_MINIZINC_COMPLETE = {"==========", "=====UNSATISFIABLE====="}


@dataclass(frozen=True, slots=True)
class Instance:
    """A puzzle: a board, its clues and signs, and the rules in force.

    ``clues`` holds the cells row by row, ``.`` where a cell is open. A sign is ``(row, column,
    direction, relation)``, 0-based, with the direction ``R`` or ``D`` and the relation ``=`` or
    ``x``. ``odd`` is ``either``, ``ones`` or ``zeros``.
    """

    height: int
    width: int
    clues: str
    signs: tuple[tuple[int, int, str, str], ...] = ()
    distinct_lines: bool = True
    balanced: bool = True
    odd: str = "either"
    longest_run: int = 2

    def __post_init__(self) -> None:
        """Reject clues that don't fill the board; they would be read as a different puzzle."""
        if len(self.clues) != self.height * self.width or not set(self.clues) <= set("01."):
            raise ValueError(f"not the clues of a {self.height} x {self.width} board: {self.clues}")


def clingo_facts(instance: Instance) -> str:
    lines = [
        f"#const balanced={instance.balanced:d}. [override]",
        f"#const odd={instance.odd}. [override]",
        f"#const longest_run={instance.longest_run}. [override]",
        f"#const distinct_lines={instance.distinct_lines:d}. [override]",
        f"height({instance.height}). width({instance.width}).",
    ]
    for place, symbol in enumerate(instance.clues):
        if symbol != ".":
            row, column = divmod(place, instance.width)
            lines.append(f"clue({row},{column},{symbol}).")
    for row, column, direction, relation in instance.signs:
        lines.append(f"sign({row},{column},{_DIRECTION[direction]},{_RELATION[relation]}).")
    return "\n".join(lines) + "\n"


def clingo_solutions(instance: Instance, limit: int | None = None) -> set[str]:
    """Return the solutions clingo finds: all of them, or at most ``limit``."""
    return clingo_boards(clingo_facts(instance), limit)


def clingo_boards(facts: str, limit: int | None = None) -> set[str]:
    control = clingo.Control(["--models", str(_number_of_models(limit))])
    control.load(str(_CLINGO_MODEL))
    control.add("base", [], facts)
    control.ground([("base", [])])
    with control.solve(yield_=True) as handle:
        return _without_repeats(_clingo_board(model) for model in handle)


def _clingo_board(model: clingo.Model) -> str:
    cells = sorted(
        [argument.number for argument in atom.arguments] for atom in model.symbols(shown=True)
    )
    return "".join(str(symbol) for _, _, symbol in cells)


def minizinc_data(instance: Instance) -> str:
    clues = ", ".join("-1" if symbol == "." else symbol for symbol in instance.clues)
    signs = instance.signs
    return (
        f"height = {instance.height};\n"
        f"width = {instance.width};\n"
        f"clues = array2d(1..{instance.height}, 1..{instance.width}, [{clues}]);\n"
        # MiniZinc counts from 1.
        f"sign_row = [{', '.join(str(row + 1) for row, _, _, _ in signs)}];\n"
        f"sign_column = [{', '.join(str(column + 1) for _, column, _, _ in signs)}];\n"
        f"sign_direction = [{', '.join(_DIRECTION[direction] for _, _, direction, _ in signs)}];\n"
        f"sign_relation = [{', '.join(_RELATION[relation] for _, _, _, relation in signs)}];\n"
        f"balanced = {str(instance.balanced).lower()};\n"
        f"odd = {instance.odd};\n"
        f"longest_run = {instance.longest_run};\n"
        f"distinct_lines = {str(instance.distinct_lines).lower()};\n"
    )


def minizinc_solutions(
    instance: Instance, limit: int | None = None, timeout: float = 60.0
) -> set[str]:
    """Return the solutions MiniZinc finds with Gecode: all of them, or at most ``limit``."""
    return minizinc_boards(minizinc_data(instance), limit, timeout)


def minizinc_boards(text: str, limit: int | None = None, timeout: float = 60.0) -> set[str]:
    """Return the solutions MiniZinc finds for an instance given as data.

    Raise ``subprocess.TimeoutExpired`` after ``timeout`` seconds, and ``RuntimeError`` when
    MiniZinc fails or stops before its search is over.
    """
    number = _number_of_models(limit)
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "instance.dzn"
        data.write_text(text, encoding="ascii")
        # Without --non-unique MiniZinc would hide a solution found twice instead of telling.
        command = ["minizinc", "--solver", "gecode", "--non-unique"]
        command += ["-n", str(number)] if number else ["-a"]
        output = _run([*command, str(_MINIZINC_MODEL), str(data)], timeout)
    lines = output.split()
    boards = _without_repeats(line for line in lines if set(line) <= set("01"))
    if _MINIZINC_COMPLETE.isdisjoint(lines) and (limit is None or len(boards) < limit):
        raise RuntimeError(f"minizinc stopped before its search was over:\n{output}")
    return boards


@functools.cache
def minizinc_available() -> bool:
    if shutil.which("minizinc") is None:
        return False
    return "org.gecode.gecode" in _run(["minizinc", "--solvers"], timeout=60.0)


def _run(command: list[str], timeout: float) -> str:
    """Return what the command prints; raise if it fails or takes too long.

    MiniZinc starts the solver as a process of its own, which would outlive it and hold the pipe
    open if only MiniZinc were killed. So both run in a process group, and the group is killed.
    """
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        start_new_session=True,
    ) as process:
        try:
            output, errors = process.communicate(timeout=timeout)
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            raise
    if process.returncode != 0 or "=====ERROR=====" in output:
        raise RuntimeError(f"{command[0]} failed ({process.returncode}):\n{output}{errors}")
    return output


def _number_of_models(limit: int | None) -> int:
    """Return the limit as clingo writes it, where 0 stands for no limit."""
    if limit is not None and limit < 1:
        raise ValueError(f"the limit must be at least 1: {limit}")
    return limit or 0


def _without_repeats(boards: Iterable[str]) -> set[str]:
    """Collect the boards; raise on a repeat, for a model must give each solution once."""
    found: set[str] = set()
    for board in boards:
        if board in found:
            raise RuntimeError(f"the model gives the solution {board} more than once")
        found.add(board)
    return found
