"""Certificates of the number of solutions, and of clues that contradict each other."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given

from binairo_cp import (
    PLUS,
    BinairoError,
    Board,
    Puzzle,
    Rules,
    Sign,
    certify,
    check,
    enumerate_solutions,
    solve,
)
from binairo_cp.certificates import (
    checking,
    container,
    foreign_checkers,
    making,
    record,
    statements,
)
from binairo_cp.certificates.container import Files
from binairo_cp.errors import CertificateError
from tests.certificates.tampering import (
    PUZZLES,
    Tamper,
    certificate,
    edit_lines,
    edited,
    sealed,
    set_manifest,
    with_manifest,
    without,
)
from tests.certificates.test_standalone import expect_rejection, result, standalone
from tests.support.command_line import NONE
from tests.support.programs import loaded, needed
from tests.support.strategies import puzzles

__all__ = ["standalone"]  # a fixture

EMPTY = Puzzle(Board.empty(4, 4))
CONFLICT = Puzzle(Board(6, 6, NONE[:18] + "1" + NONE[19:]))


def counted(puzzle: Puzzle) -> Files:
    return making.certify(puzzle, check(puzzle, reasons="none"), count=True)[0]


@pytest.fixture(scope="module")
def all_boards() -> Files:
    return counted(EMPTY)


@pytest.fixture(scope="module")
def conflict() -> Files:
    return certificate(CONFLICT)


@given(puzzle=puzzles())
def test_certificates_list_all_solutions(
    standalone: ModuleType, tmp_path_factory: pytest.TempPathFactory, puzzle: Puzzle
) -> None:
    solutions = list(enumerate_solutions(puzzle, backend="backtracking", limit=200))
    if not 1 < len(solutions) < 200:
        return
    files, found = making.certify(puzzle, check(puzzle), count=True)
    assert (found.claim, str(found)) == ("count", f"valid: exactly {len(solutions)} solutions")
    assert list(found.solutions) == sorted(solutions, key=lambda board: board.cells)
    said = result(standalone, files, tmp_path_factory.mktemp("x"))
    assert said.startswith(f"exactly {len(solutions)} solutions")


@given(puzzle=puzzles())
def test_conflicts_are_irreducible(
    standalone: ModuleType, tmp_path_factory: pytest.TempPathFactory, puzzle: Puzzle
) -> None:
    outcome = check(puzzle, reasons="none", time_limit=2)
    if outcome.verdict != "none":
        return
    files, found = making.certify(puzzle, outcome)
    assert found.conflict is not None
    alone = Puzzle(found.conflict, puzzle.rules, puzzle.signs)
    assert solve(alone, backend="backtracking").verdict == "none"
    for clue, value in found.conflict.clues():
        assert puzzle.board[clue] == value
        rest = Puzzle(found.conflict.with_cell(clue, "."), puzzle.rules, puzzle.signs)
        assert solve(rest, backend="backtracking").solution
    said = result(standalone, files, tmp_path_factory.mktemp("x"))
    assert said.startswith("no solution")


def test_the_claims_of_zero_and_one_solution_need_no_list() -> None:
    for claim in ("unique", "none"):
        outcome = check(PUZZLES[claim], reasons="none")
        _, found = making.certify(PUZZLES[claim], outcome, count=True)
        assert found.claim == claim


def test_rules_and_signs_may_contradict_each_other_without_clues() -> None:
    signs = (Sign(0, 0, "R", "="), Sign(0, 1, "R", "="))
    puzzle = Puzzle(Board.parse("...1 .... .... ...."), PLUS, signs)
    _, found = making.certify(puzzle, check(puzzle))
    assert found.conflict == Board.empty(4, 4)
    assert found.findings["conflict"].startswith("0 clues")


def test_cells_that_occur_in_no_clause(tmp_path: Path) -> None:
    """The only rule is that the three columns of a cell each differ."""
    assert str(
        certify(Puzzle(Board.empty(1, 3), Rules(balanced=False, longest_run=3)), tmp_path / "x")
    ) == ("valid: no solution")


def _moved_solution(files: Files) -> Files:
    """Leave out a solution, and its blocking clause too."""
    lines = files[record.SOLUTIONS].decode().splitlines()
    board = lines.pop()
    blocking = " ".join(str(-k if v == "1" else k) for k, v in enumerate(board, 1))
    shorter = edited(files, record.SOLUTIONS, lambda _: lines)
    return edited(
        shorter,
        record.FORMULA,
        lambda text: [
            each.replace("the 72 blocked", "the 71 blocked").replace(" 436", " 435")
            for each in text
            if each != f"{blocking} 0"
        ],
    )


FALSE_COUNTS: dict[str, tuple[Tamper, str]] = {
    "a solution less": (edit_lines(record.SOLUTIONS, lambda lines: lines[:-1]), r"formula.cnf, line \d+: 'c the 72 blocked"),
    "a solution less, in the formula too": (_moved_solution, "proof|the clause|step"),
    "a solution twice": (edit_lines(record.SOLUTIONS, lambda lines: [*lines, lines[0]]), "two solutions are the same"),
    "a board that is no solution": (edit_lines(record.SOLUTIONS, lambda lines: [*lines, "01" * 8]), "solutions.txt, line 73 is not a solution: it breaks"),
    "a board of another size": (edit_lines(record.SOLUTIONS, lambda lines: [*lines, "01"]), "solutions.txt, line 73 is not a solution: a (4x4 board|board of 4x4) has 16 cells"),
    "a solution with an open cell": (edit_lines(record.SOLUTIONS, lambda lines: [lines[0][:-1] + ".", *lines[1:]]), "solutions.txt, line 1 is not a solution: it has open cells"),
    "another order": (edit_lines(record.SOLUTIONS, lambda lines: lines[::-1]), r"formula.cnf, line \d+: "),
    "one solution": (edit_lines(record.SOLUTIONS, lambda lines: lines[:1]), "solutions.txt has fewer than two solutions"),
    "no list": (lambda f: sealed(without(f, record.SOLUTIONS)), "count needs solutions.txt"),
    "no end of the list": (lambda f: sealed(f | {record.SOLUTIONS: f[record.SOLUTIONS][:-1]}), "solutions.txt: the last line does not end"),
    "the claim of one solution": (set_manifest(claim="unique"), "the claim unique needs solution.txt"),
    "a conflict": (set_manifest(conflict="." * 16), "conflict: the claim count does not allow this field"),
}  # fmt: skip

FALSE_CONFLICTS: dict[str, tuple[Tamper, str]] = {
    "no conflict": (set_manifest(conflict=None), "manifest.json: conflict: expected the clues in conflict"),
    "no conflict and no boards": (lambda f: with_manifest(sealed(without(f, record.WITHOUT_CLUE)), conflict=None), r"formula.cnf, line \d+: 'c clues"),
    "another clue": (set_manifest(conflict=f"{NONE[:6]}0{NONE[7:]}"), "conflict: r2c1 is 0, which is no clue of the puzzle"),
    "all clues": (set_manifest(conflict=CONFLICT.board.cells), "solutions_without_clue.txt has 3 lines for 4 clues"),
    "a short board": (set_manifest(conflict="000"), "manifest.json: conflict: a board of 6x6 has 36 cells"),
    "no boards": (lambda f: sealed(without(f, record.WITHOUT_CLUE)), "solutions_without_clue.txt is missing"),
    "a board less": (edit_lines(record.WITHOUT_CLUE, lambda lines: lines[:-1]), "solutions_without_clue.txt has 2 lines for 3 clues"),
    "another order": (edit_lines(record.WITHOUT_CLUE, lambda lines: lines[::-1]), "solutions_without_clue.txt, line 1 is not a solution: it breaks clue"),
    "another claim": (set_manifest(claim="unique"), "claim unique needs solution"),
}  # fmt: skip


@pytest.mark.parametrize(
    ("right", "name", "tamper", "message"),
    [
        *(("all_boards", name, *each) for name, each in FALSE_COUNTS.items()),
        *(("conflict", name, *each) for name, each in FALSE_CONFLICTS.items()),
    ],
)
def test_false_claims_are_rejected(
    right: str,
    name: str,
    tamper: Tamper,
    message: str,
    standalone: ModuleType,
    tmp_path: Path,
    request: pytest.FixtureRequest,
) -> None:
    expect_rejection(standalone, tamper(request.getfixturevalue(right)), message, tmp_path)


def test_conflicts_may_be_missing(
    monkeypatch: pytest.MonkeyPatch, standalone: ModuleType, tmp_path: Path
) -> None:
    monkeypatch.setitem(container.MAX_BYTES, record.WITHOUT_CLUE, 99)
    files = certificate(CONFLICT)
    found = checking.check(files)
    assert found.conflict is None
    assert "conflict" not in found.to_dict()
    assert record.WITHOUT_CLUE not in files
    assert result(standalone, files, tmp_path).startswith("no solution")


def test_conflicts_may_fill_half_of_the_room(
    conflict: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    stated = checking.check(conflict).conflict
    room = 2 * stated.clue_count * len(stated.cells)
    for most, is_stated in ((room, True), (room - 1, False)):
        monkeypatch.setitem(container.MAX_BYTES, record.WITHOUT_CLUE, most)
        assert (record.WITHOUT_CLUE in certificate(CONFLICT)) == is_stated


def test_too_many_solutions_are_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(statements, "MAX_SOLUTIONS", 71)
    message = "^the puzzle has more than 71 solutions; expected at most 71 for a certificate"
    with pytest.raises(CertificateError, match=message):
        certify(EMPTY, tmp_path / "x.zip", count=True)
    monkeypatch.setattr(statements, "MAX_SOLUTIONS", 72)
    monkeypatch.setitem(container.MAX_BYTES, record.SOLUTIONS, 72 * 17)
    assert len(certify(EMPTY, tmp_path / "x.zip", count=True).solutions) == 72
    monkeypatch.setitem(container.MAX_BYTES, record.SOLUTIONS, 72 * 17 - 1)
    with pytest.raises(CertificateError, match="more than 71 solutions"):
        certify(EMPTY, tmp_path / "x.zip", count=True)


def test_missed_solutions_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    boards = list(enumerate_solutions(EMPTY))[1:]
    monkeypatch.setattr(
        "binairo_cp.solving.solutions.enumerate_solutions", lambda *_, **__: iter(boards)
    )
    with pytest.raises(BinairoError, match="found this solution instead of a proof"):
        counted(EMPTY)


@pytest.mark.slow
def test_all_boards_of_6x6_pass_all_checkers(standalone: ModuleType, tmp_path: Path) -> None:
    needed("acl2")
    files = counted(Puzzle(Board.empty(6, 6)))
    assert checking.check(files).claim == "count"
    said = result(standalone, files, tmp_path)
    assert said.startswith("exactly 4,140 solutions")
    answers = foreign_checkers.run_checkers("all", files, 300)
    assert [each.accepts for each in answers] == [True, True]


@pytest.mark.nightly
@pytest.mark.slow
def test_ten_thousand_solutions_pass_all_checkers(standalone: ModuleType, tmp_path: Path) -> None:
    needed("acl2")
    clues = "...10.1...1...........100................1.......0.....1.....1.."
    files = counted(Puzzle(Board(8, 8, clues)))
    said = result(standalone, files, tmp_path)
    assert said.startswith("exactly 9,966 solutions")
    answers = foreign_checkers.run_checkers("all", files, 1800)
    assert [each.accepts for each in answers] == [True, True]


@pytest.mark.slow
def test_the_theorem_covers_counts_and_conflicts(
    all_boards: Files, conflict: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    needed("acl2")
    theorem = loaded(Path("models/acl2/check.py"))
    for name, files in (("all", all_boards), ("conflict", conflict)):
        container.write(files, tmp_path / f"{name}.zip")
        assert theorem.verdict(tmp_path / f"{name}.zip") == "no other solution"
    # The last board that ACL2 knows is not the solution of the certificate.
    original = theorem.bits
    monkeypatch.setattr(theorem, "bits", lambda board: [*original(board)[:-1], board[-1] == "0"])
    with pytest.raises(theorem.plain.Rejected, match="ACL2 does not accept it"):
        theorem.verdict(tmp_path / "all.zip")
