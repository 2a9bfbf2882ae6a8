"""Why a puzzle has no solution: the steps that lead from its clues to a broken rule.

The techniques fill cells until a rule breaks, and lemmas where no technique finds more. Then a
search for a short path keeps only the steps that the broken rule needs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from binairo_cp.deduction import contradiction
from binairo_cp.deduction.driver import TECHNIQUES
from binairo_cp.deduction.lemmas import Lemmas
from binairo_cp.deduction.position import BrokenRule, Position
from binairo_cp.deduction.shortest_chain import (
    FOLLOWED,
    Given,
    length_of,
    needed_steps,
    shortest_ending,
)
from binairo_cp.deduction.steps import Step
from binairo_cp.puzzle.board import OPEN
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.solving.backends import Meter

_DIRECT = TECHNIQUES[:-2]
_ALWAYS_FOUND = {technique.name for technique in FOLLOWED}

_MOST_COMPARED = 8
"""Of so many values that are refuted in the fewest rounds, the one with the shortest chain is
shown."""

_MOST_SEARCHES_OF_CHAINS = 2
_MOST_SEARCHES = 20
"""Maximum number of searches for a shorter path."""


@dataclass(frozen=True, slots=True)
class Refutation:
    """Steps from the clues of a puzzle without a solution.

    Attributes:
        steps: The steps: those that the broken rule needs, or all if none is broken.
        broken: The rule that they break; None if the search for lemmas reached its limit.
    """

    steps: tuple[Step, ...]
    broken: BrokenRule | None


def refute(puzzle: Puzzle, meter: Meter) -> Refutation:
    """Find the steps to a broken rule.

    Raises:
        BudgetExceeded: The time ran out.
    """
    path = _Path(puzzle, meter)
    path.extend()
    if path.broken is None:
        return Refutation(tuple(path.lemmas.placed(path.steps)), None)
    if not path.steps:
        return Refutation((), path.broken)
    start = Position(puzzle, puzzle.board)
    found = needed_steps(path.steps, path.broken), path.broken
    shorter = shortest_ending(start, {}, meter.check_clock, path.given, _MOST_SEARCHES) or found
    steps, broken = min(found, shorter, key=length_of)
    return Refutation(*path.lemmas.placed_ending(steps, broken))


class _Path:
    """What the easiest technique finds again and again, until a rule is broken.

    Attributes:
        position: The position after the steps.
        steps: The steps so far, also those that no fault needs.
        given: The steps that a search for the shortest ending does not find by itself.
        broken: The broken rule, if there is one.
        lemmas: The lemmas so far.
    """

    def __init__(self, puzzle: Puzzle, meter: Meter) -> None:
        self.position = Position(puzzle, puzzle.board)
        self.steps: list[Step] = []
        self.given: list[Given] = []
        self.broken = next(self.position.faults(), self.position.unequal_totals())
        self.lemmas = Lemmas(puzzle, meter)
        self._check_clock = meter.check_clock

    def extend(self) -> None:
        """Add steps until a rule is broken, or the search for lemmas reaches its limit."""
        while not self.broken and (steps := self._easiest()):
            for step in steps:
                self.add(step)
                if self.broken:
                    return

    def _easiest(self) -> list[Step]:
        """The steps of the easiest technique that finds any; only one of a trial."""
        if steps := list(self.lemmas.uses(self.position)):
            return steps
        for technique in _DIRECT:
            self._check_clock()
            if steps := list(technique.steps(self.position, self._check_clock)):
                return steps
        return list(self._contradiction()) or self.lemmas.steps(self.position)[-1:]

    def _contradiction(self) -> Iterator[Step]:
        _, wrong = contradiction.refuted(self.position, self._check_clock)
        steps = [
            contradiction.against(
                self.position, cell, value, self._check_clock, _MOST_SEARCHES_OF_CHAINS
            )
            for cell, value in wrong[:_MOST_COMPARED]
        ]
        if steps:
            yield min(steps, key=lambda step: step.size)

    def add(self, step: Step) -> None:
        """Add a step, with those of its cells that are open."""
        board = self.position.board
        if step.technique not in _ALWAYS_FOUND:
            self.given.append(({cell: board[cell] for cell in step.reason}, step))
        step = step.only({cell for cell in step.values if board[cell] == OPEN})
        if step.values:
            self.steps.append(step)
            self.position = self.position.with_values(step.values)
            faults = self.position.faults(self.position.numbers_of(step.values))
            self.broken = next(faults, None) or self._beyond_lines()

    def _beyond_lines(self) -> BrokenRule | None:
        return self.lemmas.wrong(self.position) or self.position.unequal_totals()
