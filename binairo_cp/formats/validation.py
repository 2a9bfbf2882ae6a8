"""What pydantic finds wrong with a record, and in which of its fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydantic import ValidationError

_BRANCHES = {"str", "int", "PuzzleRecord", "RulesRecord", "StatedRules", "record", "text"}


def first_fault(error: ValidationError) -> tuple[str, str]:
    """The first thing that is wrong with a record: where in it, and what."""
    faults = error.errors(include_url=False, include_input=False)
    # What may be said in several ways has a fault in each; the deepest is in the one meant.
    same = [each for each in faults if each["loc"][:1] == faults[0]["loc"][:1]]
    fault = max(same, key=lambda each: len(fields_of(each["loc"])))
    return ".".join(fields_of(fault["loc"])), message_of(fault)


def message_of(fault: Mapping[str, Any]) -> str:
    """The message of a fault, without the prefix that pydantic adds to a ValueError."""
    return str(fault["msg"]).removeprefix("Value error, ")


def fields_of(place: tuple[int | str, ...]) -> list[str]:
    """The fields and numbers of pydantic's place of a fault, without its names for branches."""
    return [str(part) for part in place if "[" not in str(part) and part not in _BRANCHES]
