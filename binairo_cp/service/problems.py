"""What goes wrong, as problem details (RFC 9457)."""

from __future__ import annotations

from collections.abc import Container
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, Field, ValidationError
from starlette.exceptions import HTTPException
from starlette.routing import compile_path

from binairo_cp.errors import (
    BinairoError,
    BoardError,
    BudgetExceeded,
    CertificateError,
    ExportError,
    FormatError,
    GenerationError,
    LimitError,
    OptionError,
    PuzzleError,
    RenderError,
    SolverHang,
)
from binairo_cp.formats.validation import field_path
from binairo_cp.service.paths import route_path

_REFUSALS = (
    BoardError,
    CertificateError,
    ExportError,
    FormatError,
    GenerationError,
    LimitError,
    OptionError,
    PuzzleError,
    RenderError,
)
"""What is wrong with a request, and not with the server."""

MEDIA_TYPE = "application/problem+json"
_URN = "urn:binairo:problem:"
MOST_FAULTS = 20


class Fault(BaseModel):
    """One thing that is wrong with a request, and where."""

    pointer: str = Field(description="Where in the JSON of the request (RFC 6901); '' for all.")
    detail: str
    parameter: str | None = Field(default=None, description="Which parameter of the query.")
    kind: str | None = Field(default=None, description="By the words of binairo_cp.errors.")
    line: int | None = Field(default=None, description="Where in a text, counted from 1.")
    column: int | None = Field(default=None, description="Where in the line, counted from 1.")
    cell: tuple[int, int] | None = Field(
        default=None, description="[row, column] on the board, counted from 0."
    )


class ProblemRecord(BaseModel):
    """A problem, as RFC 9457 has it."""

    type: str = Field(description=f"{_URN}KIND: which problem it is.")
    title: str
    status: int
    detail: str
    instance: str = Field(description="The path of the request.")
    request_id: str
    errors: list[Fault] | None = Field(default=None, description="What is wrong with the request.")


class Problem(Exception):
    """A request that is answered by a problem.

    Args:
        status: of HTTP.
        kind: a word for it, the same each time.
        detail: what is wrong, what was expected.
        faults: where in the request.
        retry_after: seconds after which it may be tried again.
        close: end the connection, since its body is not read.
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
    """A request that says what can't be."""
    return Problem(422, "invalid", detail, [Fault(pointer=pointer, detail=detail, **where)])


def of_validation(error: ValidationError, in_query: Container[str] = ()) -> Problem:
    """What pydantic says of a request, some fields of which stood in its query."""
    faults = []
    for each in error.errors(include_url=False, include_input=False)[:MOST_FAULTS]:
        path = field_path(each["loc"])
        message = each["msg"].removeprefix("Value error, ")
        if path and path[0] in in_query:
            faults.append(Fault(pointer="", parameter=".".join(path), detail=message))
        else:
            faults.append(Fault(pointer=pointer(*path), detail=message))
    first = faults[0]
    where = first.parameter or first.pointer
    return Problem(422, "invalid", f"{where}: {first.detail}" if where else first.detail, faults)


def pointer(*path: object) -> str:
    """A JSON pointer (RFC 6901)."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in path)


def response(request: Request, problem: Problem) -> Response:
    """The answer that tells a problem."""
    record = ProblemRecord(
        type=_URN + problem.kind,
        title=_TITLES.get(problem.status) or HTTPStatus(problem.status).phrase,
        status=problem.status,
        detail=problem.detail,
        instance=request.url.path,
        request_id=getattr(request.state, "request_id", ""),
        errors=problem.faults,
    )
    return Response(
        record.model_dump_json(exclude_none=True),
        problem.status,
        problem.headers,
        media_type=MEDIA_TYPE,
    )


_TITLES = {499: "Client Closed Request"}
_KINDS = {404: "not-found", 405: "method-not-allowed"}


def install(app: FastAPI) -> None:
    """Let an app answer by problems whatever goes wrong."""

    @app.exception_handler(Problem)
    async def told(request: Request, problem: Problem) -> Response:
        return response(request, problem)

    @app.exception_handler(BinairoError)
    async def failed(request: Request, error: BinairoError) -> Response:
        return response(request, _of_error(error))

    @app.exception_handler(RequestValidationError)
    async def unfit(request: Request, error: RequestValidationError) -> Response:
        faults = [
            Fault(pointer="", parameter=str(each["loc"][-1]), detail=each["msg"])
            for each in error.errors()
        ]
        problem = Problem(422, "invalid", f"{faults[0].parameter}: {faults[0].detail}", faults)
        return response(request, problem)

    @app.exception_handler(HTTPException)
    async def refused(request: Request, error: HTTPException) -> Response:
        if request.method == "OPTIONS" and error.status_code == 405:
            return Response(status_code=204, headers={"Allow": ", ".join(_methods(request))})
        kind = _KINDS.get(error.status_code, "http")
        problem = Problem(error.status_code, kind, str(error.detail))
        problem.headers |= error.headers or {}
        if error.status_code == 405:
            # Of a path with several routes the first would tell of its own methods only.
            problem.headers["Allow"] = ", ".join(_methods(request))
        return response(request, problem)


def _methods(request: Request) -> list[str]:
    """The methods that the path of a request is good for."""
    found: set[str] = set()
    for path, methods in request.app.openapi()["paths"].items():
        if compile_path(path)[0].match(route_path(request.scope)):
            found |= {method.upper() for method in methods}
    # The contract leaves out itself and the page, which are only read.
    found = found or {"GET"}
    return sorted(found | {"OPTIONS"} | ({"HEAD"} if "GET" in found else set()))


def _of_error(error: BinairoError) -> Problem:
    if isinstance(error, BudgetExceeded | SolverHang):
        return Problem(504, "time", "the time limit was reached")
    if isinstance(error, _REFUSALS):
        return invalid(str(error), kind=error.kind)
    # What a puzzle was is for whoever sent it, and is there already.
    return Problem(500, error.kind, str(error).partition("; its puzzle was")[0])
