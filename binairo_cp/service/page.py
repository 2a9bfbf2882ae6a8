"""Serve the web page: static files, and the menus from the tables of the package."""

from __future__ import annotations

from pathlib import Path

from fastapi import FastAPI, Response
from fastapi.responses import HTMLResponse
from fastapi.staticfiles import StaticFiles
from starlette.types import Scope

from binairo_cp.service import menus
from binairo_cp.service.problems import Problem

_FOLDER = Path(__file__).parent / "static"
_REVALIDATE = {"Cache-Control": "no-cache"}
"""Browsers may cache the page but must revalidate it: it is small, and changes with the server."""


class _Files(StaticFiles):
    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        response.headers.update(_REVALIDATE)
        return response


def install(app: FastAPI) -> None:
    """Serve the page at ``/`` and its files under ``/static/``."""
    index = _FOLDER / "index.html"
    html = menus.filled(index.read_text(encoding="utf-8")) if index.exists() else None

    @app.api_route("/", methods=["GET", "HEAD"], include_in_schema=False)
    async def page() -> Response:
        if html is None:
            raise Problem(404, "not-found", "this server has no page")
        return HTMLResponse(html, headers=_REVALIDATE)

    app.mount("/static", _Files(directory=_FOLDER, check_dir=False))
