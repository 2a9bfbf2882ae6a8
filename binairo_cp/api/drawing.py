"""Draw puzzles as text, pictures, pages or HTML."""

from __future__ import annotations

import io
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from binairo_cp.api.files import Name, entries_of
from binairo_cp.deduction.styles import Coordinates, Language, Symbols
from binairo_cp.errors import BinairoError, BudgetExceeded, OptionError, PuzzleError
from binairo_cp.features.arguments import PuzzleLike, RulesLike, path_of, request
from binairo_cp.solving.solutions import Verdict

if TYPE_CHECKING:
    from binairo_cp.formats import Entry
    from binairo_cp.rendering.shapes import Form


def render(
    puzzles: PuzzleLike | Iterable[PuzzleLike],
    *,
    to: Form | None = None,
    rules: RulesLike | None = None,
    symbols: Symbols = "digits",
    language: Language = "en",
    coordinates: Coordinates = "rc",
    solution: bool = False,
    hint: bool = False,
    steps: bool = False,
    grade: bool = False,
    title: str = "",
    ids: bool = False,
    not_unique: Literal["refuse", "mark"] = "refuse",
    cell: int | None = None,
    page: str | None = None,
    margin: float | None = None,
    per_page: int | None = None,
    answers: Literal["end", "back", "none"] | None = None,
    large: bool = False,
    font: Name | None = None,
    out: Name | None = None,
    time_limit: float | None = None,
) -> bytes:
    """Draw puzzles.

    >>> import binairo_cp as bn
    >>> bn.render("1..0 .... ..1. ....", to="svg")[:5]
    b'<?xml'

    Args:
        puzzles: one or several puzzles. SVG and PNG hold one, unless `out` is a folder.
        to: text, svg, png, pdf or html; None for the format of the ending of `out`, or text.
        rules: classic, unruly, plus or tango, or `Rules`, for puzzles that do not name their own.
        symbols: the symbols for 0 and 1: digits, circles or sunmoon.
        language: the language of the explanations: en, de, es, fr, ja or nl.
        coordinates: how explanations call cells: ``rc`` (r4c3), ``a1`` (C4), or ``none`` for the
            highlighted cell.
        solution: show the solution, with shaded clues.
        hint: show the next step and the reason for it.
        steps: show every step to the solution (text, html or pdf).
        grade: show the difficulty.
        title: the title of the book, page or picture.
        ids: show the ids of puzzles.
        not_unique: refuse puzzles that do not have exactly one solution, or mark them. Pictures
            of puzzles alone are drawn without solving them.
        cell: the side of a cell in SVG and PNG, in pixels.
        page: the page size, such as a4, letter or 170x240mm.
        margin: the margin on all four sides, in mm.
        per_page: the number of puzzles per page; None for as many as fit comfortably.
        answers: where to print the answers: end, back (of each page) or none.
        large: large print.
        font: a TrueType file for PDF and PNG; None for the built-in font.
        out: write to this file or folder.
        time_limit: seconds per puzzle; None for no limit.

    Returns:
        The file, text as UTF-8 (``.decode()`` makes it a str); empty if it is written to `out`.

    Raises:
        OptionError: an option is out of bounds, or two contradict each other.
        PuzzleError: a puzzle does not have exactly one solution, but has to.
        RenderError: the drawing is not supported, or needs a missing library.
        BudgetExceeded: the time ran out.
        SourceError: the file can't be written.
    """
    # Imported here because drawing loads much.
    from binairo_cp.commands import render as commands
    from binairo_cp.commands import render_options
    from binairo_cp.commands.encode import OutputSummary
    from binairo_cp.rendering.shapes import FORMS

    name = None if out is None else path_of(out)
    if to is None and name is not None:
        endings = ((form, ending) for form, known in FORMS.items() for ending in known)
        to = next((form for form, ending in endings if name.lower().endswith(ending)), None)
        if to is None and not name.endswith((".txt", "/")):
            raise OptionError(
                "to", f"is needed, because {name} does not name a format by its ending"
            )
    made = request(
        "render",
        to=to,
        symbols=symbols,
        language=language,
        coordinates=coordinates,
        solution=solution,
        hint=hint,
        steps=steps,
        grade=grade,
        title=title,
        ids=ids,
        not_unique=not_unique,
        cell=cell,
        page=page,
        margin=margin,
        per_page=per_page,
        answers=answers,
        large=large,
    )
    options = render_options.options_of(
        made,
        out=name,
        font=None if font is None else path_of(font, "font"),
        time_limit=time_limit,
    )
    files: dict[str, io.BytesIO] = {}
    if name is None:
        options = replace(options, files=files)
    summary = OutputSummary(on_problem=_refuse)
    commands.render_puzzles(entries_of(puzzles, rules), options, quiet=True, summary=summary)
    return b"".join(file.getvalue() for file in files.values())


def _refuse(verdict: Verdict, entry: Entry, reason: object) -> None:
    if isinstance(reason, BinairoError):
        raise reason
    if verdict is Verdict.UNKNOWN:
        raise BudgetExceeded("time")
    name = f"{entry.id}: " if entry.id else ""
    raise PuzzleError(f"{name}the puzzle {reason}")
