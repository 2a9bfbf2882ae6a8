"""One run: puzzles in, pictures out; what can't be drawn is told, and the others go on."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path
from time import perf_counter
from typing import Literal

from binairo_cp.batch.reports import printable
from binairo_cp.commands import prepare
from binairo_cp.commands.encode import Done
from binairo_cp.commands.prepare import Wanted
from binairo_cp.deduction.driver import Contradictory
from binairo_cp.errors import BudgetExceeded, RenderError
from binairo_cp.formats import Entry
from binairo_cp.formats.output_files import (
    Folder,
    is_folder,
    open_binary_output,
    open_output,
    refuse_terminal,
)
from binairo_cp.rendering import book, figures, panels, sheet, sidecar, terminal
from binairo_cp.rendering.boards import View
from binairo_cp.rendering.forms import Form
from binairo_cp.rendering.items import Item
from binairo_cp.rendering.pages import Page, PageLayout
from binairo_cp.rendering.panels import Panel
from binairo_cp.rendering.shapes import CELL, Picture
from binairo_cp.rendering.sheet import PuzzlePanels
from binairo_cp.rendering.sidecar import Row
from binairo_cp.rendering.symbols import LEGENDS
from binairo_cp.solving.solutions import Verdict

Show = Literal["puzzle", "solution", "hint", "steps"]
MOST_CELLS = 2_000_000
"""How many cells the boards of one file may have in all."""

_USUAL_CELL = 40
_TITLE = "Binairo"


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
        font: a TrueType file for PDF and PNG; None for the built-in one.
        sidecar: a file that says what was drawn where; None for none.
        check_clock: is called for each puzzle and each page, and may raise.
    """

    form: Form
    plan: PageLayout
    wanted: Wanted
    show: Show = "puzzle"
    out: str | None = None
    cell: int | None = None
    font: str | None = None
    sidecar: str | None = None
    check_clock: Callable[[], None] = lambda: None

    @property
    def is_worked(self) -> bool:
        """Whether steps are shown."""
        return self.show in ("hint", "steps")


def run(entries: Iterable[Entry], order: Order, quiet: bool, done: Done | None = None) -> Done:
    """Draw puzzles.

    Args:
        entries: the puzzles, or what is wrong in their stead.
        order: how, and where it goes.
        quiet: say nothing of how many there were.
        done: is told what can't be drawn; None to print it.

    Raises:
        RenderError: something can't be drawn as it is asked for.
        SourceError: a file can't be written.
    """
    if order.form in ("pdf", "png") and order.out is None:
        # Before the puzzles are solved, which may take long.
        refuse_terminal()
    started = perf_counter()
    done = done or Done()
    worked = _worked(prepare.prepare(entries, order.wanted, done), order, done)
    rows = _DRAWN[order.form](worked, order)
    done.written = len(rows)
    if order.sidecar:
        with open_output(order.sidecar) as write:
            write(sidecar.text(rows, order.sidecar))
    if not quiet:
        print(f"{done} in {perf_counter() - started:.2f} s", file=sys.stderr)
    return done


def _worked(prepared: Iterator[Item], order: Order, done: Done) -> Iterator[PuzzlePanels]:
    """The puzzles that can be drawn, numbered, with the panels that are asked for."""
    number = 0
    for item in prepared:
        order.check_clock()
        try:
            shown = _panels(item, order)
        except Contradictory as error:
            done.add_problem(Verdict.NONE, item.entry, f"has no solution: {error}")
        except BudgetExceeded:
            done.add_problem(Verdict.UNKNOWN, item.entry, "was not worked out in the time allowed")
        else:
            number += 1
            yield replace(item, number=number), shown


def _panels(item: Item, order: Order) -> list[Panel]:
    if order.show == "hint":
        return [panels.hint(item.puzzle, item.seconds)]
    return panels.path(item.puzzle, item.seconds) if order.show == "steps" else []


def _bounded(worked: Iterable[PuzzlePanels]) -> list[PuzzlePanels]:
    """All puzzles, for what needs them together.

    Raises:
        RenderError: they have more cells in all than allowed.
    """
    kept, cells = [], 0
    for item, shown in worked:
        cells += len(item.puzzle.board.cells) * max(1, len(shown))
        if cells > MOST_CELLS:
            raise RenderError(
                f"the boards have more than {MOST_CELLS:,} cells in all; expected fewer puzzles "
                "for one file"
            )
        kept.append((item, shown))
    return kept


def _write_book(worked: Iterator[PuzzlePanels], order: Order) -> list[Row]:
    from binairo_cp.rendering import pdf

    pdf.check_font(order.font)
    drawn = _bounded(worked)
    if not drawn:
        return []
    puzzles = [item for item, _ in drawn]
    made = sheet.pages(drawn, order.plan) if order.is_worked else book.pages(puzzles, order.plan)
    page_of: dict[int, int] = {}
    answer_of: dict[int, int] = {}

    def noted() -> Iterator[Page]:
        for number, page in enumerate(made, 1):
            order.check_clock()
            page_of.update(dict.fromkeys(page.numbers, number))
            answer_of.update(dict.fromkeys(page.answers, number))
            yield page

    content = pdf.paint(noted(), order.plan.paper, order.plan.title or _TITLE, order.font)
    with open_binary_output(order.out) as write:
        write(content)
    file = Path(order.out).name if order.out else None
    return [
        sidecar.row(item, file, page_of.get(item.number), answer_of.get(item.number))
        for item in puzzles
    ]


def _write_html(worked: Iterator[PuzzlePanels], order: Order) -> list[Row]:
    from binairo_cp.rendering import html

    drawn = _bounded(worked)
    if not drawn:
        return []
    with open_output(order.out) as write:
        for text in html.page(drawn, order.plan.title or _TITLE, order.plan.symbols):
            order.check_clock()
            write(text)
    return [sidecar.row(item, order.out and Path(order.out).name) for item, _ in drawn]


def _write_text(worked: Iterator[PuzzlePanels], order: Order) -> list[Row]:
    colour = order.out is None and sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    rows = []
    with open_output(order.out) as write:
        for item, shown in worked:
            write("\n" * (item.number > 1) + f"{printable(_words(item, order, always=True))}\n")
            for panel in shown:
                write(terminal.draw(panel.view(order.plan.symbols), colour=colour))
                write("".join(f"{sentence}\n" for sentence in panel.sentences))
            if shown and (legend := LEGENDS[order.plan.symbols]):
                write(f"{legend}.\n")
            if not shown:
                write(terminal.draw(_view(item, order), colour=colour))
            rows.append(sidecar.row(item))
    return rows


def _write_pictures(worked: Iterator[PuzzlePanels], order: Order) -> list[Row]:
    folder = Folder(order.out) if order.out and is_folder(order.out) else None
    if not folder:
        first = list(islice(worked, 2))
        if len(first) > 1:
            raise RenderError("more than one puzzle; expected --out FOLDER/, a file for each")
        worked = chain(first, worked)
    rows = []
    for item, shown in worked:
        picture = _figure(item, shown, order)
        out = folder.place(item.id, f".{order.form}") if folder else order.out
        _PAINTED[order.form](picture, out, order)
        rows.append(sidecar.row(item, out and Path(out).name))
    return rows


def _write_svg(picture: Picture, out: str | None, order: Order) -> None:
    from binairo_cp.rendering import svg

    text = svg.paint(picture, (order.cell or _USUAL_CELL) / CELL)
    with open_output(out) as write:
        write(text)


def _write_png(picture: Picture, out: str | None, order: Order) -> None:
    from binairo_cp.rendering import png

    content = png.paint(picture, order.cell, order.font)
    with open_binary_output(out) as write:
        write(content)


def _figure(item: Item, shown: list[Panel], order: Order) -> Picture:
    words = _words(item, order)
    if shown:
        legend = LEGENDS[order.plan.symbols]
        said = [*shown[0].sentences, *([f"{legend}."] if legend else [])]
        return figures.figure(shown[0].view(order.plan.symbols, item.id), words, said)
    return figures.figure(_view(item, order), words)


def _view(item: Item, order: Order) -> View:
    board = item.solution if order.show == "solution" and item.solution else item.puzzle.board
    return View(item.puzzle, board, order.plan.symbols, None, item.id)


def _words(item: Item, order: Order, *, always: bool = False) -> str:
    """What is said above a board: what is asked for, or in text all that there is to say."""
    words = [order.plan.title] if order.plan.title else []
    if always or order.wanted.graded or order.plan.ids:
        name = [item.id] if item.id and (order.plan.ids or always) else []
        words += [*name, *book.caption_words(item, order.plan.symbols)]
    elif item.note:
        words.append(item.note)
    return ", ".join(words)


_PAINTED: dict[Form, Callable[[Picture, str | None, Order], None]] = {
    "svg": _write_svg,
    "png": _write_png,
}
_DRAWN: dict[Form, Callable[[Iterator[PuzzlePanels], Order], list[Row]]] = {
    "text": _write_text,
    "svg": _write_pictures,
    "png": _write_pictures,
    "pdf": _write_book,
    "html": _write_html,
}
