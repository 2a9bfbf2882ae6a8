"""Draw puzzles as text, pictures, pages or HTML."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

from binairo_cp.deduction.styles import Style, Symbols
from binairo_cp.errors import BinairoError, BudgetExceeded, OptionError, PuzzleError
from binairo_cp.features.arguments import Name, PuzzleLike, entries_of, path_of
from binairo_cp.features.feature import Option, checked, feature, options_of
from binairo_cp.features.options import (
    LONGEST_TITLE,
    OUTPUT,
    CellNames,
    LanguageOption,
    RulesOption,
    per_page,
)
from binairo_cp.rendering.shapes import FORMS, LARGEST_CELL, MOST_MARGIN, SMALLEST_CELL, Form
from binairo_cp.solving.solutions import Verdict

if TYPE_CHECKING:
    from binairo_cp.batch.drawing import RenderOptions, Show
    from binairo_cp.formats import Entry

_PICTURE, _PAGES = "Picture", "Pages (PDF)"
_USUAL_PAGE = "a4"
_USUAL_MARGIN = 15.0


def drawing_of(
    options: Mapping[str, Any],
    *,
    out: str | None = None,
    font: str | None = None,
    time_limit: float | None = None,
) -> RenderOptions:
    """What to draw for all options of `render`, of which `to` is not None.

    Without `out`, it goes to standard output. The time limit is in seconds for each puzzle.

    Raises:
        OptionError: options contradict one another.
        RenderError: there is no such paper size.
    """
    # Imported here because drawing loads much.
    from binairo_cp.batch.drawing import PreparationOptions, RenderOptions
    from binairo_cp.rendering import pages
    from binairo_cp.rendering.pages import PageLayout

    form: Form = options["to"] or "text"
    show = _shown(options)
    _check_pages(options, form, show)
    _check_form(options, form, show, out, font)
    margin = options["margin"]
    plan = PageLayout(
        paper=pages.paper(
            options["page"] or _USUAL_PAGE, _USUAL_MARGIN if margin is None else margin
        ),
        per_page=options["per_page"],
        answers=options["answers"] or ("end" if show == "puzzle" else "none"),
        title=options["title"],
        style=Style(options["language"], options["symbols"], options["coordinates"]),
        large=options["large"],
        solved=options["solution"],
        ids=options["ids"],
        instructions=options["instructions"],
    )
    graded = options["grade"]
    solved = form == "pdf" or show != "puzzle" or graded
    marked = options["not_unique"] == "mark"
    preparation = PreparationOptions(solved, graded, marked, time_limit)
    return RenderOptions(form, plan, preparation, show, out, cell=options["cell"], font=font)


def _shown(options: Mapping[str, Any]) -> Show:
    names: list[Show] = ["solution", "hint", "steps"]
    names = [name for name in names if options[name]]
    if len(names) > 1:
        raise OptionError(names[1], "can't be used with", names[0])
    return names[0] if names else "puzzle"


def _check_pages(options: Mapping[str, Any], form: Form, show: Show) -> None:
    """Reject page options for formats without pages, and options that contradict others."""
    for name in (option.name for option in options_of(render) if option.option.panel == _PAGES):
        if options[name] in (None, False):
            continue
        if form != "pdf":
            raise OptionError(name, f"is for pdf, not for {form}")
        if name in ("per_page", "answers", "instructions") and show in ("hint", "steps"):
            raise OptionError(name, "can't be used with", show)
    if options["answers"] not in (None, "none") and show == "solution":
        raise OptionError("answers", "can't be used with", "solution")


def _check_form(
    options: Mapping[str, Any], form: Form, show: Show, out: str | None, font: str | None
) -> None:
    """Reject what a format can't show or does not have, and a folder where it is one file."""
    from binairo_cp.formats.output_files import is_folder

    if form == "html" and show not in ("hint", "steps"):
        raise OptionError("to", "html needs steps or hint")
    if form in ("svg", "png") and show == "steps":
        raise OptionError("steps", f"is for text, html and pdf, not for {form}")
    if form not in ("svg", "png") and is_folder(out):
        raise OptionError("out", f"{form} output is one file, but {out} is a folder")

    if options["cell"] is not None and form not in ("svg", "png"):
        raise OptionError("cell", f"is for svg and png, not for {form}")
    if font is not None and form not in ("pdf", "png"):
        raise OptionError("font", f"is for pdf and png, not for {form}")


@feature(
    check=lambda **options: drawing_of(options),
    examples=(
        "[bold]binairo render puzzle.txt[/]",
        "[bold]binairo render puzzles.line --grade --title Puzzles --out book.pdf[/]",
        "[bold]binairo render puzzles.line --to svg --out pictures/[/]",
    ),
)
def render(
    puzzles: Annotated[
        PuzzleLike | Iterable[PuzzleLike],
        "One or several puzzles. SVG and PNG hold one, unless `out` is a folder.",
    ],
    *,
    to: Annotated[
        Form | None,
        Option(
            "Format: text for terminals, an SVG or PNG per puzzle, a PDF book, or HTML with steps.",
            absent="from the ending of --out, or text",
            panel=OUTPUT,
        ),
    ] = None,
    rules: RulesOption = None,
    symbols: Annotated[Symbols, Option("Symbols for 0 and 1.", panel=_PICTURE)] = "digits",
    language: LanguageOption = "en",
    coordinates: CellNames = "rc",
    solution: Annotated[
        bool, Option("Show the solution, with shaded clues.", panel=_PICTURE)
    ] = False,
    hint: Annotated[bool, Option("Show the next step and its reason.", panel=_PICTURE)] = False,
    steps: Annotated[bool, Option("Show every step: text, HTML or PDF.", panel=_PICTURE)] = False,
    grade: Annotated[bool, Option("Show the difficulty.", panel=_PICTURE)] = False,
    title: Annotated[
        str, Option("Title of the book, page or picture.", longest=LONGEST_TITLE, panel=_PICTURE)
    ] = "",
    ids: Annotated[bool, Option("Show puzzle ids.", panel=_PICTURE)] = False,
    not_unique: Annotated[
        Literal["refuse", "mark"],
        Option(
            "What to do with puzzles that do not have exactly one solution: leave them out with an "
            "error, or draw and mark them.",
            panel=_PICTURE,
        ),
    ] = "refuse",
    cell: Annotated[
        int | None,
        Option(
            "Side of a cell in SVG and PNG.",
            absent="40 in SVG, 48 in PNG",
            least=SMALLEST_CELL,
            most=LARGEST_CELL,
            metavar="PIXELS",
            in_python="In pixels.",
            panel=_PICTURE,
        ),
    ] = None,
    page: Annotated[
        str | None,
        Option(
            "Page size: a3, a4, a5, a6, b5, letter, legal, tabloid, or WIDTHxHEIGHT in mm or in, "
            "such as 170x240mm.",
            absent="a4",
            longest=40,
            metavar="SIZE",
            panel=_PAGES,
        ),
    ] = None,
    margin: Annotated[
        float | None,
        Option(
            "Margin on all four sides.",
            absent="15",
            least=0,
            most=MOST_MARGIN,
            metavar="MM",
            in_python="In mm.",
            panel=_PAGES,
        ),
    ] = None,
    per_page: Annotated[int | None, per_page(panel=_PAGES)] = None,
    answers: Annotated[
        Literal["end", "back", "none"] | None,
        Option(
            "Where to print the answers: at the end, on the page after each page of puzzles, or "
            "not at all.",
            absent="end",
            panel=_PAGES,
        ),
    ] = None,
    instructions: Annotated[
        bool, Option("Print the rules below the puzzles of each page.", panel=_PAGES)
    ] = False,
    large: Annotated[
        bool, Option("Large print: bigger cells, fewer puzzles per page.", panel=_PAGES)
    ] = False,
    font: Annotated[
        Name | None, "A TrueType file for PDF and PNG; None for the built-in font."
    ] = None,
    out: Annotated[Name | None, "Write to this file or folder."] = None,
    time_limit: Annotated[float | None, "Seconds per puzzle; None for no limit."] = None,
) -> str | bytes:
    """Draw puzzles: in the terminal, or as SVG, PNG, HTML or PDF.

    >>> import binairo_cp as bn
    >>> print(bn.render("..1. ...0 ..10 .0..").strip())
    ┌─────────┐
    │ · · 1 · │
    │ · · · 0 │
    │ · · 1 0 │
    │ · 0 · · │
    └─────────┘
    >>> bn.render("1..0 .... ..1. ....", to="svg")[:5]
    '<?xml'

    Puzzles that are shown alone, as pictures, are drawn without solving them.

    Returns:
        Text, SVG and HTML as a str; PNG and PDF as bytes. Empty if it is written to `out`.

    Raises:
        OptionError: an option is out of bounds, or two contradict each other.
        PuzzleError: a puzzle does not have exactly one solution, but has to.
        RenderError: the drawing is not supported, or needs a missing library.
        BudgetExceeded: the time ran out.
        SourceError: the file can't be written.
    """
    from binairo_cp.batch.drawing import render_puzzles
    from binairo_cp.batch.summaries import OutputSummary

    name = None if out is None else path_of(out)
    options = checked(render, {**locals(), "to": to or _form_of(name)})
    drawing = drawing_of(
        options,
        out=name,
        font=None if font is None else path_of(font, "font"),
        time_limit=time_limit,
    )
    files: dict[str, io.BytesIO] = {}
    if name is None:
        drawing = replace(drawing, files=files)
    summary = OutputSummary(on_problem=_refuse)
    render_puzzles(entries_of(puzzles, rules), drawing, quiet=True, summary=summary)
    written = b"".join(file.getvalue() for file in files.values())
    return written if drawing.form in ("png", "pdf") else written.decode()


def _form_of(name: str | None) -> Form | None:
    """The format that the ending of a file stands for; None for text."""
    endings = ((form, ending) for form, known in FORMS.items() for ending in known)
    form = next((form for form, ending in endings if (name or "").lower().endswith(ending)), None)
    if form is None and name is not None and not name.endswith((".txt", "/")):
        raise OptionError("to", f"is needed, because {name} does not name a format by its ending")
    return form


def _refuse(verdict: Verdict, entry: Entry, reason: object) -> None:
    if isinstance(reason, BinairoError):
        raise reason
    if verdict is Verdict.UNKNOWN:
        raise BudgetExceeded("time")
    name = f"{entry.id}: " if entry.id else ""
    raise PuzzleError(f"{name}the puzzle {reason}")
