"""What may be asked of pictures together, whoever asks: the command line, or a request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from binairo_cp.commands.prepare import Wanted
from binairo_cp.commands.render import Order, Show
from binairo_cp.errors import OptionError
from binairo_cp.formats.output_files import is_folder
from binairo_cp.rendering import paper
from binairo_cp.rendering.forms import Form
from binairo_cp.rendering.pages import Answers, Plan
from binairo_cp.rendering.sidecar import check_name
from binairo_cp.rendering.symbols import Symbols

USUAL_PAGE = "a4"
USUAL_MARGIN = 15.0


@dataclass(frozen=True, slots=True)
class Wishes:
    """What somebody asks for, by the names of the options; None is as usual."""

    form: Form
    out: str | None = None
    symbols: Symbols = "digits"
    solution: bool = False
    hint: bool = False
    steps: bool = False
    grade: bool = False
    title: str = ""
    ids: bool = False
    not_unique: Literal["refuse", "mark"] = "refuse"
    cell: int | None = None
    font: str | None = None
    sidecar: str | None = None
    page: str | None = None
    margin: float | None = None
    per_page: int | None = None
    answers: Answers | None = None
    large: bool = False
    time_limit: float | None = None


def order_of(wishes: Wishes) -> Order:
    """What is to be drawn.

    Raises:
        OptionError: some of it can't be together.
        RenderError: there is no such paper.
    """
    show = _shown(solution=wishes.solution, hint=wishes.hint, steps=wishes.steps)
    _check_pages(wishes, show)
    _check_form(wishes, show)
    _check_files(wishes)
    plan = Plan(
        paper=paper.paper(
            wishes.page or USUAL_PAGE, USUAL_MARGIN if wishes.margin is None else wishes.margin
        ),
        per_page=wishes.per_page,
        answers=wishes.answers or ("end" if show == "puzzle" else "none"),
        title=wishes.title,
        symbols=wishes.symbols,
        large=wishes.large,
        solved=wishes.solution,
        ids=wishes.ids,
    )
    solved = wishes.form == "pdf" or show != "puzzle" or wishes.grade or wishes.sidecar is not None
    wanted = Wanted(solved, wishes.grade, wishes.not_unique == "mark", wishes.time_limit)
    return Order(
        wishes.form, plan, wanted, show, wishes.out, wishes.cell, wishes.font, wishes.sidecar
    )


def _shown(**asked: bool) -> Show:
    """The one thing that is asked for; the puzzles if there is none."""
    names = [name for name, given in asked.items() if given]
    if len(names) > 1:
        raise OptionError(names[1], "can't be together with", names[0])
    return names[0] if names else "puzzle"  # type: ignore[return-value]  # they are its names


def _check_pages(wishes: Wishes, show: Show) -> None:
    """Refuse options about pages where there are none, or no such ones."""
    given: Mapping[str, object] = {
        "page": wishes.page,
        "margin": wishes.margin,
        "per_page": wishes.per_page,
        "answers": wishes.answers,
        "large": wishes.large or None,
    }
    for name, value in given.items():
        if value is not None and wishes.form != "pdf":
            raise OptionError(name, f"is for pdf, not for {wishes.form}")
        if value is not None and name in ("per_page", "answers") and show in ("hint", "steps"):
            raise OptionError(name, "can't be together with", show)
    if wishes.answers not in (None, "none") and show == "solution":
        raise OptionError("answers", "can't be together with", "solution")


def _check_form(wishes: Wishes, show: Show) -> None:
    """Refuse what a form can't show, and a folder for what is one file."""
    form, out = wishes.form, wishes.out
    if form == "html" and show not in ("hint", "steps"):
        raise OptionError("to", "html is for steps or hint")
    if form in ("svg", "png") and show == "steps":
        raise OptionError("steps", f"is for text, html and pdf, not for {form}")
    if form not in ("svg", "png") and is_folder(out):
        raise OptionError("out", f"{form} is one file, and {out} a folder")


def _check_files(wishes: Wishes) -> None:
    """Refuse what is not for a form, and a sidecar without a name of its own."""
    if wishes.cell is not None and wishes.form not in ("svg", "png"):
        raise OptionError("cell", f"is for svg and png, not for {wishes.form}")
    if wishes.font is not None and wishes.form not in ("pdf", "png"):
        raise OptionError("font", f"is for pdf and png, not for {wishes.form}")
    if wishes.sidecar is not None:
        check_name(wishes.sidecar)
        if wishes.sidecar == wishes.out:
            raise OptionError("sidecar", "is the name of", "out")
