"""Defaults of options, from environment variables and from a configuration file.

The file is TOML. Keys outside tables apply to every command that has the option; a table with the
name of a command applies to this command only::

    workers = 4

    [serve]
    port = 8080

The environment variable ``BINAIRO_WORKERS`` overrides the file, and ``BINAIRO_CHECK_WORKERS``, for
one command, overrides both.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import typer

from binairo_cp.errors import SourceError
from binairo_cp.formats.sources import read_toml

_PREFIX = "BINAIRO"
_FILE_VARIABLE = f"{_PREFIX}_CONFIG"

_FLAGS = dict.fromkeys(("1", "true", "yes", "on"), True) | dict.fromkeys(
    ("0", "false", "no", "off"), False
)


class Default(NamedTuple):
    """A default of an option, and where it was set: a variable or a file."""

    value: Any
    origin: str


def config_file() -> Path | None:
    """The configuration file; None if there is none.

    Raises:
        SourceError: ``BINAIRO_CONFIG`` names a file that does not exist.
    """
    named = os.environ.get(_FILE_VARIABLE)
    if named == "":
        return None
    path = Path(named or os.path.join(typer.get_app_dir("binairo"), "config.toml"))
    if named and not path.exists():
        raise SourceError(named, f"no such file; {_FILE_VARIABLE} names it")
    return path if path.exists() else None


def defaults_of(command: str, commands: Mapping[str, Any]) -> dict[str, Default]:
    """The defaults of one command, by the names of its parameters.

    Args:
        command: the name of the command.
        commands: all commands by name, as typer describes them. The others are looked up only if
            there is a configuration file.

    Raises:
        SourceError: the configuration file can't be read, or has a name that does not exist.
        typer.BadParameter: the value of a flag is neither true nor false.
    """
    options = options_of(commands[command])
    path = config_file()
    found = _from_file(path, command, commands) if path else {}
    found = found | _from_environment(command, options)
    return {
        options[name].name: Default(_value(name, options[name], value), value.origin)
        for name, value in found.items()
    }


def _value(name: str, option: Any, default: Default) -> Any:
    """A default as the option expects it."""
    values = default.value if isinstance(default.value, list) else [default.value]
    texts = [str(value) for value in values]
    if option.multiple:
        return texts
    if option.is_flag and texts[-1].lower() not in _FLAGS:
        hint = f"{texts[-1]!r} is neither true nor false (set by {default.origin})"
        raise typer.BadParameter(hint, param_hint=name)
    return _FLAGS[texts[-1].lower()] if option.is_flag else texts[-1]


def options_of(command: Any) -> dict[str, Any]:
    """The options of a command by their long names: ``--workers``."""
    options = (param for param in command.params if isinstance(param, typer.core.TyperOption))
    return {
        next(name for name in option.opts if name.startswith("--")): option for option in options
    }


def _from_environment(command: str, options: Iterable[str]) -> dict[str, Default]:
    found = {}
    for prefix in (_PREFIX, f"{_PREFIX}_{command}"):
        for name in options:
            variable = f"{prefix}_{name.removeprefix('--')}".replace("-", "_").upper()
            if value := os.environ.get(variable):
                found[name] = Default(value, variable)
    return found


def _from_file(path: Path, command: str, commands: Mapping[str, Any]) -> dict[str, Default]:
    options = {name: options_of(command) for name, command in commands.items()}
    values, _ = read_toml(str(path))
    tables = {key: value for key, value in values.items() if isinstance(value, dict)}
    common = {key: value for key, value in values.items() if key not in tables}
    _check_names(path, common, tables, options)
    own = {_with_dashes(key): value for key, value in (common | tables.get(command, {})).items()}
    return {name: Default(own[name], str(path)) for name in own if name in options[command]}


def _check_names(
    path: Path,
    common: dict[str, Any],
    tables: dict[str, dict[str, Any]],
    options: dict[str, dict[str, Any]],
) -> None:
    for name, table in tables.items():
        if name not in options:
            raise SourceError(str(path), f"there is no command {name!r}")
        for key in table:
            if _with_dashes(key) not in options[name]:
                raise SourceError(str(path), f"{name} has no option {_with_dashes(key)}")
    for key in common:
        if not any(_with_dashes(key) in option for option in options.values()):
            raise SourceError(str(path), f"no command has an option {_with_dashes(key)}")


def _with_dashes(key: str) -> str:
    return f"--{key.replace('_', '-')}"


def explain(error: Any) -> None:
    """Put an error about an option in our words, and say where its default was set."""
    if errors := getattr(error.__cause__, "errors", None):
        # Typer repeats the words of pydantic.
        from binairo_cp.formats.validation import message_of

        error.message = message_of(errors()[0], is_shown=True)
    context = error.ctx
    hints = {error.param_hint, *(error.param.opts if error.param else ())}
    for param in context.command.params:
        source = context.get_parameter_source(param.name)
        is_default = source and source.name == "DEFAULT_MAP" and param.name in context.obj
        if is_default and hints & {*param.opts}:
            error.message += f" (set by {context.obj[param.name].origin})"
