"""The sizes that the docs state are those of what is installed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from docs import sizes

PAGE = (Path(__file__).resolve().parents[2] / "docs/installation.md").read_text()
STATED = {
    "": re.search(r"it takes (\d+) MB", PAGE),
    "without OR-Tools": re.search(r"it is (\d+) MB", PAGE),
} | {extra: re.search(rf"\| `{extra}` \|.*\| (\d+) MB \|", PAGE) for extra in sizes.EXTRAS}


def test_sizes() -> None:
    stated = {extra: int(found[1]) for extra, found in STATED.items() if found}
    assert len(stated) >= 8
    measured = {extra: size for extra, size in sizes.sizes().items() if extra in stated}
    # Newer versions of packages have other sizes.
    assert stated == pytest.approx(measured, rel=0.2, abs=5)
