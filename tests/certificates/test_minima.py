"""Certificates of the smallest number of clues."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from binairo_cp import Board, Puzzle, board, certify, check, enumerate_solutions, verify
from binairo_cp.batch import verifying as verification
from binairo_cp.certificates import checking, formula, making, record
from binairo_cp.certificates.container import Files
from binairo_cp.errors import CertificateError, OptionError
from binairo_cp.reduction.verdicts import with_only
from tests.certificates.tampering import (
    HARD,
    PUZZLES,
    Tamper,
    edit_lines,
    edited,
    sealed,
    set_manifest,
    without,
)
from tests.certificates.test_standalone import expect_rejection, result, standalone
from tests.support.command_line import UNIQUE, invoke
from tests.support.programs import needed
from tests.support.strategies import examples, puzzles

__all__ = ["standalone"]  # a fixture


def minimum(puzzle: Puzzle) -> Files:
    return making.certify(puzzle, check(puzzle), fewest="clues")[0]


@pytest.fixture(scope="module")
def hard() -> Files:
    """Six of the 36 cells are enough."""
    return making.certify(HARD, check(HARD), fewest="all cells")[0]


@given(puzzle=puzzles(sides=st.integers(1, 4)), data=st.data())
@examples(0.5)
def test_the_number_is_that_of_an_exhaustive_search(
    standalone: ModuleType,
    tmp_path_factory: pytest.TempPathFactory,
    puzzle: Puzzle,
    data: st.DataObject,
) -> None:
    solutions = list(enumerate_solutions(puzzle, backend="backtracking", limit=2))
    if len(solutions) != 1:
        return
    (solution,) = solutions
    places = [place for place, value in enumerate(puzzle.board.cells) if value != "."][:9]
    puzzle = with_only(puzzle, places, solution)

    def is_enough(chosen: tuple[int, ...]) -> bool:
        found = enumerate_solutions(with_only(puzzle, chosen, solution), backend="backtracking")
        return len([next(found), *found][:2]) == 1

    enough = [k for k in range(len(places) + 1) if any(map(is_enough, combinations(places, k)))]
    outcome = check(puzzle)
    if not enough or not enough[0]:
        with pytest.raises(CertificateError):
            making.certify(puzzle, outcome, fewest="clues")
        return
    files, found = making.certify(puzzle, outcome, fewest="clues")
    assert found.fewest.clue_count == enough[0]
    assert str(found) == f"valid: {enough[0]} is the smallest number of clues"
    said = result(standalone, files, tmp_path_factory.mktemp("x"))
    assert said == f"{enough[0]} is the smallest number of clues"


@pytest.mark.parametrize("most", range(5))
def test_the_counter_allows_that_many(most: int) -> None:
    """A choice of clues extends to a model exactly if there are at most that many."""
    from pysat.solvers import Solver

    clauses = formula.formula_of_minimum(Puzzle(Board(1, 4, "0110")), [], most).clauses
    with Solver("cadical195", bootstrap_with=clauses) as solver:
        for bits in range(16):
            chosen = [k + 1 if bits >> k & 1 else -(k + 1) for k in range(4)]
            assert solver.solve(assumptions=chosen) == (bits.bit_count() <= most)


def test_both_verifiers_derive_the_same_counter(
    standalone: ModuleType, hard: Files, tmp_path: Path
) -> None:
    assert str(checking.check(hard)) == "valid: 6 is the smallest number of clues"
    assert result(standalone, hard, tmp_path) == "6 is the smallest number of clues"


FALSE: dict[str, tuple[Tamper, str]] = {
    "more clues": (set_manifest(fewest=HARD.board.cells.replace("1", ".", 1)), r"formula.cnf, line \d+: "),
    "a clue of another puzzle": (set_manifest(fewest="0" + "." * 35), "fewest: r1c1 is 0, which is no clue of the puzzle"),
    "no clues": (set_manifest(fewest="." * 36), "expected at least one clue"),
    "no number": (set_manifest(fewest=None), "expected the clues that are enough"),
    "another solution less": (edit_lines(record.OTHERS, lambda lines: lines[1:]), r"fewer_clues.cnf, line \d+: "),
    "another solution that is none": (edit_lines(record.OTHERS, lambda lines: ["01" * 18, *lines]), "other_solutions.txt, line 1 is not a solution: it breaks"),
    "the solution among the others": (lambda f: edited(f, record.OTHERS, lambda lines: [f[record.SOLUTION].decode().replace("\n", ""), *lines]), "other solution 1 agrees with all clues"),
    "a clause more": (edit_lines(record.FEWER_FORMULA, lambda lines: [*lines, "1 0"]), r"fewer_clues.cnf, line \d+: "),
    "another clause": (edit_lines(record.FEWER_FORMULA, lambda lines: [*lines[:-1], "1 0"]), r"fewer_clues.cnf, line \d+: '1 0'; expected"),
    "a part of the proof": (edit_lines(record.FEWER_DRAT, lambda lines: lines[-1:]), "fewer_clues.drat.gz: "),
    "a part of the LRAT proof": (edit_lines(record.FEWER_LRAT, lambda lines: lines[1:]), "fewer_clues.lrat.gz: "),
    "no second proof": (lambda f: sealed(without(f, record.FEWER_DRAT)), "the claim fewest needs fewer_clues.drat.gz"),
    "the claim of one solution": (set_manifest(claim="unique"), "the claim unique does not allow"),
}  # fmt: skip


@pytest.mark.parametrize("name", FALSE)
def test_false_minima_are_rejected(
    standalone: ModuleType, hard: Files, name: str, tmp_path: Path
) -> None:
    tamper, message = FALSE[name]
    expect_rejection(standalone, tamper(hard), message, tmp_path)


def test_the_formula_of_a_minimum_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(CertificateError, match="has more than 3,000,000 clauses"):
        formula.formula_of_minimum(Puzzle(Board(255, 255, "0" * 255 * 255)), [], 60_000)


def test_which_puzzles_have_a_minimum() -> None:
    for claim in ("multiple", "none"):
        with pytest.raises(CertificateError, match="only a puzzle with exactly one solution"):
            minimum(PUZZLES[claim])


def test_options(tmp_path: Path) -> None:
    path = tmp_path / "x.zip"
    one = certify(HARD, path, fewest=True, all_cells=True)
    assert one.fewest.clue_count == 6
    assert verify(path).to_dict()["fewest"] == one.fewest.cells
    for options, message in (
        ({"count": True, "fewest": True}, "count: can't be used with fewest"),
        ({"all_cells": True}, "all_cells: can only be used with fewest"),
    ):
        with pytest.raises(OptionError, match=message):
            certify(HARD, path, **options)  # type: ignore[arg-type]
    done = invoke("certify", "-", "--all-cells", "-o", str(path), input=UNIQUE, check=2)
    assert "--all-cells: can only be used with --fewest" in " ".join(done.stderr.split())


@pytest.mark.slow
@pytest.mark.parametrize("side", [6, 8, 10])
def test_all_checkers_accept_minima(standalone: ModuleType, side: int, tmp_path: Path) -> None:
    needed("acl2")
    (full,) = board(side, seed=1)
    files = minimum(Puzzle(full))
    answers = verification.checked(files, "all", 300).checkers
    assert [each.name for each in answers] == ["own", "dratify", "acl2", "dratify", "acl2"]
    assert all(each.accepts for each in answers)
    assert "smallest number" in result(standalone, files, tmp_path)
