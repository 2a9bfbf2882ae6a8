"""The contract: what each route takes and gives, as OpenAPI says it.

Bodies are read by `requests` and not by FastAPI, so that they are bounded while they come; what
they are is told here, from the same models.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel, Field
from pydantic.json_schema import models_json_schema

from binairo_cp.formats.schema import PuzzleRecord, ResultRecord, VerificationRecord
from binairo_cp.service import problems, request_bodies
from binairo_cp.service.bodies import (
    CERTIFY,
    CONVERT,
    ENCODE,
    GENERATE,
    RENDER,
    TASKS,
    TimeLimit,
)
from binairo_cp.service.jobs.models import MODELS
from binairo_cp.service.jobs.record import JobList, JobRecord
from binairo_cp.service.limits import Limits
from binairo_cp.service.problems import ProblemRecord

_REFERENCE = "#/components/schemas/{model}"


class InForce(BaseModel):
    """The limits that held for a request; absent is what does not apply."""

    time_limit: float
    side: int | None = None
    limit: int | None = Field(default=None, description="Solutions after which the search ended.")
    puzzles: int | None = None
    generated: int | None = None


class OneResult(ResultRecord):
    """What became of `puzzle`."""

    limits: InForce


class Results(BaseModel):
    """What became of each of `puzzles`, in their order."""

    results: list[ResultRecord]
    limits: InForce


class Generated(Results):
    """New puzzles: fewer than asked for if not `complete`, and then `note` says why."""

    seed: str
    complete: bool
    note: str | None = None


class Verified(VerificationRecord):
    """What became of a certificate."""

    limits: InForce


_MODELS: list[type[BaseModel]] = [
    *TASKS.values(),
    PuzzleRecord,
    ResultRecord,
    ENCODE,
    CONVERT,
    CERTIFY,
    RENDER,
    GENERATE,
    OneResult,
    Results,
    Generated,
    Verified,
    Limits,
    ProblemRecord,
    *MODELS.values(),
    JobRecord,
    JobList,
]

_PROBLEMS = {
    400: "The body can't be read: no JSON, no gzip, not to its end.",
    401: "A key is needed, or this is none.",
    403: "It comes from a page of a site that may not use this server.",
    404: "There is nothing of that name.",
    408: "The body was too slow.",
    409: "It can't be done now.",
    413: "The body is too large, as it is or unpacked.",
    415: "The body is something else than expected.",
    421: "This server does not answer to that name.",
    422: "What is asked makes no sense; `errors` point into it.",
    429: "Too many requests or connections of this client; `Retry-After` says when to come again.",
    431: "The head of the request is too large.",
    500: "It failed here, perhaps because a solver died; other requests are not touched.",
    503: "Too much is waiting, or the server is about to stop; `Retry-After`.",
    504: "It was not done within the time limit.",
}
ALWAYS = (401, 403, 421, 429, 431, 500, 503)
WITH_BODY = (400, 408, 413, 415, 422)
WORKING = (504,)


def ref(model: type[BaseModel] | str) -> dict[str, Any]:
    """A reference to a schema."""
    name = model if isinstance(model, str) else model.__name__
    return {"$ref": _REFERENCE.format(model=name)}


def gives(
    content: dict[str, dict[str, Any]], *statuses: Iterable[int], status: int = 200, what: str = ""
) -> dict[int | str, dict[str, Any]]:
    """The answers of a route: its success by media type, and its problems."""
    told: dict[int | str, dict[str, Any]] = {
        status: {
            "description": what or "Done.",
            "content": {media: {"schema": schema} for media, schema in content.items()},
        }
    }
    for each in sorted({each for group in statuses for each in group}):
        told[each] = {
            "description": _PROBLEMS[each],
            "content": {problems.MEDIA_TYPE: {"schema": ref(ProblemRecord)}},
        }
    return told


def takes(model: type[BaseModel], *, with_text: bool = True) -> dict[str, Any]:
    """The body of a route that is read by `requests`, and what its query may say."""
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


def takes_job(models: list[type[BaseModel]]) -> dict[str, Any]:
    """The body of a job: one of several requests, or a file with the request in the query."""
    parameters: dict[str, dict[str, Any]] = {}
    for model in models:
        if "puzzles" in model.model_fields:
            for each in _parameters(model):
                parameters.setdefault(each["name"], each | {"schema": {"type": "string"}})
    told = takes(models[0])
    told["requestBody"]["content"][request_bodies.JSON]["schema"] = {
        "oneOf": [ref(m) for m in models]
    }
    told["parameters"] = [
        *parameters.values(),
        {
            "name": "Idempotency-Key",
            "in": "header",
            "required": False,
            "description": "The same key with the same request is the same job.",
            "schema": {"type": "string", "minLength": 1, "maxLength": 200},
        },
    ]
    return told


def takes_files(*media_types: str) -> dict[str, Any]:
    """The body of a route that takes a file, and its time limit."""
    file = {"type": "string", "format": "binary"}
    return {
        "requestBody": {
            "required": True,
            "content": {each: {"schema": file} for each in media_types},
        },
        "parameters": _parameters(TimeLimit),
    }


def _parameters(model: type[BaseModel]) -> list[dict[str, Any]]:
    """The options of a request, which its query may have too."""
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


_ONLY_IN_BODIES = ("puzzle", "puzzles", "board", "solution", "unique")
"""Puzzles, and what is as long as they are."""


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in schema.items() if key not in ("title", "description")}
    if kept.get("default", 0) is None:
        del kept["default"]
    if "anyOf" in kept:
        kept["anyOf"] = [each for each in kept["anyOf"] if each != {"type": "null"}]
    return kept


def install(app: FastAPI) -> None:
    """Let an app tell its contract at ``/openapi.json``."""

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            told = get_openapi(
                title=app.title,
                version=app.version,
                description="Binairo puzzles (Takuzu, Binary Puzzle): solved, checked, made.",
                routes=app.routes,
            )
            _, schemas = models_json_schema(
                [(model, "validation") for model in _MODELS], ref_template=_REFERENCE
            )
            told.setdefault("components", {}).setdefault("schemas", {}).update(schemas["$defs"])
            app.openapi_schema = told
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]  # as FastAPI's documentation has it


RESULTS = gives(
    {
        request_bodies.JSON: {"anyOf": [ref(OneResult), ref(Results)]},
        request_bodies.NDJSON: {"type": "string"},
    },
    ALWAYS,
    WITH_BODY,
    WORKING,
)
"""The answers to requests about puzzles."""
