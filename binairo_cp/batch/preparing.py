"""Solve and grade puzzles before they are drawn."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np

from binairo_cp.batch.output_summary import OutputSummary
from binairo_cp.errors import BinairoError, BudgetExceeded
from binairo_cp.formats import Entry
from binairo_cp.puzzle.board import Board
from binairo_cp.puzzle.verification import LONGEST
from binairo_cp.rendering.items import NOT_UNIQUE, Item
from binairo_cp.solving import solutions
from binairo_cp.solving.backends import Budget, Meter
from binairo_cp.solving.many import decide
from binairo_cp.solving.solutions import Verdict

_TOGETHER = 1_000
"""Number of puzzles that are solved together."""


@dataclass(frozen=True, slots=True)
class PreparationOptions:
    """What to compute for each puzzle before it is drawn.

    Attributes:
        solved: solve it and check that the solution is unique.
        graded: grade it.
        marked: draw puzzles without exactly one solution too, with a mark; otherwise skip them.
        time_limit: seconds per puzzle; None for no limit.
    """

    solved: bool = False
    graded: bool = False
    marked: bool = False
    time_limit: float | None = None


def prepare(
    entries: Iterable[Entry], options: PreparationOptions, summary: OutputSummary
) -> Iterator[Item]:
    """Solve and grade puzzles. Add those that can't be drawn to the summary and go on."""
    entries = iter(entries)
    while batch := list(islice(entries, _TOGETHER)):
        for prepared in _prepared(batch, options):
            if isinstance(prepared, Item):
                yield prepared
            else:
                summary.add_problem(*prepared)


Problem = tuple[Verdict, Entry, object]


def _prepared(batch: list[Entry], options: PreparationOptions) -> Iterator[Item | Problem]:
    """The puzzles of a batch in order, or the reasons not to draw them."""
    items = {k: Item(e.puzzle, e.id or "", e) for k, e in enumerate(batch) if e.puzzle}
    if options.solved:
        _solve_together(items)
    if options.graded:
        _grade_together(items)
    for place, entry in enumerate(batch):
        if place not in items:
            yield Verdict.INVALID, entry, entry.error or "no puzzle"
            continue
        try:
            yield _finished(items[place], options)
        except BudgetExceeded:
            yield Verdict.UNKNOWN, entry, "was not graded within the time limit"
        except _NotUnique as error:
            yield error.verdict, entry, error
        except BinairoError as error:
            yield Verdict.INVALID, entry, error


class _NotUnique(Exception):
    def __init__(self, verdict: Verdict) -> None:
        self.verdict = verdict

    def __str__(self) -> str:
        if self.verdict is Verdict.UNKNOWN:
            return "was not solved within the time limit"
        return f"has {NOT_UNIQUE[self.verdict]}"


def _finished(item: Item, options: PreparationOptions) -> Item:
    """The item with its solution and grade, as far as the options require them.

    Raises:
        _NotUnique: the puzzle does not have exactly one solution, and is not to be marked.
        BudgetExceeded: the time limit was reached while grading.
    """
    meter = Meter(Budget(options.time_limit))
    if options.solved and item.verdict is None:
        outcome = solutions.check(item.puzzle, time_limit=meter.seconds_left, reasons="none")
        item = replace(item, verdict=outcome.verdict, solution=outcome.solution)
    if item.note and not options.marked:
        raise _NotUnique(item.verdict or Verdict.UNKNOWN)
    if item.verdict is not Verdict.UNIQUE:
        return replace(item, level=None, seconds=meter.seconds_left)
    if options.graded and item.level is None:
        # Imported here because few pictures show grades.
        from binairo_cp.deduction.grading import grade

        item = replace(item, level=grade(item.puzzle, meter).level)
    return replace(item, seconds=meter.seconds_left)


def _solve_together(items: dict[int, Item]) -> None:
    """Decide plain puzzles with one call for each shape; leave the others undecided."""
    for places in _shapes(items):
        first = items[places[0]].puzzle
        height, width = first.board.height, first.board.width
        cells = "".join(items[place].puzzle.board.cells for place in places)
        clues = np.frombuffer(cells.encode(), np.uint8).reshape(-1, height, width)
        decided = decide(clues, first.rules, limit=2, kept=2)
        texts = decided.solutions[0].tobytes().decode()
        size = height * width
        for k in np.flatnonzero(decided.is_decided & (decided.found > 0)).tolist():
            verdict = Verdict.UNIQUE if decided.found[k] == 1 else Verdict.MULTIPLE
            board = Board(height, width, texts[k * size : (k + 1) * size])
            items[places[k]] = replace(items[places[k]], verdict=verdict, solution=board)


def _grade_together(items: dict[int, Item]) -> None:
    """Grade plain unique puzzles with one call for each shape; leave the others ungraded."""
    from binairo_cp.deduction.grading import levels_plain

    unique = {k: item for k, item in items.items() if item.verdict is Verdict.UNIQUE}
    for places in _shapes(unique):
        levels = levels_plain([items[place].puzzle for place in places])
        for place, level in zip(places, levels, strict=True):
            items[place] = replace(items[place], level=level)


def _shapes(items: dict[int, Item]) -> list[list[int]]:
    """The indices of plain puzzles, grouped by shape and rules.

    Plain puzzles have no signs and no sides longer than `LONGEST`.
    """
    shapes: dict[object, list[int]] = defaultdict(list)
    for place, item in items.items():
        board = item.puzzle.board
        if not item.puzzle.signs and max(board.height, board.width) <= LONGEST:
            shapes[board.height, board.width, item.puzzle.rules].append(place)
    return list(shapes.values())
