"""Requests as values: the body, with what the query says besides."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, Generic, TypeVar

from fastapi import Request
from pydantic import BaseModel, ValidationError

from binairo_cp.service import problems, request_bodies
from binairo_cp.service.asks import Ask, TimeLimit
from binairo_cp.service.limits import Limits
from binairo_cp.service.problems import Problem
from binairo_cp.service.work import Given, Items

AModel = TypeVar("AModel", bound=BaseModel)
AnAsk = TypeVar("AnAsk", bound=Ask)

_LONGEST_NAME = 100

MEDIA_TYPES = (request_bodies.JSON, request_bodies.NDJSON, request_bodies.TEXT)


@dataclass(frozen=True, slots=True)
class Asked(Generic[AnAsk]):
    """A request about puzzles.

    Attributes:
        ask: what is asked.
        given: the puzzles.
        seconds: the time limit in force.
        is_single: whether it is about one puzzle, and the answer is not a list.
        size: bytes of its body.
        mark: a hash of all of the request.
    """

    ask: AnAsk
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


async def asked(request: Request, model: type[AnAsk], limits: Limits) -> Asked[AnAsk]:
    """A request about puzzles: JSON, or a file of puzzles in any format.

    Raises:
        Problem: there is something wrong with it.
    """
    kind = request_bodies.media_type(request, MEDIA_TYPES)
    body = await request_bodies.read(request, limits.body_bytes, limits.body_seconds)
    items: Items = body
    if kind == request_bodies.JSON:
        ask = validated(model, request, request_bodies.parsed(body))
        items = items_of(ask)
    else:
        usual = {"format": "ndjson"} if kind == request_bodies.NDJSON else {}
        ask = validated(model, request, {"puzzles": ""}, usual)
    mark = hash((request.url.path, request.url.query, body))
    given = Given(items, ask.format, ask.asked_rules, limits.puzzles, limits.side)
    return Asked(
        ask, given, limits.seconds(ask.time_limit), ask.puzzle is not None, len(body), mark
    )


def items_of(ask: Ask) -> Items:
    """The puzzles of a request, as `work.Given` takes them."""
    if isinstance(ask.puzzles, str):
        return ask.puzzles.encode(errors="surrogatepass")
    return tuple(ask.puzzles or ()) if ask.puzzle is None else (ask.puzzle,)


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
        return model.model_validate({**(usual or {}), **query, **value})
    except ValidationError as error:
        raise problems.of_validation(error, query.keys()) from None


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
