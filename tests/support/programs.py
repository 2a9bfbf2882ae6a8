"""Solvers of others, where they are installed; in continuous integration they must be."""

from __future__ import annotations

import os
import shutil
import sysconfig
from pathlib import Path

import pytest

NAMES = ("cadical", "kissat", "minisat", "cryptominisat5", "clasp", "picosat")


def find(name: str) -> str | None:
    """The path of a program, which for kissat may be a wheel's."""
    wheel = Path(sysconfig.get_path("purelib"), "sage_wheels/bin", name)
    return str(wheel) if wheel.exists() else shutil.which(name)


def needed(name: str) -> str:
    """The path of a program, or the test is skipped."""
    path = find(name)
    if path is None:
        assert "BINAIRO_NEEDS_SOLVERS" not in os.environ, f"{name} is not installed"
        pytest.skip(f"{name} is not installed")
    return path
