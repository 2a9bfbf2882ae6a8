"""The commands serve, api-key and mcp."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from binairo_cp.cli.many import ClusterOption, TlsCa, TlsCert, TlsKey, worker_settings
from binairo_cp.features.feature import Option
from binairo_cp.service.limits import Limits

_PANEL_LIMITS, _PANEL_ACCESS = "Limits", "Access"


def _workers_option(panel: str | None = None) -> Any:
    return Option(
        "Number of worker processes.",
        absent="one per core",
        least=1,
        most=512,
        flags=("--workers", "-w"),
        panel=panel,
    )


def serve(
    limits: Limits,
    host: Annotated[
        str, Option("Address to listen on; 0.0.0.0 for all IPv4 interfaces.")
    ] = "127.0.0.1",
    port: Annotated[
        int, Option("Port to listen on; 0 for any free port.", least=0, most=65535)
    ] = 8000,
    data: Annotated[
        Path | None,
        Option(
            "Folder for jobs and their results.",
            absent="binairo in the user's data folder",
            metavar="FOLDER",
        ),
    ] = None,
    processes: Annotated[
        int,
        Option(
            "Number of processes that answer requests. They share the workers. More than one "
            "needs Linux.",
            least=1,
            most=64,
        ),
    ] = 1,
    database: Annotated[
        str | None,
        Option(
            "PostgreSQL database for jobs, which several servers can share: "
            "postgresql://USER@HOST/NAME. They also need the same --data folder.",
            absent="SQLite in the folder",
            metavar="URL",
        ),
    ] = None,
    cluster: ClusterOption = None,
    tls_ca: TlsCa = None,
    tls_cert: TlsCert = None,
    tls_key: TlsKey = None,
    workers: Annotated[int | None, _workers_option(_PANEL_LIMITS)] = None,
    api_keys: Annotated[
        Path | None,
        Option(
            "Accept only requests with an API key: a file of lines printed by binairo api-key.",
            absent="no key needed",
            metavar="FILE",
            panel=_PANEL_ACCESS,
        ),
    ] = None,
    cors: Annotated[
        list[str] | None,
        Option(
            "Allow pages of this origin (such as https://example.org) to call the API; may be "
            "repeated.",
            metavar="ORIGIN",
            panel=_PANEL_ACCESS,
        ),
    ] = None,
    embed_origins: Annotated[
        list[str] | None,
        Option(
            "Allow pages of this origin (such as https://example.org, or * for all) to show "
            "/embed in a frame; may be repeated.",
            absent="none",
            metavar="ORIGIN",
            panel=_PANEL_ACCESS,
        ),
    ] = None,
    host_name: Annotated[
        list[str] | None,
        Option(
            "A host name of this server, such as binairo.example.org or *.example.org; may be "
            "repeated.",
            absent="localhost; with another --host, IP addresses and local names",
            metavar="NAME",
            panel=_PANEL_ACCESS,
        ),
    ] = None,
    trusted_proxies: Annotated[
        list[str] | None,
        Option(
            "Trust X-Forwarded-For, -Proto and -Prefix from this address or network, such as "
            "127.0.0.1 or 10.0.0.0/8; may be repeated.",
            absent="none",
            metavar="ADDRESS",
            panel=_PANEL_ACCESS,
        ),
    ] = None,
    root_path: Annotated[
        str,
        Option(
            "Path prefix under which a proxy serves the application, such as /binairo.",
            metavar="PATH",
            panel=_PANEL_ACCESS,
        ),
    ] = "",
    drain: Annotated[
        float,
        Option(
            "After SIGTERM, keep listening this long while /readyz returns 503, so that load "
            "balancers stop sending requests.",
            least=0,
            most=3600,
            metavar="SECONDS",
        ),
    ] = 1.0,
    grace: Annotated[
        float,
        Option(
            "After --drain, how long running requests may take to finish.",
            least=1,
            metavar="SECONDS",
        ),
    ] = 10.0,
    log_level: Annotated[
        Literal["debug", "info", "warning", "error"], Option("Log level.")
    ] = "info",
) -> None:
    """Start the HTTP server: the API and the web page.

    [bold]binairo serve[/]
    [bold]binairo serve --host 0.0.0.0 --api-keys keys.txt --rate 20 --data /var/lib/binairo[/]
    """
    from binairo_cp.service import server
    from binairo_cp.service.app_state import Settings
    from binairo_cp.service.limits import USUAL_SECONDS
    from binairo_cp.workers import executors

    limits = replace(
        limits,
        time_limit=min(USUAL_SECONDS, limits.most_time),
        workers=workers or executors.cores(),
    )
    settings = Settings(
        limits,
        data or _user_folder(),
        database,
        worker_settings(None, None, cluster, (tls_ca, tls_cert, tls_key)).cluster,
        api_keys,
        origins=tuple(cors or ()),
        embed_origins=tuple(embed_origins or ()),
        host=host,
        host_names=tuple(host_name or ()),
        trusted_proxies=tuple(trusted_proxies or ()),
        root_path=root_path,
        drain=drain,
        grace=grace,
        processes=processes,
    )
    server.serve(settings, port, log_level)


def mcp(
    port: Annotated[
        int | None,
        Option(
            "Use streamable HTTP at http://127.0.0.1:PORT/mcp.",
            absent="standard input and output",
            least=1,
            most=65535,
            metavar="PORT",
        ),
    ] = None,
    workers: Annotated[int | None, _workers_option()] = None,
    time_limit: Annotated[
        float,
        Option("Default and maximum time of a tool call.", least=0.1, most=3600, metavar="SECONDS"),
    ] = 30.0,
) -> None:
    """Offer check, solve, hint, explain, grade, generate and render as tools to language models.

    The server speaks MCP, the Model Context Protocol, over standard input and output.

    [bold]binairo mcp[/]
    [bold]binairo mcp --port 8765[/]
    """
    from binairo_cp.service import mcp_server
    from binairo_cp.workers import executors

    limits = Limits(
        time_limit=time_limit,
        most_time=time_limit,
        workers=workers or executors.cores(),
        generated=mcp_server.MAX_GENERATED,
        answer_bytes=mcp_server.MAX_PICTURE_BYTES,
    )
    mcp_server.serve(limits, port)


def _user_folder() -> Path:
    """The folder for user data, by the XDG base directory specification."""
    given = os.environ.get("XDG_DATA_HOME", "")
    base = Path(given) if os.path.isabs(given) else Path.home() / ".local/share"
    return base / "binairo"


def api_key(
    name: Annotated[str, Option("Name of the client.", metavar="NAME", is_positional=True)],
) -> None:
    """Create a key for binairo serve --api-keys.

    The line for the file goes to standard output, the key itself to standard error.

    [bold]binairo api-key alice >> keys.txt[/]
    """
    from binairo_cp.service import clients

    key, line = clients.new_key(name)
    typer.echo(line)
    typer.echo(f"binairo: the key, shown only this once: {key}", err=True)
