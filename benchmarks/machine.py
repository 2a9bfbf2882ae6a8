"""What figures were made on, and how much memory processes had."""

from __future__ import annotations

import os
import platform
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

LIBRARIES = (
    "numba",
    "numpy",
    "ortools",
    "python-sat",
    "clingo",
    "cpmpy",
    "multi-puzzle-solver",
    "puzzlekit",
    "pyganak",
)

Told = dict[str, str | float]


def machine() -> Told:
    """Date, machine and versions."""
    return {
        "date": str(date.today()),
        "processor": _processor(),
        "cores": os.cpu_count() or 1,
        "memory GB": round(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30),
        "load before": round(os.getloadavg()[0], 1),
        "system": platform.system(),
        "Python": platform.python_version(),
        **{name: found for name in LIBRARIES if (found := installed(name))},
    }


def sentence(told: Told) -> str:
    """The same for a reader."""
    versions = ", ".join(f"{name} {told[name]}" for name in ("Python", *LIBRARIES) if name in told)
    return (
        f"{told['date']}, {told['processor']}, {told['cores']} cores, {told['memory GB']} GB, "
        f"{told['system']}, load before {told['load before']}; {versions}."
    )


def installed(name: str) -> str:
    """The version of a library, or nothing."""
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def peak_mb() -> int:
    """The most memory that this process had, in MB; 0 where the system does not tell.

    Not by ``getrusage``: there a process begins with what its parent had.
    """
    try:
        text = Path("/proc/self/status").read_text()
    except OSError:
        return 0
    return int(text.split("VmHWM:")[1].split()[0]) // 1024
