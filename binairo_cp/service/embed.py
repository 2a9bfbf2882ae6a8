"""Serve a board that other sites can embed in a frame, if the server allows them to."""

from __future__ import annotations

from collections.abc import Iterable

from fastapi import FastAPI, Request, Response
from fastapi.responses import HTMLResponse

from binairo_cp.service import allowed_sites
from binairo_cp.service.middleware import HEADERS
from binairo_cp.service.page import Page, tagged
from binairo_cp.service.problems import Problem

_POLICY = "content-security-policy"


def parse_origins(texts: Iterable[str]) -> tuple[str, ...]:
    """Parse the values of `--embed-origins`, as `allowed_sites.parse_origins` does."""
    return allowed_sites.parse_origins(texts, "--embed-origins", "https://example.org")


def install(app: FastAPI, origins: tuple[str, ...], page: Page | None) -> None:
    """Serve ``/embed``. Frames of `origins` may show it."""

    @app.api_route("/embed", methods=["GET", "HEAD"], include_in_schema=False)
    async def embedded(request: Request) -> Response:
        if page is None:
            raise Problem(404, "not-found", "this server has no page")
        return tagged(request, HTMLResponse(page.embedded, headers=_headers(origins)))


def _headers(origins: tuple[str, ...]) -> dict[str, str]:
    """The headers of the page, which allow no frame unless there are origins."""
    headers = {"Cache-Control": "no-cache"}
    if not origins:
        return {**headers, "X-Frame-Options": "DENY"}
    allowed = f"frame-ancestors {' '.join(origins)}"
    return {**headers, _POLICY: HEADERS[_POLICY].replace("frame-ancestors 'none'", allowed)}
