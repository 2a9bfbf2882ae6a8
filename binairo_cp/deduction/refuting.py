"""Why a puzzle has no solution: the steps that lead from its clues to a broken rule.

The techniques fill cells until a rule breaks, and lemmas where no technique finds more. Then a
search for a short path keeps only the steps that the broken rule needs.
"""

from __future__ import annotations

from dataclasses import dataclass

from binairo_cp.deduction import contradiction
from binairo_cp.deduction.driver import DIRECT
from binairo_cp.deduction.lemmas import Lemmas
from binairo_cp.deduction.position import BrokenRule, Position
from binairo_cp.deduction.shortest_chain import (
    FOLLOWED,
    Clock,
    Given,
    length_of,
    needed_steps,
    shortest_ending,
)
from binairo_cp.deduction.steps import Step
from binairo_cp.puzzle.board import OPEN
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.solving.backends import Meter

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
    start = position = Position(puzzle, puzzle.board)
    lemmas, given, steps = Lemmas(puzzle, meter), list[Given](), list[Step]()
    broken = next(position.faults(), position.unequal_totals())
    while not broken and (waiting := _easiest(position, lemmas, meter.check_clock)):
        for step in waiting:
            board = position.board
            if step.technique not in _ALWAYS_FOUND:
                given.append(({cell: board[cell] for cell in step.reason}, step))
            step = step.only({cell for cell in step.values if board[cell] == OPEN})
            if step.values:
                steps.append(step)
                position = position.with_values(step.values)
                faults = position.faults(position.numbers_of(step.values))
                broken = next(faults, None) or lemmas.wrong(position) or position.unequal_totals()
            if broken:
                break
    if broken is None:
        return Refutation(tuple(lemmas.placed(steps)), None)
    if not steps:
        return Refutation((), broken)
    found = needed_steps(steps, broken), broken
    shorter = shortest_ending(start, {}, meter.check_clock, given, _MOST_SEARCHES) or found
    return Refutation(*lemmas.placed_ending(*min(found, shorter, key=length_of)))


def _easiest(position: Position, lemmas: Lemmas, check_clock: Clock) -> list[Step]:
    """The steps of the easiest technique that finds any; only one of a trial."""
    if steps := list(lemmas.uses(position)):
        return steps
    for technique in DIRECT:
        check_clock()
        if steps := list(technique.steps(position, check_clock)):
            return steps
    shortest = contradiction.shortest(
        position, check_clock, _MOST_COMPARED, _MOST_SEARCHES_OF_CHAINS
    )
    return [shortest] if shortest else lemmas.steps(position)[-1:]
