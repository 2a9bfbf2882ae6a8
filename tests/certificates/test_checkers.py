"""Other proof checkers agree with ours, and tampering does not pass that of ACL2."""

import json
import random
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Literal

import dratify
import pytest

from binairo_cp import Board, Puzzle, Rules, board, check, enumerate_solutions, fewest, generate
from binairo_cp.batch import verifying as verify
from binairo_cp.certificates import acl2, checking, container, making, record
from binairo_cp.certificates.container import Files
from binairo_cp.errors import BackendError, BudgetExceeded, CertificateError
from binairo_cp.formats import read_sources
from binairo_cp.formats.results import CheckerRecord
from tests.certificates.tampering import (
    DAMAGED_PROOFS,
    HARD,
    PUZZLES,
    TAMPERED,
    certificate,
    edited,
)
from tests.support.command_line import PATIENCE, call, invoke
from tests.support.programs import needed

SAMPLES = [
    *(f"instances/classic/{side:02}x{side:02}-hard.txt" for side in (6, 10, 14, 20)),
    "instances/unruly/14x14-hard.txt",
    "instances/signs/10x10-hard.ndjson",
    "instances/odd/11x11-hard.txt",
    "instances/rectangular/04x06-hard.line",
]


@pytest.fixture(scope="module")
def hard() -> Files:
    return certificate(HARD)


def accepted_by_dratify(files: Files) -> bool:
    result = dratify.check_proof(
        dratify.parse_dimacs(files[record.FORMULA].decode()),
        container.unpacked(record.DRAT, files[record.DRAT]).decode(),
    )
    return bool(result.ok and result.reached_empty)


def accepted_by_all(files: Files, seconds: float = 300) -> bool:
    needed("acl2")
    return acl2.check(files, seconds).accepts and accepted_by_dratify(files)


@pytest.mark.parametrize("source", SAMPLES)
@pytest.mark.parametrize("checker", ["dratify", pytest.param("acl2", marks=pytest.mark.slow)])
def test_other_checkers_agree(source: str, checker: str) -> None:
    puzzle = next(iter(read_sources([source]))).puzzle
    assert puzzle
    files = certificate(puzzle)
    assert accepted_by_dratify(files) if checker == "dratify" else accepted_by_all(files)


@pytest.mark.rotating
@pytest.mark.slow
@pytest.mark.parametrize("rules", ["classic", "unruly", "plus"])
@pytest.mark.parametrize("side", range(4, 21, 2))
def test_all_checkers_agree_on_all_sizes(side: int, rules: Literal["classic", "unruly", "plus"]):
    (generated,) = generate(side, rules=rules, signs=side * (rules == "plus"), seed=1)
    assert bool(generated.puzzle.signs) == (rules == "plus")
    assert accepted_by_all(certificate(generated.puzzle))


@pytest.mark.slow
@pytest.mark.parametrize(
    "size", ["16x18", "30x30", pytest.param("64x64", marks=pytest.mark.nightly)]
)
def test_all_checkers_agree_on_large_boards(size: str, tmp_path: Path) -> None:
    """Some checkers have limits for lines, such as 1,024 characters for a comment."""
    [solution] = board(size, seed=1)
    puzzle = _with_few_clues(solution)
    files = certificate(puzzle)
    assert record.LRAT in files
    formula = files[record.FORMULA]
    assert max(len(line) for line in formula.splitlines() if line.startswith(b"c")) < 1000
    assert checking.check(files).solutions == (solution,)
    container.write(files, tmp_path / "c.zip")
    alone = [sys.executable, "models/verify_certificate.py", tmp_path / "c.zip"]
    assert b"valid" in subprocess.run(alone, stdout=subprocess.PIPE, check=True).stdout
    assert accepted_by_all(files, 600)
    (tmp_path / "f.cnf").write_bytes(formula)
    solved = [needed("cadical"), "-q", "--check", tmp_path / "f.cnf"]
    assert subprocess.run(solved, stdout=subprocess.PIPE).returncode == 20


def _with_few_clues(solution: Board) -> Puzzle:
    """A puzzle with this solution only: as many cells are open as possible, in steps of 5 %."""
    cells = list(range(len(solution.cells)))
    random.Random(1).shuffle(cells)
    for clues in range(30, 100, 5):
        kept = set(cells[: len(cells) * clues // 100])
        text = "".join(c if k in kept else "." for k, c in enumerate(solution.cells))
        puzzle = Puzzle(Board(solution.height, solution.width, text))
        if check(puzzle, reasons="none", time_limit=60).verdict == "unique":
            return puzzle
    raise AssertionError("a board with all cells has one solution")


def test_acl2_is_named_with_its_version(hard: Files, tmp_path: Path) -> None:
    needed("acl2")
    container.write(hard, tmp_path / 'it\'s "one".zip')
    done = invoke("verify", f"{tmp_path}", "--checker", "acl2", "--to", "ndjson", check=0)
    checkers = json.loads(done.stdout)["checkers"]
    assert [each["name"] for each in checkers] == ["own", "acl2"]
    assert all(each["accepts"] and each["version"][0].isdigit() for each in checkers)
    done = invoke("verify", f'{tmp_path}/it\'s "one".zip', "--checker", "acl2", check=0)
    assert f"\n  acl2 {checkers[-1]['version']}: accepts the proof\n" in done.stdout


def test_a_proof_that_acl2_rejects(hard: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = CheckerRecord(name="acl2", version="8.5", accepts=False, reason="It fails.")
    monkeypatch.setattr(acl2, "check", lambda *_: answer)
    message = "^acl2 8.5 does not accept the proof .It fails.*; accepted by own "
    with pytest.raises(CertificateError, match=message) as error:
        verify.checked(hard, "acl2", 60)
    assert error.value.checkers[1] == answer


@pytest.mark.rotating
@pytest.mark.slow
@pytest.mark.parametrize("name", DAMAGED_PROOFS)
def test_damaged_proofs_do_not_pass_acl2(hard: Files, name: str) -> None:
    needed("acl2")
    assert not acl2.check(edited(hard, record.LRAT, DAMAGED_PROOFS[name]), 60).accepts


def test_other_checkers_never_read_what_ours_rejects(hard: Files, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(acl2, "check", lambda *_: pytest.fail("was run"))
    for tamper, _ in TAMPERED.values():
        with pytest.raises(CertificateError):
            verify.checked(tamper(hard), "acl2", 60)


@pytest.mark.rotating
@pytest.mark.slow
@pytest.mark.parametrize("odd", ["either", "ones", "zeros"])
@pytest.mark.parametrize("side", [5, 7, 9, 11])
def test_all_checkers_agree_on_odd_lines(side: int, odd: Literal["either", "ones", "zeros"]):
    empty = Puzzle(Board.empty(side, side), Rules(odd=odd))
    board = next(enumerate_solutions(empty))
    puzzle = fewest(Puzzle(board, empty.rules)).puzzle
    assert accepted_by_all(certificate(puzzle))


ONLY_OURS = (
    *("a clue", "another clue", "the rules", "no rules", "a size", "the solution"),
    *("an open solution", "no board", "a clause less"),
    *("a comment", "another claim", "another version", "another encoder", "another field"),
    *("a length", "a missing file", "a puzzle that says two things"),
)
"""Ways to tamper with a certificate that only our checks notice, of `TAMPERED`."""


@pytest.mark.rotating
@pytest.mark.slow
@pytest.mark.parametrize("name", ONLY_OURS)
def test_what_only_our_checks_detect(hard: Files, name: str) -> None:
    """A proof checker sees only the formula and the proof, and both are sound here."""
    needed("acl2")
    assert acl2.check(TAMPERED[name][0](hard), 60).accepts


def test_acl2_reads_no_lisp(hard: Files) -> None:
    """Our check rejects it first. But it must not reach the Lisp reader in any case."""
    needed("acl2")
    for line in ('#.(sys-call "true" nil)', "999 1 d 0 0", "d", '"'):
        files = edited(hard, record.LRAT, lambda lines, line=line: [*lines, line])
        with pytest.raises(CertificateError, match="is not a line such as"):
            checking.check(files)
        with pytest.raises(BackendError, match="has lines that are not numbers"):
            acl2.check(files)


@pytest.mark.parametrize(("output", "status", "accepts"), [
    (b"ACL2 Version 8.5\ns VERIFIED\n", 0, True),
    (b"ACL2 Version 8.5\ns VERIFIED\n", 1, None),
    (b"ACL2 Version 8.5\ns VERIFIED.\n", 0, None),
    (b"ACL2 Version 8.5\nxs VERIFIED\n", 0, None),
    (b"s VERIFIED\n", 0, None),
    (b"ACL2 Version 8.5\ns FAILED\n", 1, False),
    (b"ACL2 Version 8.5\ns FAILED\ns VERIFIED\n", 0, False),
    (b"ACL2 Version 8.5\nHARD ACL2 ERROR in LRAT::X:  It fails.\n", 0, False),
    (b"ACL2 Version 8.5\nACL2 Error in ( INCLUDE-BOOK ...):\nBye.\n", 0, None),
    (b"", -11, None),
])  # fmt: skip
def test_the_output_of_acl2_is_judged_strictly(
    hard: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    output: bytes, status: int, accepts: bool | None,
) -> None:  # fmt: skip
    (tmp_path / "output").write_bytes(output)
    end = "kill -11 $$" if status < 0 else f"exit {status}"
    (tmp_path / "acl2").write_text(f"#!/bin/sh\ncat {tmp_path}/output\n{end}\n")
    (tmp_path / "acl2").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    if accepts is None:
        with pytest.raises(BackendError, match=r"acl2 failed: .*acl2-books-certs"):
            acl2.check(hard)
    else:
        assert acl2.check(hard).accepts is accepts


def test_what_to_install_for_acl2(hard: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    container.write(hard, tmp_path / "x.zip")
    monkeypatch.setattr("shutil.which", lambda name: None)
    status, said, _ = call("verify", str(tmp_path / "x.zip"), "--checker", "acl2")
    assert status == 2
    assert f"not verified: acl2 is not installed; apt-get install {acl2.PACKAGES}" in said


def test_acl2_needs_an_lrat_proof(hard: Files) -> None:
    needed("acl2")
    files = {name: data for name, data in hard.items() if name != record.LRAT}
    with pytest.raises(BackendError, match="the certificate has only a DRAT proof"):
        acl2.check(files)


def test_acl2_has_limits(hard: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    needed("acl2")
    with pytest.raises(BudgetExceeded):
        acl2.check(hard, 0)
    monkeypatch.setattr(acl2, "MAX_MEMORY", 1 << 20)
    with pytest.raises(BackendError, match="acl2 failed"):
        acl2.check(hard, 60)


@pytest.mark.parametrize(("program", "error", "reason"), [
    ("sleep 1000 & echo $! >started; wait", BudgetExceeded, "the time allowed ran out"),
    ("yes", BackendError, "acl2 failed: signal 25"),
    ("echo out of luck >&2; exit 3", BackendError, "acl2 failed: exit status 3 out of luck"),
])  # fmt: skip
def test_a_program_that_does_not_answer(
    hard: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    program: str, error: type[Exception], reason: str,
) -> None:  # fmt: skip
    """Its time and its output are bounded, and what it has started ends with it."""
    (tmp_path / "acl2").write_text(f"#!/bin/sh\ncd {tmp_path}\n{program}\n")
    (tmp_path / "acl2").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    with pytest.raises(error, match=reason):
        acl2.check(hard, 2 if error is BudgetExceeded else 60)
    if error is BudgetExceeded:
        status = Path("/proc", (tmp_path / "started").read_text().strip(), "status")
        with suppress(FileNotFoundError):
            assert any("\tZ" in status.read_text() or time.sleep(0.1) for _ in range(10 * PATIENCE))


def test_two_solutions_need_no_checker() -> None:
    puzzle = PUZZLES["multiple"]
    files, _ = making.certify(puzzle, check(puzzle))
    assert verify.checked(files, "acl2", 60).checkers == ()
