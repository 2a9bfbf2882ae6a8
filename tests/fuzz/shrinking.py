"""Shrink a failing input: remove parts as long as it fails in the same way."""

from __future__ import annotations

import traceback
from collections.abc import Callable

_MOST_TRIES = 5_000

Failure = tuple[str, ...]
"""The exception type, and the file and line that raised it."""


def failure(check: Callable[[bytes], object], data: bytes) -> Failure | None:
    """How an input fails; None if it does not."""
    try:
        check(data)
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        return type(error).__name__, last.filename, str(last.lineno)
    return None


def shrunk(check: Callable[[bytes], object], data: bytes) -> bytes:
    """A smaller input that fails in the same way; the same input if it does not fail."""
    wanted = failure(check, data)
    if wanted is None:
        return data
    tries, size = 0, max(1, len(data) // 2)
    while size and tries < _MOST_TRIES:
        start, before = 0, len(data)
        while start < len(data) and tries < _MOST_TRIES:
            tries += 1
            shorter = data[:start] + data[start + size :]
            if failure(check, shorter) == wanted:
                data = shorter
            else:
                start += size
        if len(data) == before or size > 1:
            size //= 2
    return data
