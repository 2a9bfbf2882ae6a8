"""Executors: worker processes of this machine or a cluster, and streams of blocks for them.

Other rooms know only the `Executor` protocol. Only `local` imports Pebble, only `cluster` Dask.
Both load on first use: Pebble, with asyncio and ssl, takes longer to import than a puzzle takes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from binairo_cp.workers import resource_limits
from binairo_cp.workers.resource_limits import cores

if TYPE_CHECKING:
    from binairo_cp.workers.executors.block_stream import Executor, map_blocks
    from binairo_cp.workers.executors.cluster import Cluster
    from binairo_cp.workers.executors.local import Pool


_LAZY = {
    "Cluster": "cluster",
    "Executor": "block_stream",
    "Pool": "local",
    "map_blocks": "block_stream",
}

__all__ = ["Cluster", "WorkerSettings", "Executor", "Pool", "cores", "map_blocks"]

_SHARE_OF_MEMORY = 0.8
_MIN_MEMORY = 1 << 30


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = getattr(import_module(f"{__name__}.{_LAZY[name]}"), name)
    return globals()[name]


def default_memory(workers: int) -> int | None:
    """Memory limit per worker in bytes, so that all together use less than the machine has."""
    total = resource_limits.installed_memory()
    return None if total is None else max(_MIN_MEMORY, int(total * _SHARE_OF_MEMORY) // workers)


@dataclass(frozen=True, slots=True)
class WorkerSettings:
    """Where the work is done: in this process, in local worker processes, or on a cluster.

    Attributes:
        workers: number of processes on this machine; 0 for this process itself.
        memory: limit per process in bytes; None for a share of the machine's memory.
        cluster: the address of the scheduler of a Dask cluster that does the work instead:
            ``tcp://HOST:PORT`` or ``tls://HOST:PORT``.
    """

    workers: int
    memory: int | None = None
    cluster: str | None = None

    @property
    def single(self) -> WorkerSettings:
        """The same with one local process."""
        return WorkerSettings(1, self.memory)

    def open(self, modules: Iterable[str] = ()) -> Executor:
        """Start the workers. Use the executor in a ``with`` statement.

        Args:
            modules: modules that all workers need and that are slow to import. Each is imported
                once.

        Raises:
            ClusterError: the cluster can't be reached, or has no workers.
        """
        if self.cluster:
            from binairo_cp.workers.executors.cluster import Cluster

            return Cluster(self.cluster, modules)
        from binairo_cp.workers.executors.local import Pool

        workers = max(1, self.workers)
        return Pool(workers, modules, self.memory or default_memory(workers))
