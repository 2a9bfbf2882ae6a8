"""The commands lines, schema and help."""

from __future__ import annotations

import random
from collections.abc import Iterator
from math import comb
from typing import TYPE_CHECKING, Annotated, cast

import typer

import binairo_cp as bn
from binairo_cp.cli.derived import Options
from binairo_cp.errors import LimitError
from binairo_cp.features.feature import Option

if TYPE_CHECKING:
    from binairo_cp.puzzle.rules import Rules


def lines(
    options: Annotated[Options, bn.lines],
    number: Annotated[
        list[int] | None,
        Option(
            "Print the line with this number (from 0); may be repeated.", flags=("--number", "-k")
        ),
    ] = None,
    index: Annotated[str | None, Option("Print the number of this line.", metavar="LINE")] = None,
    all_lines: Annotated[bool, Option("Print all lines.", flags=("--all",))] = False,
    count: Annotated[
        int, Option("Print this many random lines.", least=0, flags=("--count", "-n"))
    ] = 0,
    seed: Annotated[int | None, Option("Random seed; the same seed gives the same lines.")] = None,
) -> None:
    legal = bn.lines(**options)
    if not (number or index is not None or all_lines or count):
        length = options["length"]
        table = _table(length, legal.rules) if options["pattern"] is None else [str(legal.count)]
        typer.echo("\n".join(table))
        return
    rng = random.Random(seed)
    try:
        for wanted in number or []:
            typer.echo(legal[wanted])
        if index is not None:
            typer.echo(legal.index(index))
        for line in legal if all_lines else ():
            typer.echo(line)
        for _ in range(count):
            typer.echo(legal.random(rng))
    except (IndexError, ValueError) as error:
        raise LimitError(str(error)) from error


def _table(length: int, rules: Rules) -> Iterator[str]:
    """Numbers of lines for all lengths up to this one that are even, or odd, like it."""
    from binairo_cp.puzzle.lines import legal_lines

    rows = [("length", "legal", "balanced", "all")]
    for side in range(length % 2 or 2, length + 1, 2):
        balanced = sum(comb(side, ones) for ones in rules.ones(side))
        legal = legal_lines(side, rules).count
        rows.append((str(side), str(legal), str(balanced), str(2**side)))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        yield "  ".join(cells)


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
