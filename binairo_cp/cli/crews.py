"""The options that say who does the work: processes of this machine, or a cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from binairo_cp.workers.executors import Crew

_LEAST_MEGABYTES = 512


def _named(metavar: str, help: str) -> Any:
    """An option with a value that is not shown where there is none."""
    return typer.Option(metavar=metavar, help=help, rich_help_panel="Workers", show_default=False)


MemoryLimit = Annotated[
    int | None,
    typer.Option(
        metavar="MB",
        min=_LEAST_MEGABYTES,
        help="For each worker; a puzzle that takes more is an error.  "
        r"\[default: its share of the machine's memory]",
        rich_help_panel="Workers",
        show_default=False,
    ),
]
ClusterOption = Annotated[
    str | None,
    _named(
        "ADDRESS",
        "Let the workers of a Dask cluster do it: tcp://HOST:PORT, or tls://HOST:PORT.",
    ),
]
TlsCa = Annotated[str | None, _named("FILE", "With tls://: the certificates of who signs.")]
TlsCert = Annotated[str | None, _named("FILE", "With tls://: the certificate of this client.")]
TlsKey = Annotated[
    str | None,
    _named("FILE", r"With tls://: its key.  \[default: in the file of --tls-cert]"),
]
ScatterFiles = Annotated[
    bool,
    typer.Option(
        "--scatter-files",
        help="With --cluster: its workers read the files too, which they have at the same "
        "paths, so that only places in them are sent.",
        rich_help_panel="Workers",
    ),
]


def crew_of(
    workers: int | None,
    memory_limit: int | None,
    cluster: str | None,
    tls: tuple[str | None, str | None, str | None],
    scatter: bool = False,
) -> Crew:
    """Who is asked to do the work.

    Args:
        workers: how many processes; None for one for each core.
        memory_limit: in megabytes, for each of them.
        cluster: the address of one.
        tls: its files: who signs, this client's certificate and key.
        scatter: its workers read the files.

    Raises:
        typer.BadParameter: the options contradict one another.
    """
    from binairo_cp.workers.executors import Address, Crew, cores

    ca, cert, _ = tls
    if cluster is None:
        names = ("--tls-ca", "--tls-cert", "--tls-key", "--scatter-files")
        for name, given in zip(names, (*tls, scatter), strict=True):
            if given:
                raise typer.BadParameter("is for --cluster", param_hint=name)
        return Crew(workers or cores(), None if memory_limit is None else memory_limit << 20)
    if memory_limit or workers:
        hint = "--memory-limit" if memory_limit else "--workers"
        raise typer.BadParameter("is told to the workers of a cluster", param_hint=hint)
    if not cluster.startswith(("tcp://", "tls://")):
        raise typer.BadParameter(
            f"{cluster!r} is no address; expected tcp://HOST:PORT or tls://HOST:PORT",
            param_hint="--cluster",
        )
    if cluster.startswith("tls://") != bool(ca and cert):
        raise typer.BadParameter(
            "tls://HOST:PORT goes with --tls-ca and --tls-cert", param_hint="--cluster"
        )
    return Crew(1, cluster=Address(cluster, *tls), scatter=scatter)
