"""The extension modules of the compiled kernels, for setup.py.

Settings of the environment:
    BINAIRO_BUILD: ``checked`` checks the bounds of each index; ``sanitized`` also builds with the
        address and undefined-behaviour sanitizers of the C compiler; ``none`` compiles nothing.
"""

from __future__ import annotations

import importlib.util
import os
import platform
import shlex
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from tempfile import TemporaryDirectory

from setuptools import Extension

KERNELS = [
    "deduction",
    "bitboard",
    "lanes",
    "proofs",
    "records",
    "generation",
    "census",
]
"""The kernels: each becomes an extension module."""

WIDER: list[str] = [
    "bitboard",
    "census",
    "lanes",
]
"""Those that are also built for level 3 of x86-64, since they are faster with it."""

_FLAGS = {2: "-msse4.2 -mpopcnt", 3: "-mavx2 -mbmi -mbmi2 -mfma -mlzcnt -mmovbe -mpopcnt"}
"""What each level of x86-64 uses. Compilers before GCC 11 don't know the levels by name."""

_PROCESSOR = "binairo_cp/kernels/processor.c"
_HOW = ("checked", "sanitized", "none")
# Commands of setuptools that don't need the C code.
_WITHOUT_BUILD = {"egg_info", "dist_info", "sdist"}
_BUILD = Path("build") / "kernels"
_LIMITED_API = "0x030B0000"


def extensions() -> list[Extension]:
    """The extension modules; none if there is no Cython or the environment says so."""
    how = os.environ.get("BINAIRO_BUILD", "")
    if how not in ("", *_HOW):
        raise SystemExit(f"BINAIRO_BUILD is {how!r}; expected one of: {', '.join(_HOW)}")
    is_built = how != "none" and not _WITHOUT_BUILD.intersection(sys.argv)
    if not is_built or importlib.util.find_spec("Cython") is None:
        return []
    use_zig = not has_compiler() and importlib.util.find_spec("ziglang") is not None
    if use_zig:
        zig = f"{sys.executable} -m ziglang"
        os.environ.update(CC=f"{zig} cc", LDSHARED=f"{zig} cc -shared", CXX=f"{zig} c++")
    from Cython.Build import cythonize

    options = _options(how)
    # Wheels for browsers are built on other machines.
    is_x86 = (
        platform.machine().lower() in ("x86_64", "amd64") and "wasm" not in sysconfig.get_platform()
    )
    processor = _extension("processor", [_PROCESSOR], options)
    processor.define_macros.append(("KERNELS", str(len(KERNELS))))
    kernels = []
    for level in (2, 3) if is_x86 else (2,):
        march = _FLAGS[level].split() if is_x86 and os.name != "nt" else []
        if use_zig:
            # Without a name, zig takes the processor that it runs on.
            march = [f"-march=x86_64_v{level}"] if is_x86 else []
        elif complaint := _complaint(options + march):
            print(f"binairo_cp: {complaint}", file=sys.stderr)
            if level == 3:
                break
        for kernel in KERNELS if level == 2 else WIDER:
            source = _write(kernel, level, checked=bool(how))
            kernels.append(
                _extension(f"compiled_v{level}.{kernel}", [str(source)], options + march)
            )
    compiled = cythonize(
        kernels, include_path=["."], quiet=True, force=True, nthreads=os.cpu_count() or 1
    )
    for each in (processor, *compiled):
        # Without a C compiler, the package still works.
        each.optional = not how
    return [processor, *compiled]


def has_compiler() -> bool:
    """Whether setuptools finds a C compiler on this machine."""
    usual = os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc"
    return os.name == "nt" or shutil.which(usual.split()[0]) is not None


def _complaint(options: list[str]) -> str:
    """The compiler and its first error with some options; empty if it works."""
    if os.name == "nt":
        return ""
    compiler = os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc"
    include = f"-I{sysconfig.get_path('include')}"
    with TemporaryDirectory() as folder:
        output = ["-DKERNELS=0", "-c", _PROCESSOR, "-o", os.path.join(folder, "processor.o")]
        command = [*shlex.split(compiler), *options, include, *output]
        try:
            done = subprocess.run(command, capture_output=True, text=True)
        except OSError as error:
            return f"{compiler} can't run: {error}"
    if done.returncode == 0:
        return ""
    lines = done.stderr.splitlines() or [f"exit status {done.returncode}"]
    error = next((line for line in lines if "error" in line), lines[0])
    return f"{compiler} {' '.join(options)} fails: {error}"


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
    )


def _options(how: str) -> list[str]:
    if os.name == "nt":
        return ["/O2"]
    speed = ["-O1", "-g"] if how else ["-O3", "-g0"]
    sanitizers = ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]
    # A kernel doesn't use all that is in the modules that are joined to it.
    warnings = ["-Wno-unused-const-variable", "-Wno-unused-function"]
    # Sums and products are rounded one by one, so that all machines give the same results.
    usual = [*speed, *warnings, "-fwrapv", "-ffp-contract=off"]
    return usual + sanitizers if how == "sanitized" else usual
