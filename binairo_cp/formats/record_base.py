"""What all records of results can do: be compared, made from JSON, and written as JSON.

They are plain dataclasses, so that commands start without pydantic, which takes as long to load as
everything else together. `schema.adapter` validates what others have written.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import MISSING, asdict, dataclass, field, fields
from enum import Enum
from functools import cache, partial
from operator import attrgetter
from typing import Any, Self, TypeVar, dataclass_transform, get_args, get_origin, get_type_hints

from binairo_cp.json_library import orjson
from binairo_cp.puzzle.rules import Rules

AnyRecord = TypeVar("AnyRecord", bound="Record")


def about(
    text: str = "",
    *,
    default: Any = MISSING,
    said: bool = False,
    of: str | Callable[[Any], Any] = "",
) -> Any:
    """A field of a record.

    Args:
        text: its description in the JSON Schema.
        default: its value where it is absent; `maybe` is for None.
        said: texts name it and its value (of records that others add).
        of: which attribute of a result has its value, if not that of the same name, or a function
            that finds it.
    """
    description = {"description": text} if text else {}
    return field(default=default, metadata={**description, "said": said, "of": of})


def maybe(text: str = "", *, of: str | Callable[[Any], Any] = "") -> Any:
    """A field that may be absent; type checkers take what this returns for its default value."""
    return about(text, default=None, of=of)


@dataclass_transform(kw_only_default=True, field_specifiers=(about,))
class Record:
    """What all records can do."""

    def __init_subclass__(cls) -> None:
        # Each is a dataclass of keyword arguments; what it would generate besides is below.
        dataclass(kw_only=True, eq=False, repr=False)(cls)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash(self.to_json())

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={value!r}" for name, value in self.present().items())
        return f"{type(self).__name__}({fields})"

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Self:
        """The record with these fields, whose values may be as in JSON. They are not validated.

        Raises:
            TypeError: there is no such field.
        """
        usual, needed, makers = _fields(cls)  # type: ignore[arg-type]  # mypy: they are hashable
        made = {**usual, **values}
        if len(made) > len(usual) or not needed <= values.keys():
            return cls(**values)  # which says what there is too much or too little
        for name, make in makers.items():
            if (value := made[name]) is not None:
                made[name] = make(value)
        # Most fields are absent, and to name each of them would take longer than all else.
        new = cls.__new__(cls)
        new.__dict__ = made
        return new

    def present(self) -> dict[str, Any]:
        """The fields that are not absent."""
        return {name: value for name, value in vars(self).items() if value is not None}

    def to_dict(self) -> dict[str, Any]:
        """The record as plain values, as in JSON."""
        values: dict[str, Any] = json.loads(self.to_json())
        return values

    def to_json(self) -> str:
        """One line of JSON, in the order of the fields, without absent fields."""
        return to_json(self.present())


def record_of(kind: type[AnyRecord], result: Any) -> AnyRecord:
    """The record of a result. What is empty there is absent, but for numbers and lists."""
    made = {}
    for name, default, find, make in _finders(kind):  # type: ignore[arg-type]  # mypy: it is hashable
        value = find(result)
        if value or isinstance(value, _NEVER_EMPTY) or default is MISSING:
            made[name] = make(value) if make else value
        else:
            made[name] = default
    new = kind.__new__(kind)
    new.__dict__ = made
    return new


_NEVER_EMPTY = (int, float, list)

_Finder = tuple[str, Any, Callable[[Any], Any], Callable[[Any], Any] | None]


@cache
def _finders(kind: Any) -> list[_Finder]:
    """The name and the default of each field, what finds its value in a result, and its maker."""
    makers = _fields(kind)[2]
    sources = ((field, field.metadata.get("of") or field.name) for field in fields(kind))
    return [
        (field.name, field.default, of if callable(of) else attrgetter(of), makers.get(field.name))
        for field, of in sources
    ]


def to_json(value: Any) -> str:
    """A record, or a value of its fields, as JSON."""
    try:
        return orjson.dumps(value, _plain, orjson.OPT_PASSTHROUGH_DATACLASS).decode()
    except TypeError:  # orjson has no integers of more than 64 bits.
        return json.dumps(value, default=_plain, ensure_ascii=False, separators=(",", ":"))


def _plain(value: Any) -> Any:
    """The fields of a record in a record."""
    if isinstance(value, Record):
        return value.present()
    return asdict(value) if isinstance(value, Rules) else value.model_dump(exclude_none=True)


@cache
def _fields(record: Any) -> tuple[dict[str, Any], set[str], dict[str, Callable[[Any], Any]]]:
    """All fields with the values of absent ones; those that can't be absent; and what makes values
    out of those in JSON or of results, where they differ.
    """
    usual = {field.name: field.default for field in fields(record)}
    names = {"Place": list, "Span": list[list[int]], "StatedRules": Rules, "PictureRecord": object}
    hints = get_type_hints(record, localns=names)
    makers = {name: make for name, hint in hints.items() if (make := _maker(hint))}
    return usual, {name for name, value in usual.items() if value is MISSING}, makers


def _maker(hint: Any) -> Callable[[Any], Any] | None:
    """What makes a value of a type, not None, out of that in JSON or of a result; None if they are
    the same.
    """
    if isinstance(hint, type) and issubclass(hint, Record):
        return partial(_made, hint)
    if isinstance(hint, type) and issubclass(hint, Rules):
        return lambda value: hint(**value) if isinstance(value, dict) else value
    if isinstance(hint, type) and issubclass(hint, Enum):
        return hint
    inner = next(filter(None, map(_maker, get_args(hint))), None)
    if list in (hint, get_origin(hint)):
        return (lambda values: [*map(inner, values)]) if inner else list
    if inner and get_origin(hint) is dict:
        return lambda values: {key: inner(value) for key, value in values.items()}
    return inner


def _made(kind: type[Record], value: Any) -> Any:
    if isinstance(value, Record):
        return value
    return kind.of(value) if isinstance(value, dict) else record_of(kind, value)
