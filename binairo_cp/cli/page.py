"""The command page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from binairo_cp.features.feature import Option

_PUZZLES = "Puzzles"


def page(
    out: Annotated[
        Path,
        Option("The folder of the site.", flags=("--out", "-o"), metavar="FOLDER"),
    ],
    days: Annotated[
        int | None,
        Option(
            "Number of days until a puzzle of the day comes again, then turned or mirrored.",
            absent="365, or as in the package",
            least=7,
            most=3660,
            panel=_PUZZLES,
        ),
    ] = None,
    per_level: Annotated[
        int | None,
        Option(
            "Number of puzzles of each size and level.",
            absent="20",
            least=1,
            most=200,
            panel=_PUZZLES,
        ),
    ] = None,
    seed: Annotated[
        str | None,
        Option(
            "Random seed. The same seed gives the same puzzles. With none of these options, the "
            "site has the puzzles of the package, so its puzzle of the day is that of each server.",
            absent="binairo with --days or --per-level",
            longest=100,
            panel=_PUZZLES,
        ),
    ] = None,
) -> None:
    """Write the web page with its puzzles as a site for any host, which needs no server.

    [bold]binairo page --out site/[/]
    [bold]binairo page --out site/ --days 365 --per-level 50 --seed club[/]
    """
    from binairo_cp.service import static_site

    files = static_site.write_site(out, static_site.puzzles_of(per_level, days, seed))
    kib = round(sum(map(len, files.values())) / 1024)
    typer.echo(f"binairo: {out} has the site: {len(files)} files, {kib:,} KiB", err=True)
