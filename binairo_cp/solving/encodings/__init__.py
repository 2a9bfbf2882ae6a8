"""Constraints, translated into what a solver eats: one file a target.

Each row of `TARGETS` is a language that puzzles are written in for programs of others; its module,
and with it a library, is imported when it is first asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module

from binairo_cp.solving.encodings.heading import Export
from binairo_cp.workers import resource_limits

__all__ = ["TARGETS", "Export", "Target"]


@dataclass(frozen=True, slots=True)
class Target:
    """A language that puzzles are written in.

    Attributes:
        module: where its writer is.
        suffix: the ending of its files' names.
        summary: what it is.
    """

    module: str
    suffix: str
    summary: str

    def write(self, export: Export) -> Iterator[str]:
        """The text, in pieces.

        Raises:
            ExportError: the language can't say it, or it would be too large.
        """
        with resource_limits.pause_clock():
            module = import_module(f"binairo_cp.solving.encodings.{self.module}")
        write: Callable[[Export], Iterator[str]] = module.write
        return write(export)


TARGETS = {
    "dimacs": Target("dimacs", ".cnf", "clauses, for SAT solvers and model counters"),
    "opb": Target("opb", ".opb", "linear constraints over Booleans, for pseudo-Boolean solvers"),
    "lp": Target("clingo", ".lp", "facts for models/binairo.lp and clingo"),
    "dzn": Target("minizinc", ".dzn", "data for models/binairo.mzn and MiniZinc"),
    "smt2": Target("smt2", ".smt2", "SMT-LIB 2 (QF_LIA)"),
    "mps": Target("mps", ".mps", "an integer program, for MIP solvers"),
}
"""The languages by name."""
