from __future__ import annotations

import re
from difflib import unified_diff
from importlib.metadata import version
from pathlib import Path

import pytest

from tests.contract.snapshots import SNAPSHOTS, made, path

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


def _other_versions(libraries: tuple[str, ...]) -> list[str]:
    """Libraries of another version than the locked ones, of which each Python may have its own."""
    locked = re.findall(r"^([\w-]+)==(\S+)", LOCKED.read_text(), re.MULTILINE)
    return [f"{name} {version(name)}" for name in libraries if (name, version(name)) not in locked]
