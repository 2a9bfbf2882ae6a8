"""The OpenAPI specification of the routes.

Bodies are read by `request_bodies`, not by FastAPI, so that size and time are limited while they
arrive. Therefore the bodies are described here, from the same pydantic models.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel, Field, create_model
from pydantic.json_schema import models_json_schema

from binairo_cp.features.feature import features, options_of
from binairo_cp.formats.schema import PuzzleRecord, ResultRecord, VerificationRecord
from binairo_cp.service import openapi_details, problems, request_bodies
from binairo_cp.service.bodies import BODIES, TimeLimit, boards_of, field_of
from binairo_cp.service.jobs.models import MODELS
from binairo_cp.service.jobs.record import JobList, JobRecord
from binairo_cp.service.limits import Limits
from binairo_cp.service.problems import ProblemRecord

_REFERENCE = "#/components/schemas/{model}"


class InForce(BaseModel):
    """The limits in force for a request. Limits that do not apply are absent."""

    time_limit: float
    side: int | None = None
    limit: int | None = Field(
        default=None, description="Number of solutions after which the search stops."
    )
    puzzles: int | None = None
    generated: int | None = None


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


class Verified(VerificationRecord):
    """The result of checking a certificate."""

    limits: InForce


LIMITS: type[BaseModel] = create_model(
    "Limits",
    __doc__=Limits.__doc__,
    **cast("dict[str, Any]", {each.name: field_of(each, {}) for each in options_of(Limits)}),
)

_MODELS: list[type[BaseModel]] = [
    *BODIES.values(),
    PuzzleRecord,
    ResultRecord,
    OneResult,
    ResultList,
    Generated,
    Verified,
    LIMITS,
    ProblemRecord,
    *MODELS.values(),
    JobRecord,
    JobList,
]

_PROBLEMS = {
    400: "The body can't be read: not valid JSON, not valid gzip, or incomplete.",
    401: "The API key is missing or unknown.",
    403: "The request comes from a page of a site that may not use this server.",
    404: "Not found.",
    408: "The body took too long to arrive.",
    413: "The body is too large, compressed or decompressed.",
    415: "Unsupported `Content-Type` or `Content-Encoding`.",
    421: "The server does not accept the name in `Host`.",
    422: "The request is not valid; `errors` says where.",
    429: "Too many requests or connections from this client; see `Retry-After`.",
    431: "The head of the request is too large.",
    500: "The server failed, for example because a solver crashed.",
    503: "Too many requests are waiting, or the server is stopping; see `Retry-After`.",
    504: "The time limit was reached.",
}
ALWAYS = (401, 403, 421, 429, 431, 500, 503)
WITH_BODY = (400, 408, 413, 415, 422)
WORKING = (504,)


def ref(model: type[BaseModel] | str) -> dict[str, Any]:
    """A reference to the schema of a model."""
    name = model if isinstance(model, str) else model.__name__
    return {"$ref": _REFERENCE.format(model=name)}


def responses(
    content: dict[str, dict[str, Any]],
    *problem_statuses: Iterable[int],
    status: int = 200,
    description: str = "",
) -> dict[int | str, dict[str, Any]]:
    """The responses of a route.

    Args:
        content: the schemas of a successful response, by media type.
        problem_statuses: groups of statuses that the route reports problems with.
        status: the status of a successful response.
        description: the description of a successful response.
    """
    described: dict[int | str, dict[str, Any]] = {
        status: {
            "description": description or "Success.",
            "content": {media: {"schema": schema} for media, schema in content.items()},
        }
    }
    for each in sorted({each for group in problem_statuses for each in group}):
        described[each] = {
            "description": _PROBLEMS[each],
            "content": {problems.MEDIA_TYPE: {"schema": ref(ProblemRecord)}},
        }
    return described


def request_body(model: type[BaseModel], *, with_text: bool = True) -> dict[str, Any]:
    """The body and the query parameters of a route that uses `requests`.

    Args:
        model: the model of the body.
        with_text: the body may also be a file of puzzles, with the options in the query string.
    """
    content = {request_bodies.JSON: {"schema": ref(model)}}
    if with_text:
        content |= {
            each: {"schema": {"type": "string"}}
            for each in (request_bodies.NDJSON, request_bodies.TEXT)
        }
    return {
        "requestBody": {"required": True, "content": content},
        "parameters": _parameters(model) if with_text else [],
    }


def job_body(models: list[type[BaseModel]]) -> dict[str, Any]:
    """The body of a job: one of several models, or a file with the options in the query string."""
    parameters: dict[str, dict[str, Any]] = {}
    for model in models:
        if "puzzles" in model.model_fields:
            for each in _parameters(model):
                parameters.setdefault(each["name"], each | {"schema": {"type": "string"}})
    described = request_body(models[0])
    described["requestBody"]["content"][request_bodies.JSON]["schema"] = {
        "oneOf": [ref(m) for m in models]
    }
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


def file_body(*media_types: str) -> dict[str, Any]:
    """The body of a route that takes a file, with its time limit in the query string."""
    file = {"type": "string", "format": "binary"}
    return {
        "requestBody": {
            "required": True,
            "content": {each: {"schema": file} for each in media_types},
        },
        "parameters": _parameters(TimeLimit),
    }


def _parameters(model: type[BaseModel]) -> list[dict[str, Any]]:
    """The options of a request that may be in the query string."""
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


_ONLY_IN_BODIES = {
    "puzzle",
    "puzzles",
    *(board for name in features() for board in boards_of(name)),
}
"""Puzzles, and options that are as long as a puzzle."""


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in schema.items() if key not in ("title", "description")}
    if kept.get("default", 0) is None:
        del kept["default"]
    if "anyOf" in kept:
        kept["anyOf"] = [each for each in kept["anyOf"] if each != {"type": "null"}]
    return kept


def install(app: FastAPI, *, needs_key: bool) -> None:
    """Serve the specification of an app at ``/openapi.json``.

    Args:
        app: the app.
        needs_key: it requires API keys.
    """

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            specification = get_openapi(
                title=app.title,
                version=app.version,
                description="Solve, check and generate Binairo puzzles (Takuzu, Binary Puzzle).",
                routes=app.routes,
            )
            _, schemas = models_json_schema(
                [(model, "validation") for model in _MODELS], ref_template=_REFERENCE
            )
            components = specification.setdefault("components", {})
            components.setdefault("schemas", {}).update(schemas["$defs"])
            openapi_details.add(specification, needs_key=needs_key)
            app.openapi_schema = specification
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]  # as FastAPI's documentation says


RESULTS = responses(
    {
        request_bodies.JSON: {"anyOf": [ref(OneResult), ref(ResultList)]},
        request_bodies.NDJSON: {"type": "string"},
    },
    ALWAYS,
    WITH_BODY,
    WORKING,
)
"""The responses of the routes that answer with result records."""
