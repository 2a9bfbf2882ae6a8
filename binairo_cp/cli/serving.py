"""serve: the HTTP service."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def serve(
    host: Annotated[str, typer.Option(help="The address that is listened on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 for any.")] = 8000,
    data: Annotated[Path | None, typer.Option(help="The folder of jobs and results.")] = None,
) -> None:
    """Answer over HTTP: an API, and a page where puzzles are played."""
    from binairo_cp.service import server
    from binairo_cp.service.limits import Limits
    from binairo_cp.service.state import Settings

    server.run(Settings(Limits(), data or Path(".")), host, port, "info")
