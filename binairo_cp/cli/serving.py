"""serve and api-key: the HTTP service, and who may ask it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Literal

import typer

_PANEL_LIMITS, _PANEL_ACCESS = "Limits", "Access"


def serve(
    host: Annotated[
        str, typer.Option(help="The address that is listened on; 0.0.0.0 for all of IPv4.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 for any that is free.")] = 8000,
    data: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help=r"Where jobs and their results are kept.  \[default: binairo in the user's data "
            "folder]",
            show_default=False,
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers",
            "-w",
            min=1,
            max=512,
            help=r"Requests that are worked on at once.  \[default: one for each core]",
            rich_help_panel=_PANEL_LIMITS,
            show_default=False,
        ),
    ] = None,
    fast_workers: Annotated[
        int,
        typer.Option(
            min=1,
            max=512,
            help="Workers kept for small requests, besides those.",
            rich_help_panel=_PANEL_LIMITS,
        ),
    ] = 1,
    time_limit: Annotated[
        float,
        typer.Option(
            metavar="SECONDS",
            min=0.1,
            max=3600,
            help="How long a request may work at most; it is 5 s, or this if that is less, where "
            "the request does not say.",
            rich_help_panel=_PANEL_LIMITS,
        ),
    ] = 30.0,
    memory: Annotated[
        int,
        typer.Option(
            metavar="MIB",
            min=512,
            help="Memory of a worker, in MiB.",
            rich_help_panel=_PANEL_LIMITS,
        ),
    ] = 2048,
    side: Annotated[
        int,
        typer.Option(
            min=1, max=255, help="Cells of a side of a board.", rich_help_panel=_PANEL_LIMITS
        ),
    ] = 100,
    body: Annotated[
        int,
        typer.Option(
            metavar="KIB", min=1, help="A request's body, in KiB.", rich_help_panel=_PANEL_LIMITS
        ),
    ] = 1024,
    upload: Annotated[
        int,
        typer.Option(
            metavar="MIB", min=1, help="A job's file, in MiB.", rich_help_panel=_PANEL_LIMITS
        ),
    ] = 64,
    queue: Annotated[
        int,
        typer.Option(min=0, help="Requests that wait for a worker.", rich_help_panel=_PANEL_LIMITS),
    ] = 64,
    jobs: Annotated[
        int,
        typer.Option(min=1, max=64, help="Jobs at once.", rich_help_panel=_PANEL_LIMITS),
    ] = 1,
    jobs_waiting: Annotated[
        int,
        typer.Option(min=0, help="Jobs that wait to run.", rich_help_panel=_PANEL_LIMITS),
    ] = 100,
    keep: Annotated[
        float,
        typer.Option(
            metavar="DAYS",
            min=0.001,
            help="How long jobs are kept after their end.",
            rich_help_panel=_PANEL_LIMITS,
        ),
    ] = 7.0,
    rate: Annotated[
        float | None,
        typer.Option(
            metavar="N",
            min=0.01,
            help=r"Requests a second of a client.  \[default: no bound]",
            rich_help_panel=_PANEL_ACCESS,
            show_default=False,
        ),
    ] = None,
    burst: Annotated[
        int,
        typer.Option(
            min=1, help="Requests of a client at once under --rate.", rich_help_panel=_PANEL_ACCESS
        ),
    ] = 20,
    api_keys: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help=r"Only who has a key may ask: a file of lines that binairo api-key prints.  "
            r"\[default: everybody may]",
            rich_help_panel=_PANEL_ACCESS,
            show_default=False,
        ),
    ] = None,
    cors: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ORIGIN",
            help="A site whose pages may use the server, such as https://example.org; may be "
            "repeated.",
            rich_help_panel=_PANEL_ACCESS,
            show_default=False,
        ),
    ] = None,
    host_name: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help=r"A name that the server is reached by, such as binairo.example.org or "
            r"*.example.org; may be repeated.  \[default: localhost; with another --host, "
            "addresses and local names]",
            rich_help_panel=_PANEL_ACCESS,
            show_default=False,
        ),
    ] = None,
    trusted_proxies: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ADDRESS",
            help=r"Believe X-Forwarded-For, -Proto and -Prefix of this address or network, such as "
            r"127.0.0.1 or 10.0.0.0/8; may be repeated.  \[default: nobody]",
            rich_help_panel=_PANEL_ACCESS,
            show_default=False,
        ),
    ] = None,
    root_path: Annotated[
        str,
        typer.Option(
            metavar="PATH",
            help="The path under which a proxy shows the server, such as /binairo.",
            rich_help_panel=_PANEL_ACCESS,
            show_default=False,
        ),
    ] = "",
    client_connections: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=1,
            max=1_000,
            help="Connections of an address at once.",
            rich_help_panel=_PANEL_LIMITS,
        ),
    ] = 100,
    drain: Annotated[
        float,
        typer.Option(
            metavar="SECONDS",
            min=0,
            max=3600,
            help="Keep listening for so long after SIGTERM, while /readyz says 503, so that load "
            "balancers send requests elsewhere.",
        ),
    ] = 1.0,
    grace: Annotated[
        float,
        typer.Option(
            metavar="SECONDS",
            min=1,
            help="How long what runs may take to end when the server is to stop, after --drain.",
        ),
    ] = 10.0,
    log_level: Annotated[
        Literal["debug", "info", "warning", "error"], typer.Option(help="What is logged.")
    ] = "info",
) -> None:
    """Answer over HTTP: an API, and a page where puzzles are played.

    [bold]binairo serve[/]
    [bold]binairo serve --host 0.0.0.0 --api-keys keys.txt --rate 20 --data /var/lib/binairo[/]
    """
    from binairo_cp.service import server
    from binairo_cp.service.limits import USUAL_SECONDS, Limits
    from binairo_cp.service.state import Settings
    from binairo_cp.workers import executors

    limits = Limits(
        time_limit=min(USUAL_SECONDS, time_limit),
        most_time=time_limit,
        body_bytes=body << 10,
        upload_bytes=upload << 20,
        side=side,
        workers=workers or executors.cores(),
        fast_workers=fast_workers,
        memory_mib=memory,
        waiting=queue,
        jobs=jobs,
        jobs_waiting=jobs_waiting,
        keep_days=keep,
        rate=rate,
        burst=burst,
        client_connections=client_connections,
    )
    settings = Settings(
        limits,
        data or _user_folder(),
        api_keys,
        origins=tuple(cors or ()),
        host=host,
        host_names=tuple(host_name or ()),
        trusted_proxies=tuple(trusted_proxies or ()),
        root_path=root_path,
        drain=drain,
        grace=grace,
    )
    server.run(settings, port, log_level)


def _user_folder() -> Path:
    """Where programs keep what is a user's, by the XDG base directory specification."""
    given = os.environ.get("XDG_DATA_HOME", "")
    base = Path(given) if os.path.isabs(given) else Path.home() / ".local/share"
    return base / "binairo"


def api_key(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Whose key it will be.")],
) -> None:
    """Make a key for binairo serve --api-keys: its line on standard output, the key on the other.

    [bold]binairo api-key alice >> keys.txt[/]
    """
    from binairo_cp.service import keys

    key, line = keys.new(name)
    typer.echo(line)
    typer.echo(f"binairo: the key, which is told only now: {key}", err=True)
