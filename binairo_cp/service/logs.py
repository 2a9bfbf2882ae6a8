"""Write the log as JSON lines."""

from __future__ import annotations

import logging
import sys
import time
from typing import Any

import orjson

_STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "color_message"}


class JsonLines(logging.Formatter):
    """Formats a log record as one JSON object: time, level, logger, message and extra fields.

    Args:
        fields: fields to add to all records.
    """

    def __init__(self, fields: dict[str, Any]) -> None:
        super().__init__()
        self._fields = fields

    def format(self, record: logging.LogRecord) -> str:
        """Format a record."""
        at = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        fields: dict[str, Any] = {
            "time": f"{at}.{int(record.msecs):03}Z",
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        fields |= self._fields
        fields |= {name: value for name, value in vars(record).items() if name not in _STANDARD}
        if record.exc_info:
            fields["error"] = self.formatException(record.exc_info)
        return orjson.dumps(fields, default=str).decode()


def configure(level: str, process: int = 0) -> None:
    """Make all loggers of this process write JSON lines to standard error.

    Args:
        level: the log level.
        process: the number of this process, if the server has several.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines({"front": process} if process else {}))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access", "asyncio"):
        logger = logging.getLogger(name)
        logger.handlers.clear()
        logger.propagate = True
    # `middleware` logs requests, with their ids.
    logging.getLogger("uvicorn.access").disabled = True
