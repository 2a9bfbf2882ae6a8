"""render: puzzles on paper and on screens."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Literal

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
    rules_named,
)

if TYPE_CHECKING:
    from binairo_cp.rendering.drawing import Form, Show

_MOST_PER_PAGE = 100
_PAGE = "a4"
_MARGIN = 15.0
_MOST_MARGIN = 500.0
_SMALLEST_CELL, _LARGEST_CELL = 4, 400

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
            min=_SMALLEST_CELL,
            max=_LARGEST_CELL,
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
    from binairo_cp.rendering import drawing, paper
    from binairo_cp.rendering.items import Wanted
    from binairo_cp.rendering.pages import Plan

    form = drawing.form_of(out, to)
    show = _shown(solution=solution, hint=hint, steps=steps)
    for_pages = {
        "--page": page,
        "--margin": margin,
        "--per-page": per_page,
        "--answers": answers,
        "--large": large or None,
    }
    _check_pages(form, show, for_pages)
    _check_form(form, show, out)
    _check_files(form, cell, font, sidecar, out)
    plan = Plan(
        paper=paper.paper(page or _PAGE, _MARGIN if margin is None else margin),
        per_page=per_page,
        answers=answers or ("end" if show == "puzzle" else "none"),
        title=title,
        symbols=symbols,
        large=large,
        solved=solution,
        ids=ids,
    )
    solved = form == "pdf" or show != "puzzle" or grade or sidecar is not None
    wanted = Wanted(solved, grade, not_unique == "mark", time_limit)
    order = drawing.Order(form, plan, wanted, show, out, cell, font, sidecar)
    asked = rules_named(rules)
    with pipes.may_be_closed():
        entries = formats.read_sources(named_sources(sources), format, asked)
        done = drawing.run(entries, order, quiet)
    raise typer.Exit(done.exit_status)


def _shown(**asked: bool) -> Show:
    """The one thing that is asked for; the puzzles if there is none."""
    names = [name for name, given in asked.items() if given]
    if len(names) > 1:
        raise typer.BadParameter(f"can't be together with --{names[0]}", param_hint=f"--{names[1]}")
    return names[0] if names else "puzzle"  # type: ignore[return-value]  # they are its names


def _check_pages(form: Form, show: Show, given: Mapping[str, object]) -> None:
    """Refuse options about pages where there are none, or no such ones."""
    for name, value in given.items():
        if value is not None and form != "pdf":
            raise typer.BadParameter(f"is for pdf, not for {form}", param_hint=name)
        if value is not None and name in ("--per-page", "--answers") and show in ("hint", "steps"):
            raise typer.BadParameter(f"can't be together with --{show}", param_hint=name)
    if given["--answers"] not in (None, "none") and show == "solution":
        raise typer.BadParameter("can't be together with --solution", param_hint="--answers")


def _check_form(form: Form, show: Show, out: str | None) -> None:
    """Refuse what a form can't show, and a folder for what is one file."""
    from binairo_cp.outputs import is_folder

    if form == "html" and show not in ("hint", "steps"):
        raise typer.BadParameter("html is for --steps or --hint", param_hint="--to")
    if form in ("svg", "png") and show == "steps":
        raise typer.BadParameter(f"is for text, html and pdf, not for {form}", param_hint="--steps")
    if form not in ("svg", "png") and is_folder(out):
        raise typer.BadParameter(f"{form} is one file, and {out} a folder", param_hint="--out")


def _check_files(
    form: Form, cell: int | None, font: str | None, sidecar: str | None, out: str | None
) -> None:
    """Refuse what is not for a form, and a sidecar without a name of its own."""
    from binairo_cp.rendering.sidecar import check_name

    if cell is not None and form not in ("svg", "png"):
        raise typer.BadParameter(f"is for svg and png, not for {form}", param_hint="--cell")
    if font is not None and form not in ("pdf", "png"):
        raise typer.BadParameter(f"is for pdf and png, not for {form}", param_hint="--font")
    if sidecar is not None:
        check_name(sidecar)
        if sidecar == out:
            raise typer.BadParameter("is the name of --out too", param_hint="--sidecar")
