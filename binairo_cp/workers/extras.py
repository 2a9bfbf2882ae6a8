"""Optional dependencies: name the missing packages and say how to install them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from binairo_cp.errors import BinairoError

_PACKAGE = "binairo-cp"
_MODULE = "binairo_cp"
_NAME = re.compile(r"[A-Za-z0-9._-]+")


@contextmanager
def require_extra(extra: str, raised: Callable[[str], BinairoError]) -> Iterator[None]:
    """Turn an `ImportError` in the ``with`` block into an error that says what to install.

    Raises:
        BinairoError: what `raised` makes of a message; a library of the extra is not installed.
    """
    try:
        yield
    except ImportError as error:
        missing = _missing(extra)
        names = ", ".join(_name(need) for need in missing)
        # The packages, not the extra: this package may come from a clone, a wheel or an index.
        command = " ".join(["pip install", *(f"'{need}'" for need in missing)])
        advice = f"Install with: {command}, or in a clone: pip install '.[{extra}]'"
        raise raised(f"{extra.upper()} needs {names}. {advice}") from error


def explain_import_error(error: ImportError) -> str:
    """Say which package is missing and how to install it."""
    name = (error.name or "").partition(".")[0]
    if name == _MODULE:
        return f"{error}; install the package again"
    if not name:
        return str(error)
    needed = next((need for need in _requirements() if _name(need) == name), name)
    return f"this needs {name}, which can't be loaded. Install with: pip install '{needed}'"


def _missing(extra: str) -> list[str]:
    """The requirements of an extra that are not installed, or all of them if none is missing."""
    ends_with = re.compile(rf"""\s*(?:;|\band)\s*extra\s*==\s*["']{extra}["']\s*$""")
    needed = [ends_with.sub("", need) for need in _requirements() if ends_with.search(need)]
    return [need for need in needed if not _is_installed(need)] or needed or [extra]


def _requirements() -> list[str]:
    from importlib import metadata  # here and below, because few programs lack a package

    try:
        return metadata.requires(_PACKAGE) or []
    except metadata.PackageNotFoundError:
        return []


def _is_installed(requirement: str) -> bool:
    from importlib import metadata

    try:
        return bool(metadata.version(_name(requirement)))
    except metadata.PackageNotFoundError:
        return False


def _name(requirement: str) -> str:
    match = _NAME.match(requirement)
    return match[0] if match else requirement
