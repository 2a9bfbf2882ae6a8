"""The options for workers: local processes or a cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from binairo_cp.workers.executors import WorkerSettings

_LEAST_MEGABYTES = 512


def _named(metavar: str, help: str) -> Any:
    """An option whose missing default is not shown."""
    return typer.Option(metavar=metavar, help=help, rich_help_panel="Workers", show_default=False)


MemoryLimit = Annotated[
    int | None,
    typer.Option(
        metavar="MIB",
        min=_LEAST_MEGABYTES,
        help="Memory limit per worker; a puzzle that needs more is an error.  "
        r"\[default: an equal share of the machine's memory]",
        rich_help_panel="Workers",
        show_default=False,
    ),
]
ClusterOption = Annotated[
    str | None,
    _named(
        "ADDRESS",
        "Use the workers of a Dask cluster: tcp://HOST:PORT or tls://HOST:PORT.",
    ),
]
TlsCa = Annotated[str | None, _named("FILE", "With tls://: the trusted CA certificates.")]
TlsCert = Annotated[str | None, _named("FILE", "With tls://: the client certificate.")]
TlsKey = Annotated[
    str | None,
    _named("FILE", r"With tls://: the client key.  \[default: in the file of --tls-cert]"),
]
ScatterFiles = Annotated[
    bool,
    typer.Option(
        "--scatter-files",
        help="With --cluster: the workers read the input files themselves, from the same paths, so "
        "only file positions are sent.",
        rich_help_panel="Workers",
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
