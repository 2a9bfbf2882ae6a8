"""Find the most relevant error in a pydantic `ValidationError`, and say it in our words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydantic import ValidationError

_LONGEST_SHOWN = 60
_BRANCHES = {"str", "int", "PuzzleRecord", "RulesRecord", "StatedRules", "record", "text"}

_WHOLE, _NUMBER, _OBJECT, _LIST = "a whole number", "a number", "an object", "a list"
_EXPECTED = {
    **dict.fromkeys(("int_parsing", "int_type", "int_from_float", "int_parsing_size"), _WHOLE),
    **dict.fromkeys(("float_parsing", "float_type", "finite_number"), _NUMBER),
    **dict.fromkeys(("bool_parsing", "bool_type"), "true or false"),
    **dict.fromkeys(
        ("dict_type", "model_type", "model_attributes_type", "dataclass_type"), _OBJECT
    ),
    **dict.fromkeys(("list_type", "tuple_type"), _LIST),
    "string_type": "text",
    "string_unicode": "text in Unicode",
    "none_required": "null",
    "greater_than_equal": "{ge:,} or more",
    "greater_than": "more than {gt:,}",
    "less_than_equal": "{le:,} or less",
    "less_than": "less than {lt:,}",
    "literal_error": "{expected}",
    "enum": "{expected}",
    "string_too_long": "at most {max_length:,} characters",
    "string_too_short": "at least {min_length:,} characters",
    "string_pattern_mismatch": "text of the form {pattern}",
    "too_long": "at most {max_length:,} elements",
    "too_short": "at least {min_length:,} elements",
}
"""What was expected, by the type of the error."""


def first_error(error: ValidationError) -> tuple[str, str]:
    """The first error of a record: the path of its field, and the message."""
    errors = error.errors(include_url=False, include_input=False)
    # A union has an error for each branch. The deepest is in the branch that was meant.
    same = [each for each in errors if each["loc"][:1] == errors[0]["loc"][:1]]
    deepest = max(same, key=lambda each: len(field_path(each["loc"])))
    return ".".join(field_path(deepest["loc"])), message_of(deepest)


def message_of(error: Mapping[str, Any], is_shown: bool = False) -> str:
    """The message of an error, with the wrong value if it is to be shown and short enough."""
    kind = error["type"]
    if kind == "missing":
        return "is missing"
    if kind == "extra_forbidden":
        return "there is no such field"
    if kind in _EXPECTED:
        text = repr(error["input"]) if is_shown else ""
        shown = f", not {text}" if 0 < len(text) <= _LONGEST_SHOWN else ""
        return f"expected {_EXPECTED[kind].format_map(error.get('ctx', {}))}{shown}"
    return str(error["msg"]).removeprefix("Value error, ")


def field_path(location: tuple[int | str, ...]) -> list[str]:
    """The fields and indexes of pydantic's location, without the names of union branches."""
    return [str(part) for part in location if "[" not in str(part) and part not in _BRANCHES]
