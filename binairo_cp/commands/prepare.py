"""Solve and grade the puzzles to draw, as far as a picture needs it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np

from binairo_cp.commands.encode import Done
from binairo_cp.errors import BinairoError, BudgetExceeded
from binairo_cp.formats import Entry
from binairo_cp.puzzle.board import Board
from binairo_cp.puzzle.verification import LONGEST
from binairo_cp.rendering.items import NOT_UNIQUE, Item
from binairo_cp.solving import solutions
from binairo_cp.solving.backends import Budget, Meter
from binairo_cp.solving.solutions import Verdict

_TOGETHER = 1_000
"""How many puzzles are solved together."""

_WORTH_LOADING = 20_000
"""So many cells are worth the time that loading the bitboard takes."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What must be known of puzzles before they are drawn.

    Attributes:
        solved: their solutions, and whether these are the only ones.
        graded: their grades.
        marked: puzzles without exactly one solution are drawn too, and marked; else left out.
        time_limit: in seconds, for each puzzle; None for no bound.
    """

    solved: bool = False
    graded: bool = False
    marked: bool = False
    time_limit: float | None = None


def prepare(entries: Iterable[Entry], wanted: Wanted, done: Done) -> Iterator[Item]:
    """Solve and grade what is wanted; what can't be drawn is told, and the others go on."""
    entries = iter(entries)
    while batch := list(islice(entries, _TOGETHER)):
        for prepared in _prepared(batch, wanted):
            if isinstance(prepared, Item):
                yield prepared
            else:
                done.add_problem(*prepared)


Problem = tuple[Verdict, Entry, object]


def _prepared(batch: list[Entry], wanted: Wanted) -> Iterator[Item | Problem]:
    """The puzzles of a batch in order, or why they are not drawn."""
    items = {k: Item(e.puzzle, e.id or "", e) for k, e in enumerate(batch) if e.puzzle}
    if wanted.solved:
        _solve_together(items)
    if wanted.graded:
        _grade_together(items)
    for place, entry in enumerate(batch):
        if place not in items:
            yield Verdict.INVALID, entry, entry.error or "no puzzle"
            continue
        try:
            yield _finished(items[place], wanted)
        except BudgetExceeded:
            yield Verdict.UNKNOWN, entry, "was not graded in the time allowed"
        except _NotUnique as error:
            yield error.verdict, entry, error
        except BinairoError as error:
            yield Verdict.INVALID, entry, error


class _NotUnique(Exception):
    def __init__(self, verdict: Verdict) -> None:
        self.verdict = verdict

    def __str__(self) -> str:
        if self.verdict is Verdict.UNKNOWN:
            return "was not decided in the time allowed"
        return f"has {NOT_UNIQUE[self.verdict]}"


def _finished(item: Item, wanted: Wanted) -> Item:
    """An item with all that is wanted of it.

    Raises:
        _NotUnique: it has not exactly one solution, and is not to be marked.
        BudgetExceeded: there was no time for its grade.
    """
    meter = Meter(Budget(wanted.time_limit))
    if wanted.solved and item.verdict is None:
        outcome = solutions.check(item.puzzle, time_limit=meter.seconds_left, reasons="none")
        item = replace(item, verdict=outcome.verdict, solution=outcome.solution)
    if item.note and not wanted.marked:
        raise _NotUnique(item.verdict or Verdict.UNKNOWN)
    if item.verdict is not Verdict.UNIQUE:
        return replace(item, level=None, seconds=meter.seconds_left)
    if wanted.graded and item.level is None:
        # Imported here, since few pictures are graded.
        from binairo_cp.deduction.grading import grade

        found = grade(item.puzzle, meter)
        item = replace(item, level=found.level)
    return replace(item, seconds=meter.seconds_left)


def _solve_together(items: dict[int, Item]) -> None:
    """Decide the ordinary puzzles by one call for each shape; others are left as they are."""
    if sum(len(item.puzzle.board.cells) for item in items.values()) < _WORTH_LOADING:
        return
    # Imported here, since it loads the bitboard.
    from binairo_cp.solving.many import decide

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
    """Grade ordinary puzzles that are unique by one call for each shape, as far as that goes."""
    from binairo_cp.deduction.grading import levels_plain

    unique = {k: item for k, item in items.items() if item.verdict is Verdict.UNIQUE}
    for places in _shapes(unique):
        try:
            levels = levels_plain([items[place].puzzle for place in places])
        except ImportError:
            # Without numba they are graded one by one.
            return
        for place, level in zip(places, levels, strict=True):
            items[place] = replace(items[place], level=level)


def _shapes(items: dict[int, Item]) -> list[list[int]]:
    """The places of the ordinary puzzles, those of one shape and rules together."""
    shapes: dict[object, list[int]] = defaultdict(list)
    for place, item in items.items():
        board = item.puzzle.board
        if not item.puzzle.signs and max(board.height, board.width) <= LONGEST:
            shapes[board.height, board.width, item.puzzle.rules].append(place)
    return list(shapes.values())
