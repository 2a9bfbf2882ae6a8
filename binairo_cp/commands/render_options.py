"""Check the options of `render` against each other and translate them to `RenderOptions`."""

from __future__ import annotations

from binairo_cp.commands.prepare import PreparationOptions
from binairo_cp.commands.render import RenderOptions, Show
from binairo_cp.commands.requests import RenderRequest, page_options
from binairo_cp.deduction.styles import Style
from binairo_cp.errors import OptionError
from binairo_cp.formats.output_files import is_folder
from binairo_cp.rendering import pages
from binairo_cp.rendering.pages import PageLayout
from binairo_cp.rendering.shapes import Form
from binairo_cp.rendering.sidecar import check_name

USUAL_PAGE = "a4"
USUAL_MARGIN = 15.0


def options_of(
    request: RenderRequest,
    *,
    out: str | None = None,
    font: str | None = None,
    sidecar: str | None = None,
    time_limit: float | None = None,
) -> RenderOptions:
    """The options of a rendering request.

    Args:
        request: the request; `to` is not None.
        out: a file or a folder; None for standard output.
        font: a font file; None for the built-in font.
        sidecar: the file that lists where each puzzle was drawn; None for no such file.
        time_limit: seconds per puzzle; None for no limit.

    Raises:
        OptionError: options contradict one another.
        RenderError: there is no such paper size.
    """
    form = request.to or "text"
    show = _shown(solution=request.solution, hint=request.hint, steps=request.steps)
    _check_pages(request, form, show)
    _check_form(form, show, out)
    _check_files(request, form, out, font, sidecar)
    plan = PageLayout(
        paper=pages.paper(
            request.page or USUAL_PAGE, USUAL_MARGIN if request.margin is None else request.margin
        ),
        per_page=request.per_page,
        answers=request.answers or ("end" if show == "puzzle" else "none"),
        title=request.title,
        style=Style(request.language, request.symbols, request.coordinates),
        large=request.large,
        solved=request.solution,
        ids=request.ids,
    )
    solved = form == "pdf" or show != "puzzle" or request.grade or sidecar is not None
    preparation = PreparationOptions(
        solved, request.grade, request.not_unique == "mark", time_limit
    )
    return RenderOptions(
        form, plan, preparation, show, out, cell=request.cell, font=font, sidecar=sidecar
    )


def _shown(**flags: bool) -> Show:
    """What to show: the name of the flag that is set, or the puzzle."""
    names = [name for name, is_set in flags.items() if is_set]
    if len(names) > 1:
        raise OptionError(names[1], "can't be used with", names[0])
    return names[0] if names else "puzzle"  # type: ignore[return-value]  # they are its names


def _check_pages(request: RenderRequest, form: Form, show: Show) -> None:
    """Reject page options for formats without pages, and options that contradict others."""
    for name in page_options():
        if getattr(request, name) in (None, False):
            continue
        if form != "pdf":
            raise OptionError(name, f"is for pdf, not for {form}")
        if name in ("per_page", "answers") and show in ("hint", "steps"):
            raise OptionError(name, "can't be used with", show)
    if request.answers not in (None, "none") and show == "solution":
        raise OptionError("answers", "can't be used with", "solution")


def _check_form(form: Form, show: Show, out: str | None) -> None:
    """Reject what a format can't show, and a folder for a format that is one file."""
    if form == "html" and show not in ("hint", "steps"):
        raise OptionError("to", "html needs steps or hint")
    if form in ("svg", "png") and show == "steps":
        raise OptionError("steps", f"is for text, html and pdf, not for {form}")
    if form not in ("svg", "png") and is_folder(out):
        raise OptionError("out", f"{form} output is one file, but {out} is a folder")


def _check_files(
    request: RenderRequest, form: Form, out: str | None, font: str | None, sidecar: str | None
) -> None:
    """Reject options that a format does not have, and a sidecar with the name of the output."""
    if request.cell is not None and form not in ("svg", "png"):
        raise OptionError("cell", f"is for svg and png, not for {form}")
    if font is not None and form not in ("pdf", "png"):
        raise OptionError("font", f"is for pdf and png, not for {form}")
    if sidecar is not None:
        check_name(sidecar)
        if sidecar == out:
            raise OptionError("sidecar", "is the name of", "out")
