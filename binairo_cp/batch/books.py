"""Generate or read puzzles, grade them, and print them as a book, with a manifest."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import groupby
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

from binairo_cp.batch.book_recipe import LONGEST_SIDE, BookRecipe, LocalRecipe, check_bounds
from binairo_cp.batch.drawing import PreparationOptions, prepare
from binairo_cp.batch.generating import digests_of
from binairo_cp.batch.summaries import OutputSummary
from binairo_cp.deduction.grading import grade_each
from binairo_cp.deduction.styles import Style
from binairo_cp.errors import GenerationError, OptionError, PuzzleError, SourceError
from binairo_cp.formats import Entry, read_sources
from binairo_cp.formats.output_files import Out, open_binary_output, open_output
from binairo_cp.generation.runs import GenerationSpec, GenerationState, generated_puzzles
from binairo_cp.puzzle.symmetries import canonical_digest
from binairo_cp.rendering import sheet
from binairo_cp.rendering.book import BookContent, GradedItem, print_book, sections
from binairo_cp.rendering.pages import FEWEST_PAGES, LEAST_LARGE_CELL, MOST_PAGES, PrintSpec
from binairo_cp.rendering.pdf import Printed, typesetter
from binairo_cp.rendering.sheet import Item
from binairo_cp.solving.backends import Meter
from binairo_cp.solving.solutions import Verdict
from binairo_cp.workers import executors, terminal

_MANIFEST = "manifest.json"
"""The name of a manifest in memory."""


@dataclass(frozen=True, slots=True)
class BookFiles:
    """Where to write the files of a book.

    Attributes:
        manifest: the list of the puzzles; None for none.
        certificates: a folder for the certificates of the puzzles; None for none.
    """

    out: Out
    manifest: Out = None
    certificates: str | None = None

    def check(self) -> None:
        """Check the names, before the puzzles are generated.

        Raises:
            OptionError: two files have the same name.
            RenderError: the name of the manifest has no known extension.
        """
        if isinstance(self.manifest, str):
            sheet.check_name(self.manifest)
        used: dict[object, str] = {}
        for file in fields(self):
            name = getattr(self, file.name)
            if isinstance(name, str) and (other := used.setdefault(name, file.name)) != file.name:
                raise OptionError(file.name, "is the name of", other)


def make_book(
    order: BookOrder,
    options: Mapping[str, Any],
    files: BookFiles,
    *,
    font: str | None = None,
    layout: str | None = None,
    workers: int | None = None,
    quiet: bool = False,
    meter: Meter | None = None,
    on_puzzle: Callable[[int], object] = lambda _: None,
    seconds: float | None = None,
) -> Printed:
    """Generate the puzzles, lay out the book and write all files.

    Args:
        order: which puzzles.
        options: all options of the feature `book`.
        files: where to write it.
        font: a TrueType file; None for the built-in font.
        layout: a Typst file that lays out its pages; None for the usual one.
        workers: number of worker processes; None for one per core.
        quiet: don't print a summary.
        meter: limits the time to generate puzzles in this process; None for no limit.
        on_puzzle: called with the number of puzzles so far.
        seconds: the time limit for each puzzle, if there is none for all; None for no limit.

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
    large = options["large"] or order.recipe.large
    options = {**options, "large": large, "per_page": options["per_page"] or (1 if large else None)}
    spec = PrintSpec(options["trim"], options["bleed"], options["printer"])
    with typesetter(font, layout) as setter:
        # Mistakes in texts, fonts and layouts are reported before the puzzles are generated.
        print_book(_content(order, options, []), spec, setter)
        with terminal.bar(quiet) as show:
            total = sum(spec.count for spec in order.specs)

            def report(made: int) -> None:
                show(made, total, f"{made:,} generated")
                on_puzzle(made)

            graded = puzzles_of(order, workers or executors.cores(), meter, report, seconds)
        content = _content(order, options, graded)
        if meter:
            meter.check_clock()
        printed = print_book(content, spec, setter)
        with open_binary_output(files.out) as write:
            write(printed.content)
    _write_others(content, printed, files)
    if not quiet:
        _report(content, printed, spec, perf_counter() - started)
    return printed


def _content(order: BookOrder, options: Mapping[str, Any], graded: list[GradedItem]) -> BookContent:
    recipe = order.recipe
    large_text = options["large"] and recipe.symbols in ("digits", "letters")
    chosen = ("per_page", "large", "plain", "notes")
    return BookContent(
        options["title"],
        options["author"],
        options["subject"] or "Binairo puzzles",
        Style(recipe.language, recipe.symbols),
        [*sections(graded, options["order"])],
        options={
            **{name.replace("_", "-"): options[name] for name in chosen},
            "blank-at-end": options["printer"] == "ingramspark",
            "left-handed": recipe.left_handed,
            "extras": recipe.extras,
            "least-cell": LEAST_LARGE_CELL if large_text else 0,
        },
        imprint=recipe.imprint.splitlines(),
        isbn=recipe.isbn,
    )


def _write_others(content: BookContent, printed: Printed, files: BookFiles) -> None:
    if files.manifest:
        file = Path(files.out).name if isinstance(files.out, str) else None
        pages = printed.puzzles, printed.answers
        rows = [
            sheet.row(item, file, *(page.get(item.number) for page in pages))
            for item in content.items
        ]
        with open_output(files.manifest) as write:
            name = files.manifest if isinstance(files.manifest, str) else _MANIFEST
            write(sheet.text(rows, name))
    if files.certificates:
        # Imported here because it loads a solver that writes proofs.
        from binairo_cp.certificates.making import Store
        from binairo_cp.solving import solutions

        store = Store(files.certificates)
        for item in content.items:
            store.add(item.puzzle, solutions.check(item.puzzle, reasons="none"), item.id, None)


def _report(content: BookContent, printed: Printed, spec: PrintSpec, seconds: float) -> None:
    inside = spec.inside(printed.pages) / 72
    number = len(content.items)
    print(
        f"{number} puzzle{'s' if number > 1 else ''} on {printed.pages} pages of {spec.trim}, "
        f"inside margin {inside:g} in, in {seconds:.2f} s",
        file=sys.stderr,
    )
    if not FEWEST_PAGES <= printed.pages <= MOST_PAGES:
        print(
            f"binairo: KDP prints {FEWEST_PAGES} to {MOST_PAGES} pages; this book has "
            f"{printed.pages}",
            file=sys.stderr,
        )


class BookOrder(NamedTuple):
    """Which puzzles a book has.

    Attributes:
        recipe: the recipe, with the files that have more puzzles if it is a `LocalRecipe`.
        specs: the puzzles to generate, in sets.
        exclude: files with puzzles of which none in the book may be a twin.
    """

    recipe: BookRecipe
    specs: list[GenerationSpec]
    exclude: Sequence[str] = ()


def puzzles_of(
    order: BookOrder,
    workers: int,
    meter: Meter | None,
    on_puzzle: Callable[[int], object],
    seconds: float | None = None,
) -> list[GradedItem]:
    """Return the puzzles of a book, each solved and graded.

    Raises:
        BinairoError: a file can't be read, or a puzzle is too large, not found or not proper.
    """
    state = GenerationState(digests=digests_of(order.exclude))
    entries = _own(order, state.digests)
    own = len(entries)
    for number, spec in enumerate(order.specs, 1):
        # Puzzles of all sets are distinct, so the sets share what is known of earlier ones.
        state.done = {}
        for generated in generated_puzzles(spec, workers, state, None, meter, seconds):
            entries.append(Entry(generated.puzzle, id=generated.id))
            on_puzzle(len(entries) - own)
        if state.error:
            raise GenerationError(f"puzzles[{number}]: {state.error}")
    return _graded(list(_solved(entries)))


def _own(order: BookOrder, digests: set[bytes]) -> list[Entry]:
    """The puzzles of the files in the recipe, which are added to the digests."""
    entries: list[Entry] = []
    places: dict[bytes, str] = {}
    cells = 0
    for own in order.recipe.own if isinstance(order.recipe, LocalRecipe) else ():
        for entry in read_sources([own.file], default_rules=own.stated_rules):
            if entry.puzzle is None:
                raise entry.error or PuzzleError(f"{own.file}: no puzzle")
            board = entry.puzzle.board
            digest, place = canonical_digest(entry.puzzle), f"{entry.source}:{entry.line}"
            if digest in digests:
                other = places.get(digest, "an excluded puzzle")
                raise PuzzleError(
                    f"{place}: {entry.id}: the same puzzle as {other}, or a rotation, reflection "
                    "or symbol swap of it; expected it once"
                )
            digests.add(digest)
            places[digest] = place
            entries.append(entry)
            cells += len(board.cells)
            if max(board.height, board.width) > LONGEST_SIDE:
                raise SourceError(own.file, f"{entry.id}: expected sides of at most {LONGEST_SIDE}")
            try:
                check_bounds(len(entries), cells)
            except ValueError as error:
                raise SourceError(own.file, str(error)) from error
    return entries


def _solved(entries: list[Entry]) -> Iterator[Item]:
    """The puzzles with their solutions; each is solved, which checks that it has only one."""
    problems: list[str] = []

    def add(_verdict: Verdict, entry: Entry, reason: object) -> None:
        problems.append(f"{entry.source}:{entry.line}: {entry.id}: {reason}")

    yield from prepare(entries, PreparationOptions(solved=True), OutputSummary(on_problem=add))
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
