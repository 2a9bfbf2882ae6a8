"""Read a TOML file into a pydantic model; errors name the line and the key."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from binairo_cp.errors import SourceError
from binairo_cp.formats.validation import message_of

MAX_BYTES = 1 << 18
_TYPES = ("int", "str", "constrained-str")
_HEADER = re.compile(r"\s*\[{1,2}\s*([\w.\"' -]+?)\s*\]{1,2}\s*(?:#.*)?$")

_Model = TypeVar("_Model", bound=BaseModel)


def read(path: str, model: type[_Model]) -> _Model:
    """Return the settings in a TOML file.

    Raises:
        SourceError: the file can't be read, is not TOML, or does not match the model.
    """
    try:
        with Path(path).open("rb") as file:
            data = file.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise SourceError(path, f"more than {MAX_BYTES:,} bytes")
        text = data.decode()
        values = tomllib.loads(text)
    except OSError as error:
        raise SourceError(path, f"can't be read: {error.strerror}") from error
    except ValueError as error:
        raise SourceError(path, f"is not valid TOML: {error}") from error
    except RecursionError as error:
        raise SourceError(path, "is not valid TOML: it is nested too deeply") from error
    return _validated(values, model, path, text)


def of_values(values: object, model: type[_Model], name: str) -> _Model:
    """Return settings given as a dictionary.

    Args:
        values: the settings.
        model: what they have to match.
        name: what to call them in errors.

    Raises:
        SourceError: they do not match the model.
    """
    return _validated(values, model, name, "")


def _validated(values: object, model: type[_Model], name: str, text: str) -> _Model:
    try:
        return model.model_validate(values)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        # Pydantic adds the type that did not match to the place of a value with several types.
        place = [each for each in first["loc"] if each not in _TYPES]
        key, line = _key(place), _line(text, place)
        where = f"line {line}: " if line else ""
        message = message_of(first, is_shown=not isinstance(first["input"], dict | list))
        raise SourceError(name, f"{where}{key}{message}") from error


def _key(place: Sequence[int | str]) -> str:
    """A place as in TOML, with tables of a list counted from 1."""
    words = [f"[{each + 1}]" if isinstance(each, int) else f".{each}" for each in place]
    name = "".join(words).removeprefix(".")
    return f"{name}: " if name else ""


def _line(text: str, place: Sequence[int | str]) -> int | None:
    """The line of a key, or of its table if the key is missing; None if neither is found."""
    keys = [each for each in place if isinstance(each, str)]
    number = next((each for each in place if isinstance(each, int)), 0)
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
