"""The commands lines, schema and help."""

from __future__ import annotations

from typing import Annotated, Literal, cast

import typer


def lines(
    length: Annotated[
        int, typer.Argument(metavar="LENGTH", min=1, max=255, help="Length of the lines, in cells.")
    ],
    number: Annotated[
        list[int] | None,
        typer.Option(
            "--number", "-k", help="Print the line with this number (from 0); may be repeated."
        ),
    ] = None,
    index: Annotated[
        str | None,
        typer.Option(metavar="LINE", help="Print the number of this line.", show_default=False),
    ] = None,
    pattern: Annotated[
        str | None,
        typer.Option(
            metavar="CELLS", help="Only lines that match these cells.", show_default=False
        ),
    ] = None,
    all_lines: Annotated[bool, typer.Option("--all", help="Print all lines.")] = False,
    count: Annotated[
        int, typer.Option("--count", "-n", min=0, help="Print this many random lines.")
    ] = 0,
    seed: Annotated[
        int | None,
        typer.Option(help="Random seed; the same seed gives the same lines.", show_default=False),
    ] = None,
    longest_run: Annotated[
        int, typer.Option(min=1, max=255, help="The most equal cells allowed side by side.")
    ] = 2,
    odd: Annotated[
        Literal["either", "ones", "zeros"],
        typer.Option(help="The symbol that occurs once more in lines of odd length."),
    ] = "either",
) -> None:
    """Count the legal lines of a length, or print some of them.

    [bold]binairo lines 24[/]
    [bold]binairo lines 10 --number 0 --number 83[/]
    [bold]binairo lines 6 --pattern 1....0 --all[/]
    """
    from binairo_cp.commands import lines
    from binairo_cp.puzzle.rules import Rules

    rules = Rules(longest_run=longest_run, odd=odd)
    selection = lines.LineSelection(number or [], index, all_lines, count, seed)
    for text in lines.report(length, pattern, rules, selection):
        typer.echo(text)


def schema(
    record: Annotated[
        Literal["result", "puzzle", "manifest", "verification", "difference"],
        typer.Argument(
            help="The record: a result, an input puzzle, the manifest of a certificate, or the "
            "output of verify or diff."
        ),
    ] = "result",
) -> None:
    """Print the JSON Schema of a kind of record."""
    import json

    from binairo_cp.commands import schemas

    typer.echo(json.dumps(schemas.schema(record), indent=2))


def help(
    context: typer.Context,
    command: Annotated[
        str | None, typer.Argument(metavar="COMMAND", help="A command.", show_default=False)
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
