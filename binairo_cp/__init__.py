"""Binairo puzzles (Takuzu, Binary Puzzle, Unruly, Tango): solved, checked, counted.

Importing the package loads no solver library; a backend's is loaded when it is first used.

>>> from binairo_cp import Board, Puzzle, check
>>> outcome = check(Puzzle(Board.parse("1..0 .... ..1. ....")))
>>> str(outcome.verdict), outcome.differences
('multiple', [...])
"""

from binairo_cp.backbones import Backbone, backbone
from binairo_cp.board import Board, Cell, Line
from binairo_cp.errors import BinairoError
from binairo_cp.lines import Lines, legal_lines
from binairo_cp.rules import (
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
from binairo_cp.solutions import (
    Outcome,
    Verdict,
    check,
    count,
    enumerate_solutions,
    solve,
)

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
