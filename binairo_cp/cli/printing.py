"""render: puzzles on paper and on screens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from binairo_cp.cli import endings, pipes
from binairo_cp.cli.options import (
    SECONDS_A_PUZZLE,
    Format,
    OneRules,
    Quiet,
    Sources,
    TimeLimit,
    entries_of,
)
from binairo_cp.errors import FontError, OptionError, RenderError
from binairo_cp.rendering.bounds import LARGEST_CELL, MOST_MARGIN, MOST_PER_PAGE, SMALLEST_CELL

if TYPE_CHECKING:
    from binairo_cp.commands.render import Order
    from binairo_cp.commands.render_options import Wishes
    from binairo_cp.rendering.forms import Form

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
    hint: Annotated[
        bool,
        typer.Option("--hint", help="Show the next step, and why.", rich_help_panel=_PICTURE),
    ] = False,
    steps: Annotated[
        bool,
        typer.Option(
            "--steps",
            help="Show all steps to the solution: as text, HTML or PDF.",
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
    not_unique: Annotated[
        Literal["refuse", "mark"],
        typer.Option(
            help="Leave out puzzles without exactly one solution, or draw and mark them.",
            rich_help_panel=_PICTURE,
        ),
    ] = "refuse",
    cell: Annotated[
        int | None,
        typer.Option(
            metavar="PIXELS",
            min=SMALLEST_CELL,
            max=LARGEST_CELL,
            help=r"The side of a cell in SVG and PNG.  \[default: 40 in SVG, 48 in PNG]",
            rich_help_panel=_PICTURE,
            show_default=False,
        ),
    ] = None,
    font: Annotated[
        str | None,
        typer.Option(
            metavar="FILE.ttf",
            help="The font of PDF and PNG.",
            rich_help_panel=_PICTURE,
            show_default=False,
        ),
    ] = None,
    sidecar: Annotated[
        str | None,
        typer.Option(
            metavar="FILE.csv|.json",
            help="Write what was drawn where, with clues, solutions and grades.",
            rich_help_panel="Output",
            show_default=False,
        ),
    ] = None,
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
            max=MOST_MARGIN,
            help=r"The margin on all sides.  \[default: 15]",
            rich_help_panel=_PAGES,
            show_default=False,
        ),
    ] = None,
    per_page: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=MOST_PER_PAGE,
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
    from binairo_cp.commands import render, render_options

    wishes = render_options.Wishes(
        form=_form(out, to),
        out=out,
        symbols=symbols,
        solution=solution,
        hint=hint,
        steps=steps,
        grade=grade,
        title=title,
        ids=ids,
        not_unique=not_unique,
        cell=cell,
        font=font,
        sidecar=sidecar,
        page=page,
        margin=margin,
        per_page=per_page,
        answers=answers,
        large=large,
        time_limit=time_limit,
    )
    order = _order(wishes)
    with pipes.may_be_closed():
        entries = entries_of(sources, format, rules, out)
        try:
            done = render.run(entries, order, quiet)
        except FontError as error:
            raise RenderError(f"{error}; choose another font with --font FILE") from error
    raise typer.Exit(done.exit_status)


def _form(out: str | None, to: Form | None) -> Form:
    """What to draw: what --to says, or the ending of --out, or text for standard output.

    Raises:
        typer.BadParameter: --out does not say it, or contradicts --to.
    """
    from binairo_cp.formats.output_files import is_folder

    if out is None or is_folder(out):
        form = to if out else to or "text"
    else:
        form = endings.format_of(out, to, endings.pictures(), "--to")
    if form is None:
        known = ", ".join(sorted(each for names in endings.pictures().values() for each in names))
        raise typer.BadParameter(
            f"{out} does not say what to draw; expected --to, or a name that ends in {known}",
            param_hint="--out",
        )
    return form


def _order(wishes: Wishes) -> Order:
    from binairo_cp.commands import render_options

    try:
        return render_options.order_of(wishes)
    except OptionError as error:
        other = f" --{error.other}" if error.other else ""
        raise typer.BadParameter(
            f"{error.message}{other}", param_hint=f"--{error.option.replace('_', '-')}"
        ) from error
