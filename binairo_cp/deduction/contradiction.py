"""Proof by contradiction: try a value, and exclude it if its consequences break a rule.

The consequences are found by the techniques for one line up to level medium. Among all values that
can be refuted, only those with the fewest rounds become steps, as these are the easiest to find.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from binairo_cp.deduction.position import Position, Values
from binairo_cp.deduction.steps import Step
from binairo_cp.deduction.strip import opposite
from binairo_cp.deduction.techniques import LINE_TECHNIQUES, deductions
from binairo_cp.deduction.wording import cardinal
from binairo_cp.puzzle.board import OPEN, Cell

Clock = Callable[[], None]

FOLLOWED = tuple(
    technique for technique in LINE_TECHNIQUES if technique.level in ("beginner", "easy", "medium")
)
"""The techniques that follow up on a tried value."""

_MAX_ROUNDS = 1_000


@dataclass(frozen=True, slots=True)
class Refutation:
    """Why a value leads to a contradiction.

    Attributes:
        rounds: The number of rounds until the contradiction.
        fault: A description of the rule that is broken.
    """

    rounds: int
    fault: str


def steps(position: Position, check_clock: Clock) -> Iterator[Step]:
    """Yield a step for each value that is refuted in the fewest rounds.

    Args:
        position: A position where the techniques of `FOLLOWED` find nothing.
        check_clock: Is called before each trial, and may raise.
    """
    shortest = _MAX_ROUNDS
    easiest: list[tuple[Cell, str, Refutation]] = []
    for cell, value in _trials(position):
        check_clock()
        refutation = follow(position, {cell: value}, shortest)[1]
        if refutation and refutation.rounds < shortest:
            shortest, easiest = refutation.rounds, []
        if refutation:
            easiest.append((cell, value, refutation))
    for cell, value, refutation in easiest:
        consequence = f"{_after(refutation.rounds)}{refutation.fault}"
        sentence = f"If {cell} were {value}, {consequence}, so {cell} is {opposite(value)}."
        yield Step("contradiction", "expert", {cell: opposite(value)}, "", (), sentence)


def nested(position: Position, check_clock: Clock) -> Iterator[Step]:
    """Yield a step for the first value that is refuted with further trials in between."""
    for cell, value in _trials(position):
        after, refutation = follow(position, {cell: value})
        tried = 0
        while not refutation and (forced := _one_forced(after, check_clock)):
            tried += 1
            after, refutation = follow(after, forced)
        if refutation and tried:
            others = f"{cardinal(tried)} other cell{'s' * (tried != 1)}"
            sentence = (
                f"If {cell} were {value}, then after deciding {others} by contradiction, "
                f"{refutation.fault}, so {cell} is {opposite(value)}."
            )
            name = "nested contradiction"
            yield Step(name, "beyond logic", {cell: opposite(value)}, "", (), sentence)
            return


def _one_forced(position: Position, check_clock: Clock) -> Values:
    """Find a cell of which one value can be refuted, with its other value; empty if none."""
    for cell, value in _trials(position):
        check_clock()
        if follow(position, {cell: value})[1]:
            return {cell: opposite(value)}
    return {}


def follow(
    position: Position, values: Values, most: int = _MAX_ROUNDS
) -> tuple[Position, Refutation | None]:
    """Fill cells and apply the techniques until a rule is broken or nothing follows.

    Only lines with new values are examined, since nothing follows in the others.

    Args:
        position: Where to start.
        values: The cells to fill.
        most: Maximum number of rounds.

    Returns:
        The last position, and the contradiction if there is one.
    """
    waiting: dict[str, set[int]] = {technique.name: set() for technique in FOLLOWED}
    rounds = 0
    while True:
        position = position.with_values(values)
        changed = position.numbers_of(values)
        for fault in position.faults(changed):
            return position, Refutation(rounds, fault)
        if rounds == most:
            return position, None
        for lines in waiting.values():
            lines.update(changed)
        rounds += 1
        values, clash = _next(position, waiting)
        if clash:
            return position, Refutation(rounds, f"{clash} would have to be both 0 and 1")
        if not values:
            return position, None


def _next(position: Position, waiting: dict[str, set[int]]) -> tuple[Values, Cell | None]:
    """Apply the easiest technique that finds anything.

    Returns:
        The values that it finds, and a cell that would get two values if there is one.
    """
    for technique in FOLLOWED:
        values: Values = {}
        for number in sorted(waiting[technique.name]):
            line = position.lines[number]
            for deduction in deductions(technique.find, line.strip):
                for place, value in zip(deduction.places, deduction.values, strict=True):
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


def _after(rounds: int) -> str:
    if not rounds:
        return ""
    return f"then after {cardinal(rounds)} round{'s' * (rounds != 1)} of deductions "
