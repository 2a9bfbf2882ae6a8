"""The commands schema and help."""

from __future__ import annotations

from typing import Annotated, cast

import typer

import binairo_cp as bn
from binairo_cp.cli.derived import Options
from binairo_cp.features.feature import Option


def schema(options: Annotated[Options, bn.schema]) -> None:
    import json

    typer.echo(json.dumps(bn.schema(**options), indent=2))


def help(
    context: typer.Context,
    command: Annotated[
        str | None, Option("A command.", metavar="COMMAND", is_positional=True)
    ] = None,
) -> None:
    """Show the help of a command, or the list of commands.

    [bold]binairo help check[/]
    """
    parent = cast("typer.Context", context.parent)
    if command is None:
        typer.echo(parent.get_help())
        return
    commands = cast("typer.core.TyperGroup", parent.command).commands
    if command not in commands:
        hint = f"there is no command {command!r}; binairo help lists them"
        raise typer.BadParameter(hint, param_hint="COMMAND")
    with typer.Context(commands[command], info_name=command, parent=parent) as its_context:
        typer.echo(its_context.get_help())
