"""What if: a value is tried, and what follows contradicts the rules; so it is the other one.

Of all that can be refuted, what needs the fewest rounds is shown: that is found first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from binairo_cp.board import OPEN, Cell
from binairo_cp.deduction.position import Position, Values
from binairo_cp.deduction.steps import Step
from binairo_cp.deduction.strip import opposite

if TYPE_CHECKING:
    from binairo_cp.deduction.driver import Clock, Way

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


def steps(position: Position, check_clock: Clock, ways: tuple[Way, ...]) -> Iterator[Step]:
    """The values that are refuted in the fewest rounds, each as a step."""
    shortest = _MOST_ROUNDS
    shown: list[tuple[Cell, str, Refuted]] = []
    for cell, value in _trials(position):
        check_clock()
        refuted = follow(position.with_values({cell: value}), [cell], ways, shortest)[1]
        if refuted and refuted.rounds < shortest:
            shortest, shown = refuted.rounds, []
        if refuted:
            shown.append((cell, value, refuted))
    for cell, value, refuted in shown:
        sentence = (
            f"If {cell} were {value}, {_afterwards(refuted.rounds)}{refuted.fault}; so it is "
        )
        yield Step(
            "contradiction",
            "expert",
            {cell: opposite(value)},
            "",
            (),
            f"{sentence}{opposite(value)}.",
        )


def nested(position: Position, check_clock: Clock, ways: tuple[Way, ...]) -> Iterator[Step]:
    """The first value that is refuted if values may be tried on the way too."""
    for cell, value in _trials(position):
        after, refuted = follow(position.with_values({cell: value}), [cell], ways, _MOST_ROUNDS)
        tried = 0
        while not refuted and (found := _one_refuted(after, check_clock, ways)):
            tried += 1
            after, refuted = follow(after.with_values(found), list(found), ways, _MOST_ROUNDS)
        if refuted and tried:
            sentence = (
                f"If {cell} were {value}, then by trying other cells in turn, {tried} of them, "
                f"{refuted.fault}; so it is {opposite(value)}."
            )
            yield Step(
                "nested contradiction",
                "beyond logic",
                {cell: opposite(value)},
                "",
                (),
                sentence,
            )
            return


def _one_refuted(position: Position, check_clock: Clock, ways: tuple[Way, ...]) -> Values:
    """A cell that can have one value only, if trying shows one."""
    for cell, value in _trials(position):
        check_clock()
        if follow(position.with_values({cell: value}), [cell], ways, _MOST_ROUNDS)[1]:
            return {cell: opposite(value)}
    return {}


def follow(
    position: Position, changed: list[Cell], ways: tuple[Way, ...], most: int
) -> tuple[Position, Refuted | None]:
    """Go on by easy techniques until a rule is broken or nothing follows, for so many rounds."""
    from binairo_cp.deduction.driver import Contradictory, next_round

    for rounds in range(most + 1):
        for fault in position.faults(position.lines_of(changed)):
            return position, Refuted(rounds, fault)
        if rounds == most:
            break
        try:
            shown = next_round(position, ways)
        except Contradictory as error:
            return position, Refuted(rounds + 1, str(error))
        values = {cell: value for step in shown for cell, value in step.values.items()}
        if not values:
            break
        position, changed = position.with_values(values), list(values)
    return position, None


def _trials(position: Position) -> Iterator[tuple[Cell, str]]:
    board = position.board
    for place, value in enumerate(board.cells):
        if value == OPEN:
            for tried in "01":
                yield board.cell(place), tried


def _afterwards(rounds: int) -> str:
    if not rounds:
        return ""
    return f"then after {rounds} round{'s' * (rounds != 1)} of what follows, "
