"""The API reference, as HTML. It is part of the documentation site.

Users can rely on what it documents; everything else may change without notice. pdoc makes the pages
from the docstrings.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from importlib import import_module
from importlib.metadata import version
from os import PathLike
from pathlib import Path
from types import FunctionType, ModuleType, NoneType
from typing import Any, Literal, Union, get_type_hints

import pdoc
from pdoc import doc_ast

from binairo_cp.features.arguments import PuzzleLike, RulesLike
from binairo_cp.formats import results
from binairo_cp.puzzle.rules import Rules

TEMPLATES = Path(__file__).resolve().parent / "site_templates" / "pdoc"

PUBLIC: dict[str, tuple[str, ...]] = {
    "binairo_cp": (),
    "binairo_cp.solving.backends": (),
    "binairo_cp.counting.counting": ("count_boards",),
    "binairo_cp.counting.sizes": ("Census",),
    "binairo_cp.certificates.checking": ("CheckedCertificate", "check"),
    "binairo_cp.certificates.container": ("read", "unzipped", "write", "zipped"),
    "binairo_cp.certificates.making": ("certify",),
    "binairo_cp.deduction.driver": ("next_round", "rounds"),
    "binairo_cp.deduction.grading": ("Grade", "grade"),
    "binairo_cp.deduction.steps": ("Step",),
    "binairo_cp.errors": (),
    "binairo_cp.workers.executors": (
        "Cluster",
        "WorkerSettings",
        "Executor",
        "Pool",
        "cores",
    ),
    "binairo_cp.formats": ("Entry", "read_sources", "write"),
    "binairo_cp.generation.boards": (
        "board_of_number",
        "count_boards",
        "draw_boards",
        "number_of_board",
    ),
    "binairo_cp.generation.puzzles": ("GeneratedPuzzle", "Recipe", "generate_puzzles"),
    "binairo_cp.reduction.clues": ("ClueAnalysis", "analyse_clues"),
    "binairo_cp.reduction.fewest": ("FewestClues", "fewest_clues"),
    "binairo_cp.reduction.repair": ("Repair", "repair"),
    "binairo_cp.formats.schema": ("PuzzleRecord", "RulesRecord"),
    "binairo_cp.formats.results": (
        "RESULT_VERSION",
        "Record",
        "Origin",
        "Finding",
        "SearchRecord",
        "ExplainedRecord",
        "JudgedRecord",
        "NeededRecord",
        "DecidedRecord",
        "ResultRecord",
        "ErrorRecord",
        "StepRecord",
        "ConsequenceRecord",
        "ChainRecord",
        "BrokenRecord",
        "MistakeRecord",
        "GradeRecord",
        "CluesRecord",
        "HelpRecord",
        "FewestRecord",
        "RepairRecord",
        "VerificationRecord",
    ),
    "binairo_cp.puzzle.symmetries": ("Symmetry", "symmetries", "symmetries_under", "canonical"),
}
"""The modules, and their names if not all are for users."""

TYPES: dict[str, Any] = {
    "Iterable": Iterable,
    "Literal": Literal,
    "NoneType": NoneType,
    "PathLike": PathLike,
    "PuzzleLike": PuzzleLike,
    "RulesLike": RulesLike,
    "Union": Union,
}
"""What annotations of features name, which are derived and not written in their modules."""


def build(folder: Path) -> None:
    """Write the pages of all public modules to a folder."""
    for name, names in PUBLIC.items():
        _prepare(import_module(name), names)
    # The types of fields are shown without what validates them.
    vars(results).update(Place=list[int], Span=list[list[int]], StatedRules=Rules)
    pdoc.render.configure(
        docformat="google",
        footer_text=f"binairo-cp {version('binairo-cp')}",
        template_directory=TEMPLATES,
    )
    pdoc.pdoc(*PUBLIC, output_directory=folder)


def _prepare(module: ModuleType, names: tuple[str, ...]) -> None:
    if names:
        module.__all__ = list(names)  # type: ignore[attr-defined]
    # pdoc looks for types, and for what is said of a value, where they are shown and not where they
    # are defined.
    for name in dir(module):
        each = getattr(module, name)
        if isinstance(each, FunctionType):
            each.__globals__.update(TYPES | each.__globals__)
        if isinstance(each, type) and hasattr(each, "_fields"):
            each.__new__.__annotations__ = get_type_hints(each)
    said = doc_ast.walk_tree(module).var_docstrings
    for node in ast.walk(doc_ast.parse(module)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("binairo_cp"):
            home = doc_ast.walk_tree(import_module(node.module)).var_docstrings
            said |= {each.name: home[each.name] for each in node.names if each.name in home}
