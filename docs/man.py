"""The manual page of the command, from its help: ``python -m docs.man [FILE]``."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import typer
from rich.text import Text

from binairo_cp import cli

ENVIRONMENT = [
    ("BINAIRO_COMMAND_OPTION", "Default of an option, such as BINAIRO_CHECK_WORKERS."),
    ("NO_COLOR", "If set, nothing is printed in color."),
]
STATUS = [
    ("0", "Yes for all: solved, unique, counted."),
    ("1", "No for some: no solution, or more than one; an invalid certificate."),
    ("2", "An error in the usage or the input, or a failed solver."),
    ("3", "Unknown for some: stopped by a time or solution limit."),
    ("130", "Stopped by Ctrl-C; finished results are kept."),
]


def main(out: str) -> None:
    """Write the page to a file."""
    path = Path(out)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(page()) + "\n")


def page() -> Iterator[str]:
    """The page, line by line, in the language of man(7)."""
    group: Any = typer.main.get_command(cli.app)
    description, *examples = paragraphs(group.help)
    yield f'.TH BINAIRO 1 "" "binairo {version("binairo-cp")}" "User Commands"'
    yield from (".SH NAME", f"binairo \\- {_first_lower(_escaped(description))}")
    yield from (".SH SYNOPSIS", ".B binairo", r"\fICOMMAND\fR [\fIOPTION\fR]... [\fISOURCE\fR]...")
    yield from (".SH DESCRIPTION", *_text(examples))
    yield ".SH COMMANDS"
    for name, command in group.commands.items():
        yield from _command(name, command)
    for title, terms in (("EXIT STATUS", STATUS), ("ENVIRONMENT", ENVIRONMENT)):
        yield f".SH {title}"
        for term, meaning in terms:
            yield from _term(rf"\fB{_escaped(term)}\fR", meaning)


def _command(name: str, command: Any) -> Iterator[str]:
    arguments = [each for each in command.params if isinstance(each, typer.core.TyperArgument)]
    options = [each for each in command.params if isinstance(each, typer.core.TyperOption)]
    places = [rf"\fI{_escaped(each.metavar or each.name.upper())}\fR" for each in arguments]
    yield f".SS {_escaped(' '.join(['binairo', name]))} {' '.join(places)}"
    yield from _text(paragraphs(command.help))
    for place, argument in zip(places, arguments, strict=True):
        yield from _term(place, argument.help or "")
    for option in options:
        names = ", ".join(rf"\fB{_escaped(each)}\fR" for each in option.opts)
        value = "" if option.is_flag else rf" \fI{_escaped(value_name(option))}\fR"
        yield from _term(names + value, option.help or "")


def value_name(option: Any) -> str:
    """What follows an option: its metavar, or its choices."""
    kind = getattr(option, "type_descriptor", None) or option.type  # as the version of typer has it
    choices = getattr(kind, "choices", None)
    return option.metavar or "|".join(map(str, choices or ())) or "VALUE"


def paragraphs(help: str) -> list[str]:
    """The paragraphs of a help, without its markup."""
    return [Text.from_markup(each).plain for each in inspect.cleandoc(help).split("\n\n")]


def _text(paragraphs: list[str]) -> Iterator[str]:
    """Paragraphs; the lines of one that consists of commands stay apart."""
    for number, each in enumerate(paragraphs):
        if number:
            yield ".PP"
        lines = each.splitlines()
        is_example = lines[0].startswith(("binairo ", "cat ", "printf "))
        for place, line in enumerate(lines):
            if is_example and place:
                yield ".br"
            yield _escaped(line)


def _term(term: str, meaning: str) -> Iterator[str]:
    yield from (".TP", term, *map(_escaped, Text.from_markup(meaning).plain.splitlines()))


def _escaped(text: str) -> str:
    """Text as man(7) wants it."""
    text = text.replace("\\", r"\e").replace("-", r"\-")
    return rf"\&{text}" if text.startswith((".", "'")) else text


def _first_lower(text: str) -> str:
    return text[:1].lower() + text[1:].rstrip(".")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "build/man/binairo.1")
