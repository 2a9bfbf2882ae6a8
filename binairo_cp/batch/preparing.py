"""Solve and grade puzzles before they are drawn."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice

from binairo_cp.batch.summaries import OutputSummary
from binairo_cp.deduction.styles import USUAL
from binairo_cp.errors import BinairoError, BudgetExceeded
from binairo_cp.formats import Entry
from binairo_cp.rendering.sheet import Item
from binairo_cp.rendering.texts import note
from binairo_cp.solving import solutions
from binairo_cp.solving.backends import Budget, Meter
from binairo_cp.solving.solutions import Verdict

_TOGETHER = 1_000
"""Number of puzzles that are solved together."""


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
    if options.solved and len(items) > 1:
        _solve_together(items, options.graded)
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
        return f"has {note(self.verdict.value, USUAL.language)}"


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
    if item.note() and not options.marked:
        raise _NotUnique(item.verdict or Verdict.UNKNOWN)
    if item.verdict is not Verdict.UNIQUE:
        return replace(item, level=None, seconds=meter.seconds_left)
    if options.graded and item.level is None:
        # Imported here because few pictures show grades.
        from binairo_cp.deduction.grading import grade

        item = replace(item, level=grade(item.puzzle, meter).level)
    return replace(item, seconds=meter.seconds_left)


def _solve_together(items: dict[int, Item], graded: bool) -> None:
    """Solve, and perhaps grade, plain puzzles in arrays; leave the others undecided."""
    # Imported here because it loads numpy, which a single puzzle does without.
    from binairo_cp.batch import columnar

    plan = columnar.Plan("check", limit=2, kept=2)
    each = ((place, item.puzzle) for place, item in items.items() if not item.puzzle.signs)
    boards = ((place, p.board.height, p.board.width, p.board.cells, p.rules) for place, p in each)
    for puzzles in columnar.by_shape(boards):
        group = columnar.decide(puzzles, plan)
        unique = []
        for place, outcome in zip(group.puzzles.lines.tolist(), group.outcomes(), strict=True):
            verdict, solution = outcome.verdict, outcome.solution
            items[place] = replace(items[place], verdict=verdict, solution=solution)
            if verdict is Verdict.UNIQUE:
                unique.append(place)
        if graded and unique:
            # Imported here because few pictures show grades.
            from binairo_cp.deduction.grading import levels_plain

            levels = levels_plain([items[place].puzzle for place in unique])
            for place, level in zip(unique, levels, strict=True):
                items[place] = replace(items[place], level=level)
