"""Serve the web page: its HTML, one file of JavaScript, one style sheet, and the service worker.

Files that the page loads have the version of the page in their path. So browsers keep them for
good, and a new version of the server never mixes with an old one. The files under ``/static/``
without a version are for readers and tests.
"""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import NamedTuple

from fastapi import FastAPI, Request, Response
from fastapi.responses import HTMLResponse
from fastapi.staticfiles import StaticFiles
from starlette.staticfiles import NotModifiedResponse
from starlette.types import Scope

from binairo_cp.service import bundles, menus, phrases
from binairo_cp.service.problems import Problem

_FOLDER = Path(__file__).parent / "static"
_REVALIDATE = {"Cache-Control": "no-cache"}
"""Browsers may keep the page but must ask whether it changed."""
_KEEP = {"Cache-Control": "public, max-age=31536000, immutable"}
_ENTRIES = ("app.js", "embed.js")
"""The modules that pages load, each with all that it imports."""
_STYLE = "style.css"
_PART = re.compile(r"<!-- part: (\w+) -->\n")
_WORKER = "worker.js"
_MANIFEST = "manifest.webmanifest"
_TYPES = {
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".json": "application/json",
}
"""The files that are served as they are."""


class _Files(StaticFiles):
    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        response.headers.update(_REVALIDATE)
        return response


_FILES = _Files(directory=_FOLDER, check_dir=False)


class _File(NamedTuple):
    content: bytes
    media_type: str


class Page(NamedTuple):
    """All that a browser loads.

    Attributes:
        version: Changes if anything else does.
        html: The page.
        embedded: The page with one board, for other sites.
        worker: The service worker.
        manifest: The web app manifest.
        files: The other files by name.
    """

    version: str
    html: str
    embedded: str
    worker: str
    manifest: str
    files: dict[str, _File]


def read(folder: Path = _FOLDER) -> Page | None:
    """The page with its menus, joined modules and version; None if this installation has none."""
    if not (folder / "index.html").exists():
        return None
    files = {
        path.name: _File(path.read_bytes(), _TYPES[path.suffix])
        for path in sorted(folder.iterdir())
        if path.suffix in _TYPES
    }
    files[_STYLE] = _File(bundles.styles(folder / _STYLE).encode(), "text/css")
    for name in _ENTRIES:
        files[name] = _File(bundles.bundle(folder / name).encode(), "text/javascript")
    files["phrases.json"] = _File(phrases.as_json().encode(), _TYPES[".json"])
    html = menus.filled(_joined(folder / "index.html"))
    embedded = _joined(folder / "embed.html")
    worker = (folder / _WORKER).read_text(encoding="utf-8")
    manifest = (folder / _MANIFEST).read_text(encoding="utf-8")
    version = _version(html, embedded, worker, manifest, *(file.content for file in files.values()))
    place = f"static/{version}/"
    urls = json.dumps([f"{place}{name}" for name in files])
    return Page(
        version,
        html.replace('"static/', f'"{place}'),
        embedded.replace('"static/', f'"{place}'),
        f'const VERSION = "{version}";\nconst FILES = {urls};\n{worker}',
        manifest.replace('"static/', f'"{place}'),
        files,
    )


def _joined(path: Path) -> str:
    """The text of a file with the parts that it names, such as `<!-- part: dialogs -->`."""
    text = path.read_text(encoding="utf-8")
    return _PART.sub(lambda part: _joined(path.with_name(f"{part[1]}.html")), text)


def _version(*parts: str | bytes) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part if isinstance(part, bytes) else part.encode())
    return digest.hexdigest()[:12]


def tagged(request: Request, response: Response) -> Response:
    """A response with a tag, or without its body if the browser has the one with this tag."""
    response.headers["ETag"] = f'"{_version(bytes(response.body))}"'
    if _FILES.is_not_modified(response.headers, request.headers):
        return NotModifiedResponse(response.headers)
    return response


def install(app: FastAPI, folder: Path = _FOLDER) -> Page | None:
    """Serve the page at ``/`` and its files below ``/static/``, and return it."""
    page = read(folder)
    methods = ["GET", "HEAD"]

    def found() -> Page:
        if page is None:
            raise Problem(404, "not-found", "this server has no page")
        return page

    @app.api_route("/", methods=methods, include_in_schema=False)
    async def html(request: Request) -> Response:
        return tagged(request, HTMLResponse(found().html, headers=_REVALIDATE))

    @app.api_route(f"/{_WORKER}", methods=methods, include_in_schema=False)
    async def worker(request: Request) -> Response:
        response = Response(found().worker, media_type="text/javascript", headers=_REVALIDATE)
        return tagged(request, response)

    @app.api_route(f"/{_MANIFEST}", methods=methods, include_in_schema=False)
    async def manifest(request: Request) -> Response:
        media_type = "application/manifest+json"
        response = Response(found().manifest, media_type=media_type, headers=_REVALIDATE)
        return tagged(request, response)

    if page:

        @app.api_route(f"/static/{page.version}/{{name}}", methods=methods, include_in_schema=False)
        async def file(request: Request, name: str) -> Response:
            if name not in page.files:
                raise Problem(404, "not-found", "this page has no such file")
            content, media_type = page.files[name]
            return tagged(request, Response(content, media_type=media_type, headers=_KEEP))

    app.mount("/static", _Files(directory=folder, check_dir=False))
    return page
