"""The machine and versions of a measurement, and the peak memory of processes."""

from __future__ import annotations

import os
import platform
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

LIBRARIES = (
    "numpy",
    "ortools",
    "python-sat",
    "clingo",
    "cpmpy",
    "multi-puzzle-solver",
    "puzzlekit",
    "pyganak",
)

Machine = dict[str, str | float]


def describe() -> Machine:
    """The date, the machine and the versions."""
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


def sentence(machine: Machine) -> str:
    """The same as a sentence."""
    names = [name for name in ("Python", *LIBRARIES) if name in machine]
    hardware = f"{machine['processor']}, {machine['cores']} cores, {machine['memory GB']} GB"
    system = f"{machine['system']}, load before {machine['load before']}"
    versions = ", ".join(f"{name} {machine[name]}" for name in names)
    return f"{machine['date']}, {hardware}, {system}; {versions}."


def installed(name: str) -> str:
    """The version of a library; empty if it is not installed."""
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
    """The peak memory of this process in MB; 0 where the system does not report it.

    ``getrusage`` can't be used: its value includes the peak of the parent process.
    """
    try:
        text = Path("/proc/self/status").read_text()
    except OSError:
        return 0
    return int(text.split("VmHWM:")[1].split()[0]) // 1024
