"""Check that `make test` compiles all kernels before it starts several processes."""

from __future__ import annotations

import re
from pathlib import Path

import binairo_cp
from tests.support.compiled import KERNELS


def test_all_kernels_are_compiled_beforehand() -> None:
    package = Path(binairo_cp.__file__).parent
    modules = {
        ".".join(path.relative_to(package.parent).with_suffix("").parts)
        for path in package.rglob("*.py")
        if re.search(r"(?<!def )\bcompiled\(", path.read_text())
    }
    assert modules == KERNELS.keys()
