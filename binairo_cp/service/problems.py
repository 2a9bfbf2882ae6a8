"""Errors as problem details (RFC 9457)."""

from __future__ import annotations

from collections.abc import Container
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, Field, ValidationError
from starlette.exceptions import HTTPException
from starlette.routing import compile_path
from starlette.types import Scope

from binairo_cp.batch.tasks import without_puzzle
from binairo_cp.errors import BinairoError, BudgetExceeded, OptionError, SolverHang
from binairo_cp.formats.validation import field_path, message_of
from binairo_cp.service import files

CLIENT_ERRORS = {
    **dict.fromkeys(("certificate", "export", "font", "format", "generation", "limit"), ""),
    **dict.fromkeys(("option", "puzzle", "render", "source", "unsure"), ""),
    "board": "/board",
    "move": "/move",
    "backend-size": "/backend",
    "backend-name": "/backend",
}
"""Kinds of errors caused by the request, and the field they point to (empty: the puzzle)."""

MEDIA_TYPE = "application/problem+json"
_URN = "urn:binairo:problem:"
MAX_FAULTS = 20


class Fault(BaseModel):
    """One error in a request, with its position."""

    pointer: str = Field(
        description="JSON pointer into the body (RFC 6901); '' for the whole body."
    )
    detail: str
    parameter: str | None = Field(default=None, description="Name of the query parameter.")
    kind: str | None = Field(default=None, description="Kind of the error in binairo_cp.errors.")
    line: int | None = Field(default=None, description="Line of a text, counted from 1.")
    column: int | None = Field(default=None, description="Column of the line, counted from 1.")
    cell: tuple[int, int] | None = Field(
        default=None, description="[row, column] on the board, counted from 0."
    )


class ProblemRecord(BaseModel):
    """Problem details (RFC 9457)."""

    type: str = Field(description=f"{_URN}KIND, where KIND is the kind of problem.")
    title: str
    status: int
    detail: str
    instance: str = Field(description="Path of the request.")
    request_id: str
    errors: list[Fault] | None = Field(default=None, description="The errors in the request.")


class Problem(Exception):
    """An error response.

    `kind` is a stable identifier, and `detail` says what is wrong and what was expected.
    `retry_after` is in seconds. `close` closes the connection: the body may be endless.
    """

    def __init__(
        self,
        status: int,
        kind: str,
        detail: str,
        faults: list[Fault] | None = None,
        *,
        retry_after: float | None = None,
        close: bool = False,
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.kind = kind
        self.detail = detail
        self.faults = faults
        self.headers: dict[str, str] = {}
        if retry_after is not None:
            self.headers["Retry-After"] = str(max(1, round(retry_after)))
        if close:
            self.headers["Connection"] = "close"


def invalid(detail: str, pointer: str = "", **where: Any) -> Problem:
    """The problem for a request that is not valid."""
    return of_faults([Fault(pointer=pointer, detail=detail, **where)])


def of_faults(faults: list[Fault]) -> Problem:
    """The problem for these faults. Its detail names the field of the first one."""
    first = faults[0]
    name = first.parameter or first.pointer.strip("/")
    return Problem(422, "invalid", f"{name}: {first.detail}" if name else first.detail, faults)


def from_validation(error: ValidationError, in_query: Container[str] = ()) -> Problem:
    """Convert an error of pydantic; the fields `in_query` came from the query string."""
    return of_faults(faults_of(error, in_query))


def faults_of(
    error: ValidationError, in_query: Container[str] = (), at: tuple[str | int, ...] = ()
) -> list[Fault]:
    """The first errors of pydantic in a value, which stands `at` a place in the body."""
    faults = []
    for fault in error.errors(include_url=False, include_input=False)[:MAX_FAULTS]:
        path = field_path(at + fault["loc"])
        message = message_of(fault)
        if path and path[0] in in_query:
            faults.append(Fault(pointer="", parameter=".".join(path), detail=message))
        else:
            faults.append(Fault(pointer=pointer(*path), detail=message))
    return faults


def pointer(*path: object) -> str:
    """A JSON pointer (RFC 6901)."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in path)


def record(problem: Problem, instance: str, request_id: str) -> ProblemRecord:
    """What a response says about a problem."""
    return ProblemRecord(
        type=_URN + problem.kind,
        title=_TITLES.get(problem.status) or HTTPStatus(problem.status).phrase,
        status=problem.status,
        detail=problem.detail,
        instance=instance,
        request_id=request_id,
        errors=problem.faults,
    )


def response(request: Request, problem: Problem) -> Response:
    """The response that reports a problem."""
    shown = text(request, problem)
    return Response(shown, problem.status, problem.headers, media_type=MEDIA_TYPE)


def text(request: Request, problem: Problem) -> str:
    """A problem as JSON: the body of its response, or the end of a stream.

    Its status is that of the request in the log and the metrics, also if a stream began with 200.
    """
    request.scope["state"]["status"] = problem.status
    shown = record(problem, request.url.path, getattr(request.state, "request_id", ""))
    return shown.model_dump_json(exclude_none=True)


_TITLES = {499: "Client Closed Request"}
_KINDS = {404: "not-found", 405: "method-not-allowed"}


def install(app: FastAPI) -> None:
    """Make an app report errors of FastAPI as problems, and leave others to `App`."""

    @app.exception_handler(Exception)
    async def on_other_error(request: Request, error: Exception) -> Response:
        raise error

    @app.exception_handler(RequestValidationError)
    async def on_validation_error(request: Request, error: RequestValidationError) -> Response:
        faults = [
            Fault(pointer="", parameter=str(fault["loc"][-1]), detail=message_of(fault))
            for fault in error.errors()
        ]
        return response(request, of_faults(faults))

    @app.exception_handler(HTTPException)
    async def on_http_error(request: Request, error: HTTPException) -> Response:
        if request.method == "OPTIONS" and error.status_code == 405:
            return Response(status_code=204, headers={"Allow": ", ".join(_methods(request))})
        kind = _KINDS.get(error.status_code, "http")
        problem = Problem(error.status_code, kind, str(error.detail))
        problem.headers |= error.headers or {}
        if error.status_code == 405:
            # If a path has several routes, Starlette lists only the methods of the first.
            problem.headers["Allow"] = ", ".join(_methods(request))
        return response(request, problem)


def header(scope: Scope, name: bytes) -> str:
    """A header field of a request, the first of its name; empty if it has none.

    Takes a third of the time of `Headers`.
    """
    fields = scope.get("binairo.fields")
    if fields is None:
        fields = scope["binairo.fields"] = dict(reversed(scope["headers"]))
    return str(fields.get(name, b""), "latin-1")


def _methods(request: Request) -> list[str]:
    supported: set[str] = set()
    for path, methods in request.app.openapi()["paths"].items():
        if compile_path(path)[0].match(request.url.path):
            supported |= {method.upper() for method in methods}
    # The specification lists neither itself nor the page. Both only support GET.
    supported = supported or {"GET"}
    return sorted(supported | {"OPTIONS"} | ({"HEAD"} if "GET" in supported else set()))


def out_of_time() -> Problem:
    """The problem of a request that would take longer than its time limit."""
    return Problem(504, "time", files.OUT_OF_TIME)


def of_error(error: BinairoError, in_query: Container[str] = ()) -> Problem:
    """The problem for an error of the package; options `in_query` came from the query string."""
    if isinstance(error, OptionError):
        detail, name = f"{error.message} {error.other}".strip(), error.option
        where = {"parameter": name} if name in in_query else {"pointer": pointer(name)}
        return invalid(detail, kind=error.kind, **where)
    if isinstance(error, BudgetExceeded | SolverHang):
        return out_of_time()
    if error.kind in CLIENT_ERRORS:
        return invalid(str(error), kind=error.kind)
    # The client has the puzzle: the message need not repeat it.
    return Problem(500, error.kind, without_puzzle(str(error)))
