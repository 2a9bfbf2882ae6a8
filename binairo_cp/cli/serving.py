"""The commands serve and api-key."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Literal

import typer

_PANEL_LIMITS, _PANEL_ACCESS = "Limits", "Access"


def serve(
    host: Annotated[
        str, typer.Option(help="Address to listen on; 0.0.0.0 for all IPv4 interfaces.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port to listen on; 0 for any free port.")
    ] = 8000,
    data: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help=r"Folder for jobs and their results.  \[default: binairo in the user's data "
            r"folder]",
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
            help=r"Number of worker processes.  \[default: one per core]",
            rich_help_panel=_PANEL_LIMITS,
            show_default=False,
        ),
    ] = None,
    fast_workers: Annotated[
        int,
        typer.Option(
            min=1,
            max=512,
            help="Additional worker processes for small requests only.",
            rich_help_panel=_PANEL_LIMITS,
        ),
    ] = 1,
    time_limit: Annotated[
        float,
        typer.Option(
            metavar="SECONDS",
            min=0.1,
            max=3600,
            help="Maximum time limit of a request. Requests without one get 5 s, or this if it is "
            "less.",
            rich_help_panel=_PANEL_LIMITS,
        ),
    ] = 30.0,
    memory_limit: Annotated[
        int,
        typer.Option(
            metavar="MIB",
            min=512,
            help="Memory limit per worker.",
            rich_help_panel=_PANEL_LIMITS,
        ),
    ] = 2048,
    side: Annotated[
        int,
        typer.Option(
            min=1, max=255, help="Maximum side of a board, in cells.", rich_help_panel=_PANEL_LIMITS
        ),
    ] = 100,
    body: Annotated[
        int,
        typer.Option(
            metavar="KIB",
            min=1,
            help="Maximum size of a request body.",
            rich_help_panel=_PANEL_LIMITS,
        ),
    ] = 1024,
    upload: Annotated[
        int,
        typer.Option(
            metavar="MIB",
            min=1,
            help="Maximum size of a job's file.",
            rich_help_panel=_PANEL_LIMITS,
        ),
    ] = 64,
    queue: Annotated[
        int,
        typer.Option(
            min=0,
            help="Maximum number of requests that wait for a worker.",
            rich_help_panel=_PANEL_LIMITS,
        ),
    ] = 64,
    jobs: Annotated[
        int,
        typer.Option(
            min=1, max=64, help="Maximum number of running jobs.", rich_help_panel=_PANEL_LIMITS
        ),
    ] = 1,
    jobs_waiting: Annotated[
        int,
        typer.Option(min=0, help="Maximum number of waiting jobs.", rich_help_panel=_PANEL_LIMITS),
    ] = 100,
    keep: Annotated[
        float,
        typer.Option(
            metavar="DAYS",
            min=0.001,
            help="How long to keep finished jobs.",
            rich_help_panel=_PANEL_LIMITS,
        ),
    ] = 7.0,
    rate: Annotated[
        float | None,
        typer.Option(
            metavar="N",
            min=0.01,
            help=r"Maximum requests per second and client.  \[default: unlimited]",
            rich_help_panel=_PANEL_ACCESS,
            show_default=False,
        ),
    ] = None,
    burst: Annotated[
        int,
        typer.Option(
            min=1,
            help="With --rate: requests that a client may send at once.",
            rich_help_panel=_PANEL_ACCESS,
        ),
    ] = 20,
    api_keys: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help=r"Accept only requests with an API key: a file of lines printed by binairo "
            r"api-key.  \[default: no key needed]",
            rich_help_panel=_PANEL_ACCESS,
            show_default=False,
        ),
    ] = None,
    cors: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ORIGIN",
            help="Allow pages of this origin (such as https://example.org) to call the API; may be "
            "repeated.",
            rich_help_panel=_PANEL_ACCESS,
            show_default=False,
        ),
    ] = None,
    host_name: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help=r"A host name of this server, such as binairo.example.org or *.example.org; may "
            r"be repeated.  \[default: localhost; with another --host, IP addresses and local "
            r"names]",
            rich_help_panel=_PANEL_ACCESS,
            show_default=False,
        ),
    ] = None,
    trusted_proxies: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ADDRESS",
            help=r"Trust X-Forwarded-For, -Proto and -Prefix from this address or network, such as "
            r"127.0.0.1 or 10.0.0.0/8; may be repeated.  \[default: none]",
            rich_help_panel=_PANEL_ACCESS,
            show_default=False,
        ),
    ] = None,
    root_path: Annotated[
        str,
        typer.Option(
            metavar="PATH",
            help="Path prefix under which a proxy serves the application, such as /binairo.",
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
            help="Maximum number of open connections per address.",
            rich_help_panel=_PANEL_LIMITS,
        ),
    ] = 100,
    drain: Annotated[
        float,
        typer.Option(
            metavar="SECONDS",
            min=0,
            max=3600,
            help="After SIGTERM, keep listening this long while /readyz returns 503, so that load "
            "balancers stop sending requests.",
        ),
    ] = 1.0,
    grace: Annotated[
        float,
        typer.Option(
            metavar="SECONDS",
            min=1,
            help="After --drain, how long running requests may take to finish.",
        ),
    ] = 10.0,
    log_level: Annotated[
        Literal["debug", "info", "warning", "error"], typer.Option(help="Log level.")
    ] = "info",
) -> None:
    """Start the HTTP server: the API and the web page.

    [bold]binairo serve[/]
    [bold]binairo serve --host 0.0.0.0 --api-keys keys.txt --rate 20 --data /var/lib/binairo[/]
    """
    from binairo_cp.service import server
    from binairo_cp.service.app_state import Settings
    from binairo_cp.service.limits import USUAL_SECONDS, Limits
    from binairo_cp.workers import executors

    limits = Limits(
        time_limit=min(USUAL_SECONDS, time_limit),
        most_time=time_limit,
        body_bytes=body << 10,
        upload_bytes=upload << 20,
        side=side,
        workers=workers or executors.cores(),
        fast_workers=fast_workers,
        memory_mib=memory_limit,
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
    server.serve(settings, port, log_level)


def _user_folder() -> Path:
    """The folder for user data, by the XDG base directory specification."""
    given = os.environ.get("XDG_DATA_HOME", "")
    base = Path(given) if os.path.isabs(given) else Path.home() / ".local/share"
    return base / "binairo"


def api_key(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the client.")],
) -> None:
    """Create a key for binairo serve --api-keys.

    The line for the file goes to standard output, the key itself to standard error.

    [bold]binairo api-key alice >> keys.txt[/]
    """
    from binairo_cp.service import keys

    key, line = keys.new(name)
    typer.echo(line)
    typer.echo(f"binairo: the key, shown only this once: {key}", err=True)
