"""The theorem in models/acl2: ACL2 proves it, and accepts certificates but no altered ones."""

from __future__ import annotations

import importlib.util
import subprocess
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from binairo_cp import CLASSIC, PLUS, Board, Puzzle, Rules, Sign, enumerate_solutions
from binairo_cp.certificates import record
from tests.support.programs import needed

FOLDER = Path("models/acl2")
KEPT = Path("tests/certificates/kept")
COVERED = ["classic-6x6", "none", "odd-7x7-zeros", "rectangular-4x6", "signs-6x6", "unruly-8x8"]

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def theorem() -> ModuleType:
    needed("acl2")
    return load_theorem()


def load_theorem() -> ModuleType:
    spec = importlib.util.spec_from_file_location("check_theorem", FOLDER / "check.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", COVERED)
def test_acl2_accepts_certificates(theorem: ModuleType, name: str) -> None:
    assert theorem.verdict(KEPT / f"{name}.zip") == "no other solution"


ALTERED: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "the puzzle has a clue less": (
        "puzzle_lisp",
        lambda text: text.replace("(2 . t) ", "", 1),
    ),
    "the puzzle has another clue": (
        "puzzle_lisp",
        lambda text: text.replace("(2 . t)", "(2 . nil)", 1),
    ),
    "lines may repeat": ("puzzle_lisp", lambda text: text.removesuffix("t)") + "nil)"),
    "longer runs are allowed": (
        "puzzle_lisp",
        lambda text: text.replace(" 2 0 t)", " 3 0 t)"),
    ),
    "the solution is not that of the puzzle": ("bits", lambda board: [not each for each in board]),
    "a variable has another meaning": (
        "meanings_of",
        lambda meanings: meanings | {37: (*meanings[37][:2], 2, meanings[37][3])},
    ),
    "a variable belongs to another line": (
        "meanings_of",
        lambda meanings: meanings | {37: (":count", meanings[37][1][::-1], 1, 1)},
    ),
    "the clauses have no reasons": ("hint", lambda hint: "(:trust-me)"),
}


@pytest.mark.parametrize("name", ALTERED)
def test_acl2_rejects_what_is_altered(
    theorem: ModuleType, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    function, alter = ALTERED[name]
    original = getattr(theorem, function)
    monkeypatch.setattr(theorem, function, lambda *arguments: alter(original(*arguments)))
    with pytest.raises(theorem.plain.Rejected, match="ACL2 does not accept it"):
        theorem.verdict(KEPT / "classic-6x6.zip")


def test_acl2_rejects_damaged_proofs(theorem: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    run, proof_lines = theorem.run, theorem.plain.proof_lines

    def run_damaged(commands: str, files: dict[str, bytes]) -> str:
        monkeypatch.setattr(theorem.plain, "proof_lines", lambda *_: proof_lines(*_)[1:])
        return str(run(commands, files))

    monkeypatch.setattr(theorem, "run", run_damaged)
    with pytest.raises(theorem.plain.Rejected, match="ACL2 does not accept it"):
        theorem.verdict(KEPT / "classic-6x6.zip")


COUNT = """
(in-package "LRAT")
(set-guard-checking :none)
(defun solutions (n board p)
  (if (zp n) (if (solutionp board p) 1 0)
    (+ (solutions (1- n) (cons t board) p) (solutions (1- n) (cons nil board) p))))
(cw "~%solutions: ~x0~%" (solutions 16 nil '{puzzle}))
"""


@pytest.mark.parametrize("rules", [CLASSIC, PLUS])
def test_the_book_has_the_same_solutions(theorem: ModuleType, rules: Rules) -> None:
    """The theorem would be worth nothing if no board were a solution. This tries all 4x4 boards."""
    for signs in ((), (Sign(0, 0, "D", "="), Sign(2, 1, "R", "x"))):
        puzzle = Puzzle(Board.parse(".1.. .... .... ...0"), rules, signs)
        files = {record.PUZZLE: record.puzzle_text(puzzle, None)}
        commands = COUNT.format(puzzle=theorem.puzzle_lisp(theorem.plain.read_puzzle(files)))
        load = f'(ld "{FOLDER.resolve()}/binairo.lisp" :ld-error-action :error)'
        done = subprocess.run(["acl2"], input=load + commands, capture_output=True, text=True)
        number = len(list(enumerate_solutions(puzzle, limit=1_000)))
        assert f"solutions: {number}" in done.stdout.splitlines()


def test_the_book_assumes_nothing() -> None:
    text = (FOLDER / "binairo.lisp").read_text()
    assert not any(word in text for word in ("skip-proofs", "defaxiom", "defttag", ":program"))


def test_rules_that_the_theorem_does_not_cover(theorem: ModuleType) -> None:
    for name in ("odd-7x7", "other-rules"):
        with pytest.raises(theorem.plain.Undecided, match="does not cover"):
            theorem.verdict(KEPT / f"{name}.zip")
