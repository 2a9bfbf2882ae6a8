"""Run the targets of `tests.fuzz` on seeds, earlier failures, and a few hundred mutations."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import islice
from pathlib import Path

import pytest

from binairo_cp.certificates.formula import Formula
from tests.fuzz import certificates, mutation, targets

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


@pytest.mark.parametrize("guided", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_the_runner(guided: bool, tmp_path: Path) -> None:
    if guided:
        pytest.importorskip("atheris")
    words = ["line", "--runs=500", "--guided"] if guided else ["line", "--runs=100"]
    done = subprocess.run(
        [sys.executable, "-m", "tests.fuzz", *words],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).resolve().parents[2])},
        capture_output=True,
        text=True,
        check=False,
    )
    said = "Done 500 runs" if guided else "line: 100 inputs"
    assert (done.returncode, said in done.stdout + done.stderr) == (0, True), done
