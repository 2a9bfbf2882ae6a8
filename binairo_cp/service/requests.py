"""Parse and validate requests: the body, and options in the query string."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, Generic, TypeVar

from fastapi import Request
from pydantic import BaseModel, ValidationError

from binairo_cp.errors import OptionError
from binairo_cp.service import problems, request_bodies
from binairo_cp.service.bodies import BookBody, GenerateBody, PuzzleBody, TimeLimit
from binairo_cp.service.deciding import Items, RawPuzzles
from binairo_cp.service.limits import Limits
from binairo_cp.service.problems import Problem

AModel = TypeVar("AModel", bound=BaseModel)
ABody = TypeVar("ABody", bound=PuzzleBody)

_MAX_NAME = 100

MEDIA_TYPES = (request_bodies.JSON, request_bodies.NDJSON, request_bodies.TEXT)


@dataclass(frozen=True, slots=True)
class ParsedRequest(Generic[ABody]):
    """A validated request with puzzles. The puzzles themselves are not parsed yet.

    Attributes:
        body: the options.
        puzzles: the puzzles.
        seconds: the time limit in force.
        is_single: the request has the field `puzzle`, so the response is not a list.
        size: the size of the body in bytes.
    """

    body: ABody
    puzzles: RawPuzzles
    seconds: float
    is_single: bool
    size: int

    def pointer(self, index: int) -> str:
        """JSON pointer to a puzzle in the body; `index` counts from 0."""
        if self.is_single:
            return "/puzzle"
        return f"/puzzles/{index}" if isinstance(self.puzzles.items, tuple) else "/puzzles"


async def parse(request: Request, model: type[ABody], limits: Limits) -> ParsedRequest[ABody]:
    """Parse a request with puzzles: JSON, or a file of puzzles in any format.

    Raises:
        Problem: the request is not valid.
    """
    kind = request_bodies.media_type(request, MEDIA_TYPES)
    content = await request_bodies.read(request, limits.body_bytes, limits.body_seconds)
    items: Items = content
    if kind == request_bodies.JSON:
        body = validate(model, request, request_bodies.parse_json(content))
        items = items_of(body)
    else:
        defaults = {"format": "ndjson"} if kind == request_bodies.NDJSON else {}
        body = validate(model, request, {"puzzles": ""}, defaults)
    return ParsedRequest(
        body,
        RawPuzzles(items, body.stated, body.requested_rules, limits.puzzles, limits.side),
        limits.seconds(body.time_limit),
        is_single=body.puzzle is not None,
        size=len(content),
    )


def items_of(body: PuzzleBody) -> Items:
    """The puzzles of a body, as `deciding.RawPuzzles` takes them."""
    if isinstance(body.puzzles, str):
        return body.puzzles.encode(errors="surrogatepass")
    return tuple(body.puzzles or ()) if body.puzzle is None else (body.puzzle,)


def validate(
    model: type[AModel], request: Request, value: object, defaults: dict[str, str] | None = None
) -> AModel:
    """Validate the options of a request, which may be in the body or in the query string.

    Args:
        model: the model of the body.
        request: the request, for its query string.
        value: the decoded body.
        defaults: options that apply if neither the body nor the query sets them.

    Raises:
        Problem: the request is not valid.
    """
    if not isinstance(value, dict):
        raise problems.invalid("expected an object")
    query = query_of(request)
    if "puzzle" in query or "puzzles" in query:
        detail = "puzzles must be in the body, not in the query string"
        raise Problem(422, "invalid", detail)
    if duplicates := query.keys() & value.keys():
        raise problems.invalid(f"{min(duplicates)} is both in the body and in the query string")
    _check_types(model, value)
    try:
        body = model.model_validate({**(defaults or {}), **query, **value})
    except ValidationError as error:
        raise problems.from_validation(error, query.keys()) from None
    if isinstance(body, PuzzleBody | GenerateBody | BookBody):
        check_combination(body)
    return body


def check_combination(body: PuzzleBody | GenerateBody | BookBody) -> None:
    """Refuse options that can't be combined, and texts without a meaning.

    Raises:
        Problem: the options are refused.
    """
    try:
        _ = body.request
    except OptionError as error:
        raise option_problem(error) from None


def option_problem(error: OptionError) -> Problem:
    """The problem for an option that is wrong or does not fit another one."""
    detail = f"{error.message} {error.other}".strip()
    return problems.invalid(detail, f"/{error.option}", kind=error.kind)


def _check_types(model: type[BaseModel], value: dict[str, Any]) -> None:
    """Refuse "3" for 3 and 1 for true in a body. Only the query string may contain them.

    Raises:
        Problem: a value has another JSON type than the OpenAPI specification says.
    """
    types = _json_types(model)
    for name, each in value.items():
        allowed = types.get(name)
        if allowed and not _json_types_of_value(each) & allowed:
            detail = f"expected {' or '.join(sorted(allowed))}"
            raise problems.invalid(f"{name}: {detail}", problems.pointer(name))


@cache
def _json_types(model: type[BaseModel]) -> dict[str, set[str]]:
    """The JSON types that each field of a request may have."""
    properties = model.model_json_schema()["properties"]
    return {name: _json_types_of_schema(schema) for name, schema in properties.items()}


def _json_types_of_schema(schema: dict[str, Any]) -> set[str]:
    alternatives = schema.get("anyOf") or schema.get("oneOf")
    if alternatives:
        return set().union(*map(_json_types_of_schema, alternatives))
    return {schema.get("type", "object")}


def _json_types_of_value(value: object) -> set[str]:
    if isinstance(value, bool):
        return {"boolean"}
    if isinstance(value, int | float):
        return {"number", "integer"} if value == int(value) else {"number"}
    names: dict[type, str] = {str: "string", list: "array", dict: "object", type(None): "null"}
    return {names[type(value)]}


def query_of(request: Request) -> dict[str, str]:
    """The options in the query string.

    Raises:
        Problem: an option is there more than once, so it is not clear which value counts.
    """
    query: dict[str, str] = {}
    for name, value in request.query_params.multi_items():
        if name in query:
            shown = name[:_MAX_NAME]
            detail = f"{shown} is in the query string more than once"
            raise problems.invalid(detail, parameter=shown)
        query[name] = value
    return query


def seconds_in_query(request: Request) -> float | None:
    """The time limit of a request whose body is not JSON.

    Raises:
        Problem: the query string has another option, or the time limit is not valid.
    """
    return validate(TimeLimit, request, {}).time_limit
