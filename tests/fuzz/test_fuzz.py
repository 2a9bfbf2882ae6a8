"""Run the targets of `tests.fuzz` on seeds, earlier failures, and changed seeds."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings

from binairo_cp.certificates.formula import Formula
from tests.fuzz import certificates, targets
from tests.support.strategies import examples

every_target = pytest.mark.parametrize("name", targets.TABLE)


@every_target
def test_earlier_failures_stay_fixed(name: str) -> None:
    for path in (targets.FOUND / name).glob("*"):
        targets.load(name).check(path.read_bytes())


def test_earlier_failures_belong_to_targets() -> None:
    assert {path.name for path in targets.FOUND.iterdir()} <= set(targets.TABLE)


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
