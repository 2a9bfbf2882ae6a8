"""Other proof checkers agree with ours, and tampering does not pass them."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Literal

import pytest

from binairo_cp import Board, Puzzle, Rules, board, check, enumerate_solutions, fewest, generate
from binairo_cp.batch import verifying as verify
from binairo_cp.certificates import checking, container, foreign_checkers, making, record
from binairo_cp.certificates.container import Files
from binairo_cp.errors import BackendError, BudgetExceeded, CertificateError
from binairo_cp.formats import read_sources
from tests.certificates.tampering import (
    DAMAGED_PROOFS,
    HARD,
    PUZZLES,
    TAMPERED,
    certificate,
    edited,
)
from tests.support.command_line import call, invoke
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


@pytest.mark.parametrize("source", SAMPLES)
@pytest.mark.parametrize("checker", ["dratify", pytest.param("acl2", marks=pytest.mark.slow)])
def test_other_checkers_agree(source: str, checker: str) -> None:
    if checker == "acl2":
        needed("acl2")
    puzzle = next(iter(read_sources([source]))).puzzle
    assert puzzle
    (answer,) = foreign_checkers.run_checkers(checker, certificate(puzzle), 60)
    assert (answer.name, answer.accepts) == (checker, True)


@pytest.mark.rotating
@pytest.mark.slow
@pytest.mark.parametrize("rules", ["classic", "unruly"])
@pytest.mark.parametrize("side", range(4, 21, 2))
def test_all_checkers_agree_on_all_sizes(side: int, rules: Literal["classic", "unruly"]) -> None:
    needed("acl2")
    (generated,) = generate(side, rules=rules, seed=1)
    answers = foreign_checkers.run_checkers("all", certificate(generated.puzzle), 60)
    assert [each.accepts for each in answers] == [True, True]


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
    needed("acl2")
    answers = foreign_checkers.run_checkers("all", files, 600)
    assert [each.accepts for each in answers] == [True, True]
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


def test_all_checkers_are_named_with_their_versions(hard: Files, tmp_path: Path) -> None:
    needed("acl2")
    container.write(hard, tmp_path / 'it\'s "one".zip')
    done = invoke("verify", f"{tmp_path}", "--checker", "all", "--to", "ndjson", check=0)
    checkers = json.loads(done.stdout)["checkers"]
    assert [each["name"] for each in checkers] == ["own", *foreign_checkers.CHECKERS]
    assert all(each["accepts"] and each["version"][0].isdigit() for each in checkers)
    done = invoke("verify", f'{tmp_path}/it\'s "one".zip', "--checker", "acl2", check=0)
    assert f"\n  acl2 {checkers[-1]['version']}: accepts the proof\n" in done.stdout


@pytest.mark.rotating
@pytest.mark.slow
@pytest.mark.parametrize("name", DAMAGED_PROOFS)
def test_damaged_proofs_do_not_pass_acl2(hard: Files, name: str) -> None:
    needed("acl2")
    assert not foreign_checkers.check_with_acl2(
        edited(hard, record.LRAT, DAMAGED_PROOFS[name]), 60
    ).accepts


def test_other_checkers_never_read_what_ours_rejects(
    hard: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(foreign_checkers, "run_checkers", lambda *_: pytest.fail("was run"))
    for tamper, _ in TAMPERED.values():
        with pytest.raises(CertificateError):
            verify.checked(tamper(hard), "all", 60)


@pytest.mark.rotating
@pytest.mark.slow
@pytest.mark.parametrize("side", range(4, 21, 2))
def test_all_checkers_agree_on_signs_of_all_sizes(side: int) -> None:
    needed("acl2")
    (generated,) = generate(side, rules="plus", signs=side, seed=1)
    assert generated.puzzle.signs
    answers = foreign_checkers.run_checkers("all", certificate(generated.puzzle), 300)
    assert [each.accepts for each in answers] == [True, True]


@pytest.mark.rotating
@pytest.mark.slow
@pytest.mark.parametrize("odd", ["either", "ones", "zeros"])
@pytest.mark.parametrize("side", [5, 7, 9, 11])
def test_all_checkers_agree_on_odd_lines(
    side: int, odd: Literal["either", "ones", "zeros"]
) -> None:
    needed("acl2")
    empty = Puzzle(Board.empty(side, side), Rules(odd=odd))
    board = next(enumerate_solutions(empty))
    puzzle = fewest(Puzzle(board, empty.rules)).puzzle
    answers = foreign_checkers.run_checkers("all", certificate(puzzle), 300)
    assert [each.accepts for each in answers] == [True, True]


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
    assert foreign_checkers.check_with_acl2(TAMPERED[name][0](hard), 60).accepts


def test_acl2_reads_no_lisp(hard: Files) -> None:
    """Our check rejects it first. But it must not reach the Lisp reader in any case."""
    needed("acl2")
    for line in ('#.(sys-call "true" nil)', "999 1 d 0 0", "d", '"'):
        files = edited(hard, record.LRAT, lambda lines, line=line: [*lines, line])
        with pytest.raises(CertificateError, match="is not a line such as"):
            checking.check(files)
        with pytest.raises(BackendError, match="has lines that are not numbers"):
            foreign_checkers.check_with_acl2(files)


@pytest.mark.parametrize(
    ("output", "status", "accepts"),
    [
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
    ],
)
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
            foreign_checkers.check_with_acl2(hard)
    else:
        assert foreign_checkers.check_with_acl2(hard).accepts is accepts


def test_missing_checkers_are_named(
    hard: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    container.write(hard, tmp_path / "x.zip")
    monkeypatch.setattr("shutil.which", lambda name: None)
    for checker in ("acl2", "all"):
        status, said, _ = call("verify", str(tmp_path / "x.zip"), "--checker", checker)
        assert status == 2
        assert (
            f"not verified: acl2 is not installed; apt-get install {foreign_checkers.PACKAGES}"
            in said
        )


def test_acl2_needs_an_lrat_proof(hard: Files) -> None:
    needed("acl2")
    files = {name: data for name, data in hard.items() if name != record.LRAT}
    with pytest.raises(BackendError, match="the certificate has only a DRAT proof"):
        foreign_checkers.check_with_acl2(files)


@pytest.mark.parametrize("checker", foreign_checkers.CHECKERS)
def test_checkers_have_limits(hard: Files, checker: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if checker == "acl2":
        needed("acl2")
    with pytest.raises(BudgetExceeded):
        foreign_checkers.run_checkers(checker, hard, 0)
    monkeypatch.setattr(foreign_checkers, "MAX_MEMORY", 1 << 20)
    with pytest.raises(BackendError, match=f"{checker} failed"):
        foreign_checkers.run_checkers(checker, hard, 60)


def test_two_solutions_need_no_checker() -> None:
    puzzle = PUZZLES["multiple"]
    files, _ = making.certify(puzzle, check(puzzle))
    assert verify.checked(files, "all", 60).checkers == ()


CHECKERS = {
    "print('c fine'); print('s VERIFIED')": (0, "accepts the proof"),
    "print('\\r s VERIFIED UNSAT')": (0, "accepts the proof"),
    "print('s VERIFIED'); print('trailing')": (0, "accepts the proof"),
    "print('first'); print('second')": (1, "does not accept the proof (second)"),
    "print('s NOT VERIFIED')": (1, "does not accept the proof (s NOT VERIFIED)"),
    "print('s VERIFIED'); raise SystemExit(1)": (1, "does not accept the proof (s VERIFIED)"),
    "": (1, "does not accept the proof (exit status 0)"),
}


@pytest.mark.parametrize("code", CHECKERS)
def test_a_command_as_another_checker(tmp_path: Path, code: str) -> None:
    status, message = CHECKERS[code]
    out, script = tmp_path / "x.zip", tmp_path / "checker.py"
    script.write_text(
        f"import sys; assert len(open(sys.argv[1]).read()) > 9, open(sys.argv[2])\n{code}"
    )
    container.write(certificate(HARD), out)
    for command in (f"{sys.executable} {script}", f"{sys.executable} {script} {{cnf}} {{lrat}}"):
        ended, said, _ = call("verify", str(out), "--checker", command)
        assert ended == status
        assert message in said


def test_a_command_may_have_any_name(hard: Files) -> None:
    with pytest.raises(CertificateError, match="does not accept the proof"):
        verify.checked(hard, "false", 60)
