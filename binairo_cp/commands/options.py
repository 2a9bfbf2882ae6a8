"""How the requests state their options: help, bounds and names, as annotations of the fields."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any, NamedTuple, get_type_hints


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


def options_of(request: type[Any]) -> Iterator[OptionField]:
    """The options of a request, in order."""
    hints = get_type_hints(request, include_extras=True)
    for field in fields(request):
        kind, option = hints[field.name].__origin__, hints[field.name].__metadata__[0]
        yield OptionField(field.name, kind, field.default, option)


def help_of(request: type[Any], name: str) -> str:
    """The help of an option, with what happens without it."""
    option = next(each.option for each in options_of(request) if each.name == name)
    return option.help_with_default()
