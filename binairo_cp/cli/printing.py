"""render: puzzles on paper and on screens."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from binairo_cp.cli import pipes
from binairo_cp.cli.options import (
    SECONDS_A_PUZZLE,
    Format,
    OneRules,
    Quiet,
    Sources,
    TimeLimit,
    named_sources,
)

_MOST_PER_PAGE = 100
_PAGE = "a4"
_MARGIN = 15.0
_MOST_MARGIN = 500.0
_LARGEST_CELL = 400

_PICTURE, _PAGES = "Picture", "Pages (PDF)"


def render(
    sources: Sources = None,
    to: Annotated[
        Literal["text", "svg", "png", "pdf", "html"] | None,
        typer.Option(
            help="What is written: text for terminals, SVG or PNG for each puzzle, a PDF book, or "
            r"HTML with steps.  \[default: as --out ends, or text]",
            rich_help_panel="Output",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        str | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE|FOLDER/",
            help="Where it goes. SVG and PNG of many puzzles go to a folder, called by their ids.",
            rich_help_panel="Output",
            show_default=False,
        ),
    ] = None,
    symbols: Annotated[
        Literal["digits", "circles", "sunmoon"],
        typer.Option(help="What stands for 0 and 1.", rich_help_panel=_PICTURE),
    ] = "digits",
    solution: Annotated[
        bool,
        typer.Option(
            "--solution",
            help="Show the solutions, with shaded clues.",
            rich_help_panel=_PICTURE,
        ),
    ] = False,
    grade: Annotated[
        bool,
        typer.Option("--grade", help="Show how hard they are.", rich_help_panel=_PICTURE),
    ] = False,
    title: Annotated[
        str, typer.Option(help="A title.", rich_help_panel=_PICTURE, show_default=False)
    ] = "",
    ids: Annotated[
        bool, typer.Option("--ids", help="Show their ids.", rich_help_panel=_PICTURE)
    ] = False,
    page: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE",
            help="a3, a4, a5, a6, b5, letter, legal, tabloid, or WIDTHxHEIGHT in mm or in, such as "
            r"170x240mm.  \[default: a4]",
            rich_help_panel=_PAGES,
            show_default=False,
        ),
    ] = None,
    margin: Annotated[
        float | None,
        typer.Option(
            metavar="MM",
            min=0,
            max=_MOST_MARGIN,
            help=r"The margin on all sides.  \[default: 15]",
            rich_help_panel=_PAGES,
            show_default=False,
        ),
    ] = None,
    per_page: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=_MOST_PER_PAGE,
            help=r"Puzzles on a page.  \[default: what fits well]",
            rich_help_panel=_PAGES,
            show_default=False,
        ),
    ] = None,
    answers: Annotated[
        Literal["end", "back", "none"] | None,
        typer.Option(
            help="Where the answers are: at the end, on the page after each page of puzzles, or "
            r"nowhere.  \[default: end]",
            rich_help_panel=_PAGES,
            show_default=False,
        ),
    ] = None,
    large: Annotated[
        bool, typer.Option("--large", help="Large print.", rich_help_panel=_PAGES)
    ] = False,
    format: Format = "auto",
    rules: OneRules = None,
    time_limit: TimeLimit = SECONDS_A_PUZZLE,
    quiet: Quiet = False,
) -> None:
    """Draw puzzles: in the terminal, as SVG or PNG, or as a PDF book with answers.

    [bold]binairo render puzzle.txt[/]
    [bold]binairo render puzzles.line --grade --title Puzzles --out book.pdf[/]
    [bold]binairo render puzzles.line --to svg --out pictures/[/]
    """
    from binairo_cp import formats
    from binairo_cp.rendering import drawing
    from binairo_cp.rendering.book import Plan
    from binairo_cp.rendering.items import Wanted
    from binairo_cp.rendering.paper import paper
    from binairo_cp.rules import PRESETS

    form = drawing.form_of(out, to)
    plan = Plan(
        paper=paper(page or _PAGE, _MARGIN if margin is None else margin),
        per_page=per_page,
        answers=answers or ("none" if solution else "end"),
        title=title,
        symbols=symbols,
        large=large,
        solved=solution,
        ids=ids,
    )
    wanted = Wanted(form == "pdf" or solution or grade, grade, False, time_limit)
    order = drawing.Order(form, plan, wanted, "solution" if solution else "puzzle", out)
    asked = PRESETS[rules] if rules else None
    with pipes.may_be_closed():
        entries = formats.read_sources(named_sources(sources), format, asked)
        done = drawing.run(entries, order, quiet)
    raise typer.Exit(done.exit_status)
