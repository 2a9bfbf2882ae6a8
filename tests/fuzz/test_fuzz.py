"""The targets of the fuzzer, on seeds, earlier failures and changed seeds; random programs."""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from binairo_cp import Board, Puzzle
from binairo_cp.certificates.formula import Formula
from binairo_cp.formats import results
from binairo_cp.solving.backends.pysat import PySat
from tests.fuzz import certificates, facts, targets
from tests.fuzz.driver import Program, programs
from tests.support.strategies import examples

every_target = pytest.mark.parametrize("name", targets.TABLE)


@every_target
def test_earlier_failures_stay_fixed(name: str) -> None:
    for path in (targets.FOUND / name).glob("*"):
        targets.load(name).check(path.read_bytes())


def _try_changed_seeds(name: str, times: float) -> None:
    target = targets.load(name)

    @settings(examples(times), suppress_health_check=[*HealthCheck])
    @given(targets.changed_seeds(target))
    def check(data: bytes) -> None:
        target.check(data)

    check()


@pytest.mark.slow
@every_target
def test_seeds_and_some_changed_ones(name: str) -> None:
    target = targets.load(name)
    for data in target.seeds:
        target.check(data)
    _try_changed_seeds(name, 8)


@pytest.mark.rotating
@pytest.mark.slow
@every_target
def test_many_changed_seeds(name: str) -> None:
    _try_changed_seeds(name, 100)


def test_some_forged_certificates_are_valid() -> None:
    """Otherwise the target would test little: some seeds of each claim are valid, most are not."""
    target = targets.load("forged")
    claims = []
    for data in target.seeds:
        try:
            found = certificates.checking.check(certificates.forged(data))
        except certificates.CertificateError:
            continue
        claims.append(found.claim.value)
    assert set(claims) == {"unique", "multiple", "none"}
    assert len(claims) < len(target.seeds) / 2


def test_a_checker_that_skips_proofs_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    """It accepts `unique` and `none` for puzzles with several solutions."""
    monkeypatch.setattr(certificates.checking, "_checked_proofs", lambda *_: {})
    monkeypatch.setattr(certificates.checking, "_formula", lambda *_: Formula(0, []))
    target = targets.load("forged")
    with pytest.raises(AssertionError):
        for data in target.seeds:
            target.check(data)


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
    honest = PySat.solutions

    def solutions(self: PySat, *args: Any, **named: Any) -> Iterator[Board]:
        return (board for board in honest(self, *args, **named) if board.cells[-2:] != "01")

    monkeypatch.setattr(PySat, "solutions", solutions)


@pytest.fixture
def wrong_hints(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = results.record_of

    def wrong(kind: Any, result: Any) -> Any:
        record = honest(kind, result)
        if isinstance(record, results.StepRecord):
            record.values = record.values.translate({48: "1", 49: "0"})
        return record

    monkeypatch.setattr(results, "record_of", wrong)


ROWS = Puzzle(Board.parse("0... 01.. .... ...."))


@pytest.mark.usefixtures("more_time", "incomplete_pysat")
@pytest.mark.parametrize("calls", [
    ("enumerate('backtracking')", "enumerate('pysat')"),
    ("count('pysat')", "count('bitboard')"),
    ("count('bitboard')", "symmetric_image(0, 'pysat')"),
    ("limited_work('bitboard', 20000, None)", "limited_work('pysat', 20000, None)"),
])  # fmt: skip
def test_a_missed_solution_is_a_contradiction(calls: tuple[str, ...]) -> None:
    with pytest.raises(AssertionError, match="solutions"):
        Program(ROWS, calls).run()


@pytest.mark.usefixtures("more_time", "wrong_hints")
def test_a_wrong_hint_is_a_contradiction() -> None:
    with pytest.raises(AssertionError):
        Program(ROWS, ("enumerate('backtracking')", "deduce('explain')")).run()
