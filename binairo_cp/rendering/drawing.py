"""One run: puzzles in, pictures out; what can't be drawn is told, and the others go on."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from time import perf_counter
from typing import Literal

from binairo_cp.deduction.driver import Contradictory
from binairo_cp.errors import BudgetExceeded, RenderError
from binairo_cp.exports import Done
from binairo_cp.formats import Entry
from binairo_cp.outputs import Folder, is_folder, open_binary_output, open_output
from binairo_cp.rendering import book, figures, items, panels, terminal
from binairo_cp.rendering.boards import View
from binairo_cp.rendering.book import Plan
from binairo_cp.rendering.items import Item, Wanted
from binairo_cp.rendering.panels import Panel
from binairo_cp.rendering.shapes import CELL, Picture
from binairo_cp.reports import printable
from binairo_cp.solutions import Verdict

Form = Literal["text", "svg", "png", "pdf", "html"]
FORMS: dict[str, Form] = {
    ".txt": "text",
    ".svg": "svg",
    ".png": "png",
    ".pdf": "pdf",
    ".html": "html",
    ".htm": "html",
}
"""The forms by the endings of files."""

MOST_CELLS = 5_000_000
"""How many cells the puzzles of a book may have in all."""

MOST_CELLS_OF_STEPS = 2_000_000
"""How many cells the boards on a sheet of steps may have in all."""


@dataclass(frozen=True, slots=True)
class Order:
    """What is drawn, and where it goes.

    Attributes:
        form: what is written.
        plan: pages, symbols, titles.
        wanted: what must be known of the puzzles.
        show: the puzzles, or their solutions, next steps, all steps.
        out: a file or a folder; None for standard output.
        cell: pixels of a cell in SVG and PNG; None for what fits.
        font: a TrueType file for PDF and PNG; None for the usual one.
        sidecar: a file that says what was drawn where; None for none.
    """

    form: Form
    plan: Plan
    wanted: Wanted
    show: Literal["puzzle", "solution", "hint", "steps"] = "puzzle"
    out: str | None = None
    cell: int | None = None
    font: str | None = None
    sidecar: str | None = None


def run(entries: Iterable[Entry], order: Order, quiet: bool) -> Done:
    """Draw puzzles.

    Raises:
        RenderError: something can't be drawn as it is asked for.
        SourceError: a file can't be written.
    """
    started = perf_counter()
    done = Done()
    prepared = items.prepare(entries, order.wanted, done)
    _DRAWN[order.form](prepared, order, done)
    if not quiet:
        print(f"{done} in {perf_counter() - started:.2f} s", file=sys.stderr)
    return done


def _book(prepared: Iterator[Item], order: Order, done: Done) -> None:
    from binairo_cp.rendering import pdf

    drawn = items.bounded(prepared, MOST_CELLS)
    if not drawn:
        return
    made = book.pages(drawn, order.plan)
    content = pdf.paint(made, order.plan.paper, order.plan.title or "Binairo", order.font)
    with open_binary_output(order.out) as write:
        write(content)
    done.written += len(drawn)


def _text(prepared: Iterator[Item], order: Order, done: Done) -> None:
    colour = order.out is None and sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    with open_output(order.out) as write:
        for number, item in enumerate(prepared):
            write("\n" * bool(number))
            if words := _words(item, order, always=True):
                write(f"{printable(words)}\n")
            for panel in _panels(item, order, done):
                write(terminal.draw(panel.view(order.plan.symbols), colour=colour))
                write("".join(f"{line}\n" for line in panel.sentences))
            if order.show in ("puzzle", "solution"):
                write(terminal.draw(_view(item, order), colour=colour))
            done.written += 1


def _files(prepared: Iterator[Item], order: Order, done: Done) -> None:
    if not is_folder(order.out):
        first = list(islice(prepared, 2))
        if len(first) > 1:
            raise RenderError("more than one puzzle; expected --out FOLDER/, a file for each")
        prepared = chain(first, prepared)
    folder = Folder(order.out) if order.out and is_folder(order.out) else None
    for item in prepared:
        picture = _figure(item, order, done)
        out = folder.place(item.id, f".{order.form}") if folder else order.out
        _PAINTED[order.form](picture, out, order)
        done.written += 1


def _write_svg(picture: Picture, out: str | None, order: Order) -> None:
    from binairo_cp.rendering import svg

    with open_output(out) as write:
        write(svg.paint(picture, (order.cell or 40) / CELL))


_PAINTED: dict[str, Callable[[Picture, str | None, Order], None]] = {"svg": _write_svg}


def _figure(item: Item, order: Order, done: Done) -> Picture:
    head = _words(item, order)
    for panel in _panels(item, order, done):
        return figures.figure(panel.view(order.plan.symbols, item.id), head, panel.sentences)
    return figures.figure(_view(item, order), head)


def _view(item: Item, order: Order) -> View:
    board = item.solution if order.show == "solution" and item.solution else item.puzzle.board
    return View(item.puzzle, board, order.plan.symbols, None, item.id)


def _words(item: Item, order: Order, *, always: bool = False) -> str:
    """What is said above a board: all that is asked for, in text the name too."""
    words = book.caption_words(item, ids=order.plan.ids or always)
    if not (always or order.wanted.graded or order.plan.ids):
        words = [item.note] if item.note else []
    title = [order.plan.title] if order.plan.title else []
    return ", ".join([*title, *words])


def _panels(item: Item, order: Order, done: Done) -> list[Panel]:
    """The panels of a puzzle; why there are none is told."""
    seconds = order.wanted.time_limit
    try:
        if order.show == "hint":
            return [panels.hint(item.puzzle, seconds)]
        if order.show == "steps":
            return panels.path(item.puzzle, seconds)
    except Contradictory as error:
        done.add_problem(Verdict.NONE, item.entry, f"has no solution: {error}")
    except BudgetExceeded:
        done.add_problem(Verdict.UNKNOWN, item.entry, "has steps that take longer than allowed")
    return []


_DRAWN: dict[Form, Callable[[Iterator[Item], Order, Done], None]] = {
    "text": _text,
    "svg": _files,
    "png": _files,
    "pdf": _book,
}


def form_of(out: str | None, to: str | None) -> Form:
    """The form that is asked for, by its name or by the ending of a file.

    Raises:
        RenderError: neither says it.
    """
    if to:
        return to  # type: ignore[return-value]  # one of them
    if out is None:
        return "text"
    suffix = Path(out.removesuffix(".gz")).suffix.lower()
    if suffix in FORMS and not is_folder(out):
        return FORMS[suffix]
    raise RenderError(
        f"{out} does not say what to draw; expected --to, or a name that ends in "
        f"{', '.join(sorted(FORMS))}"
    )
