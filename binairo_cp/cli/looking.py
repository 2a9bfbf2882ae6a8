"""lines and schema: what can be looked up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

if TYPE_CHECKING:
    from pydantic import BaseModel


def lines(
    length: Annotated[int, typer.Argument(min=1, max=255, help="Cells in a line.")],
    number: Annotated[
        list[int] | None,
        typer.Option("--number", "-n", help="Print the line of this number; may be repeated."),
    ] = None,
    index: Annotated[
        str | None,
        typer.Option(metavar="LINE", help="Print the number of this line.", show_default=False),
    ] = None,
    pattern: Annotated[
        str | None,
        typer.Option(
            metavar="CELLS", help="Only lines that complete these cells.", show_default=False
        ),
    ] = None,
    all_lines: Annotated[bool, typer.Option("--all", help="Print all lines.")] = False,
    random: Annotated[
        int, typer.Option(min=0, metavar="COUNT", help="Print that many, drawn at random.")
    ] = 0,
    seed: Annotated[
        int | None,
        typer.Option(help="Draw the same lines again.", show_default=False),
    ] = None,
    longest_run: Annotated[
        int, typer.Option(min=1, max=255, help="Equal cells side by side, at most.")
    ] = 2,
    odd: Annotated[
        Literal["either", "ones", "zeros"],
        typer.Option(help="Which symbol a line of odd length has one more of."),
    ] = "either",
) -> None:
    """The legal lines of a length: how many there are, or lines by their number, from 0.

    [bold]binairo lines 24[/]
    [bold]binairo lines 10 --number 0 --number 83[/]
    [bold]binairo lines 6 --pattern 1....0 --all[/]
    """
    from binairo_cp.commands import lines
    from binairo_cp.puzzle.rules import Rules

    rules = Rules(longest_run=longest_run, odd=odd)
    asked = lines.Asked(number or [], index, all_lines, random, seed)
    for text in lines.report(length, pattern, rules, asked):
        typer.echo(text)


def schema(
    record: Annotated[
        Literal["result", "puzzle", "manifest", "verification", "difference"],
        typer.Argument(
            help="Which record: what goes out or comes in, what is in a certificate, what verify "
            "or diff says."
        ),
    ] = "result",
) -> None:
    """Print the JSON Schema of the records that are written, or of those that are read."""
    import json

    from binairo_cp.certificates.record import Manifest
    from binairo_cp.formats.schema import (
        DifferenceRecord,
        PuzzleRecord,
        ResultRecord,
        VerificationRecord,
    )

    models: dict[str, type[BaseModel]] = {
        "result": ResultRecord,
        "puzzle": PuzzleRecord,
        "manifest": Manifest,
        "verification": VerificationRecord,
        "difference": DifferenceRecord,
    }
    typer.echo(json.dumps(models[record].model_json_schema(), indent=2))
