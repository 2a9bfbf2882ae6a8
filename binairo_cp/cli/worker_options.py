"""The options for workers: local processes or a cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from binairo_cp.features.feature import Option

if TYPE_CHECKING:
    from binairo_cp.workers.executors import WorkerSettings

_LEAST_MEGABYTES = 512


_PANEL = "Workers"

MemoryLimit = Annotated[
    int | None,
    Option(
        "Memory limit per worker; a puzzle that needs more is an error.",
        absent="an equal share of the machine's memory",
        least=_LEAST_MEGABYTES,
        metavar="MIB",
        panel=_PANEL,
    ),
]
ClusterOption = Annotated[
    str | None,
    Option(
        "Use the workers of a Dask cluster: tcp://HOST:PORT or tls://HOST:PORT.",
        metavar="ADDRESS",
        panel=_PANEL,
    ),
]
TlsCa = Annotated[
    str | None, Option("With tls://: the trusted CA certificates.", metavar="FILE", panel=_PANEL)
]
TlsCert = Annotated[
    str | None, Option("With tls://: the client certificate.", metavar="FILE", panel=_PANEL)
]
TlsKey = Annotated[
    str | None,
    Option(
        "With tls://: the client key.",
        absent="in the file of --tls-cert",
        metavar="FILE",
        panel=_PANEL,
    ),
]
ScatterFiles = Annotated[
    bool,
    Option(
        "With --cluster: the workers read the input files themselves, from the same paths, so"
        " only file positions are sent.",
        panel=_PANEL,
    ),
]


def worker_settings(
    workers: int | None,
    memory_limit: int | None,
    cluster: str | None,
    tls: tuple[str | None, str | None, str | None],
    scatter: bool = False,
) -> WorkerSettings:
    """The workers that the options describe.

    Args:
        workers: the number of processes; None for one per core.
        memory_limit: per process, in megabytes.
        cluster: the address of a scheduler.
        tls: the files of the CA, the client certificate and the client key.
        scatter: the cluster's workers read the input files.

    Raises:
        typer.BadParameter: the options contradict one another.
    """
    from binairo_cp.workers.executors import Address, WorkerSettings, cores

    ca, cert, _ = tls
    if cluster is None:
        names = ("--tls-ca", "--tls-cert", "--tls-key", "--scatter-files")
        for name, given in zip(names, (*tls, scatter), strict=True):
            if given:
                raise typer.BadParameter("needs --cluster", param_hint=name)
        return WorkerSettings(
            workers or cores(), None if memory_limit is None else memory_limit << 20
        )
    if memory_limit or workers:
        hint = "--memory-limit" if memory_limit else "--workers"
        raise typer.BadParameter(
            "can't be set for a cluster; set it for its workers", param_hint=hint
        )
    if not cluster.startswith(("tcp://", "tls://")):
        raise typer.BadParameter(
            f"{cluster!r} is not an address; expected tcp://HOST:PORT or tls://HOST:PORT",
            param_hint="--cluster",
        )
    if cluster.startswith("tls://") != bool(ca and cert):
        raise typer.BadParameter(
            "tls://HOST:PORT needs --tls-ca and --tls-cert, which tcp://HOST:PORT does not take",
            param_hint="--cluster",
        )
    return WorkerSettings(1, cluster=Address(cluster, *tls), scatter=scatter)
