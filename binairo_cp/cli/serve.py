"""The commands of the service: page, serve, api-key and mcp."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from binairo_cp.cli.options import ClusterOptions
from binairo_cp.features.feature import Option
from binairo_cp.service.limits import Limits, ServerOptions


def page(
    out: Annotated[
        Path, Option("The folder of the site.", flags=("--out", "-o"), metavar="FOLDER")
    ],
    days: Annotated[
        int | None,
        Option(
            "Number of days until a puzzle of the day comes again, then turned or mirrored.",
            absent="365, or as in the package",
            least=7,
            most=3660,
            panel="Puzzles",
        ),
    ] = None,
    per_level: Annotated[
        int | None,
        Option(
            "Number of puzzles of each size and level.",
            absent="20",
            least=1,
            most=200,
            panel="Puzzles",
        ),
    ] = None,
    seed: Annotated[
        str | None,
        Option(
            "Random seed. The same seed gives the same puzzles. With none of these options, the "
            "site has the puzzles of the package, so its puzzle of the day is that of each server.",
            absent="binairo with --days or --per-level",
            longest=100,
            panel="Puzzles",
        ),
    ] = None,
    solver: Annotated[
        Path | None,
        Option(
            "A folder with Pyodide and some wheels: the page then solves, explains, grades and "
            "generates in the browser.",
            absent="the page knows the usual techniques",
            metavar="FOLDER",
        ),
    ] = None,
) -> None:
    """Write the web page as a site for any host, without a server.

    [bold]binairo page --out site/[/]
    [bold]binairo page --out site/ --days 365 --per-level 50 --seed club[/]
    """
    from binairo_cp.service import static_site

    puzzles = static_site.puzzles_of(per_level, days, seed)
    files = static_site.write_site(out, puzzles, static_site.solver_of(solver))
    kib = round(sum(map(len, files.values())) / 1024)
    typer.echo(f"binairo: {out} has the site: {len(files)} files, {kib:,} KiB", err=True)


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
    options: ServerOptions,
    limits: Limits,
    pool: ClusterOptions,
    workers: Annotated[int | None, _workers_option("Limits")] = None,
) -> None:
    """Start the HTTP server: the API and the web page.

    [bold]binairo serve[/]
    [bold]binairo serve --api-keys keys.txt --data /var/lib/binairo[/]
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
    server.serve(Settings(**vars(options), limits=limits, cluster=pool.settings().cluster))


def mcp(
    workers: Annotated[int | None, _workers_option()] = None,
    time_limit: Annotated[
        float,
        Option("Default and maximum time of a tool call.", least=0.1, most=3600, metavar="SECONDS"),
    ] = 30.0,
) -> None:
    """Offer the main commands as tools to language models (MCP).

    It speaks the Model Context Protocol over standard input and output.

    [bold]binairo mcp[/]
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
    mcp_server.serve(limits)


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
