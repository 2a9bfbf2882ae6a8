"""Solve, grade and draw puzzles. Report those that can't be drawn and go on."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain, islice
from time import perf_counter
from typing import Literal

from binairo_cp.batch.reports import printable
from binairo_cp.batch.summaries import OutputSummary
from binairo_cp.deduction.driver import Contradictory
from binairo_cp.deduction.styles import USUAL, Style
from binairo_cp.errors import BinairoError, BudgetExceeded, RenderError
from binairo_cp.formats import Entry
from binairo_cp.formats.output_files import (
    Folder,
    Out,
    is_folder,
    open_binary_output,
    open_output,
    refuse_terminal,
)
from binairo_cp.rendering import boards, sheet, terminal
from binairo_cp.rendering.boards import View
from binairo_cp.rendering.pages import PageLayout
from binairo_cp.rendering.shapes import CELL, MOST_CELLS, Form, Picture
from binairo_cp.rendering.sheet import Item, Panel, PuzzlePanels
from binairo_cp.rendering.texts import note
from binairo_cp.solving import solutions
from binairo_cp.solving.backends import Budget, Meter
from binairo_cp.solving.solutions import Verdict
from binairo_cp.workers.terminal import option

Show = Literal["puzzle", "solution", "hint", "steps"]

_USUAL_CELL = 40
_TITLE = "Binairo"


@dataclass(frozen=True, slots=True)
class RenderOptions:
    """What to draw, and where to write it.

    Attributes:
        plan: pages, symbols, titles.
        preparation: whether to solve and grade the puzzles first.
        show: draw the puzzles, their solutions, the next step or all steps.
        out: a file or a folder; None for standard output.
        files: gets the files by their names, if they are not to be written to `out`.
        cell: the size of a cell in SVG and PNG in pixels; None for a size that fits.
        font: a TrueType file for PDF and PNG; None for the built-in one.
        check_clock: called for each puzzle and each page; it may raise an error.
    """

    form: Form
    plan: PageLayout
    preparation: PreparationOptions
    show: Show = "puzzle"
    out: str | None = None
    files: dict[str, io.BytesIO] | None = None
    cell: int | None = None
    font: str | None = None
    check_clock: Callable[[], None] = lambda: None

    @property
    def is_to_stdout(self) -> bool:
        """Whether the result goes to standard output."""
        return self.out is None and self.files is None

    def destination(self, name: str | None) -> Out:
        """Where to write the file with a name: to disk, to standard output or to `files`."""
        return name if self.files is None else self.files.setdefault(name or "", io.BytesIO())


def render_puzzles(
    entries: Iterable[Entry],
    options: RenderOptions,
    quiet: bool,
    summary: OutputSummary | None = None,
) -> OutputSummary:
    """Draw puzzles and write the files; `quiet` prints no summary.

    A given `summary` collects the puzzles that can't be drawn. Without one, they are printed.

    Raises:
        RenderError: the options can't be applied to these puzzles.
        SourceError: a file can't be written.
    """
    if options.form in ("pdf", "png") and options.is_to_stdout:
        # Fail before solving the puzzles, which may take long.
        refuse_terminal()
    started = perf_counter()
    summary = summary or OutputSummary()
    worked = _worked(prepare(entries, options.preparation, summary), options, summary)
    summary.written = _DRAWN[options.form](worked, options)
    if not quiet:
        print(f"{summary} in {perf_counter() - started:.2f} s", file=sys.stderr)
    return summary


def _worked(
    prepared: Iterator[Item], options: RenderOptions, summary: OutputSummary
) -> Iterator[PuzzlePanels]:
    """The puzzles that can be drawn, numbered, with the panels of their steps."""
    number = 0
    for item in prepared:
        options.check_clock()
        try:
            shown: list[Panel] = []
            if options.show == "hint":
                shown = [sheet.hint(item, options.plan.style)]
            elif options.show == "steps":
                shown = sheet.path(item, options.plan.style)
        except Contradictory as error:
            summary.add_problem(Verdict.NONE, item.entry, f"has no solution: {error}")
        except BudgetExceeded:
            summary.add_problem(Verdict.UNKNOWN, item.entry, "has no steps within the time limit")
        else:
            number += 1
            yield replace(item, number=number), shown


def _bounded(worked: Iterable[PuzzlePanels]) -> list[PuzzlePanels]:
    """All puzzles as a list, for formats that put them into one file."""
    kept, cells = [], 0
    for item, shown in worked:
        cells += len(item.puzzle.board.cells) * max(1, len(shown))
        if cells > MOST_CELLS:
            raise RenderError(
                f"the boards have more than {MOST_CELLS:,} cells in total; split the puzzles into "
                "several files"
            )
        kept.append((item, shown))
    return kept


def _write_book(worked: Iterator[PuzzlePanels], options: RenderOptions) -> int:
    from binairo_cp.rendering import pdf
    from binairo_cp.rendering.documents import given_puzzles, given_steps

    with pdf.typesetter(options.font):
        pass  # before the puzzles are solved, which may take long
    drawn = _bounded(worked)
    if not drawn:
        return 0
    options.check_clock()
    document = (
        given_steps(drawn, options.plan)
        if options.show in ("hint", "steps")
        else given_puzzles([item for item, _ in drawn], options.plan)
    )
    with pdf.typesetter(options.font) as setter:
        printed = setter.typeset(document)
    with open_binary_output(options.destination(options.out)) as write:
        write(printed.content)
    return len(drawn)


def _write_html(worked: Iterator[PuzzlePanels], options: RenderOptions) -> int:
    from binairo_cp.rendering import svg

    drawn = _bounded(worked)
    if not drawn:
        return 0
    with open_output(options.destination(options.out)) as write:
        for text in svg.page(drawn, options.plan.title or _TITLE, options.plan.style):
            options.check_clock()
            write(text)
    return len(drawn)


def _write_text(worked: Iterator[PuzzlePanels], options: RenderOptions) -> int:
    colour = options.is_to_stdout and sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    number = 0
    with open_output(options.destination(options.out), is_styled=colour) as write:
        for item, shown in worked:
            write("\n" * (item.number > 1) + f"{printable(_words(item, options, always=True))}\n")
            for panel in shown:
                write(terminal.draw(panel.view(), colour=colour))
                write("".join(f"{sentence}\n" for sentence in panel.sentences))
            if not shown:
                write(terminal.draw(_view(item, options), colour=colour))
            number = item.number
    return number


def _write_pictures(worked: Iterator[PuzzlePanels], options: RenderOptions) -> int:
    folder = None
    if is_folder(options.out):
        folder = Folder(options.out if options.files is None else None)
    else:
        first = list(islice(worked, 2))
        if len(first) > 1:
            raise RenderError(
                "several puzzles need a folder: "
                f"use {option('out', 'FOLDER/')} for one file per puzzle"
            )
        worked = chain(first, worked)
    number = 0
    for item, shown in worked:
        options.check_clock()
        words = _words(item, options)
        if shown:  # the next step
            picture = boards.figure(shown[0].view(item.id), words, shown[0].sentences)
        else:
            picture = boards.figure(_view(item, options), words)
        out = folder.place(item.id, f".{options.form}") if folder else options.out
        _paint(picture, options.destination(out), options)
        number = item.number
    return number


def _paint(picture: Picture, out: Out, options: RenderOptions) -> None:
    # Imported here, because each loads what the other does not need.
    if options.form == "png":
        from binairo_cp.rendering import png

        content = png.paint(picture, options.cell, options.font)
        with open_binary_output(out) as write_bytes:
            write_bytes(content)
        return
    from binairo_cp.rendering import svg

    text = svg.paint(picture, (options.cell or _USUAL_CELL) / CELL)
    with open_output(out) as write:
        write(text)


def _view(item: Item, options: RenderOptions) -> View:
    board = item.solution if options.show == "solution" and item.solution else item.puzzle.board
    return View(item.puzzle, board, options.plan.style.symbols, None, item.id)


def _words(item: Item, options: RenderOptions, *, always: bool = False) -> str:
    """The caption of a board: the requested parts, or all of them if `always` is set."""
    words = [options.plan.title] if options.plan.title else []
    if always or options.preparation.graded or options.plan.ids:
        name = [item.id] if item.id and (options.plan.ids or always) else []
        words += [*name, *item.words(Style("en", options.plan.style.symbols))]
    elif note := item.note():
        words.append(note)
    return ", ".join(words)


_DRAWN: dict[Form, Callable[[Iterator[PuzzlePanels], RenderOptions], int]] = {
    "text": _write_text,
    "svg": _write_pictures,
    "png": _write_pictures,
    "pdf": _write_book,
    "html": _write_html,
}


@dataclass(frozen=True, slots=True)
class PreparationOptions:
    """What to compute for each puzzle before it is drawn.

    Attributes:
        solved: solve it and check that the solution is unique.
        marked: draw puzzles without exactly one solution too, with a mark; otherwise skip them.
    """

    solved: bool = False
    graded: bool = False
    marked: bool = False
    time_limit: float | None = None


def prepare(
    entries: Iterable[Entry], options: PreparationOptions, summary: OutputSummary
) -> Iterator[Item]:
    """Solve and grade puzzles. Add those that can't be drawn to the summary and go on."""
    for entry in entries:
        try:
            if entry.puzzle is None:
                raise entry.error or RenderError("no puzzle")
            yield _finished(Item(entry.puzzle, entry.id or "", entry), options)
        except BudgetExceeded:
            summary.add_problem(Verdict.UNKNOWN, entry, "was not graded within the time limit")
        except _NotUnique as error:
            summary.add_problem(error.verdict, entry, error)
        except BinairoError as error:
            summary.add_problem(Verdict.INVALID, entry, error)


class _NotUnique(Exception):
    def __init__(self, verdict: Verdict) -> None:
        self.verdict = verdict

    def __str__(self) -> str:
        if self.verdict is Verdict.UNKNOWN:
            return "was not solved within the time limit"
        return f"has {note(self.verdict.value, USUAL.language)}"


def _finished(item: Item, options: PreparationOptions) -> Item:
    """The item with its solution and grade, as far as the options require them."""
    meter = Meter(Budget(options.time_limit))
    if options.solved:
        outcome = solutions.check(item.puzzle, time_limit=meter.seconds_left, reasons="none")
        item = replace(item, verdict=outcome.verdict, solution=outcome.solution)
    if item.note() and not options.marked:
        raise _NotUnique(item.verdict or Verdict.UNKNOWN)
    if options.graded and item.verdict is Verdict.UNIQUE:
        # Imported here because few pictures show grades.
        from binairo_cp.deduction.grading import grade

        item = replace(item, level=grade(item.puzzle, meter).level)
    return replace(item, seconds=meter.seconds_left)
