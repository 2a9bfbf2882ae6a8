"""How the requests state their options: help, bounds and names, as annotations of the fields."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from types import UnionType
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

from binairo_cp.errors import OptionError

MOST_WORKERS = 512
"""The most worker processes of a command, a function or a server."""

_LONGEST_SHOWN = 40


@dataclass(frozen=True, slots=True)
class Option:
    """What an option needs besides its name, type and default.

    Attributes:
        help: what it does, in one or two sentences.
        absent: what happens without it, if the default value does not show it.
        least: the smallest number allowed.
        most: the largest number allowed.
        longest: the most characters allowed.
        schema: JSON schema of its values, if the type is not enough.
        flags: its names on the command line, if they differ from the field name.
        metavar: the placeholder for its value in the help.
        panel: the section of the help.
        is_positional: it is a positional argument without a flag.
        is_board: its value is the cells of a board. The command line also takes a file with the
            board; over HTTP the option belongs to one puzzle, and is not in the query string.
        unit: what the command line counts, such as 1024 for an option in bytes that takes KiB.
        on_command_line: the command line has it.
    """

    help: str
    absent: str = ""
    least: float | None = None
    most: float | None = None
    longest: int | None = None
    schema: dict[str, Any] | None = None
    flags: tuple[str, ...] = ()
    metavar: str | None = None
    panel: str | None = None
    is_positional: bool = False
    is_board: bool = False
    unit: int = 1
    on_command_line: bool = True

    def help_with_default(self, absent: str | None = None) -> str:
        """The help, with what happens without the option (by default `self.absent`)."""
        default = self.absent if absent is None else absent
        return f"{self.help} If absent: {default}." if default else self.help


class OptionField(NamedTuple):
    """A field of a request; its default is `dataclasses.MISSING` if it has none."""

    name: str
    type: Any
    default: Any
    option: Option


_options: dict[type[Any], tuple[OptionField, ...]] = {}


def options_of(request: type[Any]) -> tuple[OptionField, ...]:
    """The options of a request, in order."""
    # Reading type hints takes as long as all else that the service does for a small request.
    if request not in _options:
        _options[request] = tuple(_read(request))
    return _options[request]


def _read(request: type[Any]) -> Iterator[OptionField]:
    hints = get_type_hints(request, include_extras=True)
    for field in fields(request):
        kind, option = hints[field.name].__origin__, hints[field.name].__metadata__[0]
        yield OptionField(field.name, kind, field.default, option)


def help_of(request: type[Any], name: str) -> str:
    """The help of an option, with what happens without it."""
    option = next(each.option for each in options_of(request) if each.name == name)
    return option.help_with_default()


def check_bounds(request: Any) -> None:
    """Check the options of a request against their bounds, as the command line and HTTP do.

    Raises:
        OptionError: the first option that is out of bounds, or of another type.
    """
    for each in options_of(type(request)):
        value = getattr(request, each.name)
        if value is None and type(None) in get_args(each.type):
            continue
        if expected := _expected(value, each.type, each.option):
            raise OptionError(each.name, f"expected {expected}, not {_shown(value)}")


def _expected(value: object, kind: Any, option: Option) -> str | None:
    """What an option expects, if a value is something else; None if the value is right."""
    kinds = get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)
    words = [word for each in kinds if get_origin(each) is Literal for word in get_args(each)]
    types = tuple(each for each in kinds if isinstance(each, type) and each is not type(None))
    if value in words and isinstance(value, str):
        return None
    # True and False are numbers in Python, but not here.
    if isinstance(value, bool) and bool not in types:
        types = ()
    if not isinstance(value, (*types, int) if float in types else types):
        named = [*(_TYPE_NAMES[each] for each in types or kinds if each in _TYPE_NAMES), *words]
        return f"one of {', '.join(named)}" if len(named) > 1 else "".join(named)
    if isinstance(value, int | float):
        return _bounds(value, option)
    if isinstance(value, str) and option.longest is not None and len(value) > option.longest:
        return f"at most {option.longest} characters"
    return None


_TYPE_NAMES: dict[Any, str] = {
    bool: "True or False",
    int: "a whole number",
    float: "a number",
    str: "text",
}


def _bounds(value: float, option: Option) -> str | None:
    if option.least is not None and not value >= option.least:
        return f"{option.least:,} or more"
    if option.most is not None and not value <= option.most:
        return f"{option.most:,} or less"
    return None


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}..."
