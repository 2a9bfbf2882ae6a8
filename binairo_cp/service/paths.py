"""The path of a request, and the prefix added by a reverse proxy."""

from __future__ import annotations

import re

from starlette.types import Scope

from binairo_cp.errors import ServiceError

EXPECTED_PREFIX = "a path such as /binairo"

_PREFIX = re.compile(r"(?:/[A-Za-z0-9_~-][A-Za-z0-9._~-]*){1,8}")
_MAX_LENGTH = 200
_ROUTES = ("/v1/", "/static/")


def parse_prefix(text: str) -> str | None:
    """Parse a path prefix and remove the slash at its end; None if it is not valid."""
    path = text.removesuffix("/")
    if not path:
        return ""
    # With the prefix /v1, it would not be clear whether /v1/check already contains the prefix.
    is_route = f"{path}/".startswith(_ROUTES)
    is_valid = len(path) <= _MAX_LENGTH and _PREFIX.fullmatch(path) and not is_route
    return path if is_valid else None


def root_path(text: str) -> str:
    """Parse the value of `--root-path`.

    Raises:
        ServiceError: it is not valid.
    """
    prefix = parse_prefix(text)
    if prefix is None:
        raise ServiceError(f"--root-path {text[:80]!r}: expected {EXPECTED_PREFIX}")
    return prefix


def route_path(scope: Scope) -> str:
    """The path of a request without the prefix."""
    path, prefix = str(scope["path"]), scope.get("root_path", "")
    return path.removeprefix(prefix) if prefix and path.startswith(f"{prefix}/") else path
