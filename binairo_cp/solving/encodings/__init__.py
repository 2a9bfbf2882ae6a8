"""Translate constraints into the input of solvers, one module per target.

Each row of `TARGETS` is an export format. Its module, and with it a library, is imported on first
use.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from binairo_cp.solving.encodings.heading import Export

__all__ = ["TARGETS", "Target"]


@dataclass(frozen=True, slots=True)
class Target:
    """An export format.

    Attributes:
        module: the module with its writer.
        title: its name in menus.
        suffix: the suffix of its files.
        summary: a description.
    """

    module: str
    title: str
    suffix: str
    summary: str

    def load(self) -> Callable[[Export], Iterator[str]]:
        """Import its module, which may take a second, and return its function `write`.

        The function returns the text in pieces. It raises `ExportError` if the format can't express
        the puzzle, or the text would be too large.
        """
        module = import_module(f"binairo_cp.solving.encodings.{self.module}")
        write: Callable[[Export], Iterator[str]] = module.write
        return write


TARGETS = {
    "dimacs": Target(
        "dimacs", "CNF (DIMACS)", ".cnf", "clauses, for SAT solvers and model counters"
    ),
    "opb": Target(
        "opb", "OPB", ".opb", "linear constraints over Booleans, for pseudo-Boolean solvers"
    ),
    "lp": Target("clingo", "Facts for clingo", ".lp", "facts for models/binairo.lp and clingo"),
    "dzn": Target(
        "minizinc", "Data for MiniZinc", ".dzn", "data for models/binairo.mzn and MiniZinc"
    ),
    "smt2": Target("smt2", "SMT-LIB 2", ".smt2", "SMT-LIB 2 (QF_LIA)"),
    "xcsp3": Target("xcsp3", "XCSP3", ".xml", "XCSP3-core, for CP solvers"),
    "flatzinc": Target(
        "flatzinc", "FlatZinc", ".fzn", "linear constraints over integers, for CP solvers"
    ),
    "wcnf": Target(
        "wcnf", "WCNF", ".wcnf", "clauses with soft clues, for MaxSAT solvers: break the fewest"
    ),
    "qdimacs": Target(
        "qdimacs", "QDIMACS", ".qdimacs", "a quantified formula, for QBF solvers: are fewer enough?"
    ),
    "mps": Target("mps", "MPS", ".mps", "an integer program, for MIP solvers"),
}
"""The export formats by name."""
