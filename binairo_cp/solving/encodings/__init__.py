"""Translate constraints into the input of solvers.

Each row of `TARGETS` is an export format. Its module, and with it a library, is imported on first
use.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from binairo_cp.solving.encodings.export import Export


@dataclass(frozen=True, slots=True)
class Target:
    """An export format: the function `writer` of a module, and what menus and help say of it."""

    module: str
    title: str
    suffix: str
    summary: str
    writer: str = "write"

    def load(self) -> Callable[[Export], Iterator[str]]:
        """Import its module, which may take a second, and return its writer.

        The function returns the text in pieces. It raises `ExportError` if the format can't express
        the puzzle, or the text would be too large.
        """
        module = import_module(f"binairo_cp.solving.encodings.{self.module}")
        write: Callable[[Export], Iterator[str]] = getattr(module, self.writer)
        return write


TARGETS = {
    "dimacs": Target(
        "dimacs", "CNF (DIMACS)", ".cnf", "clauses, for SAT solvers and model counters"
    ),
    "opb": Target(
        "linear",
        "OPB",
        ".opb",
        "linear constraints over Booleans, for pseudo-Boolean solvers",
        "write_opb",
    ),
    "lp": Target(
        "constraint_languages",
        "Facts for clingo",
        ".lp",
        "facts for models/binairo.lp and clingo",
        "write_clingo",
    ),
    "dzn": Target(
        "constraint_languages",
        "Data for MiniZinc",
        ".dzn",
        "data for models/binairo.mzn and MiniZinc",
        "write_minizinc",
    ),
    "smt2": Target(
        "constraint_languages", "SMT-LIB 2", ".smt2", "SMT-LIB 2 (QF_LIA)", "write_smt2"
    ),
    "xcsp3": Target(
        "constraint_languages", "XCSP3", ".xml", "XCSP3-core, for CP solvers", "write_xcsp3"
    ),
    "flatzinc": Target(
        "linear",
        "FlatZinc",
        ".fzn",
        "linear constraints over integers, for CP solvers",
        "write_flatzinc",
    ),
    "wcnf": Target(
        "dimacs",
        "WCNF",
        ".wcnf",
        "clauses with soft clues, for MaxSAT solvers: break the fewest",
        "write_wcnf",
    ),
    "qdimacs": Target(
        "dimacs",
        "QDIMACS",
        ".qdimacs",
        "a quantified formula, for QBF solvers: are fewer enough?",
        "write_qdimacs",
    ),
    "mps": Target("mps", "MPS", ".mps", "an integer program, for MIP solvers"),
}
"""The export formats by name."""
