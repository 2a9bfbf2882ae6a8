"""What if: a value is tried, and what follows contradicts the rules; so it is the other one.

What follows is found by the techniques up to level medium for lines. Of all that can be refuted,
what needs the fewest rounds is shown: that is found first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from binairo_cp.deduction.position import Position, Values
from binairo_cp.deduction.steps import Step
from binairo_cp.deduction.strip import opposite
from binairo_cp.deduction.techniques import LINE_TECHNIQUES, found
from binairo_cp.puzzle.board import OPEN, Cell

Clock = Callable[[], None]

FOLLOWED = tuple(
    technique for technique in LINE_TECHNIQUES if technique.level in ("beginner", "easy", "medium")
)
"""The techniques by which a person follows what a tried value leads to."""

_MOST_ROUNDS = 1_000


@dataclass(frozen=True, slots=True)
class Refuted:
    """A value that leads to a contradiction.

    Attributes:
        rounds: how many rounds it took to see.
        fault: what is broken in the end.
    """

    rounds: int
    fault: str


def steps(position: Position, check_clock: Clock) -> Iterator[Step]:
    """The values that are refuted in the fewest rounds, each as a step.

    Args:
        position: one where `FOLLOWED` shows nothing.
        check_clock: is called with each value, and may raise.
    """
    shortest = _MOST_ROUNDS
    shown: list[tuple[Cell, str, Refuted]] = []
    for cell, value in _trials(position):
        check_clock()
        refuted = follow(position, {cell: value}, shortest)[1]
        if refuted and refuted.rounds < shortest:
            shortest, shown = refuted.rounds, []
        if refuted:
            shown.append((cell, value, refuted))
    for cell, value, refuted in shown:
        leads = f"If {cell} were {value}, {_afterwards(refuted.rounds)}{refuted.fault}"
        sentence = f"{leads}; so it is {opposite(value)}."
        yield Step("contradiction", "expert", {cell: opposite(value)}, "", (), sentence)


def nested(position: Position, check_clock: Clock) -> Iterator[Step]:
    """The first value that is refuted if values may be tried on the way too."""
    for cell, value in _trials(position):
        after, refuted = follow(position, {cell: value})
        tried = 0
        while not refuted and (forced := _one_forced(after, check_clock)):
            tried += 1
            after, refuted = follow(after, forced)
        if refuted and tried:
            sentence = (
                f"If {cell} were {value}, then by trying other cells in turn, {tried} of them, "
                f"{refuted.fault}; so it is {opposite(value)}."
            )
            name = "nested contradiction"
            yield Step(name, "beyond logic", {cell: opposite(value)}, "", (), sentence)
            return


def _one_forced(position: Position, check_clock: Clock) -> Values:
    """A cell that can have one value only, if trying shows one."""
    for cell, value in _trials(position):
        check_clock()
        if follow(position, {cell: value})[1]:
            return {cell: opposite(value)}
    return {}


def follow(
    position: Position, values: Values, most: int = _MOST_ROUNDS
) -> tuple[Position, Refuted | None]:
    """Fill cells and go on until a rule is broken or nothing follows, for so many rounds.

    Only lines in which something was filled are looked at, since the others show nothing.
    """
    waiting: dict[str, set[int]] = {technique.name: set() for technique in FOLLOWED}
    rounds = 0
    while True:
        position = position.with_values(values)
        changed = position.numbers_of(values)
        for fault in position.faults(changed):
            return position, Refuted(rounds, fault)
        if rounds == most:
            return position, None
        for lines in waiting.values():
            lines.update(changed)
        rounds += 1
        values, clash = _next(position, waiting)
        if clash:
            return position, Refuted(rounds, f"{clash} would have to be both 0 and 1")
        if not values:
            return position, None


def _next(position: Position, waiting: dict[str, set[int]]) -> tuple[Values, Cell | None]:
    """What the cheapest technique shows that shows anything, and a cell with two values."""
    for technique in FOLLOWED:
        values: Values = {}
        for number in sorted(waiting[technique.name]):
            line = position.lines[number]
            for deduced in found(technique.find, line.strip):
                for place, value in zip(deduced.places, deduced.values, strict=True):
                    cell = line.cell(place)
                    if values.setdefault(cell, value) != value:
                        return {}, cell
        waiting[technique.name].clear()
        if values:
            return values, None
    return {}, None


def _trials(position: Position) -> Iterable[tuple[Cell, str]]:
    board = position.board
    for place, value in enumerate(board.cells):
        if value == OPEN:
            for tried in "01":
                yield board.cell(place), tried


def _afterwards(rounds: int) -> str:
    if not rounds:
        return ""
    return f"then after {rounds} round{'s' * (rounds != 1)} of what follows, "
