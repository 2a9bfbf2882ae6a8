"""Solve, check, count, explain, generate and draw Binairo puzzles (Takuzu, Binary Puzzle, Tango).

>>> import binairo_cp as bn
>>> print(bn.check("..1. ...0 ..10 .0.."))
unique
0011
1100
0110
1001

Each command of ``binairo`` is a function of the same name, with the same options:

- one puzzle: `solve`, `check`, `count`, `backbone`, `enumerate_solutions`
- for people: `hint`, `explain`, `grade`, `judge`
- its clues: `clues`, `fewest`, `repair`
- many puzzles: `check_many`, `solve_many`, `count_many`, `grade_many`
- new ones: `generate`, `board`, `lines`, `census`
- print: `render`, `book`
- files: `read`, `write`, `convert`, `encode`, `decode`, `certify`, `verify`, `audit`,
  `dataset`, `schema`

Wherever a function takes a puzzle, it takes a `Puzzle`, a `Board`, text in any format, an object
with a puzzle, such as an `Entry` of `read`, or the rows of a board as nested lists, an array or a
data frame of 0, 1 and -1. Results are frozen values: they print well, compare, pickle, and
`to_dict` returns the fields of the JSON records.

Errors are subclasses of `BinairoError`, in `binairo_cp.errors`. If the time runs out, a verdict is
*unknown*, never *none*. Importing the package loads no solver library: each loads on first use.

Other public modules:

- `binairo_cp.errors`: the exceptions
- `binairo_cp.formats`, `binairo_cp.formats.schema`, `binairo_cp.formats.results`: read without a
  list, and the JSON records of puzzles and results
- `binairo_cp.solving.backends`: the solvers by name, and their budgets
- `binairo_cp.deduction.driver`, `binairo_cp.deduction.grading`, `binairo_cp.deduction.steps`: solve
  by human techniques, round by round
- `binairo_cp.generation.puzzles`, `binairo_cp.generation.boards`: puzzles and boards by number
- `binairo_cp.reduction.clues`, `binairo_cp.reduction.fewest`, `binairo_cp.reduction.repair`: clues
- `binairo_cp.certificates.making`, `binairo_cp.certificates.checking`,
  `binairo_cp.certificates.container`: certificates in memory
- `binairo_cp.counting.counting`, `binairo_cp.counting.sizes`: count all boards of a size
- `binairo_cp.puzzle.symmetries`: symmetric images of puzzles, and canonical forms
- `binairo_cp.workers.executors`: run work in worker processes or on a cluster
"""

from typing import TYPE_CHECKING, Any

from binairo_cp.errors import BinairoError

if TYPE_CHECKING:
    from binairo_cp.batch.audit.collection import Audited
    from binairo_cp.batch.outcomes import Failure, Outcomes
    from binairo_cp.certificates.checking import CheckedCertificate
    from binairo_cp.deduction.grading import Grade
    from binairo_cp.deduction.hints import Explanation, Hint, Mistake
    from binairo_cp.deduction.judging import Judgement, Judgements
    from binairo_cp.deduction.steps import Step
    from binairo_cp.features.audit import audit, dataset
    from binairo_cp.features.book import book
    from binairo_cp.features.census import CensusResult, census, lines
    from binairo_cp.features.certify import certify, verify
    from binairo_cp.features.clues import clues, fewest, repair
    from binairo_cp.features.convert import convert, read, schema, write
    from binairo_cp.features.decode import Decoded, decode
    from binairo_cp.features.encode import encode
    from binairo_cp.features.filter import filter
    from binairo_cp.features.generate import board, generate
    from binairo_cp.features.render import render
    from binairo_cp.features.search import (
        backbone,
        check,
        count,
        enumerate_solutions,
        is_solution,
        solve,
    )
    from binairo_cp.features.steps import explain, grade, hint, judge
    from binairo_cp.formats import Entry
    from binairo_cp.generation.puzzles import GeneratedPuzzle
    from binairo_cp.many import Interrupted, check_many, count_many, grade_many, solve_many
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
        violations,
    )
    from binairo_cp.reduction.clues import ClueAnalysis
    from binairo_cp.reduction.fewest import FewestClues
    from binairo_cp.reduction.helpful import HelpfulValue, HelpfulValues
    from binairo_cp.reduction.repair import Repair
    from binairo_cp.solving.backbones import Backbone
    from binairo_cp.solving.minimal_conflicts import Contradiction
    from binairo_cp.solving.solutions import Outcome, Verdict

_NAMES = {
    "many": "Interrupted check_many count_many grade_many solve_many",
    "batch.audit.collection": "Audited",
    "batch.outcomes": "Failure Outcomes",
    "certificates.checking": "CheckedCertificate",
    "deduction.grading": "Grade",
    "deduction.hints": "Explanation Hint Mistake",
    "deduction.judging": "Judgement Judgements",
    "deduction.steps": "Step",
    "features.audit": "audit dataset",
    "features.book": "book",
    "features.census": "CensusResult census lines",
    "features.certify": "certify verify",
    "features.clues": "clues fewest repair",
    "features.convert": "convert read schema write",
    "features.decode": "Decoded decode",
    "features.encode": "encode",
    "features.filter": "filter",
    "features.generate": "board generate",
    "features.render": "render",
    "features.search": "backbone check count enumerate_solutions is_solution solve",
    "features.steps": "explain grade hint judge",
    "formats": "Entry",
    "generation.puzzles": "GeneratedPuzzle",
    "puzzle.board": "Board Cell Line",
    "puzzle.lines": "Lines legal_lines",
    "puzzle.rules": "CLASSIC PLUS Puzzle Rules Sign TANGO UNRULY Violation violations",
    "reduction.clues": "ClueAnalysis",
    "reduction.fewest": "FewestClues",
    "reduction.helpful": "HelpfulValue HelpfulValues",
    "reduction.repair": "Repair",
    "solving.backbones": "Backbone",
    "solving.minimal_conflicts": "Contradiction",
    "solving.solutions": "Outcome Verdict",
}
"""The public names in each module. A name is imported on first use: a command needs few of them."""

_LAZY = {name: module for module, names in _NAMES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"{__name__}.{_LAZY[name]}"), name)
    if _LAZY[name].startswith("features."):
        from binairo_cp.features.feature import described

        value = described(value)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    # Without what this module itself imports.
    return sorted({*__all__, "errors", *(name for name in globals() if name.startswith("__"))})


# A static analyser reads these.
__all__ = ["CLASSIC", "PLUS", "TANGO", "UNRULY"]
__all__ += ["Audited", "Backbone", "BinairoError", "Board", "Cell", "CensusResult"]
__all__ += ["CheckedCertificate", "ClueAnalysis", "Contradiction", "Decoded", "Entry"]
__all__ += ["Explanation", "Failure", "FewestClues", "GeneratedPuzzle", "Grade", "HelpfulValue"]
__all__ += ["HelpfulValues", "Hint", "Interrupted", "Judgement", "Judgements", "Line", "Lines"]
__all__ += ["Mistake", "Outcome", "Outcomes", "Puzzle", "Repair", "Rules", "Sign", "Step"]
__all__ += ["Verdict", "Violation"]
__all__ += ["audit", "backbone", "board", "book", "census", "certify", "check", "check_many"]
__all__ += ["clues", "convert", "count", "count_many", "dataset", "decode", "encode"]
__all__ += ["enumerate_solutions", "explain", "fewest", "filter", "generate", "grade", "grade_many"]
__all__ += ["hint", "is_solution", "judge", "legal_lines", "lines", "read", "render", "repair"]
__all__ += ["schema", "solve", "solve_many", "verify", "violations", "write"]
