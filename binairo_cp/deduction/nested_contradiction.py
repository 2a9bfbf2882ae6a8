"""Trials within a trial: a value is refuted after others are.

The values refuted on the way are easy ones, none of which can be left out. So a chain proves each
of them once, and uses it from then on.
"""

from __future__ import annotations

from collections.abc import Iterator

from binairo_cp.deduction.contradiction import (
    against,
    follow,
    instead,
    is_refuted,
    refuted,
    trials,
)
from binairo_cp.deduction.position import Position
from binairo_cp.deduction.shortest_chain import FOLLOWED, Clock, chain_of, length
from binairo_cp.deduction.steps import Chain, Step, refutation, step_of
from binairo_cp.deduction.techniques import Technique, deductions
from binairo_cp.deduction.wording import Number
from binairo_cp.puzzle.board import OPEN, Cell

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
    best, most, compared = None, len(position.board.cells), 0
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
        wrong = _needed(position, tried, wrong, check_clock)
        chain = _chain(position, tried, wrong, check_clock)
        best, most = min(best or chain, chain, key=length), min(most, len(wrong))
        compared += 1
        if compared == _MOST_COMPARED:
            break
    if best:
        others = sum(step.chain is not None for step in best.steps)
        yield refutation(NESTED, best, instead(best.cell, best.value), others=Number(others))


def _wrong_before(after: Position, most: int, check_clock: Clock) -> list[_Tried] | None:
    """Values whose refutation leads to a broken rule, easy ones first.

    None if that takes more than `most` values, or if no rule is broken.
    """
    wrong: list[_Tried] = []
    while len(wrong) < most:
        _, easiest = refuted(after, check_clock)
        if not easiest:
            return None
        wrong.append(easiest[0])
        after, rounds = follow(after, instead(*easiest[0]))
        if rounds is not None:
            return wrong
    return None


def _needed(
    position: Position, tried: _Tried, wrong: list[_Tried], check_clock: Clock
) -> list[_Tried]:
    """Those of some values without which the others don't lead to a broken rule."""
    for trial in reversed(wrong[:-1]):
        check_clock()
        rest = [other for other in wrong if other != trial]
        if _are_enough(position, tried, rest):
            wrong = rest
    return wrong


def _are_enough(position: Position, tried: _Tried, wrong: list[_Tried]) -> bool:
    """Whether each of some values is refuted after those before it, and then the tried one."""
    after, rounds = follow(position, dict([tried]))
    for cell, value in wrong:
        if rounds is None and after.board[cell] == OPEN:
            if not is_refuted(after, cell, value):
                return False
            after, rounds = follow(after, instead(cell, value))
    return rounds is not None


def _chain(position: Position, tried: _Tried, wrong: list[_Tried], check_clock: Clock) -> Chain:
    """The chain that refutes a value after some others are refuted."""
    trail = _Trail(position, *tried)
    chain = trail.follow()
    for cell, value in wrong:
        if chain is None and trail.position.board[cell] == OPEN:
            chain = trail.add(against(trail.position, cell, value, check_clock)) or trail.follow()
    if chain is None:
        raise ValueError(f"{tried} is not refuted")
    return chain


class _Trail:
    """What the easiest technique finds again and again after a value is tried.

    Attributes:
        steps: The steps so far, also those that no fault needs.
    """

    def __init__(self, position: Position, cell: Cell, value: str) -> None:
        self.position = position.with_values({cell: value})
        self.steps: list[Step] = []
        self._tried = (cell, value)
        self._lines = {*position.numbers_of([cell])}

    def follow(self) -> Chain | None:
        """Follow up until a rule is broken; None if nothing more follows before."""
        while steps := self._easiest():
            for step in steps:
                if chain := self.add(step):
                    return chain
        return None

    def _easiest(self) -> list[Step]:
        """The steps of the easiest technique that finds any."""
        lines = [self.position.lines[number] for number in sorted(self._lines)]
        for technique in FOLLOWED:
            steps = [
                step_of(technique, line, deduction)
                for line in lines
                for deduction in deductions(technique.find, line.strip)
            ]
            if steps:
                return steps
        return []

    def add(self, step: Step) -> Chain | None:
        """Add a step with its open cells; return the chain to a fault if it breaks a rule."""
        board = self.position.board
        step = step.only({cell for cell in step.values if board[cell] == OPEN})
        if not step.values:
            return None
        self.steps.append(step)
        self.position = self.position.with_values(step.values)
        numbers = self.position.numbers_of(step.values)
        self._lines.update(numbers)
        for fault in self.position.faults(numbers):
            return chain_of(*self._tried, self.steps, fault)
        return None
