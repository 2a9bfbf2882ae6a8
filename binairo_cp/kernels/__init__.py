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


def _folders() -> list[str]:
    """The folders with extension modules that this processor can run, the best one first."""
    if os.environ.get("BINAIRO_KERNELS") == "source":
        return []
    try:
        level = import_module(f"{__name__}.processor").LEVEL
    except ImportError:
        return []
    here = Path(__file__).parent
    return [str(here / f"compiled_v{k}") for k in range(level, 1, -1)]


__path__[:0] = _folders()
