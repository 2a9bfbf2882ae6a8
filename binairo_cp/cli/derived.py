"""Command-line options derived from the signatures of features.

The decorator `takes_options` gives a command the options of each feature that a parameter names,
as in ``options: Annotated[Options, bn.count]``, and one for each field of its dataclass parameters.
If the command has a parameter with the name of an option, or an earlier parameter brought one, that
is used instead.
"""

from __future__ import annotations

import inspect
import os
import re
import shlex
import sys
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from dataclasses import is_dataclass
from functools import cache, partial, wraps
from importlib import import_module
from math import ceil
from typing import Annotated, Any, Literal

import typer

from binairo_cp.cli import help as help_texts
from binairo_cp.cli.former_names import instead_of
from binairo_cp.errors import OptionError
from binairo_cp.features.feature import (
    Option,
    OptionField,
    check_value,
    feature_of,
    options_of,
    record_features,
)
from binairo_cp.workers.terminal import WRITE_OPTION, without_controls

# Typer has its own copy of click, and does not export this.
_UsageError: Any = typer.BadParameter.__base__

Command = Callable[..., None]


Options = dict[str, Any]
"""The options of a feature by name."""


@cache
def _signature(command: Command) -> inspect.Signature:
    return inspect.signature(command, eval_str=True)


def takes_options(command: Command) -> Command:
    """A command of the same name with the options of its features and dataclasses."""
    own: list[inspect.Parameter] = []
    derived: list[inspect.Parameter] = []
    groups: dict[str, tuple[Callable[..., Any], list[OptionField]]] = {}
    taken = set(_signature(command).parameters)
    for parameter in _signature(command).parameters.values():
        statement = _statement(parameter.annotation)
        if statement is None:
            own.append(_parameter(parameter.name, parameter.default, parameter.annotation))
            continue
        fields = [
            field
            for field in options_of(statement)
            if field.option.on_command_line and field.name not in taken
        ]
        groups[parameter.name] = (statement if isinstance(statement, type) else dict, fields)
        taken |= {field.name for field in fields}
        derived += [
            _parameter(name, default, Annotated[kind, option])
            for name, kind, default, option in fields
        ]
    parameters = sorted([*own, *derived], key=_place_in_help)
    arguments = {parameter.name for parameter in parameters if _place_in_help(parameter) < 0}

    @wraps(command)
    def from_options(**values: Any) -> None:
        try:
            for name, (make, fields) in groups.items():
                members = {field.name: values.pop(field.name) for field in fields}
                for field in fields:
                    value, option = members[field.name], field.option
                    # Typer has no units and no bounds for the length of texts, and joins none.
                    if option.is_repeatable:
                        members[field.name] = value = ",".join(value or ())
                    if option.longest and value and len(value) > option.longest:
                        check_value(field, value)
                    if option.unit > 1:
                        members[field.name] = value * option.unit
                values[name] = make(**members)
            token = WRITE_OPTION.set(lambda name, value: f"{_flag(name)} {value}".rstrip())
            try:
                command(**values)
            finally:
                WRITE_OPTION.reset(token)
        except OptionError as error:
            other = f" {_flag(error.other)}" if error.other else ""
            name = error.option.upper() if error.option in arguments else _flag(error.option)
            raise typer.BadParameter(f"{error.message}{other}", param_hint=name) from error

    from_options.__doc__ = _help_of(command)
    from_options.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # inspect looks there
    from_options.__annotations__ = {
        parameter.name: parameter.annotation for parameter in parameters
    }
    return from_options


def _help_of(command: Command) -> str | None:
    """The docstring of a command, or the help of the first feature whose options it takes."""
    if command.__doc__:
        return inspect.cleandoc(command.__doc__)
    for parameter in _signature(command).parameters.values():
        statement = _statement(parameter.annotation)
        if statement and not isinstance(statement, type):
            feature = feature_of(statement)
            return "\n".join([f"{feature.help}\n", *feature.examples])
    return None


def _statement(annotation: Any) -> Any:
    """What states the options behind a parameter: a dataclass or a feature; None for one option."""
    if typing.get_origin(annotation) is Annotated and callable(annotation.__metadata__[0]):
        return annotation.__metadata__[0]
    return annotation if is_dataclass(annotation) else None


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _parameter(name: str, default: Any, hint: Any) -> inspect.Parameter:
    """The parameter of an option; its annotation may be one of ours or of typer."""
    option = getattr(hint, "__metadata__", (None,))[0]
    if isinstance(option, Option):
        hint = _typer_hint(name, hint.__origin__, default, option)
        default = (
            None if option.is_repeatable else default // option.unit if option.unit > 1 else default
        )
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hint)


def _typer_hint(name: str, kind: Any, default: Any, option: Option) -> Any:
    absent = f"{help_texts.DEFAULT}{option.absent}]" if option.absent else ""
    typed = list[str] | None if option.is_repeatable else _typer_type(kind)
    named = next((_METAVARS[part] for part in _parts(typed) if part in _METAVARS), None)
    metavar, text = option.metavar or named, option.help
    if words := help_texts.choices(typed):
        metavar, text = help_texts.metavar_and_help(words, text)
    attributes: dict[str, Any] = {
        "help": text + absent,
        "metavar": metavar if option.metavar is None else option.metavar,
        "min": ceil(option.least / option.unit)
        if option.least and option.unit > 1
        else option.least,
        "max": option.most,
        "rich_help_panel": option.panel,
    }
    if name in _COMPLETED:
        attributes["autocompletion"] = _completion(_COMPLETED[name])
    if option.is_positional:
        return Annotated[typed, typer.Argument(**attributes)]
    flags = option.flags or (f"--{name.replace('_', '-')}",)
    attributes["show_default"] = default is not False and default not in (None, "")
    return Annotated[typed, typer.Option(*flags, **attributes)]


_COMPLETED = {
    "backend": "binairo_cp.solving.backends:TABLE",
    "cross_check": "binairo_cp.solving.backends:TABLE",
    "grade": "binairo_cp.features.generate:GRADES",
    "needs": "binairo_cp.deduction.demands:NAMES",
    "without": "binairo_cp.deduction.demands:NAMES",
    "fail_on": "binairo_cp.batch.audit.collection:NOTES",
    "command": "",
}
"""Where the words are that a shell completes for options of free text; empty for the commands."""


def _completion(place: str) -> Callable[..., list[str]]:
    """The function that returns the words of a value, after those before its last comma."""

    def complete(ctx: typer.Context, incomplete: str) -> list[str]:
        module, _, words = place.partition(":")
        group: Any = ctx.find_root().command
        known = getattr(import_module(module), words) if module else group.commands
        before, comma, last = incomplete.rpartition(",")
        return [f"{before}{comma}{word}" for word in sorted(known) if word.startswith(last)]

    return complete


def _typer_type(kind: Any) -> Any:
    """The type of an option. Typer supports no unions except with None; others become text."""
    if not isinstance(kind, types.UnionType) and typing.get_origin(kind) is not typing.Union:
        return kind
    parts = [part for part in typing.get_args(kind) if part is not type(None)]
    if all(typing.get_origin(part) is Literal for part in parts):
        merged = Literal[tuple(word for part in parts for word in typing.get_args(part))]  # type: ignore[valid-type]  # at run time it is
        return merged | None if type(None) in typing.get_args(kind) else merged
    if len(parts) == 1:
        return kind
    return str | None if type(None) in typing.get_args(kind) else str


_METAVARS = {bool: "", int: "N", float: "NUMBER", str: "TEXT"}


def _parts(kind: Any) -> Iterator[Any]:
    yield kind
    if typing.get_origin(kind) is not Literal:
        for part in typing.get_args(kind):
            yield from _parts(part)


_PANELS = {None: 0, "Input": 1, "Search": 3, "Workers": 4, "Output": 5}
_OTHER_PANELS = 2


def _place_in_help(parameter: inspect.Parameter) -> int:
    """Arguments come before options, and options of the input before those of the search."""
    for info in getattr(parameter.annotation, "__metadata__", ()):
        if isinstance(info, typer.models.ArgumentInfo):
            return -1
        if isinstance(info, typer.models.OptionInfo):
            return _PANELS.get(info.rich_help_panel, _OTHER_PANELS)
    return 0


_READER_ENDED = 141
"""The exit status of programs that SIGPIPE ends."""


class _Plain:
    """A command that shows no types after flags, and reads usual values of options itself."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        try:
            super().format_help(ctx, formatter)  # type: ignore[misc]  # a command has it
        except SystemExit as error:
            # Rich exits with 1 if the reader takes no more.
            raise typer.Exit(_READER_ENDED) from error

    def get_params(self, ctx: Any) -> list[Any]:
        params: list[Any] = super().get_params(ctx)  # type: ignore[misc]  # a command has it
        for param in params:
            if getattr(param, "is_flag", False) and param.metavar is None:
                param.metavar = ""
            if isinstance(param, typer.core.TyperArgument):
                vars(param)["display_type_rich"] = lambda ctx: None  # its name says it
            if "process_value" not in vars(param):
                param.process_value = partial(_processed, param, param.process_value)
        return params


_NUMBERS = {int: re.compile("[0-9]{1,9}"), float: re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?")}


def _processed(option: Any, by_typer: Callable[..., Any], context: Any, value: Any) -> Any:
    """The value of an option, as typer returns it.

    Typer imports pydantic to read a value, which takes as long as all else in a small command. So
    usual values are read here, and typer reads all others: those that it refuses, above all.
    """
    described = getattr(option, "type_descriptor", None)  # older versions have none
    if described is None or described.parameter_info.parser:
        return by_typer(context, value)
    if value is None and not option.required:
        value = () if option.multiple or option.nargs == -1 else None
        return option.callback(context, option, value) if option.callback else value
    kind, bounds = described.annotation, described.parameter_info
    if option.callback:
        return by_typer(context, value)
    if typing.get_origin(kind) is Literal and value in typing.get_args(kind):
        return value
    texts: Any = [value] if kind is str else value if kind == list[str] else None
    are_texts = isinstance(texts, (list, tuple)) and len(texts) > 0
    if are_texts and all(isinstance(text, str) and text.isascii() for text in texts):
        return kind(value)
    if (
        kind in _NUMBERS
        and _NUMBERS[kind].fullmatch(str(value))
        and (bounds.min is None or kind(value) >= bounds.min)
        and (bounds.max is None or kind(value) <= bounds.max)
    ):
        return kind(value)
    return by_typer(context, value)


_SHOWS_ALL = "binairo_cp.help_all"


class PlainCommand(_Plain, typer.core.TyperCommand):
    """A command with defaults from the environment: ``BINAIRO_CHECK_WORKERS``."""

    def __init__(self, *args: Any, **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        for param in self.params:
            if isinstance(param, typer.core.TyperOption):
                flag = next(name for name in param.opts if name.startswith("--"))
                param.envvar = f"BINAIRO_{self.name}_{flag[2:]}".replace("-", "_").upper()
                param.show_envvar = False

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        end = args.index("--") if "--" in args else len(args)
        if "--help-all" in args[:end]:
            ctx.meta[_SHOWS_ALL] = True
            args = ["--help"]
        return super().parse_args(ctx, args)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        parameters = self.get_params(ctx)
        with help_texts.changed(self, parameters):
            if _SHOWS_ALL in ctx.meta:
                self.epilog = "--help shows the options that most people need."
                help_texts.lengthen(parameters)
            else:
                self.params = sorted(self.params, key=help_texts.place)
                self.epilog = help_texts.ending(help_texts.shorten(parameters))
            super().format_help(ctx, formatter)


def abandon_output() -> None:
    """The interpreter must not trip over an output that takes nothing once more at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class Commands(Mapping[str, Any]):
    """Commands by name.

    Each is imported and built when it is looked up: to build all takes longer than to run one.

    Args:
        modules: the modules of this package with a function for each of these commands. The other
            commands, which come first in the help, are those of features.
    """

    def __init__(self, modules: Mapping[str, str]) -> None:
        self._modules = {
            name: module for module, names in modules.items() for name in names.split()
        }
        self._built: dict[str, Any] = {}

    def _function(self, name: str) -> Command:
        package = __name__.rpartition(".")[0]
        if name in self._modules:
            module = import_module(f"{package}.{self._modules[name]}")
            function: Command = getattr(module, name.replace("-", "_"))
        else:
            function = import_module(f"{package}.solve").command_named(name)
        return function

    def __getitem__(self, name: str) -> Any:
        if name not in self._built:
            # For typer, an application with one command is this command.
            single = typer.Typer(add_completion=False, rich_markup_mode="rich")
            single.command(cls=PlainCommand)(takes_options(self._function(name)))
            self._built[name] = typer.main.get_command(single)
        return self._built[name]

    def without_options(self) -> dict[str, Any]:
        """The commands as a list shows them, since to build all takes half the time of its help."""
        return {
            name: typer.core.TyperCommand(
                name,
                short_help=help_texts.summary(_help_of(self._function(name)) or ""),
                rich_help_panel=group,
            )
            for group, names in help_texts.grouped(self).items()
            for name in names
        }

    def __iter__(self) -> Iterator[str]:
        return iter([*record_features(), *self._modules])

    def __len__(self) -> int:
        return len(list(iter(self)))


def _explain(error: Any) -> None:
    """Put an error about an option in our words, and say which variable set its value."""
    if errors := getattr(error.__cause__, "errors", None):
        # Typer repeats the words of pydantic.
        from binairo_cp.formats.validation import message_of

        error.message = message_of(errors()[0], is_shown=True)
    hints = {error.param_hint, *(error.param.opts if error.param else ())}
    for param in error.ctx.command.params:
        source = error.ctx.get_parameter_source(param.name)
        if source and source.name == "ENVIRONMENT" and hints & {*param.opts}:
            error.message += f" (set by {param.envvar})"


def _meant(error: Any) -> str:
    """What a user meant whose command is the name of a file, or a puzzle; else empty."""
    refused = re.match("No such command '(.+?)'", error.message)
    name = refused[1] if refused else ""
    is_file = os.path.exists(name) or os.path.splitext(name)[1] in (".txt", ".ndjson", ".json")
    if not (is_file or re.fullmatch(r"[01._?\s-]{4,}", name)):
        return ""
    return f"{name!r} is no command. Did you mean: binairo check {shlex.quote(name)}"


_LISTED = re.compile(r"(?:one of|among|lists)\b(.*)", re.DOTALL)


def _alike(error: Any) -> str:
    """The listed word that looks like the value of an option that was refused; else empty."""
    listed, quoted = _LISTED.search(error.message), re.search("'([^']+)'", error.message)
    if not (listed and quoted and isinstance(error, typer.BadParameter)):
        return ""
    # Imported here, because few commands are misspelt.
    from difflib import get_close_matches

    words = {*re.findall(r"[\w-]+(?:\.[\w-]+)*", listed[1])} - {quoted[1]}
    if error.param_hint == "COMMAND" and error.ctx:
        group: Any = error.ctx.find_root().command
        words = {*group.commands}
    return next(iter(get_close_matches(quoted[1], sorted(words), 1)), "")


class PlainGroup(_Plain, typer.core.TyperGroup):
    """A group of commands that shows no types after flags."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        commands: Any = self.commands
        self.commands = commands.without_options()
        super().format_help(ctx, formatter)
        self.commands = commands

    def invoke(self, ctx: Any) -> Any:
        """Run a command. Errors name arguments, and a shell may have put names of files there."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as error:
            # Typer ends the process without a word.
            typer.echo(f"binairo: {str(error) or 'stopped'}", err=True)
            raise
        except BrokenPipeError as error:
            # The reader took no more, as ``head`` does. Typer would exit with 1, which means that
            # some puzzle has no solution.
            abandon_output()
            raise typer.Exit(_READER_ENDED) from error
        except _UsageError as error:
            if isinstance(error, typer.BadParameter) and error.ctx:
                _explain(error)
            if answer := instead_of(error) or _meant(error):
                # Click adds what looks alike, which is something else.
                error = _UsageError(answer, ctx=error.ctx)
            elif word := _alike(error):
                error.message = f"{error.message.rstrip('.')}. Did you mean {word}?"
            error.message = without_controls(error.message)
            raise error
