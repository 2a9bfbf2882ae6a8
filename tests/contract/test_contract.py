import re
import subprocess
import sys
from difflib import unified_diff
from importlib.metadata import version
from pathlib import Path

import pytest

from tests.contract.snapshots import SNAPSHOTS, made, path
from tests.support import hidden_packages

LOCKED = Path(__file__).resolve().parents[2] / "requirements" / "test.txt"


@pytest.mark.parametrize("name", SNAPSHOTS)
def test_snapshot(name: str) -> None:
    old, new = path(name).read_text(), made(name)
    if new == old:
        return
    diff = "\n".join(
        unified_diff(old.splitlines(), new.splitlines(), "before", "now", n=1, lineterm="")
    )
    others = ", ".join(_other_versions(SNAPSHOTS[name].libraries))
    if others:
        pytest.skip(
            f"{name} differs, but not all versions are those of requirements/test.txt: {others}\n{diff}"
        )
    pytest.fail(
        f"{path(name).name} has changed. Restore it or, if users are to see this, "
        f"run `python -m tests.contract {name}` and say so in changelog.d.\n{diff}",
        pytrace=False,
    )


_UNLIKE = re.compile("cpsat|not valid JSON|expected (a whole number|255 or less)")
"""What differs without OR-Tools and orjson: their answers and their words."""


@pytest.mark.slow
def test_the_contract_holds_without_libraries_that_have_no_wheel(tmp_path: Path) -> None:
    """The newest Python and browsers have neither orjson nor OR-Tools, which brings pandas."""
    hidden = hidden_packages.hiding(["orjson", "ortools", "pandas"], tmp_path)
    command = [sys.executable, "-m", "tests.contract", "--out", str(tmp_path)]
    subprocess.run(command, env=hidden, check=True, cwd=LOCKED.parents[1])
    for name in SNAPSHOTS:
        old, new = path(name).read_text(), (tmp_path / path(name).name).read_text()
        lines = list(unified_diff(old.splitlines(), new.splitlines(), n=0, lineterm=""))
        others = [
            line for line in lines if line[:3] not in ("---", "+++") and not line.startswith("@@")
        ]
        assert [line for line in others if not _UNLIKE.search(line)] in ([], ["+exit status 2"])


def _other_versions(libraries: tuple[str, ...]) -> list[str]:
    """Libraries of another version than the locked ones, of which each Python may have its own."""
    locked = re.findall(r"^([\w-]+)==(\S+)", LOCKED.read_text(), re.MULTILINE)
    return [f"{name} {version(name)}" for name in libraries if (name, version(name)) not in locked]
