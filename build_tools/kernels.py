"""The extension modules of the compiled kernels, for setup.py.

Settings of the environment:
    BINAIRO_BUILD: ``checked`` checks the bounds of each index; ``sanitized`` also builds with the
        address and undefined-behaviour sanitizers of the C compiler; ``none`` compiles nothing.
"""

from __future__ import annotations

import importlib.util
import os
import platform
import sys
import sysconfig
from pathlib import Path

from setuptools import Extension

KERNELS = [
    "bitboard",
    "census",
    "clue_sets",
    "few_clues",
    "fixed_boards",
    "sampling",
]
"""The kernels: each becomes an extension module."""

WIDER: list[str] = [
    "census",
]
"""Those that are also built for level 3 of x86-64, since they are faster with it."""

_BUILD = Path("build") / "kernels"
_LIMITED_API = "0x030B0000"


def extensions() -> list[Extension]:
    """The extension modules; none if there is no Cython or the environment says so."""
    how = os.environ.get("BINAIRO_BUILD", "")
    if how == "none" or importlib.util.find_spec("Cython") is None:
        return []
    _use_zig_if_needed()
    from Cython.Build import cythonize

    options, is_x86 = _options(how), _is_x86()
    found = [_extension("processor", ["binairo_cp/kernels/processor.c"], options)]
    compiled = []
    for level in (2, 3) if is_x86 else (2,):
        march = [f"-march=x86-64-v{level}"] if is_x86 and os.name != "nt" else []
        for kernel in KERNELS if level == 2 else WIDER:
            source = _write(kernel, level, checked=bool(how))
            name = f"compiled_v{level}.{kernel}"
            compiled.append(_extension(name, [str(source)], options + march))
    return found + cythonize(
        compiled, include_path=["."], quiet=True, force=True, nthreads=os.cpu_count() or 1
    )


def _write(kernel: str, level: int, *, checked: bool) -> Path:
    from joining import joined

    folder = _BUILD / f"v{level}"
    folder.mkdir(parents=True, exist_ok=True)
    Path("binairo_cp", "kernels", f"compiled_v{level}").mkdir(exist_ok=True)
    source = folder / f"{kernel}.py"
    source.write_text(joined(kernel, checked=checked), "utf-8")
    return source


def _extension(name: str, sources: list[str], options: list[str]) -> Extension:
    is_limited = not sysconfig.get_config_var("Py_GIL_DISABLED")
    return Extension(
        f"binairo_cp.kernels.{name}",
        sources,
        define_macros=[("Py_LIMITED_API", _LIMITED_API)] if is_limited else [],
        py_limited_api=is_limited,
        extra_compile_args=options,
        extra_link_args=[option for option in options if option.startswith("-fsanitize")],
        # Without a C compiler, the package still works.
        optional=True,
    )


def _options(how: str) -> list[str]:
    if os.name == "nt" and not _is_zig():
        return ["/O2"]
    sanitizers = ["-fsanitize=address,undefined", "-g"] if how == "sanitized" else ["-g0"]
    # Sums and products are rounded one by one, so that all machines give the same results.
    return ["-O3", "-fwrapv", "-ffp-contract=off", *sanitizers]


def _is_x86() -> bool:
    return platform.machine().lower() in ("x86_64", "amd64")


def _is_zig() -> bool:
    return importlib.util.find_spec("ziglang") is not None


def _use_zig_if_needed() -> None:
    """Compile with zig where it is installed: the build back end asks for it if nothing else is."""
    if _is_zig():
        zig = f"{sys.executable} -m ziglang"
        os.environ.update(CC=f"{zig} cc", LDSHARED=f"{zig} cc -shared", CXX=f"{zig} c++")
