"""What the OpenAPI specification says besides the schemas: tags, names, API keys and examples."""

from __future__ import annotations

from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path
from typing import Any

import orjson
from fastapi.routing import APIRoute

from binairo_cp.service import problems, request_bodies
from binairo_cp.service.allowed_sites import GUARDED

EXAMPLES: dict[str, dict[str, Any]] = orjson.loads(
    (Path(__file__).parent / "api_docs" / "examples.json").read_bytes()
)
"""A request and its response by media type, by operation."""

LINES = '{"height":4,"width":4,"clues":".0..1......0..11"}\n'
GRID = ".0..\n1...\n...0\n..11\n"

TAGS = {
    "puzzles": "One result record for each puzzle.",
    "files": "Files made from puzzles, and certificates.",
    "jobs": "Long work on many puzzles.",
    "server": "Health, limits and metrics.",
}
_FILES = ("encode", "convert", "render", "certify", "verify")

_SCHEMES = {
    "bearer": {"type": "http", "scheme": "bearer"},
    "apiKey": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
}
"""The two ways to send a key that `binairo serve --api-keys` requires."""

_KINDS = {
    400: "json",
    401: "key",
    403: "origin",
    404: "not-found",
    408: "slow",
    413: "too-large",
    415: "media-type",
    421: "host",
    422: "invalid",
    429: "rate",
    431: "head-too-large",
    500: "crash",
    503: "busy",
    504: "time",
}
"""A kind of problem for each status, for examples."""


def operation_id(route: APIRoute) -> str:
    """The name of a route as operation id, such as `check`."""
    return route.name


def add(specification: dict[str, Any], *, needs_key: bool) -> None:
    """Add tags, security schemes and examples to a specification.

    Args:
        specification: the specification.
        needs_key: the server requires API keys; otherwise they are optional.
    """
    specification["tags"] = [
        {"name": name, "description": description} for name, description in TAGS.items()
    ]
    specification["components"]["securitySchemes"] = _SCHEMES
    with_key: list[dict[str, list[str]]] = [{name: []} for name in _SCHEMES]
    for path, operation in _operations(specification):
        operation["tags"] = [_tag(path, operation["operationId"])]
        if path.startswith(GUARDED):
            operation["security"] = with_key if needs_key else [{}, *with_key]
        _add_examples(path, operation)


def _operations(specification: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, methods in specification["paths"].items():
        for operation in methods.values():
            yield path, operation


def _tag(path: str, id: str) -> str:
    if path.startswith("/v1/jobs"):
        return "jobs"
    if id in _FILES:
        return "files"
    return "puzzles" if path.startswith("/v1/") and id != "limits" else "server"


def _add_examples(path: str, operation: dict[str, Any]) -> None:
    examples = EXAMPLES.get(operation["operationId"], {})
    body = operation.get("requestBody", {}).get("content", {})
    texts = {request_bodies.NDJSON: LINES, request_bodies.TEXT: GRID}
    for media_type, content in body.items():
        if media_type == request_bodies.JSON and "request" in examples:
            content["example"] = examples["request"]
        elif media_type in texts:
            content["example"] = texts[media_type]
    for status, response in operation["responses"].items():
        for media_type, content in response.get("content", {}).items():
            if media_type == problems.MEDIA_TYPE:
                content["example"] = _problem(int(status), response["description"], path)
            elif media_type in examples.get("response", {}):
                content["example"] = examples["response"][media_type]


def _problem(status: int, detail: str, path: str) -> dict[str, Any]:
    return {
        "type": f"urn:binairo:problem:{_KINDS[status]}",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
        "instance": path,
        "request_id": "f0b64ebfedb9acf2",
    }
