"""The page: static files, and nothing from outside."""

from __future__ import annotations

from pathlib import Path

from fastapi import FastAPI, Response
from fastapi.responses import FileResponse
from fastapi.staticfiles import StaticFiles
from starlette.types import Scope

from binairo_cp.service.problems import Problem

_FOLDER = Path(__file__).parent / "static"
_FRESH = {"Cache-Control": "no-cache"}
"""Kept by browsers, and asked for again: it is small, and it changes with the server."""


class _Files(StaticFiles):
    async def get_response(self, path: str, scope: Scope) -> Response:
        answer = await super().get_response(path, scope)
        answer.headers.update(_FRESH)
        return answer


def install(app: FastAPI) -> None:
    """Let an app show the page at ``/``, with its files under ``/static/``."""

    @app.api_route("/", methods=["GET", "HEAD"], include_in_schema=False)
    async def page() -> Response:
        index = _FOLDER / "index.html"
        if not index.exists():
            raise Problem(404, "not-found", "this server has no page")
        return FileResponse(index, headers=_FRESH)

    app.mount("/static", _Files(directory=_FOLDER, check_dir=False))
