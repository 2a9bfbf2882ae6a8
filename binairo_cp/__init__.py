"""Solve, check, count, explain, generate and draw Binairo puzzles (Takuzu, Binary Puzzle, Tango).

>>> import binairo_cp as bn
>>> outcome = bn.check("1..0 .... ..1. ....")
>>> str(outcome.verdict), list(map(str, outcome.differences))
('multiple', ['r1c2', 'r1c3', 'r2c2', 'r2c3'])

Each command of ``binairo`` is a function of the same name, with the same options:

- one puzzle: `solve`, `check`, `count`, `backbone`, `enumerate_solutions`
- for people: `hint`, `explain`, `grade`
- its clues: `clues`, `fewest`, `repair`
- many puzzles: `check_many`, `solve_many`, `count_many`, `grade_many`
- new ones: `generate`, `board`, `lines`, `census`
- files: `read`, `write`, `convert`, `render`, `encode`, `decode`, `certify`, `verify`, `merge`,
  `diff`, `schema`

Wherever a function takes a puzzle, it takes a `Puzzle`, a `Board`, text in any format, or an object
with a puzzle, such as an `Entry` of `read`. Results are frozen values: they print well, compare,
pickle, and `to_dict` returns the fields of the JSON records.

Errors are subclasses of `BinairoError`, in `binairo_cp.errors`. If the time runs out, a verdict is
*unknown*, never *none*. Importing the package loads no solver library: each loads on first use.

The client of the HTTP service is `binairo_cp.service.client.Client` (extra ``service``).
"""

from binairo_cp.api.counting import CensusResult, census
from binairo_cp.api.deciding import backbone, check, count, enumerate_solutions, solve
from binairo_cp.api.drawing import render
from binairo_cp.api.encoding import decode, encode
from binairo_cp.api.explaining import explain, grade, hint
from binairo_cp.api.files import convert, diff, merge, read, schema, write
from binairo_cp.api.making import board, generate, lines
from binairo_cp.api.proving import certify, verify
from binairo_cp.api.reducing import clues, fewest, repair
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
from binairo_cp.solving.backbones import Backbone
from binairo_cp.solving.solutions import Outcome, Verdict

__all__ = [
    "CLASSIC",
    "PLUS",
    "TANGO",
    "UNRULY",
    "Backbone",
    "BinairoError",
    "Board",
    "Cell",
    "CensusResult",
    "Line",
    "Lines",
    "Outcome",
    "Puzzle",
    "Rules",
    "Sign",
    "Verdict",
    "Violation",
    "backbone",
    "board",
    "census",
    "certify",
    "check",
    "clues",
    "convert",
    "count",
    "decode",
    "diff",
    "encode",
    "enumerate_solutions",
    "explain",
    "fewest",
    "generate",
    "grade",
    "hint",
    "is_solution",
    "legal_lines",
    "lines",
    "merge",
    "read",
    "render",
    "repair",
    "schema",
    "solve",
    "verify",
    "violations",
    "write",
]
