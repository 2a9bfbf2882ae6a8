"""Random programs against the Python API: no two engines, and no two ways, contradict each other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given

from binairo_cp import Board, Puzzle
from binairo_cp.deduction.steps import Step
from binairo_cp.errors import Disagreement
from binairo_cp.solving.backends.pysat import PySat
from tests.fuzz import driver, known
from tests.fuzz.driver import Program, programs
from tests.support.strategies import examples


@examples(0.1)
@given(programs)
def test_no_program_shows_a_contradiction(program: Program) -> None:
    program.run()


@pytest.mark.slow
@examples(17, most=5_000)
@given(programs)
def test_many_programs_show_none(program: Program) -> None:
    program.run()


@pytest.fixture
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Time enough on a busy machine: what is unknown contradicts nothing."""
    monkeypatch.setattr(known, "SECONDS", 30.0)


@pytest.fixture
def losing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A solver that does not find some solutions."""
    honest = PySat.solutions

    def solutions(self: PySat, *args: Any, **named: Any) -> Iterator[Board]:
        return (board for board in honest(self, *args, **named) if board.cells[-2:] != "01")

    monkeypatch.setattr(PySat, "solutions", solutions)


@pytest.fixture
def lying(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hints that tell the other value."""
    honest = Step.to_dict

    def wrong(step: Step) -> dict[str, Any]:
        record = honest(step)
        return record | {"values": record["values"].translate({48: "1", 49: "0"})}

    monkeypatch.setattr(Step, "to_dict", wrong)


ROWS = Puzzle(Board.parse("0... 01.. .... ...."))


@pytest.mark.usefixtures("unhurried", "losing")
@pytest.mark.parametrize(
    "calls",
    [
        ("enumerate('backtracking')", "enumerate('pysat')"),
        ("count('pysat')", "count('bitboard')"),
        ("count('bitboard')", "image(0, 'pysat')"),
        ("work('bitboard', 20000, None)", "work('pysat', 20000, None)"),
    ],
)
def test_a_lost_solution_is_a_contradiction(calls: tuple[str, ...]) -> None:
    with pytest.raises(AssertionError, match="solutions"):
        Program(ROWS, calls).run()


@pytest.mark.usefixtures("unhurried", "lying")
def test_a_wrong_hint_is_a_contradiction() -> None:
    with pytest.raises(AssertionError):
        Program(ROWS, ("enumerate('backtracking')", "logic('explain')")).run()


@pytest.mark.slow
@pytest.mark.usefixtures("losing")
def test_a_solver_that_loses_a_solution_is_found() -> None:
    bad = driver.drive(400, 1)
    assert bad
    # It was made short: one to lose it, one to know better.
    assert len(bad.calls) <= 2
    assert len(bad.puzzle.board.cells) <= 8
    with pytest.raises((AssertionError, Disagreement)):
        exec(str(bad), {})


@pytest.mark.slow
@pytest.mark.usefixtures("lying")
def test_wrong_hints_are_found() -> None:
    bad = driver.drive(400, 1)
    assert bad
    assert any("logic" in call for call in bad.calls)
