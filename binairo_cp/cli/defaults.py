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
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from binairo_cp.errors import SourceError

_PREFIX = "BINAIRO"
_FILE_VARIABLE = f"{_PREFIX}_CONFIG"
_MAX_BYTES = 1 << 16

_FLAGS = dict.fromkeys(("1", "true", "yes", "on"), True) | dict.fromkeys(
    ("0", "false", "no", "off"), False
)


@dataclass(frozen=True)
class Default:
    """A default of an option.

    Attributes:
        option: the option of the command, as typer describes it.
        value: the value as text.
        origin: where it was set: a variable or a file.
    """

    option: Any
    value: str
    origin: str

    @property
    def name(self) -> str:
        """The long name of the option: ``--workers``."""
        return _long_name(self.option)

    def is_set_by(self, argument: str) -> bool:
        """Whether an argument of the command line sets the option: ``--workers=4``, ``-w4``."""
        return any(
            argument.partition("=")[0] == name if name.startswith("--") else argument[:2] == name
            for name in self.option.opts
        )


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


def defaults_of(command: str, commands: Mapping[str, Any]) -> list[Default]:
    """The defaults of one command, one an option unless it can be repeated.

    Args:
        command: the name of the command.
        commands: all commands by name, as typer describes them. The others are looked up only if
            there is a configuration file.

    Raises:
        SourceError: the configuration file can't be read, or has a name that does not exist.
    """
    file = list(_from_file(command, commands))
    options = options_of(commands[command])
    environment = {each.name: each for each in _from_environment(command, options)}
    return [*(each for each in file if each.name not in environment), *environment.values()]


def options_of(command: Any) -> dict[str, Any]:
    """The options of a command by their long names: ``--workers``."""
    options = (each for each in command.params if isinstance(each, typer.core.TyperOption))
    return {_long_name(each): each for each in options}


def _long_name(option: Any) -> str:
    names: list[str] = option.opts
    return next(name for name in names if name.startswith("--"))


def _from_environment(command: str, options: dict[str, Any]) -> Iterator[Default]:
    for prefix in (_PREFIX, f"{_PREFIX}_{command}"):
        for name, option in options.items():
            variable = f"{prefix}_{name.removeprefix('--')}".replace("-", "_").upper()
            if value := os.environ.get(variable):
                yield Default(option, value, variable)


def _from_file(command: str, commands: Mapping[str, Any]) -> Iterator[Default]:
    if (path := config_file()) is None:
        return
    options = {name: options_of(each) for name, each in commands.items()}
    values = _parsed(path)
    tables = {key: value for key, value in values.items() if isinstance(value, dict)}
    common = {key: value for key, value in values.items() if key not in tables}
    _check_names(path, common, tables, options)
    for key, value in {**common, **tables.get(command, {})}.items():
        if option := options[command].get(_with_dashes(key)):
            for each in value if isinstance(value, list) else [value]:
                yield Default(option, str(each), str(path))


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
        if not any(_with_dashes(key) in each for each in options.values()):
            raise SourceError(str(path), f"no command has an option {_with_dashes(key)}")


def _with_dashes(key: str) -> str:
    return f"--{key.replace('_', '-')}"


def _parsed(path: Path) -> dict[str, Any]:
    # Imported here, because few machines have such a file.
    import tomllib

    try:
        with path.open("rb") as file:
            data = file.read(_MAX_BYTES + 1)
        if len(data) > _MAX_BYTES:
            raise SourceError(str(path), f"more than {_MAX_BYTES:,} bytes")
        return tomllib.loads(data.decode())
    except OSError as error:
        raise SourceError(str(path), f"can't be read: {error.strerror}") from error
    except ValueError as error:
        raise SourceError(str(path), f"is not valid TOML: {error}") from error


def arguments(defaults: Iterable[Default]) -> list[str]:
    """Defaults as arguments of the command line.

    Raises:
        typer.BadParameter: the value of a flag is neither true nor false.
    """
    return [argument for each in defaults for argument in _argument(each)]


def _argument(default: Default) -> Iterator[str]:
    if not default.option.is_flag:
        yield f"{default.name}={default.value}"
    elif (is_on := _FLAGS.get(default.value.lower())) is None:
        hint = f"{default.value!r} is neither true nor false"
        raise typer.BadParameter(hint, param_hint=default.name)
    elif is_on:
        yield default.name


@contextmanager
def naming_origins(defaults: Iterable[Default]) -> Iterator[None]:
    """Errors about an option are in our words, and name the place of its default, if it has one."""
    try:
        yield
    except typer.BadParameter as error:
        if errors := getattr(error.__cause__, "errors", None):
            # Typer repeats the words of pydantic.
            from binairo_cp.formats.validation import message_of

            error.message = message_of(errors()[0], is_shown=True)
        names = {error.param_hint, *(error.param.opts if error.param else ())}
        origin = next((each.origin for each in defaults if each.name in names), None)
        if origin:
            error.message += f" (set by {origin})"
        raise
