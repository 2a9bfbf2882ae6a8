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
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

_HERE = Path(__file__).parent
_AGAIN = "install the package again (pip install -v says why a compiler fails)"


def why_uncompiled() -> str | None:
    """Why sources run, and what to do about it; None if compiled code runs."""
    if os.environ.get("BINAIRO_KERNELS") == "source":
        return "unset BINAIRO_KERNELS"
    files = [*_modules(_HERE), *_modules(_HERE / "compiled_v2"), *_modules(_HERE / "compiled_v3")]
    if not files:
        return f"install a C compiler, then {_AGAIN}"
    try:
        processor = import_module(f"{__name__}.processor")
        level, kernels = processor.LEVEL, processor.KERNELS
    except (ImportError, AttributeError) as error:
        return f"the compiled code can't be loaded ({error}); {_AGAIN}"
    if level == 1:
        return "the processor has no popcnt and SSE4.2"
    # An installation that is developed may have more, of kernels that are gone.
    missing = kernels - len(_modules(_HERE / "compiled_v2"))
    if missing > 0:
        return f"{missing} of {kernels} kernels are missing; {_AGAIN}"
    return None


def _folders() -> list[str]:
    """The folders with extension modules that this processor can run, the best one first."""
    if why_uncompiled():
        return []
    level = import_module(f"{__name__}.processor").LEVEL
    return [str(_HERE / f"compiled_v{each}") for each in range(level, 1, -1)]


def _modules(folder: Path) -> list[Path]:
    """The extension modules in a folder, for this version of Python."""
    return [each for each in folder.glob("*") if "".join(each.suffixes) in EXTENSION_SUFFIXES]


__path__[:0] = _folders()
