"""Who does the work: processes of this machine, or a cluster; and how blocks are given to them.

All else knows only the `Executor`: what names Pebble or Dask is one file each.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass

from binairo_cp.workers import resource_limits
from binairo_cp.workers.executors.block_stream import map_blocks
from binairo_cp.workers.executors.cluster import Address, Cluster
from binairo_cp.workers.executors.contract import Executor
from binairo_cp.workers.executors.local import Pool

__all__ = ["Address", "Cluster", "WorkerSettings", "Executor", "Pool", "cores", "map_blocks"]

_SHARE_OF_MEMORY = 0.8
_LEAST_MEMORY = 1 << 30


def cores() -> int:
    """The number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def usual_memory(workers: int) -> int | None:
    """The bytes of memory for each of some workers: together less than the machine has."""
    total = resource_limits.installed()
    return None if total is None else max(_LEAST_MEMORY, int(total * _SHARE_OF_MEMORY) // workers)


@dataclass(frozen=True, slots=True)
class WorkerSettings:
    """Who is to do the work.

    Attributes:
        workers: how many processes of this machine; 0 for this process itself.
        memory: how many bytes each may have; None for a share of what the machine has.
        cluster: where other machines do it instead, if they do.
        scatter: those read the files themselves.
    """

    workers: int
    memory: int | None = None
    cluster: Address | None = None
    scatter: bool = False

    @property
    def single(self) -> WorkerSettings:
        """One process of this machine."""
        return WorkerSettings(1, self.memory)

    def open(self, modules: Iterable[str] = ()) -> Executor:
        """An executor, which is to be used in a ``with``.

        Args:
            modules: what all of them will need and take long to load, so that it is loaded once.

        Raises:
            ClusterError: the cluster can't be reached, or has no workers.
        """
        if self.cluster:
            return Cluster(self.cluster, modules)
        workers = max(1, self.workers)
        return Pool(workers, modules, self.memory or usual_memory(workers))
