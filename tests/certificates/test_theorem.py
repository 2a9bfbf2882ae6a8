"""The theorem in models/acl2: ACL2 proves it, and accepts certificates but no altered ones."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from binairo_cp import Board, certify, enumerate_solutions, generate
from binairo_cp.certificates import record
from binairo_cp.puzzle.rules import CLASSIC, PLUS, Puzzle, Rules, Sign
from tests.support.programs import loaded, needed

FOLDER = Path("models/acl2")
KEPT = Path("tests/certificates/kept")
COVERED = [
    *("classic-6x6", "none", "odd-7x7", "odd-7x7-zeros", "other-rules", "rectangular-4x6"),
    *("signs-6x6", "unruly-8x8"),
]

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def theorem() -> ModuleType:
    needed("acl2")
    return loaded(FOLDER / "check.py")


@pytest.mark.rotating
@pytest.mark.parametrize("name", COVERED)
def test_acl2_accepts_certificates(theorem: ModuleType, name: str) -> None:
    assert theorem.verdict(KEPT / f"{name}.zip") == "no other solution"


ALTERED: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "the puzzle has a clue less": ("puzzle_lisp", lambda text: text.replace("(2 . t) ", "", 1)),
    "the puzzle has another clue": ("puzzle_lisp", lambda text: text.replace("(2 . t)", "(2 . nil)", 1)),
    "lines may repeat": ("puzzle_lisp", lambda text: text.removesuffix("t)") + "nil)"),
    "longer runs are allowed": ("puzzle_lisp", lambda text: text.replace(" 2 :either t)", " 3 :either t)")),
    "the solution is not that of the puzzle": ("bits", lambda board: [not each for each in board]),
    "a variable has another meaning": ("meanings_of", lambda meanings: meanings | {37: (*meanings[37][:2], 2, meanings[37][3])}),
    "a variable belongs to another line": ("meanings_of", lambda meanings: meanings | {37: (":count", meanings[37][1][::-1], 1, 1)}),
    "the clauses have no reasons": ("hint", lambda hint: "(:trust-me)"),
}  # fmt: skip


@pytest.mark.rotating
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

    def run_damaged(*arguments: Any) -> None:
        monkeypatch.setattr(theorem.plain, "proof_lines", lambda *_: proof_lines(*_)[1:])
        run(*arguments)

    monkeypatch.setattr(theorem, "run", run_damaged)
    with pytest.raises(theorem.plain.Rejected, match="ACL2 does not accept it"):
        theorem.verdict(KEPT / "classic-6x6.zip")


COUNT = """
(in-package "LRAT")
(set-guard-checking :none)
(defun solutions (n board p)
  (if (zp n) (if (solutionp board p) 1 0)
    (+ (solutions (1- n) (cons t board) p) (solutions (1- n) (cons nil board) p))))
(cw "~%solutions: ~x0~%" (solutions {cells} nil '{puzzle}))
"""


@pytest.mark.rotating
@pytest.mark.parametrize(("clues", "rules"), [
    (".1.. .... .... ...0", CLASSIC),
    (".1.. .... .... ...0", PLUS),
    (".1... ..... ....0", CLASSIC),
    (".1... ..... ....0", Rules(odd="ones", distinct_lines=False)),
    (".1... ..... ....0", Rules(odd="zeros")),
    (".1... ..... ....0", Rules(balanced=False, longest_run=3)),
])  # fmt: skip
def test_the_book_has_the_same_solutions(theorem: ModuleType, clues: str, rules: Rules) -> None:
    """The theorem would be worth nothing if no board were a solution. This tries all boards."""
    for signs in ((), (Sign(0, 0, "D", "="), Sign(2, 1, "R", "x"))):
        puzzle = Puzzle(Board.parse(clues), rules, signs)
        files = {record.PUZZLE: record.puzzle_text(puzzle, None)}
        commands = COUNT.format(
            cells=len(puzzle.board.cells),
            puzzle=theorem.puzzle_lisp(theorem.plain.read_puzzle(files)),
        )
        load = f'(ld "{FOLDER.resolve()}/binairo.lisp" :ld-error-action :error)'
        done = subprocess.run(["acl2"], input=load + commands, capture_output=True, text=True)
        number = len(list(enumerate_solutions(puzzle, limit=100_000)))
        assert f"solutions: {number}" in done.stdout.splitlines()


def test_the_book_assumes_nothing() -> None:
    text = (FOLDER / "binairo.lisp").read_text()
    assert not any(word in text for word in ("skip-proofs", "defaxiom", "defttag", ":program"))


@pytest.mark.nightly
def test_acl2_compiles_its_functions_for_large_puzzles(theorem: ModuleType, tmp_path: Path) -> None:
    """Without that, 20x20 would be too large for its stack."""
    (made,) = generate(20, seed=1)
    certify(made.puzzle, tmp_path / "x.zip", time_limit=600)
    assert theorem.verdict(tmp_path / "x.zip") == "no other solution"


def test_certificates_that_say_nothing_about_other_solutions(theorem: ModuleType) -> None:
    for name, message in (("multiple", "nothing to prove"), ("drat-only-6x6", "no LRAT proof")):
        with pytest.raises(theorem.plain.Undecided, match=message):
            theorem.verdict(KEPT / f"{name}.zip")


ALTERED_HALVES: dict[str, Callable[[str], str]] = {
    "a spare cell is of another line": lambda text: text.replace("(:spare (0 1 2 3 4 5 6))", "(:spare (7 8 9 10 11 12 13))", 1),
    "one more 1": lambda text: text.replace(" 2 :either t)", " 2 1 t)"),
    "no rule of balance": lambda text: text.replace(" 2 :either t)", " 2 :unbalanced t)"),
    "another number": lambda text: text.replace("(:half (0 1 2 3 4 5 6) 3 4)", "(:half (0 1 2 3 4 5 6) 3 3)"),
}  # fmt: skip


@pytest.mark.rotating
@pytest.mark.parametrize("name", ALTERED_HALVES)
def test_acl2_rejects_altered_halves(
    theorem: ModuleType, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = theorem.no_other_solution

    def altered(*arguments: Any) -> str:
        text = original(*arguments)
        assert ALTERED_HALVES[name](text) != text
        return ALTERED_HALVES[name](text)

    monkeypatch.setattr(theorem, "no_other_solution", altered)
    with pytest.raises(theorem.plain.Rejected, match="ACL2 does not accept it"):
        theorem.verdict(KEPT / "odd-7x7.zip")
