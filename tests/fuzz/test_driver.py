"""Random programs against the Python API: engines and features must not contradict each other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given

from binairo_cp import Board, Puzzle
from binairo_cp.formats import results
from binairo_cp.solving.backends.pysat import PySat
from tests.fuzz import facts
from tests.fuzz.driver import Program, programs
from tests.support.strategies import examples


@examples(0.1)
@given(programs)
def test_no_program_shows_a_contradiction(program: Program) -> None:
    program.run()


@pytest.mark.slow
@examples(6, most=5_000)
@given(programs)
def test_many_programs_show_no_contradiction(program: Program) -> None:
    program.run()


@pytest.fixture
def more_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """More time for busy machines, since unknown results contradict nothing."""
    monkeypatch.setattr(facts, "SECONDS", 30.0)


@pytest.fixture
def incomplete_pysat(monkeypatch: pytest.MonkeyPatch) -> None:
    """PySAT misses some solutions."""
    honest = PySat.solutions

    def solutions(self: PySat, *args: Any, **named: Any) -> Iterator[Board]:
        return (board for board in honest(self, *args, **named) if board.cells[-2:] != "01")

    monkeypatch.setattr(PySat, "solutions", solutions)


@pytest.fixture
def wrong_hints(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hints have the wrong value."""
    honest = results.record_of

    def wrong(kind: Any, result: Any) -> Any:
        record = honest(kind, result)
        if isinstance(record, results.StepRecord):
            record.values = record.values.translate({48: "1", 49: "0"})
        return record

    monkeypatch.setattr(results, "record_of", wrong)


ROWS = Puzzle(Board.parse("0... 01.. .... ...."))


@pytest.mark.usefixtures("more_time", "incomplete_pysat")
@pytest.mark.parametrize(
    "calls",
    [
        ("enumerate('backtracking')", "enumerate('pysat')"),
        ("count('pysat')", "count('bitboard')"),
        ("count('bitboard')", "symmetric_image(0, 'pysat')"),
        ("limited_work('bitboard', 20000, None)", "limited_work('pysat', 20000, None)"),
    ],
)
def test_a_missed_solution_is_a_contradiction(calls: tuple[str, ...]) -> None:
    with pytest.raises(AssertionError, match="solutions"):
        Program(ROWS, calls).run()


@pytest.mark.usefixtures("more_time", "wrong_hints")
def test_a_wrong_hint_is_a_contradiction() -> None:
    with pytest.raises(AssertionError):
        Program(ROWS, ("enumerate('backtracking')", "deduce('explain')")).run()
