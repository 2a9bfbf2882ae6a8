"""How many CPUs this process may use: the affinity of the process, and the quota of its container.

A container with a quota of 2 CPUs on a machine with 64 sees 64 CPUs. Linux limits the time that its
control group gets, in version 2 of control groups by ``cpu.max``, and in version 1 by
``cpu.cfs_quota_us``. The limits of all groups above apply too.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from math import ceil
from pathlib import Path

_GROUPS = Path("/sys/fs/cgroup")
_MEMBERSHIP = Path("/proc/self/cgroup")


def cores() -> int:
    """The number of cores that this process may use."""
    count = os.cpu_count() or 1
    if hasattr(os, "sched_getaffinity"):
        count = len(os.sched_getaffinity(0))
    quota = cpu_quota()
    return count if quota is None else max(1, min(count, ceil(quota)))


def cpu_quota(groups: Path = _GROUPS, membership: Path = _MEMBERSHIP) -> float | None:
    """The CPU time per second that the control groups of this process allow; None if any.

    Args:
        groups: the folder with the control groups.
        membership: the file with the control groups of this process.
    """
    quotas = []
    with suppress(OSError, ValueError):
        for line in membership.read_text().splitlines():
            _, controllers, path = line.split(":", 2)
            if controllers == "":
                quotas += [_version_2(each) for each in _and_parents(groups, path)]
            elif "cpu" in controllers.split(","):
                quotas += [_version_1(each) for each in _and_parents(groups / "cpu", path)]
    known = [each for each in quotas if each is not None]
    return min(known, default=None)


def _and_parents(top: Path, path: str) -> Iterator[Path]:
    # In a container, the path may be that on the host. Then only the top exists.
    folder = top / path.lstrip("/")
    while folder != top and top in folder.parents:
        yield folder
        folder = folder.parent
    yield top


def _version_2(group: Path) -> float | None:
    with suppress(OSError, ValueError):
        quota, period = (group / "cpu.max").read_text().split()
        return None if quota == "max" else _ratio(quota, period)
    return None


def _version_1(group: Path) -> float | None:
    with suppress(OSError, ValueError):
        quota, period = ((group / f"cpu.cfs_{name}_us").read_text() for name in ("quota", "period"))
        return _ratio(quota, period)
    return None


def _ratio(quota: str, period: str) -> float | None:
    return int(quota) / int(period) if int(quota) > 0 and int(period) > 0 else None
