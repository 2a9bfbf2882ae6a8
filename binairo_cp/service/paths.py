"""The path of a request, and the prefix that a proxy puts before it."""

from __future__ import annotations

import re

from starlette.types import Scope

from binairo_cp.errors import ServiceError

A_PREFIX = "a path such as /binairo"

_PREFIX = re.compile(r"(?:/[A-Za-z0-9_~-][A-Za-z0-9._~-]*){1,8}")
_LONGEST = 200
_OURS = ("/v1/", "/static/")


def prefix(text: str) -> str | None:
    """A path before all of ours, without a slash at its end; None if it can't be one."""
    path = text.removesuffix("/")
    if not path:
        return ""
    # Nobody could tell whether /v1/check has the prefix /v1 already.
    is_ours = f"{path}/".startswith(_OURS)
    return path if len(path) <= _LONGEST and _PREFIX.fullmatch(path) and not is_ours else None


def root_path(text: str) -> str:
    """The prefix that the operator gave.

    Raises:
        ServiceError: it can't be one.
    """
    found = prefix(text)
    if found is None:
        raise ServiceError(f"--root-path {text[:80]!r}: expected {A_PREFIX}")
    return found


def route_path(scope: Scope) -> str:
    """The path of a request without the prefix."""
    path, before = str(scope["path"]), scope.get("root_path", "")
    return path.removeprefix(before) if before and path.startswith(f"{before}/") else path
