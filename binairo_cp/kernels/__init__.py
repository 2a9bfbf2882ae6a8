"""Compiled code: everything in the package that is too slow in Python.

The sources are Python with types (Cython's pure Python mode). When the package is built, each
kernel, a module or package of this folder, is compiled to one extension module in ``compiled_v2/``,
which is imported instead of the sources. Where there is none, the sources run as they are: the
results are the same, and the time is 50 to 200 times as long.

Set ``BINAIRO_KERNELS=source`` to run the sources although there are extension modules.
"""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path

_HERE = Path(__file__).parent


def _level() -> int:
    """The processor's level; 1 if it is too old for the compiled code, 0 if there is none."""
    try:
        return int(import_module(f"{__name__}.processor").LEVEL)
    except ImportError:
        return 0


def _folders() -> list[str]:
    """The folders with extension modules that this processor can run, the best one first."""
    if os.environ.get("BINAIRO_KERNELS") == "source":
        return []
    return [str(_HERE / f"compiled_v{level}") for level in range(_level(), 1, -1)]


def why_uncompiled() -> str | None:
    """Why the sources run, and what to do about it; None if compiled code runs."""
    if os.environ.get("BINAIRO_KERNELS") == "source":
        return "unset BINAIRO_KERNELS"
    if _level() == 1:
        return "the processor has no popcnt and SSE4.2"
    if not any(_HERE.glob("compiled_v2/*")):
        return "install a C compiler, then install the package again"
    return None


__path__[:0] = _folders()
