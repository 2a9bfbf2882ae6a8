"""The error of the client for problems that the server reports."""

from __future__ import annotations

from typing import Any

from binairo_cp.errors import ServiceError
from binairo_cp.workers.extras import require_extra

with require_extra("service", ServiceError):
    import httpx


class ProblemError(ServiceError):
    """The server answered with a problem (RFC 9457).

    Attributes:
        status: the HTTP status.
        problem: the kind of problem, which is the last part of its `type`.
        detail: what is wrong.
        errors: the errors in the request, with their positions.
        request_id: the id of the request in the server's log.
        retry_after: seconds until the client may try again; None if the server doesn't say.
    """

    kind = "problem"

    def __init__(self, response: httpx.Response) -> None:
        try:
            body = response.json()
        except ValueError:
            body = {}
        self.status = response.status_code
        self.problem = str(body.get("type", "")).rpartition(":")[2]
        self.detail = str(body.get("detail", response.reason_phrase))
        self.errors: list[dict[str, Any]] = body.get("errors") or []
        self.request_id = response.headers.get("x-request-id", "")
        after = response.headers.get("retry-after", "")
        self.retry_after = int(after) if after.isdecimal() else None
        super().__init__(f"{self.status} {self.problem}: {self.detail}")
