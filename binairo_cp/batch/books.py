"""Generate puzzles and print them as a book, with a cover and a manifest."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, fields, replace
from itertools import count, groupby
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

from binairo_cp.batch.book_recipe import LONGEST_SIDE, check_bounds
from binairo_cp.batch.preparing import PreparationOptions, prepare
from binairo_cp.batch.summaries import OutputSummary
from binairo_cp.deduction import driver
from binairo_cp.deduction.grading import grade_each
from binairo_cp.deduction.styles import Style
from binairo_cp.errors import GenerationError, OptionError, PuzzleError, SourceError
from binairo_cp.formats import Entry, read_sources
from binairo_cp.formats.output_files import Out, open_binary_output, open_output
from binairo_cp.generation.runs import GenerationSpec, GenerationState, generated_puzzles
from binairo_cp.puzzle.board import OPEN
from binairo_cp.puzzle.rules import Puzzle, Rules
from binairo_cp.rendering import pdf, sidecar
from binairo_cp.rendering.documents import document
from binairo_cp.rendering.items import Item
from binairo_cp.rendering.pdf import Printed, Typesetter
from binairo_cp.rendering.printed import look
from binairo_cp.rendering.printed.book import (
    BookContent,
    GradedItem,
    Section,
    print_book,
    sections,
)
from binairo_cp.rendering.printed.look import Design
from binairo_cp.rendering.printed.spec import (
    FEWEST_PAGES,
    MOST_PAGES,
    CoverSpec,
    PrintSpec,
    cover_values,
)
from binairo_cp.rendering.sheet import Panel, filled
from binairo_cp.rendering.text_layout import Typeface
from binairo_cp.solving.backends import Meter
from binairo_cp.workers import executors

_SUBJECT = "Binairo puzzles"
_MANIFEST = "manifest.json"
"""The name of a manifest in memory."""
_STUDIED = 6
"""How many puzzles of a level are searched for steps that show a technique."""
_LONGEST_STUDIED = 14


@dataclass(frozen=True, slots=True)
class BookFiles:
    """Where to write the files of a book.

    Attributes:
        out: the book.
        cover: the template of the cover; None for none.
        manifest: the list of the puzzles; None for none.
        certificates: a folder for the certificates of the puzzles; None for none.
    """

    out: Out
    cover: Out = None
    manifest: Out = None
    certificates: str | None = None

    def check(self) -> None:
        """Check the names, before the puzzles are generated.

        Raises:
            OptionError: two files have the same name.
            RenderError: the name of the manifest has no known extension.
        """
        if isinstance(self.manifest, str):
            sidecar.check_name(self.manifest, "manifest")
        used: dict[object, str] = {}
        for each in fields(self):
            name = getattr(self, each.name)
            if isinstance(name, str) and (other := used.setdefault(name, each.name)) != each.name:
                raise OptionError(each.name, "is the name of", other)


class BookOrder(NamedTuple):
    """Which puzzles a book has.

    Attributes:
        specs: the puzzles to generate, in sets.
        own: files with more puzzles, and the rules of those that state none.
        example: a small puzzle with the rules of the first set, which is not in the book.
        style: what explanations call symbols and cells.
        large: large print, as the option.
        left_handed: what the writing hand would cover is on the right.
        imprint: the lines of the imprint.
        isbn: the number of the book; empty for none.
    """

    specs: list[GenerationSpec]
    own: list[tuple[str, Rules | None]]
    example: GenerationSpec
    style: Style
    large: bool = False
    left_handed: bool = False
    imprint: Sequence[str] = ()
    isbn: str = ""


@dataclass(frozen=True, slots=True)
class BookLook:
    """How a book looks.

    Attributes:
        design: its colours, sizes and texts.
        font: its font; None for the built-in one.
        layout: a Typst file that lays out its pages; None for the usual one.
    """

    design: Design = field(default_factory=Design)
    font: Typeface | str | None = None
    layout: str | None = None

    @classmethod
    def of(cls, path: str | None, font: str | None) -> BookLook:
        """Read the template in a file; a font file replaces its fonts.

        Raises:
            SourceError: the template can't be read.
        """
        if path is None or path.lower().endswith(".typ"):
            return cls(font=font, layout=path)
        read = look.read(path)
        return cls(read, font or read.typeface(Path(path).parent))

    def typesetter(self) -> AbstractContextManager[Typesetter]:
        """Typst with the font and the layout."""
        return pdf.typesetter(self.font, self.layout)


def make_book(
    order: BookOrder,
    options: Mapping[str, Any],
    look: BookLook,
    files: BookFiles,
    *,
    workers: int | None = None,
    quiet: bool = False,
    meter: Meter | None = None,
    on_puzzle: Callable[[int], object] = lambda _: None,
) -> Printed:
    """Generate the puzzles, lay out the book and write all files.

    Args:
        order: which puzzles.
        options: all options of the feature `book`.
        look: how it looks.
        files: where to write it.
        workers: number of worker processes; None for one per core.
        quiet: don't print a summary.
        meter: limits the time to generate puzzles in this process; None for no limit.
        on_puzzle: called with the number of puzzles so far.

    Raises:
        FontError: the font has no glyph for a character of the title, the author or a text.
        GenerationError: a puzzle of the recipe was not found.
        LimitError: a puzzle of the recipe can't exist.
        RenderError: a board does not fit its page.
        SourceError: a file can't be written.
        BudgetExceeded: the time ran out.
    """
    started = perf_counter()
    files.check()
    large = options["large"] or order.large
    options = {**options, "large": large, "per_page": options["per_page"] or (1 if large else None)}
    spec = PrintSpec(options["trim"], options["bleed"], options["printer"])
    with look.typesetter() as setter:
        # Mistakes in texts and fonts are reported before the puzzles are generated.
        setter.typeset(_cover(order, options, look, FEWEST_PAGES))
        entries = _own(order)
        entries += _generated(order.specs, workers or executors.cores(), meter, on_puzzle)
        graded = _graded(list(_solved(entries)))
        content = _content(order, options, graded)
        if meter:
            meter.check_clock()
        printed = print_book(content, spec, look.design, setter)
        with open_binary_output(files.out) as write:
            write(printed.content)
        if files.cover:
            cover = setter.typeset(_cover(order, options, look, printed.pages))
            with open_binary_output(files.cover) as write:
                write(cover.content)
    _write_others(content, printed, files)
    if not quiet:
        _report(content, printed, spec, perf_counter() - started)
    return printed


def _cover(
    order: BookOrder, options: Mapping[str, Any], look: BookLook, pages: int
) -> dict[str, Any]:
    """The document of the cover of a book with a number of pages."""
    return document(
        "cover",
        options["title"],
        language=order.style.language,
        colours=look.design.inks,
        author=options["author"],
        subject="Cover",
        imprint=list(order.imprint),
        cover=cover_values(CoverSpec(options["trim"], pages, options["paper"])),
    )


def _own(order: BookOrder) -> list[Entry]:
    """The puzzles of the files in the recipe.

    Raises:
        BinairoError: a file can't be read, or a puzzle is too large.
    """
    entries: list[Entry] = []
    cells = 0
    for file, rules in order.own:
        for entry in read_sources([file], default_rules=rules):
            if entry.puzzle is None:
                raise entry.error or PuzzleError(f"{file}: no puzzle")
            board = entry.puzzle.board
            entries.append(entry)
            cells += len(board.cells)
            if max(board.height, board.width) > LONGEST_SIDE:
                raise SourceError(file, f"{entry.id}: expected sides of at most {LONGEST_SIDE}")
            try:
                check_bounds(len(entries), cells)
            except ValueError as error:
                raise SourceError(file, str(error)) from error
    return entries


def _generated(
    specs: list[GenerationSpec],
    workers: int,
    meter: Meter | None,
    on_puzzle: Callable[[int], object],
) -> list[Entry]:
    """New puzzles."""
    state = GenerationState()
    entries: list[Entry] = []
    for number, spec in enumerate(specs, 1):
        # Puzzles of all sets are distinct, so the sets share what is known of earlier ones.
        state.written, state.next_number = 0, 0
        for each in generated_puzzles(spec, workers, state, meter=meter):
            entries.append(Entry(each.puzzle, id=each.id))
            on_puzzle(len(entries))
        if state.error:
            raise GenerationError(f"puzzles[{number}]: {state.error}")
    return entries


def _solved(entries: list[Entry]) -> Iterator[Item]:
    """The puzzles with their solutions; each is solved, which checks that it has only one.

    Raises:
        PuzzleError: a puzzle does not have exactly one solution.
    """
    problems: list[str] = []
    summary = OutputSummary(
        on_problem=lambda verdict, entry, reason: problems.append(f"{entry.id}: {reason}")
    )
    yield from prepare(entries, PreparationOptions(solved=True), summary)
    if problems:
        raise PuzzleError(problems[0])


def _graded(items: list[Item]) -> list[GradedItem]:
    graded: list[GradedItem] = []

    def shape(item: Item) -> tuple[int, int, str]:
        board = item.puzzle.board
        return board.height, board.width, f"{item.puzzle.rules}{bool(item.puzzle.signs)}"

    for _, group in groupby(sorted(items, key=shape), shape):
        same = list(group)
        grades = grade_each([item.puzzle for item in same])
        graded += [GradedItem(item, grade) for item, grade in zip(same, grades, strict=True)]
    return graded


def _content(order: BookOrder, options: Mapping[str, Any], graded: list[GradedItem]) -> BookContent:
    parts: list[Section] = []
    numbers = count(1)
    for level, puzzles in sections(graded, options["order"]):
        items = (
            replace(each.item, number=next(numbers), level=each.grade.level) for each in puzzles
        )
        numbered = [replace(each, item=item) for each, item in zip(puzzles, items, strict=True)]
        parts.append(Section(level, numbered))
    chosen = ("per_page", "large", "plain", "notes")
    content = BookContent(
        options["title"],
        options["author"],
        options["subject"] or _SUBJECT,
        order.style,
        parts,
        options={
            **{name.replace("_", "-"): options[name] for name in chosen},
            "blank-at-end": options["printer"] == "ingramspark",
            "left-handed": order.left_handed,
        },
        imprint=list(order.imprint),
        isbn=order.isbn,
    )
    if options["plain"]:
        return content
    return replace(
        content,
        example=_example(order.example),
        techniques=[*_techniques(parts, order.style)],
    )


def _example(spec: GenerationSpec) -> Puzzle:
    state = GenerationState()
    found = [*generated_puzzles(spec, 1, state)]
    if not found:
        raise GenerationError(f"worked example: {state.error}")
    return found[0].puzzle


def _techniques(parts: list[Section], style: Style) -> Iterator[tuple[int, Panel]]:
    """A step of each technique in the smallest puzzles of each level, on the emptiest board."""
    order = [technique.name for technique in driver.TECHNIQUES]
    found: dict[str, tuple[int, Panel]] = {}
    for part in parts:
        small = sorted(part.items, key=lambda item: len(item.puzzle.board.cells))[:_STUDIED]
        for item in small:
            board = item.puzzle.board
            if max(board.height, board.width) <= _LONGEST_STUDIED:
                for name, panel in _first_steps(item.puzzle, style):
                    if name not in found or _filled(panel) < _filled(found[name][1]):
                        found[name] = item.number, panel
    return (found[name] for name in order if name in found)


def _filled(panel: Panel) -> float:
    """The share of cells that are filled."""
    cells = panel.board.cells
    return 1 - cells.count(OPEN) / len(cells)


def _first_steps(puzzle: Puzzle, style: Style) -> Iterator[tuple[str, Panel]]:
    """The first step of each technique, on a board with the clues and its reason."""
    seen = set()
    board = puzzle.board
    for steps in driver.rounds(puzzle):
        step = steps[0]
        if step.technique not in seen:
            seen.add(step.technique)
            lines = {step.line, *step.compared}
            used = {
                cell: value
                for cell, value in board.clues()
                if cell in step.reason
                or not lines.isdisjoint((f"row {cell.row + 1}", f"column {cell.column + 1}"))
            }
            shown = filled(puzzle.board, used)
            yield step.technique, Panel(puzzle, shown, [step.in_style(style)], style=style)
        for each in steps:
            board = filled(board, each.values)


def _write_others(content: BookContent, printed: Printed, files: BookFiles) -> None:
    """Write the manifest and the certificates."""
    if files.manifest:
        file = Path(files.out).name if isinstance(files.out, str) else None
        rows = [
            sidecar.row(
                item, file, printed.puzzles.get(item.number), printed.answers.get(item.number)
            )
            for item in content.items
        ]
        with open_output(files.manifest) as write:
            name = files.manifest if isinstance(files.manifest, str) else _MANIFEST
            write(sidecar.text(rows, name))
    if files.certificates:
        _certify(content, files.certificates)


def _certify(content: BookContent, folder: str) -> None:
    # Imported here because it loads a solver that writes proofs.
    from binairo_cp.certificates.storing import Store
    from binairo_cp.solving import solutions

    store = Store(folder)
    for item in content.items:
        store.add(item.puzzle, solutions.check(item.puzzle, reasons="none"), item.id, None)


def _report(content: BookContent, printed: Printed, spec: PrintSpec, seconds: float) -> None:
    inside = spec.inside(printed.pages) / 72
    print(
        f"{len(content.items)} puzzles on {printed.pages} pages of {spec.trim}, inside margin "
        f"{inside:g} in, in {seconds:.2f} s",
        file=sys.stderr,
    )
    if not FEWEST_PAGES <= printed.pages <= MOST_PAGES:
        print(
            f"binairo: KDP prints {FEWEST_PAGES} to {MOST_PAGES} pages; this book has "
            f"{printed.pages}",
            file=sys.stderr,
        )
