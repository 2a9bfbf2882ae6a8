"""The OpenAPI specification of the routes.

Bodies are read by `requests`, not by FastAPI, so that size and time are limited while they
arrive. Therefore the bodies are described here, from the same pydantic models.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, cast

from fastapi import APIRouter, FastAPI, Response
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel, Field, TypeAdapter, create_model

from binairo_cp.features.feature import features, options_of
from binairo_cp.formats.results import ResultRecord
from binairo_cp.formats.schema import PuzzleRecord, adapter
from binairo_cp.json_library import orjson
from binairo_cp.service import files, problems, requests
from binairo_cp.service.bodies import BODIES, boards_of, field_of
from binairo_cp.service.jobs.descriptions import MODELS, JobList, JobRecord
from binairo_cp.service.limits import Limits
from binairo_cp.service.middleware import GUARDED
from binairo_cp.service.problems import ProblemRecord

FILE = {"type": "string", "format": "binary"}
BOOKS = dict.fromkeys(files.MEDIA_TYPES.values(), FILE)

_REFERENCE = "#/components/schemas/{model}"

LIMITS: type[BaseModel] = create_model(
    "Limits",
    __doc__=Limits.__doc__,
    **cast("dict[str, Any]", {option.name: field_of(option, {}) for option in options_of(Limits)}),
)

_PROBLEMS = {
    400: ("json", "The body can't be read: not valid JSON, not valid gzip, or incomplete."),
    401: ("key", "The API key is missing or unknown."),
    403: ("origin", "The request comes from a page of a site that may not use this server."),
    404: ("not-found", "Not found."),
    408: ("slow", "The body took too long to arrive."),
    413: ("too-large", "The body is too large, compressed or decompressed."),
    415: ("media-type", "Unsupported `Content-Type` or `Content-Encoding`."),
    421: ("host", "The server does not accept the name in `Host`."),
    422: ("invalid", "The request is not valid; `errors` says where."),
    500: ("crash", "The server failed, for example because a solver crashed."),
    503: ("busy", "Too many requests are waiting, or the server is stopping; see `Retry-After`."),
    504: ("time", "The time limit was reached."),
}
"""The usual kind of problem for each status, and what it means."""

ALWAYS = (401, 403, 421, 500, 503)

OF_JOBS = (*ALWAYS, 404, 422)

WITH_BODY = (*ALWAYS, 400, 408, 413, 415, 422)

WORKING = (*WITH_BODY, 504)
"""The problems that routes report."""

_ONLY_IN_BODIES = {
    "puzzle",
    "puzzles",
    *(board for name in features() for board in boards_of(name)),
}
"""Puzzles, and options that are as long as a puzzle."""

EXAMPLES: dict[str, dict[str, Any]] = orjson.loads(
    (Path(__file__).parent / "api_docs" / "examples.json").read_bytes()
)
"""A request and its response by media type, by operation."""

_LONGEST_IN_URL = 4_000
"""Uvicorn takes no URL of more than 64 KiB, and a character may take 12 bytes of it."""

LINES = '{"height":4,"width":4,"clues":".0..1......0..11"}\n'

GRID = ".0..\n1...\n...0\n..11\n"

TAGS = {
    "puzzles": "One result record for each puzzle.",
    "files": "Files made from puzzles.",
    "jobs": "Long work on many puzzles.",
    "server": "Health, limits and metrics.",
}

_FILES = ("encode", "convert", "render", "certify")

_SCHEMES = {
    "bearer": {"type": "http", "scheme": "bearer"},
    "apiKey": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
}
"""The two ways to send a key that `binairo serve --api-keys` requires."""


class InForce(BaseModel):
    """The limits in force for a request. Limits that do not apply are absent."""

    time_limit: float
    side: int | None = None
    limit: int | None = Field(
        default=None, description="Number of solutions after which the search stops."
    )
    puzzles: int | None = None
    generated: int | None = None


@dataclass(kw_only=True)
class OneResult(ResultRecord):
    """The result for `puzzle`."""

    limits: InForce


class ResultList(BaseModel):
    """The results for `puzzles`, in the same order."""

    results: list[ResultRecord]
    limits: InForce


class Generated(ResultList):
    """New puzzles. If there are fewer than requested, `complete` is false and `note` says why."""

    seed: str
    complete: bool
    note: str | None = None


_MODELS: list[type] = [
    *BODIES.values(),
    PuzzleRecord,
    ResultRecord,
    OneResult,
    ResultList,
    Generated,
    LIMITS,
    ProblemRecord,
    *MODELS.values(),
    JobRecord,
    JobList,
]


def router(prefix: str = "") -> APIRouter:
    """A router whose operations have short names, such as check."""
    return APIRouter(prefix=prefix, generate_unique_id_function=lambda route: route.name)


def ref(model: type | str) -> dict[str, Any]:
    """A reference to the schema of a model."""
    name = model if isinstance(model, str) else model.__name__
    return {"$ref": _REFERENCE.format(model=name)}


def route(
    content: dict[str, dict[str, Any]],
    statuses: Iterable[int] = (),
    *,
    summary: str | None = None,
    body: dict[str, Any] | None = None,
    status: int = 200,
    description: str = "Success.",
    others: Mapping[int | str, dict[str, Any]] = MappingProxyType({}),
) -> dict[str, Any]:
    """Describe a route, as keyword arguments for a decorator of FastAPI.

    `content` has the schemas of a successful response by media type, `statuses` are those of
    problems, and `others` are further responses.
    """
    responses: dict[int | str, dict[str, Any]] = {
        status: {
            "description": description,
            "content": {media: {"schema": schema} for media, schema in content.items()},
        }
    }
    for code in sorted(statuses):
        responses[code] = {
            "description": _PROBLEMS[code][1],
            "content": {problems.MEDIA_TYPE: {"schema": ref(ProblemRecord)}},
        }
    return {
        "summary": summary,
        "response_class": Response,
        "responses": responses | dict(others),
        "openapi_extra": body,
    }


def work(
    model: type[BaseModel], content: dict[str, dict[str, Any]], *, with_text: bool = True
) -> dict[str, Any]:
    """Describe a route that does what a body of this model asks for; as `route`."""
    body = request_body(model, with_text=with_text)
    return route(content, WORKING, summary=model.__doc__, body=body)


def request_body(model: type[BaseModel], *, with_text: bool = True) -> dict[str, Any]:
    """The body and the query parameters of a route that uses `requests`.

    With text, the body may also be a file of puzzles or a picture of them, with the options in the
    query string.
    """
    content = {requests.JSON: {"schema": ref(model)}}
    if with_text:
        content[requests.TEXT] = {"schema": {"type": "string"}}
        content |= {media_type: {"schema": FILE} for media_type in requests.PICTURES}
    return {
        "requestBody": {"required": True, "content": content},
        "parameters": _parameters(model) if with_text else [],
    }


def job_body(models: list[type[BaseModel]]) -> dict[str, Any]:
    """The body of a job: one of several models, or a file with the options in the query string."""
    parameters: dict[str, dict[str, Any]] = {}
    for model in models:
        if "puzzles" in model.model_fields:
            for parameter in _parameters(model):
                parameters.setdefault(parameter["name"], parameter | {"schema": {"type": "string"}})
    described = request_body(models[0])
    content = described["requestBody"]["content"]
    content[requests.JSON]["schema"] = {"oneOf": [ref(m) for m in models]}
    content[requests.NDJSON] = {"schema": {"type": "string"}}
    described["parameters"] = [
        *parameters.values(),
        {
            "name": "Idempotency-Key",
            "in": "header",
            "required": False,
            "description": "The same key with the same request returns the same job.",
            "schema": {"type": "string", "minLength": 1, "maxLength": 200},
        },
    ]
    return described


def _parameters(model: type[BaseModel]) -> list[dict[str, Any]]:
    properties = model.model_json_schema(ref_template=_REFERENCE)["properties"]
    return [
        {
            "name": name,
            "in": "query",
            "required": False,
            "description": schema.get("description", ""),
            "schema": _without_null(schema),
        }
        for name, schema in properties.items()
        if name not in _ONLY_IN_BODIES
    ]


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in schema.items() if key not in ("title", "description")}
    if kept.get("default", 0) is None:
        del kept["default"]
    if "anyOf" in kept:
        kept["anyOf"] = [option for option in kept["anyOf"] if option != {"type": "null"}]
    if kept.get("maxLength", 0) > _LONGEST_IN_URL:
        kept["maxLength"] = _LONGEST_IN_URL
    return kept


def install(app: FastAPI, *, needs_key: bool) -> None:
    """Serve the specification of an app at ``/openapi.json``."""

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            specification = get_openapi(
                title=app.title,
                version=app.version,
                description="Solve, check and generate Binairo puzzles (Takuzu, Binary Puzzle).",
                routes=app.routes,
            )
            _, schemas = TypeAdapter.json_schemas(
                [(model, "validation", adapter(model)) for model in _MODELS],
                ref_template=_REFERENCE,
            )
            components = specification.setdefault("components", {})
            components.setdefault("schemas", {}).update(schemas["$defs"])
            add(specification, needs_key=needs_key)
            app.openapi_schema = specification
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]  # as FastAPI's documentation says


RESULTS: dict[str, dict[str, Any]] = {requests.JSON: {"anyOf": [ref(OneResult), ref(ResultList)]}}
"""The content of responses with result records."""


def add(specification: dict[str, Any], *, needs_key: bool) -> None:
    """Add tags, security schemes and examples; `needs_key` if API keys are not optional."""
    specification["tags"] = [
        {"name": name, "description": description} for name, description in TAGS.items()
    ]
    specification["components"]["securitySchemes"] = _SCHEMES
    with_key: list[dict[str, list[str]]] = [{name: []} for name in _SCHEMES]
    paths = specification["paths"].items()
    for path, operation in (
        (path, operation) for path, known in paths for operation in known.values()
    ):
        operation["tags"] = [_tag(path, operation["operationId"])]
        if path.startswith(GUARDED):
            operation["security"] = with_key if needs_key else [{}, *with_key]
        _add_examples(path, operation)


def _tag(path: str, id: str) -> str:
    if path.startswith("/v1/jobs"):
        return "jobs"
    if id in _FILES:
        return "files"
    return "puzzles" if path.startswith("/v1/") and id != "limits" else "server"


def _add_examples(path: str, operation: dict[str, Any]) -> None:
    examples = EXAMPLES.get(operation["operationId"], {})
    body = operation.get("requestBody", {}).get("content", {})
    texts = {requests.NDJSON: LINES, requests.TEXT: GRID}
    for media_type, content in body.items():
        if media_type == requests.JSON and "request" in examples:
            content["example"] = examples["request"]
        elif media_type in texts:
            content["example"] = texts[media_type]
    for status, response in operation["responses"].items():
        for media_type, content in response.get("content", {}).items():
            if media_type == problems.MEDIA_TYPE:
                kind = _PROBLEMS[int(status)][0]
                problem = problems.Problem(int(status), kind, response["description"])
                example = problems.record(problem, path, "f0b64ebfedb9acf2")
                content["example"] = example.model_dump(exclude_none=True)
            elif media_type in examples.get("response", {}):
                content["example"] = examples["response"][media_type]
