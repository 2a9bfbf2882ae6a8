"""The puzzles of a book: generated or read, solved, graded, and searched for steps to show."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from binairo_cp.batch.book_recipe import LONGEST_SIDE, check_bounds
from binairo_cp.batch.preparing import PreparationOptions, prepare
from binairo_cp.batch.summaries import OutputSummary
from binairo_cp.deduction import driver
from binairo_cp.deduction.grading import grade_each
from binairo_cp.deduction.steps import values_of
from binairo_cp.deduction.styles import Style
from binairo_cp.errors import GenerationError, PuzzleError, SourceError
from binairo_cp.formats import Entry, read_sources
from binairo_cp.generation.runs import GenerationSpec, GenerationState, generated_puzzles
from binairo_cp.puzzle.board import OPEN, filled
from binairo_cp.puzzle.rules import Puzzle, Rules
from binairo_cp.rendering.book import GradedItem, Section
from binairo_cp.rendering.sheet import Item, Panel
from binairo_cp.solving.backends import Meter
from binairo_cp.solving.solutions import Verdict

_STUDIED = 6
"""How many puzzles of a level are searched for steps that show a technique."""
_LONGEST_STUDIED = 14


class BookOrder(NamedTuple):
    """Which puzzles a book has.

    Attributes:
        specs: the puzzles to generate, in sets.
        own: files with more puzzles, and the rules of those that state none.
        example: a small puzzle with the rules of the first set, which is not in the book.
        style: what explanations call symbols and cells.
        large: large print, as the option.
        left_handed: what the writing hand would cover is on the right.
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


def puzzles_of(
    order: BookOrder, workers: int, meter: Meter | None, on_puzzle: Callable[[int], object]
) -> list[GradedItem]:
    """Return the puzzles of a book, each solved and graded.

    Raises:
        BinairoError: a file can't be read, or a puzzle is too large, not found or not proper.
    """
    entries = _own(order)
    entries += _generated(order.specs, workers, meter, on_puzzle)
    return _graded(list(_solved(entries)))


def _own(order: BookOrder) -> list[Entry]:
    """The puzzles of the files in the recipe."""
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
        state.done = {}
        for each in generated_puzzles(spec, workers, state, meter=meter):
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


def example_of(spec: GenerationSpec) -> Puzzle:
    """Generate the puzzle of the worked example."""
    state = GenerationState()
    found = [*generated_puzzles(spec, 1, state)]
    if not found:
        raise GenerationError(f"worked example: {state.error}")
    return found[0].puzzle


def techniques_of(parts: list[Section], style: Style) -> Iterator[tuple[int, Panel]]:
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
        board = filled(board, values_of(steps))
