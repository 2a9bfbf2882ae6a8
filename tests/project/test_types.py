"""Type checkers accept a user's program, and notice a fault in it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / ".ci/check-types"
PROGRAM = ROOT / "tests/project/typed_user.py"


def checked(script: Path) -> tuple[int, str]:
    done = subprocess.run([script, sys.executable], capture_output=True, text=True, timeout=600)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.slow
def test_type_checkers_accept_a_users_program() -> None:
    status, out = checked(SCRIPT)
    assert status == 0, out


@pytest.mark.slow
@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_type_checkers_notice_a_fault(checker: str, tmp_path: Path) -> None:
    lines = [
        each for each in SCRIPT.read_text().splitlines() if "-m " not in each or checker in each
    ]
    (tmp_path / ".ci").mkdir()
    (tmp_path / ".ci/check-types").write_text("\n".join(lines) + "\n")
    (tmp_path / ".ci/check-types").chmod(0o755)
    (tmp_path / "tests/project").mkdir(parents=True)
    faulty = PROGRAM.read_text().replace("time_limit=10", 'time_limit="10"')
    (tmp_path / "tests/project/typed_user.py").write_text(faulty)
    status, out = checked(tmp_path / ".ci/check-types")
    assert status == 1
    assert "time_limit" in out
