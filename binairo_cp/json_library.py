"""JSON by orjson, or by the standard library where orjson has no wheel, with the same names.

What the standard library takes and orjson refuses (NaN, halves of surrogate pairs, deep nesting)
is refused here too, so that the same texts are valid everywhere.
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Callable
from datetime import datetime
from functools import partial
from json import JSONDecodeError
from typing import TYPE_CHECKING, Any

_LONGEST_INT = len(str(1 << 64))
"""The most characters of a whole number; orjson reads those of more than 64 bits as floats."""

_SORTED, _INDENTED, _LINE, _NO_DATACLASS = 1, 2, 4, 8


def _refuse(constant: str) -> None:
    raise JSONDecodeError(f"unexpected {constant}", constant, 0)


def _float(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        _refuse(text)
    return number


def _int(text: str) -> int | float:
    number = int(text) if len(text) <= _LONGEST_INT else 1 << 64
    return number if -(1 << 63) <= number < 1 << 64 else _float(text)


def _finite(value: Any) -> Any:
    """The same value with None for each number that JSON can't express."""
    if isinstance(value, dict):
        return {key: _finite(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


_read = json.JSONDecoder(parse_float=_float, parse_int=_int, parse_constant=_refuse).decode


class _StandardLibrary:
    """The functions of orjson that this package uses."""

    JSONDecodeError = JSONDecodeError
    OPT_SORT_KEYS = _SORTED
    OPT_INDENT_2 = _INDENTED
    OPT_APPEND_NEWLINE = _LINE
    OPT_PASSTHROUGH_DATACLASS = _NO_DATACLASS

    @staticmethod
    def loads(text: bytes | bytearray | memoryview | str) -> Any:
        shown = ""
        try:
            shown = text if isinstance(text, str) else str(text, "utf-8")
            value = _read(shown)
            if "\\u" in shown:
                json.dumps(value, ensure_ascii=False).encode()
        except JSONDecodeError:
            raise
        except (ValueError, RecursionError) as error:
            raise JSONDecodeError(str(error), shown, 0) from error
        return value

    @staticmethod
    def dumps(
        value: Any, default: Callable[[Any], Any] | None = None, option: int | None = None
    ) -> bytes:
        chosen = option or 0

        def plain(other: Any) -> Any:
            if dataclasses.is_dataclass(other) and not chosen & _NO_DATACLASS:
                return {f.name: getattr(other, f.name) for f in dataclasses.fields(other)}
            if isinstance(other, datetime):
                return other.isoformat()
            if default is None:
                raise TypeError(f"Type is not JSON serializable: {type(other).__name__}")
            return default(other)

        write = partial(
            json.dumps,
            default=plain,
            ensure_ascii=False,
            allow_nan=False,
            sort_keys=bool(chosen & _SORTED),
            indent=2 if chosen & _INDENTED else None,
            separators=(",", ": ") if chosen & _INDENTED else (",", ":"),
        )
        try:
            text = write(value)
        except ValueError:
            text = write(_finite(value))
        return (text + "\n" * bool(chosen & _LINE)).encode()


if TYPE_CHECKING:
    import orjson
else:
    try:
        import orjson
    except ModuleNotFoundError:
        orjson = _StandardLibrary

__all__ = ["orjson"]
