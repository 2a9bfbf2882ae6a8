"""The verifier in models/ shares no code with the package, and comes to the same conclusions."""

import ast
import json
import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from binairo_cp import PLUS, Board, Puzzle, Sign, check, generate
from binairo_cp.certificates import checking, container, making, record
from binairo_cp.certificates.container import Files
from binairo_cp.certificates.formula import FormulaBuilder
from binairo_cp.errors import CertificateError
from tests.certificates.tampering import (
    DAMAGED_PROOFS,
    HARD,
    PUZZLES,
    TAMPERED,
    certificate,
    edited,
    sealed,
    without,
)
from tests.support.programs import loaded
from tests.support.strategies import examples, puzzles

SCRIPT = Path("models/verify_certificate.py")
MOST_LINES = 405
KEPT = sorted(Path("tests/certificates/kept").glob("*.zip"))
WORDS = {"unique": "exactly one solution", "none": "no solution", "multiple": "several solutions"}


@pytest.fixture(scope="module")
def standalone() -> ModuleType:
    return loaded(SCRIPT)


@pytest.fixture(scope="module")
def hard() -> Files:
    return certificate(HARD)


def result(standalone: ModuleType, files: Files, folder: Path) -> str:
    container.write(files, folder / "x.zip")
    return str(standalone.verify(folder / "x.zip"))


def expect_rejection(standalone: ModuleType, files: Files, message: str, folder: Path) -> None:
    """Both verifiers reject a certificate."""
    with pytest.raises(CertificateError, match=message):
        checking.check(files)
    with pytest.raises(standalone.Rejected):
        result(standalone, files, folder)


def lines_of_code(text: str) -> int:
    """The number of lines that are not blank, and not only comments or docstrings."""
    prose: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef) and ast.get_docstring(
            node
        ):
            prose |= {*range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1)}
    return sum(
        number not in prose and not re.fullmatch(r"\s*(#.*)?", line)
        for number, line in enumerate(text.splitlines(), 1)
    )


def test_it_is_short_and_needs_only_python() -> None:
    text = SCRIPT.read_text()
    assert lines_of_code(text) <= MOST_LINES
    imported = re.findall(r"^(?:from|import) (\w+)", text, re.MULTILINE)
    assert set(imported) <= sys.stdlib_module_names


@pytest.mark.parametrize("path", KEPT, ids=lambda path: path.stem)
def test_certificates_of_earlier_versions_are_valid(standalone: ModuleType, path: Path) -> None:
    found = checking.check(container.read(path))
    if path.stem.startswith("drat-only"):
        with pytest.raises(standalone.Undecided, match="no LRAT proof"):
            standalone.verify(path)
        return
    said = standalone.verify(path)
    assert said.startswith(WORDS[found.claim])
    assert said.partition(" (")[0] == str(found).removeprefix("valid: ")


def test_a_certificate_of_each_claim_is_kept() -> None:
    claims = {checking.check(container.read(path)).claim for path in KEPT}
    assert claims == set(record.Claim)


@pytest.mark.slow
@pytest.mark.parametrize("rules", ["classic", "unruly"])
@pytest.mark.parametrize("side", range(4, 21, 2))
def test_it_accepts_certificates_of_all_sizes(
    standalone: ModuleType, side: int, rules: Literal["classic", "unruly"], tmp_path: Path
) -> None:
    (generated,) = generate(side, rules=rules, seed=1)
    assert result(standalone, certificate(generated.puzzle), tmp_path).startswith(WORDS["unique"])


@given(puzzle=puzzles())
def test_puzzles_of_all_kinds_are_certified(
    standalone: ModuleType, tmp_path_factory: pytest.TempPathFactory, puzzle: Puzzle
) -> None:
    outcome = check(puzzle, reasons="none", time_limit=2)
    if outcome.verdict != "unknown":
        files, found = making.certify(puzzle, outcome)
        assert (found.claim, found.puzzle) == (outcome.verdict, puzzle)
        assert record.LRAT in files or outcome.verdict == "multiple"
        said = result(standalone, files, tmp_path_factory.mktemp("x"))
        assert said.startswith(WORDS[outcome.verdict])


def test_it_sorts_signs_as_the_formula_does(standalone: ModuleType, tmp_path: Path) -> None:
    signs = (Sign(0, 0, "R", "="), Sign(0, 0, "D", "x"), Sign(1, 0, "R", "x"))
    files = certificate(Puzzle(Board.parse(".1.. ...1 0... ...."), PLUS, signs))
    assert result(standalone, files, tmp_path)


@pytest.mark.parametrize("name", TAMPERED)
def test_tampered_certificates_are_rejected(
    standalone: ModuleType, hard: Files, name: str, tmp_path: Path
) -> None:
    tamper, message = TAMPERED[name]
    expect_rejection(standalone, tamper(hard), message, tmp_path)


@pytest.mark.parametrize("name", DAMAGED_PROOFS)
def test_damaged_proofs_are_rejected(
    standalone: ModuleType, hard: Files, name: str, tmp_path: Path
) -> None:
    files = edited(hard, record.LRAT, DAMAGED_PROOFS[name])
    expect_rejection(standalone, files, r"proof\.lrat\.gz: ", tmp_path)


def test_it_rejects_a_proof_with_hints_to_unknown_clauses(standalone: ModuleType, tmp_path: Path):
    """With hints to nothing, a puzzle with twelve solutions would have none."""
    none = certificate(Puzzle(Board.parse("000. .... .... ....")))
    puzzle = Puzzle(Board.parse("00.. .... .... ...."))
    formula = FormulaBuilder(puzzle, None)
    last = len(formula.formula.clauses) + 1
    files = {
        record.PUZZLE: record.puzzle_text(puzzle, None),
        record.FORMULA: formula.text,
        record.DRAT: container.packed(b"0\n"),
        record.LRAT: container.packed(f"{last} 0 1 2 99999 0\n".encode()),
    }
    manifest = json.loads(none[record.MANIFEST]) | {"formula": {"encoder": 1}}
    del manifest["conflict"]
    forged = sealed(files | {record.MANIFEST: json.dumps(manifest).encode()})
    with pytest.raises(standalone.Rejected, match="line 1: the clause does not follow"):
        result(standalone, forged, tmp_path)


def test_equal_solutions_are_rejected(standalone: ModuleType, tmp_path: Path) -> None:
    files = certificate(PUZZLES["multiple"])
    same = sealed(files | {record.SECOND_SOLUTION: files[record.SOLUTION]})
    expect_rejection(standalone, same, "two solutions are the same", tmp_path)


@examples(2)
@given(data=st.data())
def test_damaged_zips_are_rejected_or_unchanged(
    standalone: ModuleType,
    hard: Files,
    tmp_path_factory: pytest.TempPathFactory,
    data: st.DataObject,
) -> None:
    zipped = bytearray(container.zipped(hard))
    for place in data.draw(st.lists(st.integers(0, len(zipped) - 1), min_size=1, max_size=3)):
        zipped[place] = data.draw(st.integers(0, 255))
    path = tmp_path_factory.mktemp("x") / "x.zip"
    path.write_bytes(zipped)
    for verify in (standalone.verify, lambda path: checking.check(container.read(path))):
        with suppress(standalone.Rejected, CertificateError):
            verify(path)
            # Dates and similar metadata do not matter.
            assert without(container.read(path), record.MANIFEST) == without(hard, record.MANIFEST)


def test_the_command_line(hard: Files, tmp_path: Path) -> None:
    container.write(hard, tmp_path / "good.zip")
    container.write(hard, tmp_path / "good")
    container.write(TAMPERED["a clue"][0](hard), tmp_path / "bad.zip")
    (tmp_path / "no.zip").write_text("hello")
    for arguments, status, message in (
        (["good.zip", "good"], 0, "'good': valid: exactly one solution"),
        (["bad.zip", "good.zip"], 1, "'bad.zip': rejected: formula.cnf, line 7: 'c clues ..10..'"),
        (["no.zip"], 1, "'no.zip': rejected: it is neither a folder nor a zip"),
        (["nowhere.zip", "bad.zip"], 2, "'nowhere.zip': undecided: No such file or directory"),
        ([], 2, "usage: "),
    ):
        # Without the folders of installed packages.
        command = [sys.executable, "-I", "-S", str(SCRIPT.resolve()), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
        assert done.returncode == status
        assert message in done.stdout + done.stderr
        assert "Traceback" not in done.stderr
