"""Solve, check and count Binairo puzzles (Takuzu, Binary Puzzle, Unruly, Tango).

Importing the package loads no solver library. Each backend loads its library on first use.

>>> from binairo_cp import Board, Puzzle, check
>>> outcome = check(Puzzle(Board.parse("1..0 .... ..1. ....")))
>>> str(outcome.verdict), outcome.differences
('multiple', [...])

Other public modules:

- `binairo_cp.formats`: read and write files of puzzles
- `binairo_cp.formats.schema`: the JSON records
- `binairo_cp.solving.backends`: the solvers by name, and their budgets
- `binairo_cp.deduction.driver`, `binairo_cp.deduction.grading`, `binairo_cp.deduction.steps`: solve
  by human techniques, and grade
- `binairo_cp.generation.puzzles`, `binairo_cp.generation.boards`: random puzzles and solved boards
- `binairo_cp.reduction.clues`, `binairo_cp.reduction.fewest`, `binairo_cp.reduction.repair`: find
  redundant clues, the fewest clues, and repairs of puzzles that are not unique
- `binairo_cp.certificates.making`, `binairo_cp.certificates.checking`,
  `binairo_cp.certificates.container`: proofs that can be checked without a solver
- `binairo_cp.census.counting`, `binairo_cp.census.sizes`, `binairo_cp.census.estimating`: count the
  boards of a size
- `binairo_cp.puzzle.symmetries`: symmetric images of puzzles, and canonical forms
- `binairo_cp.service.client`: a client of the HTTP service (extra `service`)
- `binairo_cp.workers.executors`: run work in this process, in worker processes or on a cluster
- `binairo_cp.errors`: the exceptions
"""

from binairo_cp.errors import BinairoError
from binairo_cp.puzzle.board import Board, Cell, Line
from binairo_cp.puzzle.lines import Lines, legal_lines
from binairo_cp.puzzle.rules import (
    CLASSIC,
    PLUS,
    TANGO,
    UNRULY,
    Puzzle,
    Rules,
    Sign,
    Violation,
    is_solution,
    violations,
)
from binairo_cp.solving.backbones import Backbone, backbone
from binairo_cp.solving.solutions import Outcome, Verdict, check, count, enumerate_solutions, solve

__all__ = [
    "CLASSIC",
    "PLUS",
    "TANGO",
    "UNRULY",
    "Backbone",
    "BinairoError",
    "Board",
    "Cell",
    "Line",
    "Lines",
    "Outcome",
    "Puzzle",
    "Rules",
    "Sign",
    "Verdict",
    "Violation",
    "backbone",
    "check",
    "count",
    "enumerate_solutions",
    "is_solution",
    "legal_lines",
    "solve",
    "violations",
]
