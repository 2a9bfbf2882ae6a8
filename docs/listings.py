"""The pages that list all commands and all public functions: ``python -m docs.listings``."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Iterator
from enum import EnumType
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import typer

from binairo_cp import cli
from binairo_cp.cli.help import grouped
from docs import reference
from docs.man import paragraphs, value_name

FOLDER = Path(__file__).resolve().parent
_SHARED = 3
"""The number of commands that have the same option before it is described once for all."""

_COMMANDS = """\
# All commands

Each command with all its options. At the command line, `binairo help` lists the commands, and
`binairo COMMAND --help` shows the options that most people need, `--help-all` the others too.
[The command line](command-line.md) explains what they share. `python -m docs.listings` writes this
page from the help.
"""
_FUNCTIONS = """\
# API reference

Every command is a function of `binairo_cp`: start there. The page [Python](python.md) is a tour
with examples. The other modules have what the functions build on. You can rely on the names below;
all others may change without notice. The documentation site, which `make docs` builds, has their
docstrings; in Python, `help(binairo_cp.check)` shows one. `python -m docs.listings` writes this
page.
"""


def main() -> None:
    """Write both pages."""
    for name, text in pages().items():
        (FOLDER / name).write_text(text)


def pages() -> dict[str, str]:
    """The text of each page by the name of its file."""
    return {
        "commands.md": _COMMANDS + "".join(_commands()),
        "api.md": _FUNCTIONS + "".join(_functions()),
    }


def _commands() -> Iterator[str]:
    group: Any = typer.main.get_command(cli.app)
    options = {name: _options(command) for name, command in group.commands.items()}
    uses = Counter(line for lines in options.values() for line in lines.values())
    shared = {line for line, number in uses.items() if number >= _SHARED}
    yield "\n## Options of several commands\n\n"
    yield from (line for line in uses if line in shared)
    for title, names in grouped(group.commands).items():
        if names:
            yield f"\n## {title}\n"
        for name in names:
            yield from _command(name, group.commands[name], options[name], shared)


def _command(name: str, command: Any, options: dict[str, str], shared: set[str]) -> Iterator[str]:
    places = [each for each in command.params if isinstance(each, typer.core.TyperArgument)]
    words = [f"{place.metavar or place.name.upper()}" for place in places]
    yield f"\n### `{' '.join(['binairo', name, *words])}`\n\n"
    for paragraph in paragraphs(command.help):
        is_example = paragraph.startswith(("binairo ", "cat ", "printf "))
        indent = "    " if is_example else ""
        yield "".join(f"{indent}{line}\n" for line in paragraph.splitlines()) + "\n"
    for place, word in zip(places, words, strict=True):
        yield f"- `{word}`: {_plain(place.help)}\n"
    yield from (line for line in options.values() if line not in shared)
    others = ", ".join(f"`{option}`" for option, line in options.items() if line in shared)
    if others:
        yield f"\nDescribed above: {others}.\n"


def _options(command: Any) -> dict[str, str]:
    """A line of Markdown for each option, by its longest name."""
    lines = {}
    for option in command.params:
        if isinstance(option, typer.core.TyperOption) and not option.hidden:
            value = "" if option.is_flag else f" {value_name(option)}"
            names = ", ".join(sorted(option.opts, key=len))
            lines[max(option.opts, key=len)] = f"- `{names}{value}`: {_plain(option.help)}\n"
    return lines


def _plain(help: str | None) -> str:
    return " ".join(" ".join(paragraphs(help or "")).split())


def _functions() -> Iterator[str]:
    for name, names in reference.PUBLIC.items():
        module = import_module(name)
        yield f"\n## `{name}`\n\n{_first_sentence(module)}\n\n"
        for public in names or getattr(module, "__all__", None) or _defined(module):
            value = getattr(module, public)
            said = f"{_signature(value)}`: {_first_sentence(value)}" if callable(value) else "`"
            yield f"- `{public}{said}\n"


def _defined(module: ModuleType) -> list[str]:
    return [
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and getattr(value, "__module__", None) == module.__name__
    ]


def _signature(value: Any) -> str:
    """The names of the parameters, without their types."""
    if isinstance(value, EnumType):
        return ""
    try:
        parameters = inspect.signature(value).parameters.values()
    except ValueError:
        return ""
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    words = []
    for parameter in parameters:
        if parameter.kind is parameter.KEYWORD_ONLY and not any(w.startswith("*") for w in words):
            words.append("*")
        words.append(stars.get(parameter.kind, "") + parameter.name)
    return f"({', '.join(words)})"


def _first_sentence(value: Any) -> str:
    first, _, _ = (inspect.getdoc(value) or "").partition("\n\n")
    return " ".join(first.split())


if __name__ == "__main__":
    main()
