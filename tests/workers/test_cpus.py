"""The number of CPUs that a container may use."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from binairo_cp.workers import resource_limits


@pytest.mark.parametrize(
    ("membership", "files", "quota"),
    [
        ("0::/\n", {"cpu.max": "200000 100000\n"}, 2.0),
        ("0::/\n", {"cpu.max": "max 100000\n"}, None),
        ("0::/\n", {}, None),
        # The least quota of the groups above counts.
        (
            "0::/a/b\n",
            {"a/cpu.max": "50000 100000", "a/b/cpu.max": "max 100000", "cpu.max": "300000 100000"},
            0.5,
        ),
        # The path on the host, which does not exist in the container.
        ("0::/host/docker/1\n", {"cpu.max": "150000 100000\n"}, 1.5),
        ("0::/../../x\n", {"cpu.max": "150000 100000\n"}, 1.5),
        (
            "5:cpu,cpuacct:/a\n1:name=systemd:/\n",
            {"cpu/a/cpu.cfs_quota_us": "250000\n", "cpu/a/cpu.cfs_period_us": "100000\n"},
            2.5,
        ),
        (
            "5:cpu,cpuacct:/\n",
            {"cpu/cpu.cfs_quota_us": "-1\n", "cpu/cpu.cfs_period_us": "100000\n"},
            None,
        ),
        ("5:cpuset:/\n", {"cpu/cpu.cfs_quota_us": "1", "cpu/cpu.cfs_period_us": "1"}, None),
        ("nonsense", {"cpu.max": "1 1"}, None),
        ("0::/\n", {"cpu.max": "nonsense"}, None),
        ("0::/\n", {"cpu.max": "5 0"}, None),
    ],
)
def test_the_quota_of_control_groups(
    tmp_path: Path, membership: str, files: dict[str, str], quota: float | None
) -> None:
    for name, text in files.items():
        path = tmp_path / "groups" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (tmp_path / "membership").write_text(membership)
    assert resource_limits.cpu_quota(tmp_path / "groups", tmp_path / "membership") == quota
    assert resource_limits.cpu_quota(tmp_path / "none", tmp_path / "no file") is None


@pytest.mark.parametrize(("quota", "cores"), [(None, 8), (2.0, 2), (1.5, 2), (0.1, 1), (99.0, 8)])
def test_cores_respect_the_quota(
    monkeypatch: pytest.MonkeyPatch, quota: float | None, cores: int
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)), raising=False)
    monkeypatch.setattr(resource_limits, "cpu_quota", lambda: quota)
    # The number is found only once in a process.
    assert resource_limits.cores.__wrapped__() == cores
