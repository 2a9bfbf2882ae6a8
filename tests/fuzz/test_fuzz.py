"""Run the targets of `tests.fuzz` on seeds, earlier failures, and a few hundred mutations."""

from __future__ import annotations

import subprocess
import sys
from itertools import islice
from pathlib import Path

import pytest

from binairo_cp.certificates.formula import Formula
from tests.fuzz import certificates, mutation, shrinking, targets

every_target = pytest.mark.parametrize("name", targets.TABLE)
_SLOW = ("results", "requests")
"""Targets whose inputs take milliseconds; those of the others take fractions of one."""


@every_target
def test_earlier_failures_stay_fixed(name: str) -> None:
    for path in targets.saved_failures(name):
        targets.load(name).check(path.read_bytes())


@pytest.mark.slow
@every_target
def test_seeds_and_some_mutations(name: str) -> None:
    target = targets.load(name)
    seeds = target.seeds[:: 6 if name in _SLOW else 1]
    for data in seeds:
        target.check(data)
    more = mutation.inputs(target, seed=1)
    for data in islice(more, len(target.seeds), len(target.seeds) + 60 if name in _SLOW else 400):
        target.check(data)


@pytest.mark.rotating
@pytest.mark.slow
@every_target
def test_many_mutations(name: str) -> None:
    target = targets.load(name)
    for data in islice(mutation.inputs(target, seed=2), 1_000 if name in _SLOW else 20_000):
        target.check(data)


def test_earlier_failures_belong_to_targets() -> None:
    assert {path.name for path in targets.FOUND.iterdir()} <= set(targets.TABLE)


def test_failing_inputs_are_shrunk() -> None:
    def check(data: bytes) -> None:
        if b"x" in data and data.count(b"y") > 1:
            raise ZeroDivisionError
        if len(data) < 3:
            raise ValueError

    small = shrinking.shrunk(check, b"some text with x and y, " + b"0" * 1_000 + b" and with y")
    assert sorted(small) == sorted(b"xyy")
    assert shrinking.shrunk(check, b"abcdef") == b"abcdef"


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


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tests.fuzz", *words],
        cwd=Path(__file__).resolve().parents[2],
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_runner() -> None:
    assert run("--list").stdout.split() == [*targets.TABLE, "driver"]
    done = run("line", "--engine", "blind", "--runs", "100")
    assert (done.returncode, done.stdout.partition(" in ")[0]) == (0, "line: 100 inputs"), done


@pytest.mark.slow
def test_the_guided_runner() -> None:
    pytest.importorskip("atheris")
    done = run("line", "--engine", "atheris", "--runs", "500")
    assert (done.returncode, "line: Done 500 runs" in done.stdout) == (0, True), done
