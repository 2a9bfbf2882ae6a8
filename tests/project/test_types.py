"""Type checkers accept a user's program, and notice a fault in it."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / ".ci/check-types"
PROGRAM = ROOT / "tests/project/typed_user.py"


@pytest.mark.slow
def test_type_checkers_accept_a_users_program_and_notice_a_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Then mypy reads the package only once.
    monkeypatch.setenv("MYPY_CACHE_DIR", str(tmp_path / "cache"))
    status, out = checked(SCRIPT)
    assert status == 0, out
    (tmp_path / ".ci").mkdir()
    (tmp_path / "tests/project").mkdir(parents=True)
    faulty = PROGRAM.read_text().replace("time_limit=10", 'time_limit="10"')
    (tmp_path / "tests/project/typed_user.py").write_text(faulty)
    script = tmp_path / ".ci/check-types"
    for checker in ("mypy", "pyright"):
        lines = SCRIPT.read_text().splitlines()
        script.write_text("\n".join(x for x in lines if "-m " not in x or checker in x) + "\n")
        script.chmod(0o755)
        status, out = checked(script)
        assert status == 1
        assert "time_limit" in out


def checked(script: Path) -> tuple[int, str]:
    done = subprocess.run([script, sys.executable], capture_output=True, text=True, timeout=600)
    return done.returncode, done.stdout + done.stderr
