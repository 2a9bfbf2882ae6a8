"""Find the most relevant error in a pydantic `ValidationError`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydantic import ValidationError

_BRANCHES = {"str", "int", "PuzzleRecord", "RulesRecord", "StatedRules", "record", "text"}


def first_error(error: ValidationError) -> tuple[str, str]:
    """The first error of a record: the path of its field, and the message."""
    errors = error.errors(include_url=False, include_input=False)
    # A union has an error for each branch. The deepest is in the branch that was meant.
    same = [each for each in errors if each["loc"][:1] == errors[0]["loc"][:1]]
    deepest = max(same, key=lambda each: len(field_path(each["loc"])))
    return ".".join(field_path(deepest["loc"])), message_of(deepest)


def message_of(error: Mapping[str, Any]) -> str:
    """The message of an error, without the prefix that pydantic adds to a ValueError."""
    return str(error["msg"]).removeprefix("Value error, ")


def field_path(location: tuple[int | str, ...]) -> list[str]:
    """The fields and indexes of pydantic's location, without the names of union branches."""
    return [str(part) for part in location if "[" not in str(part) and part not in _BRANCHES]
