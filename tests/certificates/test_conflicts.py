"""Certificates of clues that contradict each other."""

from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given

from binairo_cp import PLUS, Board, Puzzle, Rules, Sign, certify, check, solve
from binairo_cp.certificates import checking, container, making, record
from binairo_cp.certificates.container import Files
from tests.certificates.tampering import (
    Tamper,
    certificate,
    edit_lines,
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

CONFLICT = Puzzle(Board(6, 6, NONE[:18] + "1" + NONE[19:]))


@pytest.fixture(scope="module")
def conflict() -> Files:
    return certificate(CONFLICT)


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


def test_rules_and_signs_may_contradict_each_other_without_clues() -> None:
    signs = (Sign(0, 0, "R", "="), Sign(0, 1, "R", "="))
    puzzle = Puzzle(Board.parse("...1 .... .... ...."), PLUS, signs)
    _, found = making.certify(puzzle, check(puzzle))
    assert found.conflict == Board.empty(4, 4)
    assert found.findings["conflict"].startswith("0 clues")


def test_cells_that_occur_in_no_clause(tmp_path: Path) -> None:
    """The only rule is that the three columns of a cell each differ."""
    puzzle = Puzzle(Board.empty(1, 3), Rules(balanced=False, longest_run=3))
    assert str(certify(puzzle, tmp_path / "x")) == "valid: no solution"


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


@pytest.mark.parametrize("name", FALSE_CONFLICTS)
def test_false_claims_are_rejected(
    conflict: Files, name: str, standalone: ModuleType, tmp_path: Path
) -> None:
    tamper, message = FALSE_CONFLICTS[name]
    expect_rejection(standalone, tamper(conflict), message, tmp_path)


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


def test_conflicts_may_fill_half_of_the_room(conflict: Files, monkeypatch: pytest.MonkeyPatch):
    stated = checking.check(conflict).conflict
    room = 2 * stated.clue_count * len(stated.cells)
    for most, is_stated in ((room, True), (room - 1, False)):
        monkeypatch.setitem(container.MAX_BYTES, record.WITHOUT_CLUE, most)
        assert (record.WITHOUT_CLUE in certificate(CONFLICT)) == is_stated


@pytest.mark.slow
def test_the_theorem_covers_conflicts(conflict: Files, tmp_path: Path) -> None:
    needed("acl2")
    theorem = loaded(Path("models/acl2/check.py"))
    container.write(conflict, tmp_path / "x.zip")
    assert theorem.verdict(tmp_path / "x.zip") == "no other solution"
