"""The page `/docs`, which shows the OpenAPI specification: Swagger UI, served by this server."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from fastapi import FastAPI, Response
from fastapi.responses import HTMLResponse
from fastapi.staticfiles import StaticFiles

_FOLDER = Path(__file__).parent


def install(app: FastAPI) -> None:
    """Serve the page at ``/docs`` and its files below it."""
    html = (_FOLDER / "index.html").read_text(encoding="utf-8")

    @app.api_route("/docs", methods=["GET", "HEAD"], include_in_schema=False)
    async def docs() -> Response:
        return HTMLResponse(html)

    app.mount("/docs/files", StaticFiles(directory=_FOLDER))
    # The package is only used for its copy of Swagger UI, so it is not imported.
    package = find_spec("fastapi_offline")
    if package and package.origin:
        app.mount("/docs/assets", StaticFiles(directory=Path(package.origin).parent / "static"))
