"""A bare FastAPI route to compare the service with: it validates the same body and decides nothing.

Its response has the size of a result of a 10x10 puzzle.
"""

from __future__ import annotations

import socket
import sys

import uvicorn
from fastapi import FastAPI, Response
from pydantic import BaseModel

_RESULT = "{" + " " * 555 + "}"


class Body(BaseModel):
    """Some of the fields of `POST /v1/check`."""

    puzzle: str
    rules: str | None = None
    format: str = "auto"
    time_limit: float | None = None


app = FastAPI()


@app.post("/v1/check")
async def check(body: Body) -> Response:
    """Return a constant."""
    return Response(_RESULT, media_type="application/json")


if __name__ == "__main__":
    config = uvicorn.Config(app, access_log=False, log_level="warning")
    uvicorn.Server(config).run([socket.socket(fileno=int(sys.argv[1]))])
