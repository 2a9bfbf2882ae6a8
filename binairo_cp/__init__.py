"""Binairo puzzles (Takuzu, Binary Puzzle, Unruly, Tango): solved, checked, counted.

Importing the package loads no solver library; a backend's is loaded when it is first used.

>>> from binairo_cp import Board, Puzzle, check
>>> outcome = check(Puzzle(Board.parse("1..0 .... ..1. ....")))
>>> str(outcome.verdict), outcome.differences
('multiple', [...])

Beyond these names there are

- `binairo_cp.formats`: files of puzzles, read and written
- `binairo_cp.formats.schema`: the records in them
- `binairo_cp.solving.backends`: the solvers by name, and what they may cost
- `binairo_cp.deduction.driver`, `binairo_cp.deduction.grading`, `binairo_cp.deduction.steps`: how a
  person solves
- `binairo_cp.generation.puzzles`, `binairo_cp.generation.boards`: puzzles and solved boards, drawn
- `binairo_cp.reduction.clues`, `binairo_cp.reduction.fewest`, `binairo_cp.reduction.repair`: which
  clues may go, the fewest, puzzles made unique
- `binairo_cp.certificates.making`, `binairo_cp.certificates.checking`,
  `binairo_cp.certificates.container`: proofs that others can check
- `binairo_cp.census.counting`, `binairo_cp.census.sizes`, `binairo_cp.census.estimating`: how many
  boards there are
- `binairo_cp.puzzle.symmetries`: images of puzzles, and the form that they share
- `binairo_cp.service.client`: a client of the service (extra `service`)
- `binairo_cp.workers.executors`: who does the work: this process, others, other machines
- `binairo_cp.errors`: what can go wrong
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
