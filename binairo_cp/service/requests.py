"""Requests as values: the body, with what the query says besides."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, Generic, TypeVar

from fastapi import Request
from pydantic import BaseModel, ValidationError

from binairo_cp.errors import OptionError
from binairo_cp.service import problems, request_bodies
from binairo_cp.service.bodies import GenerateBody, PuzzleBody, TimeLimit
from binairo_cp.service.limits import Limits
from binairo_cp.service.problems import Problem
from binairo_cp.service.work import Given, Items

AModel = TypeVar("AModel", bound=BaseModel)
ABody = TypeVar("ABody", bound=PuzzleBody)

_LONGEST_NAME = 100

MEDIA_TYPES = (request_bodies.JSON, request_bodies.NDJSON, request_bodies.TEXT)


@dataclass(frozen=True, slots=True)
class Asked(Generic[ABody]):
    """A request about puzzles.

    Attributes:
        body: its options.
        given: the puzzles.
        seconds: the time limit in force.
        is_single: whether it is about one puzzle, and the answer is not a list.
        size: bytes of its body.
        mark: a hash of all of the request.
    """

    body: ABody
    given: Given
    seconds: float
    is_single: bool
    size: int
    mark: int

    def pointer(self, number: int) -> str:
        """Where in the body a puzzle stands, counted from 0."""
        if self.is_single:
            return "/puzzle"
        return f"/puzzles/{number}" if isinstance(self.given.items, tuple) else "/puzzles"


async def asked(request: Request, model: type[ABody], limits: Limits) -> Asked[ABody]:
    """A request about puzzles: JSON, or a file of puzzles in any format.

    Raises:
        Problem: there is something wrong with it.
    """
    kind = request_bodies.media_type(request, MEDIA_TYPES)
    content = await request_bodies.read(request, limits.body_bytes, limits.body_seconds)
    items: Items = content
    if kind == request_bodies.JSON:
        body = validated(model, request, request_bodies.parsed(content))
        items = items_of(body)
    else:
        usual = {"format": "ndjson"} if kind == request_bodies.NDJSON else {}
        body = validated(model, request, {"puzzles": ""}, usual)
    mark = hash((request.url.path, request.url.query, content))
    given = Given(items, body.format, body.asked_rules, limits.puzzles, limits.side)
    return Asked(
        body, given, limits.seconds(body.time_limit), body.puzzle is not None, len(content), mark
    )


def items_of(body: PuzzleBody) -> Items:
    """The puzzles of a request, as `work.Given` takes them."""
    if isinstance(body.puzzles, str):
        return body.puzzles.encode(errors="surrogatepass")
    return tuple(body.puzzles or ()) if body.puzzle is None else (body.puzzle,)


def validated(
    model: type[AModel], request: Request, value: object, usual: dict[str, str] | None = None
) -> AModel:
    """A request as a value; what its body does not say may stand in its query.

    Raises:
        Problem: something is wrong with it.
    """
    if not isinstance(value, dict):
        raise problems.invalid("expected an object")
    query = query_of(request)
    if "puzzle" in query or "puzzles" in query:
        raise Problem(422, "invalid", "puzzles are expected in the body, not in the query")
    if twice := query.keys() & value.keys():
        raise problems.invalid(f"{min(twice)} stands in the body and in the query")
    _check_kinds(model, value)
    try:
        body = model.model_validate({**(usual or {}), **query, **value})
    except ValidationError as error:
        raise problems.of_validation(error, query.keys()) from None
    if isinstance(body, PuzzleBody | GenerateBody):
        _check_together(body)
    return body


def _check_together(body: PuzzleBody | GenerateBody) -> None:
    """Refuse options that can't be together, and texts that mean nothing.

    Raises:
        Problem: there are some.
    """
    try:
        assert body.request
    except OptionError as error:
        raise refused_option(error) from None


def refused_option(error: OptionError) -> Problem:
    """An option that does not go with another one, as a problem."""
    detail = f"{error.message} {error.other}".strip()
    return problems.invalid(detail, f"/{error.option}", kind=error.kind)


def _check_kinds(model: type[BaseModel], value: dict[str, Any]) -> None:
    """Refuse "3" for 3 and 1 for true, which only a query may say so.

    Raises:
        Problem: a value is of another kind than the contract says.
    """
    kinds = _kinds(model)
    for name, each in value.items():
        allowed = kinds.get(name)
        if allowed and not _kinds_of_value(each) & allowed:
            detail = f"expected {' or '.join(sorted(allowed))}"
            raise problems.invalid(f"{name}: {detail}", problems.pointer(name))


@cache
def _kinds(model: type[BaseModel]) -> dict[str, set[str]]:
    """What each field of a request may be in JSON."""
    properties = model.model_json_schema()["properties"]
    return {name: _kinds_of_schema(schema) for name, schema in properties.items()}


def _kinds_of_schema(schema: dict[str, Any]) -> set[str]:
    parts = schema.get("anyOf") or schema.get("oneOf")
    if parts:
        return set().union(*map(_kinds_of_schema, parts))
    return {schema.get("type", "object")}


def _kinds_of_value(value: object) -> set[str]:
    if isinstance(value, bool):
        return {"boolean"}
    if isinstance(value, int | float):
        return {"number", "integer"} if value == int(value) else {"number"}
    names: dict[type, str] = {str: "string", list: "array", dict: "object", type(None): "null"}
    return {names[type(value)]}


def query_of(request: Request) -> dict[str, str]:
    """The options in the query of a request.

    Raises:
        Problem: one of them comes twice, and nobody could tell which one counts.
    """
    query: dict[str, str] = {}
    for name, value in request.query_params.multi_items():
        if name in query:
            twice = name[:_LONGEST_NAME]
            raise problems.invalid(f"{twice} comes more than once in the query", parameter=twice)
        query[name] = value
    return query


def seconds_in_query(request: Request) -> float | None:
    """The time limit of a request whose body is no JSON.

    Raises:
        Problem: the query says something else, or nothing that makes sense.
    """
    return validated(TimeLimit, request, {}).time_limit
