"""Logs as lines of JSON, with the id of the request that they are about."""

from __future__ import annotations

import logging
import sys
import time
from typing import Any

import orjson

_PLAIN = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "color_message"}


class JsonLines(logging.Formatter):
    """A record as one line: time, level, logger, message, and whatever was said besides."""

    def format(self, record: logging.LogRecord) -> str:
        """See the class."""
        at = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        told: dict[str, Any] = {
            "time": f"{at}.{int(record.msecs):03}Z",
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        told |= {name: value for name, value in vars(record).items() if name not in _PLAIN}
        if record.exc_info:
            told["error"] = self.formatException(record.exc_info)
        return orjson.dumps(told, default=str).decode()


def begin(level: str) -> None:
    """Let all loggers of this process write lines of JSON to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access", "asyncio"):
        logger = logging.getLogger(name)
        logger.handlers.clear()
        logger.propagate = True
    # Requests are noted with their ids by `front`.
    logging.getLogger("uvicorn.access").disabled = True
