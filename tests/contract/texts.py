"""The functions that make snapshots."""

import asyncio
import enum
import inspect
import io
import json
import re
import shlex
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np

import binairo_cp as bn
from binairo_cp.formats.record_base import Record
from docs.reference import PUBLIC
from tests.support.command_line import command_line, invoke, without_workers

ROOT = Path(__file__).resolve().parents[2]
SIGNS = ROOT / "instances/signs/06x06-easy.txt"
RECIPE = ROOT / "docs/examples/books/worksheet.toml"
OPTIONS: tuple[Any, ...] = (
    {"solution": True},
    {"symbols": "sunmoon", "title": "A & B", "ids": True},
    {"grade": True, "symbols": "circles"},
    {"hint": True, "coordinates": "a1"},
    {"steps": True, "language": "de"},
)
JSON = {"Content-Type": "application/json"}
PUZZLE = "6x6:1.1....0....1..1.......01..0........"


# Transcripts


def transcript(old: str, answer: Callable[[str], str]) -> str:
    """The lines of the old text that are inputs or comments, with the answers of today."""
    return "".join(
        f"{line}\n{_steady(answer(line[2:])) if line.startswith('$') else ''}"
        for line in old.splitlines()
        if line.startswith(("$ ", "## "))
    )


def _steady(text: str) -> str:
    """A text without durations, random names, and what depends on the versions of Python and zlib."""
    for old, new in (
        ("Unprocessable Entity", "Unprocessable Content"),
        ("Request Entity", "Content"),
    ):
        text = text.replace(old, new)
    text = re.sub(r"\bin [\d.]+ s\b", "in _ s", text).strip("\n")
    text = re.sub(
        r"(\"(?:seconds|request_id|sha256|bytes)\": ?)(?:[\d.e-]+|\"[^\"]*\")", r"\1_", text
    )
    return text + "\n" * bool(text)


def _unframed(text: str) -> str:
    """A text without frames, padding and empty lines."""
    lines = (re.sub(r"[ \t]{2,}", "  ", line.strip("╭─╮│╰╯ ")) for line in text.splitlines())
    shown = "".join(f"{line}\n" for line in lines if line)
    return re.sub(r"Usage: .*\nTry .*\nError\n", "Usage error: ", shown)


def commands(old: str) -> str:
    def answer(line: str) -> str:
        words = shlex.split(line)
        if words[0] == "cat":
            return Path(words[1]).read_text()
        if words[0] == "ls":
            return "\n".join(sorted(str(path) for path in Path().rglob("*")))
        if words[0] != "binairo":
            raise ValueError(f"{line}: expected binairo, cat or ls")
        sent = PUZZLE.encode()
        if "<<<" in words:
            *words, _, text = words
            sent = text.encode().decode("unicode_escape").encode("latin-1")
        with without_workers():
            done = invoke(*words[1:], input=sent)  # type: ignore[arg-type]
        status = f"exit status {done.returncode}\n" * bool(done.returncode)
        return "\n".join(filter(None, (done.stdout.rstrip(), _unframed(done.stderr) + status)))

    return transcript(old, answer)


def python(old: str) -> str:
    """What expressions return or raise."""

    def answer(line: str) -> str:
        try:
            return repr(eval(line, {"bn": bn, "np": np, "Path": Path}))
        except Exception as error:
            return f"{type(error).__name__}: {error}"

    return transcript(old, answer)


def http(old: str) -> str:
    from httpx import ASGITransport, AsyncClient

    with _app() as app:

        async def answer(line: str) -> str:
            method, route, body = [*line.split(" ", 2), ""][:3]
            async with AsyncClient(
                transport=ASGITransport(app), base_url="http://localhost"
            ) as web:
                found = await web.request(method, route, content=body, headers=JSON)
            return f"{found.status_code} {found.headers['content-type']}\n{found.text}"

        return transcript(old, lambda line: asyncio.run(answer(line)))


# Descriptions


def helps(_: str) -> str:
    names = ["", *command_line().commands]
    return "\n".join(
        f"$ binairo {name}\n{_unframed(invoke(*name.split(), '--help-all' if name else '--help').stdout)}"
        for name in names
    )


def schemas(_: str) -> str:
    """The JSON Schemas that `binairo schema` prints."""
    kinds = ("result", "puzzle", "manifest", "verification")
    return _folded(_shared({f"binairo schema {kind}": bn.schema(kind) for kind in kinds})) + "\n"


def openapi(_: str) -> str:
    """A line for each route, parameter list, answer and schema of the document of the HTTP API, with digests."""
    with _app() as app:
        document = app.openapi()
    schemas, paths = document["components"].pop("schemas"), document.pop("paths")
    lines = [_line("document", document)]
    for path, methods in sorted(paths.items()):
        for method, route in sorted(methods.items()):
            lines.append(_line(f"{method.upper()} {path}", {**route, "responses": {}}))
            fields = {field["name"]: field for field in route.get("parameters", [])}
            lines += [_fields("query", fields)] * bool(fields)
            lines.append(_fields("answers", route["responses"]))
    for name, schema in sorted(schemas.items()):
        fields = schema.pop("properties", {})
        lines.append(_fields(_line(name, schema), fields))
    return "".join(f"{line}\n" for line in lines)


def mcp(_: str) -> str:
    from mcp import Client

    from binairo_cp.service import mcp_server
    from binairo_cp.service.limits import Limits

    async def tools() -> dict[str, Any]:
        async with mcp_server.opened(Limits()) as server, Client(server) as client:
            offered = (await client.list_tools()).tools
            return {"instructions": client.instructions} | {
                tool.name: tool.model_dump(exclude_none=True) for tool in offered
            }

    return _folded(_shared(asyncio.run(tools()))) + "\n"


def names(_: str) -> str:
    """A line for each public name of all public modules: its signature, and a digest of its docstring."""
    found, known = "", set()
    for module in map(import_module, PUBLIC):
        found += f"# {module.__name__}\n"
        for name in sorted(PUBLIC[module.__name__] or _all(module)):
            value = getattr(module, name)
            found += f"{name}, as above\n" if id(value) in known else _described(name, value)
            known.add(id(value))
    return found


def _all(module: Any) -> list[str]:
    members = vars(module).items()
    return getattr(module, "__all__", None) or [
        name for name, value in members if getattr(value, "__module__", "") == module.__name__
    ]


def _described(name: str, value: Any) -> str:
    if not callable(value) and not isinstance(value, property):
        return f"{name} = {value!r}\n"
    line = f"{'class ' * isinstance(value, type)}{name}"
    if isinstance(value, type) and issubclass(value, Exception):
        line += f" < {', '.join(base.__name__ for base in value.__bases__)}"
    if isinstance(value, enum.EnumMeta):
        line += f" = {list(value)}"
    elif not isinstance(value, property):
        line += _signature(value)
    if text := inspect.getdoc(value):
        line += f"  [{_digest(text)}]"
    members = sorted(_own(value).items()) if isinstance(value, type) else []
    return f"{line}\n" + "".join(f"    {_described(*member)}" for member in members)


def _signature(value: Any) -> str:
    try:
        signature = inspect.signature(value)
    except ValueError:  # an exception without parameters of its own
        return ""
    shown = []
    for parameter in signature.parameters.values():
        text = re.sub(r" = .* at 0x.*", " = ...", str(parameter).replace("typing.", ""))
        shown.append(re.sub(r": (ForwardRef\()?(['\"])(.*?)\2\)?(?= = |$)", r": \3", text))
    returned = signature.return_annotation
    arrow = "" if returned in (inspect.Signature.empty, None, "None") else f" -> {returned}"
    return f"({', '.join(shown)}){arrow}"


def _own(kind: type) -> dict[str, Any]:
    """The public methods and properties that our own classes define; `Record` has its own entry."""
    defined = [
        vars(each)
        for each in reversed(kind.__mro__)
        if each.__module__.startswith("binairo_cp") and (each is kind or each is not Record)
    ]
    shown = (property, classmethod, staticmethod, cached_property, FunctionType)
    return {
        name: value
        if isinstance(value, property)
        else getattr(value, "func", getattr(value, "__func__", value))
        for each in defined
        for name, value in each.items()
        if isinstance(value, shown) and not name.startswith("_")
    }


# Pictures


def pictures(_: str) -> str:
    """Digests of pictures that are text."""
    drawn = _pictures(("text", "svg"), OPTIONS[:-1]) + _pictures(("text", "html"), OPTIONS[-1:])
    return "".join(f"{name}: {sha256(data).hexdigest()[:16]}\n" for name, data in drawn)


def prints(_: str) -> str:
    """Digests of the pixels of images, and of what the pages of a PDF draw."""
    bn.book(RECIPE, title="A", out="book.pdf", manifest="manifest.json")
    drawn = _pictures(("png",), OPTIONS[:-1]) + _pictures(("pdf",), OPTIONS)
    drawn += [("book", Path("book.pdf").read_bytes())]
    return "".join(f"{name}: {_content(data)}\n" for name, data in drawn)


def _pictures(forms: tuple[Any, ...], options: tuple[Any, ...]) -> list[tuple[str, bytes]]:
    return [
        (f"{form} {option} {name}", _bytes(bn.render(puzzle, to=form, **option)))
        for form in forms
        for option in options
        for name, puzzle in (("digits", PUZZLE), ("signs", bn.read(SIGNS)[0]))
    ]


def _bytes(drawn: str | bytes) -> bytes:
    return drawn.encode() if isinstance(drawn, str) else drawn


def _content(data: bytes) -> str:
    """What does not depend on how data are compressed."""
    if data.startswith(b"%PDF"):
        import pypdf

        pages = pypdf.PdfReader(io.BytesIO(data)).pages
        drawn = [page.get_contents().get_data() for page in pages]
        return f"{len(pages)} pages {sha256(b''.join(drawn)).hexdigest()[:16]}"
    from PIL import Image

    image = Image.open(io.BytesIO(data))
    return f"{image.size} {sha256(image.convert('RGBA').tobytes()).hexdigest()[:16]}"


# Parts


@contextmanager
def _app() -> Iterator[Any]:
    from binairo_cp.service.limits import Limits
    from tests.support.in_process import in_process_app

    app = in_process_app(Limits(), Path("jobs"))
    try:
        yield app
    finally:
        app.state.binairo.store.close()


def _digest(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True)
    return sha256(_steady(text).encode()).hexdigest()[:6]


def _line(name: str, value: Any) -> str:
    return f"{name} [{_digest(value)}]"


def _fields(name: str, values: dict[str, Any]) -> str:
    """A name and those of some values with a digest each."""
    shown = sorted(f"{key}[{_digest(value)}]" for key, value in values.items())
    return f"{name}: {' '.join(shown)}"


def _shared(document: dict[str, Any]) -> dict[str, Any]:
    """A document in which long parts that occur several times stand once, in the end, under a digest."""
    number: Counter[str] = Counter()
    parts: dict[str, Any] = {}

    def count(value: Any) -> None:
        if isinstance(value, list | dict):
            text = json.dumps(value)
            number[text] += 1
            if number[text] == 1:
                for part in value.values() if isinstance(value, dict) else value:
                    count(part)

    def cut(value: Any) -> Any:
        if not isinstance(value, list | dict):
            return value
        text = json.dumps(value)
        if isinstance(value, dict):
            value = {key: cut(part) for key, part in value.items()}
        else:
            value = [cut(part) for part in value]
        if number[text] < 2 or len(text) < 60:
            return value
        parts[f"@{_digest(text)}"] = value
        return f"@{_digest(text)}"

    count(document)
    return {**cut(document), "parts": dict(sorted(parts.items()))}


def _folded(value: Any, indent: str = "") -> str:
    """JSON in which whatever fits stands on one line."""
    line = json.dumps(value, ensure_ascii=False)
    if len(indent + line) <= 160 or not isinstance(value, list | dict):
        return line
    inner = indent + " "
    if isinstance(value, list):
        rows, (start, end) = [_folded(each, inner) for each in value], "[]"
    else:
        rows = [f"{json.dumps(name)}: {_folded(each, inner)}" for name, each in value.items()]
        start, end = "{}"
    return f"{start}\n{inner}" + f",\n{inner}".join(rows) + f"\n{indent}{end}"
