"""Serve the web page: its HTML, modules, style sheets and data, and the service worker.

Files that the page loads have the version of the page in their path. So browsers keep them for
good, and a new version of the server never mixes with an old one. The files under ``/static/``
without a version are for readers and tests.

``make page`` joins the modules and style sheets in few small files. A wheel has them. Where they
are missing, or older than their sources, the sources are served as they are: a browser then needs
one request for each.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple, get_args

from fastapi import FastAPI, Request, Response
from fastapi.responses import HTMLResponse
from fastapi.staticfiles import StaticFiles
from starlette.staticfiles import NotModifiedResponse
from starlette.types import Scope

from binairo_cp.deduction.messages import HIGHLIGHTED, TEMPLATES, WORDS, Message
from binairo_cp.deduction.styles import LANGUAGES, Language
from binairo_cp.deduction.wording import forms
from binairo_cp.features.feature import record_features
from binairo_cp.features.generate import Grade
from binairo_cp.formats import FORMATS
from binairo_cp.puzzle.rules import PRESETS
from binairo_cp.service.middleware import HEADERS, parse_origins
from binairo_cp.service.problems import Problem
from binairo_cp.solving.encodings import TARGETS

_NAMES = {"classic": "Binairo", "unruly": "Unruly", "plus": "Binairo+", "tango": "Tango"}
"""What the page calls the presets."""

_FACES = {
    "classic": "digits-0 digits-1",
    "tango": "sunmoon-0 sunmoon-1",
    "unruly": "circles-0 circles-1",
    "plus": "digits-0 sign-equal digits-0",
}
"""The symbols that show each game, in the order of the menu."""

_SIZES, _SIZE = (6, 8, 10, 12, 14, 20), 10

OWN_SIZES = (6, 8, 10, 12, 14)
"""The sizes of the puzzles that the page has without a server, as in `static/stock.js`."""

OWN_FORMATS = ("text", "line", "ndjson", "json", "task")
"""The formats that the page writes without a server, as in `static/formats.js`."""

_PLACE = re.compile(r"<!-- menu: (\w+) -->")
_TECHNIQUES = ("pair", "sandwich", "sign", "count", "last one", "projection", "mistake", "wrong")
"""The beginnings of the names of the templates that `static/techniques.js` needs."""

_WITHOUT = ("now", "then", "chain")
"""The ends of those that it does not need."""

_FOLDER = Path(__file__).parent / "static"
_API_DOCS = Path(__file__).parent / "api_docs"
_METHODS = ["GET", "HEAD"]
_POLICY = "content-security-policy"
_REVALIDATE = {"Cache-Control": "no-cache"}
"""Browsers may keep the page but must ask whether it changed."""

_KEEP = {"Cache-Control": "public, max-age=31536000, immutable"}
_SHARED = re.compile(r'\s*<p class="soft shared">.*?</p>')
"""What a page says about jobs that have no owner."""

_PART = re.compile(r"<!-- part: (\w+) -->\n")
PAGE, EMBEDDED = "index.html", "embed.html"
WORKER, MANIFEST = "worker.js", "manifest.webmanifest"
_TOP = {
    **dict.fromkeys((PAGE, EMBEDDED), "text/html"),
    WORKER: "text/javascript",
    MANIFEST: "application/manifest+json",
}
"""The files that keep their addresses."""

_ARCHIVES = (".whl", "package.zip")
"""The ends of the names of archives of Python code."""

_CODE = {".js": "text/javascript", ".css": "text/css"}
"""The files that `make page` joins."""

_TYPES = {".svg": "image/svg+xml", ".png": "image/png", ".json": "application/json"}
"""The files that are served as they are."""


BUILT = _FOLDER.with_name("built")
"""The folder of the joined files."""

SOURCES = "sources"
"""The file there with the digest of what they were built from."""


def digest(folder: Path) -> str:
    """Changes if a module or a style sheet of the page does."""
    sources = (path for path in sorted(folder.iterdir()) if path.suffix in _CODE)
    return _version(*(path.read_bytes() for path in sources))


class Choice(NamedTuple):
    """An option of a menu: its value, its text, and whether it is chosen at first."""

    value: str
    text: str
    is_selected: bool = False
    needs_server: bool = False
    group: str = ""  # the name of the form's field, if all choices are seen at once
    picture: str = ""  # the symbols of the sheet above its text, if any

    def html(self) -> str:
        if not self.group:
            state = " selected" if self.is_selected else ""
            return f'<option value="{escape(self.value)}"{state}>{escape(self.text)}</option>'
        checked = " checked" if self.is_selected else ""
        uses = "".join(
            f'<use href="#{name}" x="{100 * n}" width="100" height="100"/>'
            for n, name in enumerate(self.picture.split())
        )
        width = 100 * len(self.picture.split())
        picture = f'<svg viewBox="0 0 {width} 100" aria-hidden="true">{uses}</svg>' if uses else ""
        field = f'<input type="radio" name="{self.group}" value="{escape(self.value)}"{checked}>'
        return f"<label>{field}{picture}<span>{escape(self.text)}</span></label>"


def _menus() -> dict[str, list[Choice]]:
    return {
        "rules": [Choice(name, _NAMES[name]) for name in PRESETS],
        "faces": [
            Choice(
                name,
                _NAMES[name],
                is_selected=name == "classic",
                needs_server=name != "classic",
                group="rules",
                picture=picture,
            )
            for name, picture in _FACES.items()
        ],
        "sizes": [
            Choice(str(side), str(side), side == _SIZE, side not in OWN_SIZES, group="size")
            for side in _SIZES
        ]
        + [Choice("", "Other", needs_server=True, group="size")],
        "grades": [
            Choice(
                name,
                name.replace("-", " ").capitalize(),
                is_selected=name == "medium",
                needs_server=name in ("any", "beyond-logic"),
                group="grade",
            )
            for name in get_args(Grade)
        ],
        "commands": [
            Choice(name, feature.title, name == "grade")
            for name, feature in record_features().items()
            if feature.title
        ],
        "languages": [Choice(name, title) for name, title in LANGUAGES.items()],
        "formats": [
            Choice(f"convert:{name}", row.title, needs_server=name not in OWN_FORMATS)
            for name, row in FORMATS.items()
        ],
        "targets": [
            Choice(f"encode:{name}", target.title, needs_server=True)
            for name, target in TARGETS.items()
        ]
        + [Choice("certify", "Certificate", needs_server=True)],
    }


def filled(page: str, is_alone: bool = False) -> str:
    """A page with the options of its menus; one that is alone offers none that needs a server."""
    menus = _menus()

    def offered(place: re.Match[str]) -> str:
        choices = (row for row in menus[place[1]] if not (is_alone and row.needs_server))
        return "".join(choice.html() for choice in choices)

    return _PLACE.sub(offered, page)


def _alone(page: str, solver: Solver) -> str:
    """A page that sends no requests to a server, with the policy that the server would send."""
    policy = re.sub("; frame-ancestors [^;]*", "", HEADERS[_POLICY])
    meta = f'<meta http-equiv="content-security-policy" content="{escape(policy)}">'
    wheels = " ".join(name for name in solver.files if name.endswith(_ARCHIVES))
    state = (
        f'data-solver="{solver.place}/" data-wheels="{wheels}"' if wheels else 'data-server="none"'
    )
    page = page.replace("<html ", f"<html {state} ", 1)
    return page.replace("<head>\n", f"<head>\n{meta}\n", 1)


def phrases_as_json() -> str:
    """All templates and words by language, each with its forms: for one, and for several."""
    every = {
        language: {
            "templates": _selected(TEMPLATES, language),
            "highlighted": _selected(HIGHLIGHTED, language),
            "words": {name: forms(message, language) for name, message in WORDS.items()},
        }
        for language in LANGUAGES
    }
    return json.dumps(every, ensure_ascii=False, separators=(",", ":"))


def _selected(messages: Mapping[str, Message], language: Language) -> dict[str, tuple[str, ...]]:
    return {
        name: forms(message, language)
        for name, message in messages.items()
        if name.startswith(_TECHNIQUES) and not name.endswith(_WITHOUT)
    }


class _Files(StaticFiles):
    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        response.headers.update(_REVALIDATE)
        return response


_FILES = _Files(directory=_FOLDER, check_dir=False)


class _File(NamedTuple):
    content: bytes
    media_type: str


@dataclass(frozen=True)
class Solver:
    """The files with which the package runs in a browser; a site can do without.

    Attributes:
        files: by name; archives of Python code are unpacked there.
    """

    files: Mapping[str, bytes] = field(default_factory=dict)

    @cached_property
    def place(self) -> str:
        """The folder, which changes if a file does: browsers keep what it has."""
        return f"solver-{_version(*self.files, *self.files.values())}"


NO_SOLVER = Solver()


class WebPage(NamedTuple):
    """All that a browser loads; the version changes if anything else does.

    Attributes:
        top: the files that keep their addresses, by name: the page, the page with one board for
            other sites, the service worker and the manifest.
        files: the other files by name.
    """

    version: str
    top: dict[str, _File]
    files: dict[str, _File]


def read(
    folder: Path = _FOLDER,
    built: Path = BUILT,
    *,
    alone_with: Mapping[str, bytes] | None = None,
    solver: Solver = NO_SOLVER,
    in_frames: bool = False,
    has_owners: bool = False,
) -> WebPage | None:
    """The page with its menus, modules and version; None if this installation has none.

    Args:
        folder: the sources.
        built: the joined files.
        alone_with: the files that replace others, of a page for hosts without our server; None for
            the page of a server.
        solver: what such a page solves with, besides the few techniques that it knows.
        in_frames: whether other sites may show a board of this server.
        has_owners: whether jobs belong to the keys of those who submitted them.
    """
    if not (folder / PAGE).exists():
        return None
    stated = built / SOURCES
    is_new = stated.exists() and stated.read_text(encoding="utf-8") == digest(folder)
    files = {
        path.name: _File(path.read_bytes(), types[path.suffix])
        for place, types in ((folder, _TYPES), (built if is_new else folder, _CODE))
        for path in sorted(place.iterdir())
        if path.suffix in types and path.name != WORKER
    }
    files["phrases.json"] = _File(phrases_as_json().encode(), _TYPES[".json"])
    is_alone = alone_with is not None
    for name, content in (alone_with or {}).items():
        files[name] = _File(content, _TYPES[Path(name).suffix])
    pages = {
        PAGE: filled(_whole(folder / PAGE), is_alone and not solver.files),
        EMBEDDED: _whole(folder / EMBEDDED),
    }
    if is_alone or in_frames:
        pages[PAGE] = pages[PAGE].replace("<html ", "<html data-embed ", 1)
    if is_alone or has_owners:
        pages[PAGE] = _SHARED.sub("", pages[PAGE])
    if is_alone:
        pages = {name: _alone(html, solver) for name, html in pages.items()}
    worker = (folder / WORKER).read_text(encoding="utf-8")
    pages[MANIFEST] = (folder / MANIFEST).read_text(encoding="utf-8")
    version = _version(*pages.values(), worker, *(file.content for file in files.values()))
    place = f"static/{version}/"
    texts = {name: text.replace('"static/', f'"{place}') for name, text in pages.items()}
    urls = json.dumps([f"{place}{name}" for name in files])
    later = json.dumps([f"{solver.place}/{name}" for name in solver.files])
    known = f'const VERSION = "{version}";\nconst FILES = {urls};\nconst LATER = {later};\n'
    texts[WORKER] = known + worker
    top = {name: _File(text.encode(), _TOP[name]) for name, text in texts.items()}
    return WebPage(version, top, files)


def _whole(path: Path) -> str:
    """The text of a page, with the languages that it can be read in."""
    languages = f'<html data-languages="{" ".join(LANGUAGES)}" '
    return _joined(path).replace("<html ", languages, 1)


def _joined(path: Path) -> str:
    """The text of a file with the parts that it names, such as `<!-- part: dialogs -->`."""
    text = path.read_text(encoding="utf-8")
    return _PART.sub(lambda part: _joined(path.with_name(f"{part[1]}.html")), text)


def _version(*parts: str | bytes) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part if isinstance(part, bytes) else part.encode())
    return digest.hexdigest()[:12]


def _tagged(request: Request, response: Response) -> Response:
    """A response with a tag, or without its body if the browser has the one with this tag."""
    response.headers["ETag"] = f'"{_version(bytes(response.body))}"'
    if _FILES.is_not_modified(response.headers, request.headers):
        return NotModifiedResponse(response.headers)
    return response


def install(
    app: FastAPI,
    folder: Path = _FOLDER,
    embed_origins: tuple[str, ...] = (),
    *,
    has_owners: bool = False,
) -> None:
    """Serve the page at ``/``, and what it loads. Frames of `embed_origins` may show ``/embed``."""
    page = read(folder, in_frames=bool(embed_origins), has_owners=has_owners)
    paths = {"/": PAGE, "/embed": EMBEDDED, f"/{WORKER}": WORKER, f"/{MANIFEST}": MANIFEST}

    embed_headers = _REVALIDATE | {"X-Frame-Options": "DENY"}
    if embed_origins:
        origins = f"frame-ancestors {' '.join(embed_origins)}"
        policy = HEADERS[_POLICY].replace("frame-ancestors 'none'", origins)
        embed_headers = _REVALIDATE | {_POLICY: policy}

    async def serve_top(request: Request) -> Response:
        if page is None:
            raise Problem(404, "not-found", "this server has no page")
        name = paths[request.url.path]
        content, media_type = page.top[name]
        headers = embed_headers if name == EMBEDDED else _REVALIDATE
        return _tagged(request, Response(content, media_type=media_type, headers=headers))

    async def serve_file(request: Request, version: str, name: str) -> Response:
        if page is None or version != page.version or name not in page.files:
            raise Problem(404, "not-found", "this page has no such file")
        content, media_type = page.files[name]
        return _tagged(request, Response(content, media_type=media_type, headers=_KEEP))

    for path in paths:
        app.api_route(path, methods=_METHODS, include_in_schema=False)(serve_top)
    if page:
        path = "/static/{version}/{name}"
        app.api_route(path, methods=_METHODS, include_in_schema=False)(serve_file)
    app.mount("/static", _Files(directory=folder, check_dir=False))


def parse_embed_origins(texts: Iterable[str]) -> tuple[str, ...]:
    """Parse the values of `--embed-origins`, as `parse_origins` does."""
    return parse_origins(texts, "--embed-origins", "https://example.org")


def install_api_docs(app: FastAPI) -> None:
    """Serve a page with the specification at ``/docs``: Swagger UI, without other hosts."""
    html = (_API_DOCS / "index.html").read_text(encoding="utf-8")

    @app.api_route("/docs", methods=_METHODS, include_in_schema=False)
    async def docs() -> Response:
        return HTMLResponse(html)

    app.mount("/docs/files", StaticFiles(directory=_API_DOCS))
    # The package is only used for its copy of Swagger UI, so it is not imported.
    package = find_spec("fastapi_offline")
    if package and package.origin:
        app.mount("/docs/assets", StaticFiles(directory=Path(package.origin).parent / "static"))
