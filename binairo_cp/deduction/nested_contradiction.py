"""Trials within a trial: a value is refuted after others are.

The values refuted on the way are easy ones. A chain proves each of those that it needs once, and
uses it from then on.
"""

from __future__ import annotations

from collections.abc import Iterator

from binairo_cp.deduction.contradiction import against, follow, instead, refuted, trials
from binairo_cp.deduction.position import Position
from binairo_cp.deduction.shortest_chain import Clock, Given, length, shortest_ending
from binairo_cp.deduction.steps import Chain, Step, refutation
from binairo_cp.deduction.techniques import Technique
from binairo_cp.deduction.wording import Number
from binairo_cp.puzzle.board import Cell

NESTED = Technique("nested contradiction", "beyond logic")

_MOST_COMPARED = 8
"""Of so many values that are refuted, one is shown. With more, chains get a little shorter."""

_Tried = tuple[Cell, str]


def nested(position: Position, check_clock: Clock) -> Iterator[Step]:
    """Yield a step for a value that is refuted with further trials in between.

    Of the first few such values, it is the one with the shortest chain.

    Args:
        position: A position where no other technique finds anything.
        check_clock: Is called before each trial, and may raise.
    """
    chains, most = list[Chain](), len(position.board.cells)
    hopeless: set[_Tried] = set()
    for tried in trials(position):
        if tried in hopeless:
            continue
        after = follow(position, dict([tried])).position
        wrong = _wrong_before(after, most, check_clock)
        if wrong is None:
            # Fewer values follow from those that follow from this one.
            hopeless.update(after.board.clues())
            continue
        given = [_given(before, *value, check_clock) for before, value in wrong]
        if ending := shortest_ending(position, dict([tried]), check_clock, given):
            chains.append(Chain(*tried, *ending))
            most = min(most, sum(step.chain is not None for step in chains[-1].steps))
        if len(chains) == _MOST_COMPARED:
            break
    if chains:
        best = min(chains, key=length)
        others = sum(step.chain is not None for step in best.steps)
        yield refutation(NESTED, best, instead(best.cell, best.value), others=Number(others))


def _wrong_before(
    after: Position, most: int, check_clock: Clock
) -> list[tuple[Position, _Tried]] | None:
    """Values whose refutation leads to a broken rule, easy ones first, each with its position.

    None if that takes more than `most` values, or if no rule is broken.
    """
    wrong: list[tuple[Position, _Tried]] = []
    while len(wrong) < most:
        _, easiest = refuted(after, check_clock)
        if not easiest:
            return None
        wrong.append((after, easiest[0]))
        after, rounds = follow(after, instead(*easiest[0]))
        if rounds is not None:
            return wrong
    return None


def _given(position: Position, cell: Cell, value: str, check_clock: Clock) -> Given:
    """The step that refutes a value, and the values that it follows from."""
    step = against(position, cell, value, check_clock)
    return {known: position.board[known] for known in step.reason}, step
