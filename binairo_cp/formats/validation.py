"""Validate with pydantic: the most relevant error in our words, and settings in TOML files."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from binairo_cp.errors import SourceError
from binairo_cp.formats import sources

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
    "string_too_short": "text of length {min_length:,} or more",
    "string_pattern_mismatch": "text of the form {pattern}",
    "too_long": "at most {max_length:,} elements",
    "too_short": "a list of length {min_length:,} or more",
}
"""What was expected, by the type of the error."""

_TYPES = ("int", "str", "constrained-str")
_HEADER = re.compile(r"\s*\[{1,2}\s*([\w.\"' -]+?)\s*\]{1,2}\s*(?:#.*)?$")

_Model = TypeVar("_Model", bound=BaseModel)


def first_error(error: ValidationError) -> tuple[str, str]:
    """The first error of a record: the path of its field, and the message."""
    errors = error.errors(include_url=False, include_input=False)
    # A union has an error for each branch. The deepest is in the branch that was meant.
    same = [error for error in errors if error["loc"][:1] == errors[0]["loc"][:1]]
    deepest = max(same, key=lambda error: len(field_path(error["loc"])))
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


def read_settings(path: str, model: type[_Model]) -> _Model:
    """Return the settings in a TOML file.

    Raises:
        SourceError: as `sources.read_toml`, or the file does not match the model.
    """
    values, text = sources.read_toml(path)
    return settings_of(values, model, path, text)


def settings_of(values: object, model: type[_Model], name: str, text: str = "") -> _Model:
    """Return settings given as a dictionary, which the text of a file may state.

    Raises:
        SourceError: they do not match the model.
    """
    try:
        return model.model_validate(values)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        # Pydantic adds the type that did not match to the place of a value with several types.
        place = [part for part in first["loc"] if part not in _TYPES]
        message = message_of(first, is_shown=not isinstance(first["input"], dict | list))
        raise setting_error(name, text, place, message) from error


def setting_error(name: str, text: str, place: Sequence[int | str], message: str) -> SourceError:
    """The error of a setting in a TOML file. The text of the file shows its line; `place` has the
    keys, and places in lists from 0, that lead to it.
    """
    line = _line(text, place)
    return SourceError(name, f"{f'line {line}: ' if line else ''}{key_of(place)}{message}")


def key_of(place: Sequence[int | str]) -> str:
    """A place as in TOML, with tables of a list counted from 1."""
    words = [f"[{part + 1}]" if isinstance(part, int) else f".{part}" for part in place]
    name = "".join(words).removeprefix(".")
    return f"{name}: " if name else ""


def _line(text: str, place: Sequence[int | str]) -> int | None:
    """The line of a key, or of its table if the key is missing; None if neither is found."""
    keys = [part for part in place if isinstance(part, str)]
    number = next((part for part in place if isinstance(part, int)), 0)
    if not keys:
        return None
    table, seen, found = "", -1, None
    for count, line in enumerate(text.splitlines(), 1):
        if header := _HEADER.match(line):
            table = header[1]
            seen += table == keys[0]
            if table == keys[0] and seen == number:
                found = count
            continue
        key = line.split("=")[0].strip().strip("\"'")
        inside = table == keys[0] and seen == number and len(keys) > 1 and key == keys[1]
        if inside or (not table and key == keys[0]):
            return count
    return found
