"""Other tools that solve Binairo, and our backends, behind one function each.

A tool gets a puzzle and a time limit. It returns the boards that it found, whether it claims that
these are all, and its own time. `against` checks whether the answers are right.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.metadata import packages_distributions, version
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

from binairo_cp import Puzzle, check, solve

MODELS = Path(__file__).parent.parent / "models"


@dataclass(frozen=True)
class ToolResult:
    """The answer of a tool for a puzzle.

    Attributes:
        boards: the cells of the boards that it found, row by row.
        all: it claims that there are no others.
        seconds: the time it took.
        error: the error that it failed with.
    """

    boards: list[str]
    all: bool
    seconds: float
    error: str = ""


SolveFunction = Callable[[Puzzle, int, float], ToolResult]
"""Takes a puzzle, the number of boards to find (1 or 2), and the time limit in seconds."""


@dataclass(frozen=True)
class Tool:
    """A tool.

    Attributes:
        solve: the function that runs it.
        about: what it is, and how it is used here.
        needs: a library that must be installed.
        program: a program that must be installed.
        distinct: whether lines are distinct, if it supports only one reading; None for both.
        odd: it supports lines of odd length.
        signs: it supports signs.
        second: it can decide whether there is a second solution.
    """

    solve: SolveFunction
    about: str
    needs: str = ""
    program: str = ""
    distinct: bool | None = None
    odd: bool = True
    signs: bool = True
    second: bool = True

    @property
    def missing(self) -> str:
        """The library or program that is not installed; empty if there is none."""
        if self.needs and not find_spec(self.needs):
            return self.needs
        return self.program if self.program and not shutil.which(self.program) else ""

    @property
    def version(self) -> str:
        if self.program:
            command = [self.program, "--version"]
            text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
            found = re.search(r"[\d.]{3,}", text)
            return found.group() if found else ""
        return version(packages_distributions()[self.needs][0]) if self.needs else ""

    def supports(self, puzzle: Puzzle) -> bool:
        """Whether it claims to support such puzzles, with or without distinct lines."""
        board, rules = puzzle.board, puzzle.rules
        odd = board.height % 2 or board.width % 2
        plain = rules.balanced and rules.longest_run == 2
        return plain and (self.odd or not odd) and (self.signs or not puzzle.signs)


def by_backend(backend: str, puzzle: Puzzle, wanted: int, seconds: float) -> ToolResult:
    """One of our backends, as users call it; the time includes the check of its answers."""
    started = perf_counter()
    if wanted == 1:
        outcome = solve(puzzle, backend=backend, time_limit=seconds)
    else:
        outcome = check(puzzle, backend=backend, time_limit=seconds)
    taken = perf_counter() - started
    return ToolResult([board.cells for board in outcome.solutions], outcome.complete, taken)


def puzzlekit(puzzle: Puzzle, wanted: int, seconds: float) -> ToolResult:
    from puzzlekit.solvers import get_solver_class

    board = puzzle.board
    symbols = [{"0": "1", "1": "2", ".": "-"}[cell] for cell in board.cells]
    grid = [symbols[k * board.width : (k + 1) * board.width] for k in range(board.height)]
    started = perf_counter()
    solver = get_solver_class("binairo")(board.height, board.width, grid)
    result = solver.solve({"time_limit_sec": seconds})
    taken = perf_counter() - started
    status = result.solution_data["status"]
    if not result.is_solved:
        return ToolResult([], status == "Infeasible", taken)
    rows = [result.sol_grid.value(r, c) for r in range(board.height) for c in range(board.width)]
    return ToolResult(["".join("01"[cell == "2"] for cell in rows)], False, taken)


def multi_puzzle_solver(puzzle: Puzzle, wanted: int, seconds: float) -> ToolResult:
    """Its own model with codes, and one enumeration; it has no time limit."""
    import numpy as np
    from puzzle_solver.core.utils_ortools import SingleSolution, generic_solve_all
    from puzzle_solver.puzzles.binairo.binairo import Board

    board = puzzle.board
    cells = np.array([" WB"[".01".index(cell)] for cell in board.cells])
    started = perf_counter()
    made = Board(
        cells.reshape(board.height, board.width),
        force_unique=puzzle.rules.distinct_lines,
        **_signs_as_arrays(puzzle),
    )

    def keep(model: Any, callback: Any) -> Any:
        return SingleSolution({at: callback.Value(each) for at, each in model.model_vars.items()})

    found = generic_solve_all(made, keep, max_solutions=wanted, verbose=False)
    boards = [
        "".join(
            str(each.assignment[at]) for at in sorted(each.assignment, key=lambda at: (at.y, at.x))
        )
        for each in found
    ]
    return ToolResult(boards, len(boards) < wanted, perf_counter() - started)


def _signs_as_arrays(puzzle: Puzzle) -> dict[str, Any]:
    import numpy as np

    board = puzzle.board
    if not puzzle.signs:
        return {}
    across = np.full((board.height, board.width - 1), " ")
    down = np.full((board.height - 1, board.width), " ")
    for sign in puzzle.signs:
        (across if sign.direction == "R" else down)[sign.row, sign.column] = sign.relation
    return {"arith_rows": across, "arith_cols": down}


def cpmpy(puzzle: Puzzle, wanted: int, seconds: float) -> ToolResult:
    # HiGHS and OR-tools conflict in one process; CPMpy loads HiGHS if it is installed.
    sys.modules.setdefault("highspy", None)  # type: ignore[arg-type]
    from cpmpy.solvers.solver_interface import ExitStatus

    from benchmarks.cpmpy_model import model

    started = perf_counter()
    made, cells = model(puzzle)
    boards: list[str] = []

    def keep() -> None:
        boards.append("".join(str(int(value)) for value in cells.value().flatten()))

    if wanted == 1:
        status_known = made.solve(time_limit=seconds)
        if status_known:
            keep()
    else:
        made.solveAll(display=keep, solution_limit=wanted, time_limit=seconds)
    status = made.status().exitstatus
    ended = status == ExitStatus.UNSATISFIABLE or (wanted > 1 and status == ExitStatus.OPTIMAL)
    return ToolResult(boards, ended and len(boards) < wanted, perf_counter() - started)


def clingo(puzzle: Puzzle, wanted: int, seconds: float) -> ToolResult:
    started = perf_counter()
    control = clingo_control(puzzle, wanted)
    boards: list[str] = []

    def keep(model: Any) -> None:
        atoms = [[each.number for each in atom.arguments] for atom in model.symbols(shown=True)]
        boards.append("".join(str(value) for _, _, value in sorted(atoms)))

    with control.solve(on_model=keep, async_=True) as handle:
        if not handle.wait(max(0.01, seconds - (perf_counter() - started))):
            handle.cancel()
        exhausted = handle.get().exhausted
    return ToolResult(boards, bool(exhausted) and len(boards) < wanted, perf_counter() - started)


def clingo_control(puzzle: Puzzle, wanted: int) -> Any:
    """Clingo with a puzzle, ready to solve; 0 finds all solutions."""
    import clingo as library

    from tests.support.oracles import clingo_facts

    control = library.Control(["--models", str(wanted)])
    control.load(str(MODELS / "binairo.lp"))
    control.add("base", [], clingo_facts(_instance(puzzle)))
    control.ground([("base", [])])
    return control


def minizinc(puzzle: Puzzle, wanted: int, seconds: float) -> ToolResult:
    """The time is what MiniZinc reports for flattening and solving, without its start."""
    from tests.support.oracles import minizinc_data

    with TemporaryDirectory() as folder:
        data = Path(folder, "puzzle.dzn")
        data.write_text(minizinc_data(_instance(puzzle)))
        command = ["minizinc", "--solver", "gecode", "--statistics", "-n", str(wanted)]
        command += [
            "--time-limit",
            str(int(1000 * seconds)),
            str(MODELS / "binairo.mzn"),
            str(data),
        ]
        started = perf_counter()
        done = subprocess.run(command, capture_output=True, text=True)
        whole = perf_counter() - started
    text = done.stdout
    if done.returncode or "=====ERROR=====" in text:
        return ToolResult([], False, whole, f"status {done.returncode}: {done.stderr[:200]}")
    boards = [line for line in text.split() if set(line) <= set("01")]
    times = [float(each) for each in re.findall(r"(?:flat|init|solve)Time=([\d.e-]+)", text)]
    complete = "==========" in text or "=====UNSATISFIABLE=====" in text
    # It prints no statistics after a time-out.
    return ToolResult(
        boards, complete and len(boards) < wanted, sum(times) if "solveTime" in text else whole
    )


def _instance(puzzle: Puzzle) -> Any:
    from tests.support.oracles import Instance

    board, rules = puzzle.board, puzzle.rules
    return Instance(
        board.height,
        board.width,
        board.cells,
        tuple(puzzle.signs),
        rules.distinct_lines,
        rules.balanced,
        rules.odd,
        rules.longest_run,
    )


BACKENDS = ("auto", "bitboard", "pysat", "cpsat")

TOOLS = {
    **{name: Tool(partial(by_backend, name), "ours") for name in BACKENDS},
    "puzzlekit": Tool(
        puzzlekit,
        "its Binairo solver with default settings: CP-SAT, all cores; lines may repeat",
        needs="puzzlekit",
        distinct=False,
        odd=False,
        signs=False,
        second=False,
    ),
    "multi-puzzle-solver": Tool(
        multi_puzzle_solver,
        "its Binairo solver with default settings: CP-SAT, one enumeration",
        needs="puzzle_solver",
        odd=False,
    ),
    "cpmpy": Tool(
        cpmpy, "a model of one page, CP-SAT with default settings, all cores", needs="cpmpy"
    ),
    "clingo": Tool(clingo, "models/binairo.lp through its Python library", needs="clingo"),
    "minizinc": Tool(
        minizinc, "models/binairo.mzn with Gecode, one process per puzzle", program="minizinc"
    ),
}
"""The tools by name; the times of the others are reported as ratios to the first."""
