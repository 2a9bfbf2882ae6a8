"""The puzzles of a book: generated or read, solved and graded."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from binairo_cp.batch.book_recipe import LONGEST_SIDE, check_bounds
from binairo_cp.batch.generating import digests_of
from binairo_cp.batch.preparing import PreparationOptions, prepare
from binairo_cp.batch.summaries import OutputSummary
from binairo_cp.deduction.grading import grade_each
from binairo_cp.deduction.styles import Style
from binairo_cp.errors import GenerationError, PuzzleError, SourceError
from binairo_cp.formats import Entry, read_sources
from binairo_cp.generation.runs import GenerationSpec, GenerationState, generated_puzzles
from binairo_cp.puzzle.rules import Rules
from binairo_cp.puzzle.twin_keys import canonical_digest
from binairo_cp.rendering.book import GradedItem
from binairo_cp.rendering.sheet import Item
from binairo_cp.solving.backends import Meter
from binairo_cp.solving.solutions import Verdict


class BookOrder(NamedTuple):
    """Which puzzles a book has.

    Attributes:
        specs: the puzzles to generate, in sets.
        own: files with more puzzles, and the rules of those that state none.
        style: the language, and how symbols are drawn.
        large: large print, as the option.
        left_handed: what the writing hand would cover is on the right.
        isbn: the number of the book; empty for none.
        exclude: files with puzzles of which none in the book may be a twin.
    """

    specs: list[GenerationSpec]
    own: list[tuple[str, Rules | None]]
    style: Style
    large: bool = False
    left_handed: bool = False
    imprint: Sequence[str] = ()
    isbn: str = ""
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
    entries += _generated(order.specs, workers, meter, on_puzzle, seconds, state)
    return _graded(list(_solved(entries)))


def _own(order: BookOrder, digests: set[bytes]) -> list[Entry]:
    """The puzzles of the files in the recipe, which are added to the digests.

    Raises:
        PuzzleError: two of them are twins, or one is a twin of an excluded puzzle.
    """
    entries: list[Entry] = []
    places: dict[bytes, str] = {}
    cells = 0
    for file, rules in order.own:
        for entry in read_sources([file], default_rules=rules):
            if entry.puzzle is None:
                raise entry.error or PuzzleError(f"{file}: no puzzle")
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
    seconds: float | None,
    state: GenerationState,
) -> list[Entry]:
    """New puzzles, which are no twins of those that the state knows."""
    entries: list[Entry] = []
    for number, spec in enumerate(specs, 1):
        # Puzzles of all sets are distinct, so the sets share what is known of earlier ones.
        state.done = {}
        for each in generated_puzzles(spec, workers, state, None, meter, seconds):
            entries.append(Entry(each.puzzle, id=each.id))
            on_puzzle(len(entries))
        if state.error:
            raise GenerationError(f"puzzles[{number}]: {state.error}")
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
