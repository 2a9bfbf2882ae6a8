"""Write a family of SAT instances: DIMACS files about Binairo puzzles, with known status.

    python -m benchmarks.family FOLDER --seed 1 --grade instant seconds
    python -m benchmarks.family FOLDER --seed 1 --solvers cadical kissat --seconds 60

The same seed writes the same files with the same versions of this project and PySAT.
``instances.csv`` lists them. With ``--solvers``, each solver gets each file, and
``runs.csv`` has its answers and CPU times. ``family.md`` describes the families.
"""

from __future__ import annotations

import argparse
import csv
import resource
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from random import Random

import binairo_cp as bn
from binairo_cp import Board, Puzzle
from binairo_cp.solving.constraints import Blocked, constraints
from binairo_cp.solving.encodings import dimacs
from binairo_cp.solving.encodings.cnf import Clause, Encoder, at_most
from tests.support.programs import find

Row = dict[str, str | int | float]

SAT, UNSAT = "sat", "unsat"
STATUS = {10: SAT, 20: UNSAT}
"""The exit statuses of solvers."""

SOLVERS = ("cadical", "kissat")


@dataclass(frozen=True, slots=True)
class Instance:
    """An instance.

    Attributes:
        family: its family.
        size: the sides of the board, such as 8x8.
        parameter: what else varies, such as k9; empty if nothing does.
        status: sat or unsat.
        clauses: the clauses.
    """

    family: str
    size: str
    parameter: str
    status: str
    clauses: Sequence[Clause]

    def name(self, seed: int) -> str:
        """The name of the file."""
        words = ["binairo", self.family, self.size, self.parameter, f"seed{seed}", self.status]
        return f"{'-'.join(filter(None, words))}.cnf"

    @property
    def variables(self) -> int:
        return max(abs(each) for clause in self.clauses for each in clause)

    @property
    def text(self) -> str:
        """The content of the file."""
        head = f"p cnf {self.variables} {len(self.clauses)}\n"
        return head + "".join(map(dimacs.line, self.clauses))


Maker = Callable[[int, int], Iterator[Instance]]
"""Makes the instances for a side and a seed."""


def fewest(side: int, seed: int) -> Iterator[Instance]:
    """This board has a unique puzzle with at most k clues: for its minimum, and for one fewer."""
    (board,) = bn.board(side, seed=seed)
    found = bn.fewest(board)
    cells = range(1, side * side + 1)
    sets = [[place + 1 for place in sorted(each)] for each in found.differences]
    for most, status in ((found.at_most - 1, UNSAT), (found.at_most, SAT)):
        clauses = [*sets, *at_most(most, cells, cells[-1])]
        yield Instance("fewest", f"{side}x{side}", f"k{most}", status, clauses)


def empty(side: int, seed: int) -> Iterator[Instance]:
    """A large empty board. The seed decides the order of the clauses."""
    clauses = _blocked(Puzzle(Board.empty(side, side)), ())
    Random(seed).shuffle(clauses)
    yield Instance("empty", f"{side}x{side}", "", SAT, clauses)


def narrow(width: int, seed: int) -> Iterator[Instance]:
    """A board with two more rows than there are different lines of its width."""
    height = bn.lines(width).count + 2
    clauses = _blocked(Puzzle(Board.empty(height, width)), ())
    Random(seed).shuffle(clauses)
    yield Instance("narrow", f"{height}x{width}", "", UNSAT, clauses)


def unique(side: int, seed: int) -> Iterator[Instance]:
    """An irreducible puzzle has no second solution."""
    (made,) = bn.generate(side, seed=seed)
    (solution,) = bn.solve(made.puzzle).solutions
    yield Instance("unique", f"{side}x{side}", "", UNSAT, _blocked(made.puzzle, [solution]))


def count(side: int, seed: int) -> Iterator[Instance]:
    """A puzzle has k solutions and no other; and without one of these, a solver has to find it."""
    rng = Random(seed)
    (made,) = bn.generate(side, seed=seed)
    puzzle, clues = made.puzzle, list(made.puzzle.board.clues())
    rng.shuffle(clues)
    solutions: list[Board] = []
    while len(solutions) < SOLUTIONS[0]:
        fewer = Puzzle(puzzle.board.with_cell(clues.pop()[0], "."))
        found = list(bn.enumerate_solutions(fewer, limit=SOLUTIONS[1] + 1))
        # Without some clues there are too many solutions: these clues stay.
        if len(found) <= SOLUTIONS[1]:
            puzzle, solutions = fewer, sorted(found, key=lambda board: board.cells)
    size, number = f"{side}x{side}", len(solutions)
    yield Instance("count", size, f"k{number}", UNSAT, _blocked(puzzle, solutions))
    del solutions[rng.randrange(number)]
    yield Instance("count", size, f"k{number - 1}", SAT, _blocked(puzzle, solutions))


SOLUTIONS = (500, 5_000)
"""The least and the largest number of solutions of a puzzle of `count`."""


def _blocked(puzzle: Puzzle, solutions: Iterable[Board]) -> list[Clause]:
    """The clauses of a puzzle, without some of its solutions."""
    encoder = Encoder(len(puzzle.board.cells))
    blocked = (Blocked(board.cells) for board in solutions)
    return [clause for each in (*constraints(puzzle), *blocked) for clause in encoder.clauses(each)]


GRADES: dict[str, list[tuple[Maker, int]]] = {
    "instant": [(fewest, 8), (fewest, 12), (empty, 30), (unique, 20), (count, 10), (narrow, 4)],
    "seconds": [(fewest, 16), (empty, 50), (unique, 40), (count, 18), (narrow, 5)],
    "minutes": [(fewest, 20), (empty, 80), (unique, 50)],
    "hours": [(empty, 120), (narrow, 6), (narrow, 7)],
}
"""The makers and sides of each grade. `family.md` says which grades were measured."""


def write(folder: Path, seed: int, rows: Iterable[tuple[Maker, int]]) -> list[Row]:
    """Write instances, and return what `instances.csv` lists."""
    folder.mkdir(parents=True, exist_ok=True)
    listed: list[Row] = []
    for make, side in rows:
        for instance in make(side, seed):
            text = instance.text.encode()
            (folder / instance.name(seed)).write_bytes(text)
            listed.append(
                {
                    "file": instance.name(seed),
                    "family": instance.family,
                    "status": instance.status,
                    "variables": instance.variables,
                    "clauses": len(instance.clauses),
                    "sha256": sha256(text).hexdigest(),
                }
            )
    return listed


def run(solver: str, path: Path, seconds: int) -> Row:
    """The answer of a solver, and its CPU time."""
    program = find(solver)
    if program is None:
        sys.exit(f"{solver} is not installed")
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run(
        [program, "-q", str(path)],
        stdout=subprocess.DEVNULL,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds)),
    )
    used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    answer = STATUS.get(done.returncode, "unknown")
    return {"file": path.name, "solver": solver, "answer": answer, "CPU s": round(used, 2)}


def save(path: Path, rows: Sequence[Row]) -> None:
    """Write rows as CSV."""
    with open(path, "w", newline="") as file:
        table = csv.DictWriter(file, rows[0], lineterminator="\n")
        table.writeheader()
        table.writerows(rows)


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.family",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folder", type=Path, help="the folder for the files")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--grade", choices=GRADES, nargs="+", default=["seconds"])
    parser.add_argument("--solvers", choices=SOLVERS, nargs="+", default=[])
    parser.add_argument("--seconds", type=int, default=60, help="limit of CPU time of each run")
    arguments = parser.parse_args()
    rows = [row for grade in arguments.grade for row in GRADES[grade]]
    listed = write(arguments.folder, arguments.seed, rows)
    save(arguments.folder / "instances.csv", listed)
    runs = []
    for row in listed:
        for solver in arguments.solvers:
            runs.append(run(solver, arguments.folder / str(row["file"]), arguments.seconds))
            print(*runs[-1].values(), flush=True)
            if runs[-1]["answer"] not in (row["status"], "unknown"):
                sys.exit(f"{row['file']}: {solver} disagrees with the status")
    if runs:
        save(arguments.folder / "runs.csv", runs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
