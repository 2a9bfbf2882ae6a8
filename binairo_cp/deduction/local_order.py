"""A path that stays local: of all steps that are equally easy, the next is near the last ones.

A person who has filled a cell looks next at what it opened. So the next step is the nearest that
an easy technique finds, not the first of one technique all over the board. Only techniques of the
usual path are used, so no step is harder than the grade, which stays the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from binairo_cp.deduction.contradiction import Clock
from binairo_cp.deduction.driver import (
    TECHNIQUES,
    BoardTechnique,
    Contradictory,
    next_round,
    rounds,
)
from binairo_cp.deduction.position import Position
from binairo_cp.deduction.steps import Step
from binairo_cp.puzzle.board import Board, Cell
from binairo_cp.puzzle.rules import Puzzle

_TRIALS = ("sign chain", "contradiction", "nested contradiction")
_SIMPLE = ("beginner", "easy", "medium")
"""Levels that a person uses side by side: a count here comes before a pair at the other end."""


def local_rounds(puzzle: Puzzle, board: Board, check_clock: Clock) -> Iterator[list[Step]]:
    """Yield the path from a board, a step at a time; trials of a round come together.

    Args:
        puzzle: The puzzle.
        board: The cells known so far.
        check_clock: Is called regularly, and may raise.

    Raises:
        Contradictory: There is no solution.
    """
    usual = rounds(puzzle, board, check_clock=check_clock)
    used = {step.technique for steps in usual for step in steps}
    # Where other cells are filled first, another technique may be needed; this is rare.
    groups = _groups([each for each in TECHNIQUES if each.name in used]) + _groups(TECHNIQUES)
    position, last = Position(puzzle, board), tuple[Cell, ...]()
    while True:
        for fault in position.faults():
            raise Contradictory(fault.sentence)
        steps = _easiest(position, groups, check_clock)
        if not steps:
            return
        # To look for trials takes long, so all that were found are shown.
        taken = near(steps, last)[: None if steps[0].chain else 1]
        yield taken
        position = position.with_values({c: v for step in taken for c, v in step.values.items()})
        last = tuple(taken[-1].values)


def near(steps: Iterable[Step], last: tuple[Cell, ...]) -> list[Step]:
    """Order the steps of a round: next is always the one nearest to the cells filled last."""
    left, ordered = list(steps), []
    while left:
        nearest = min(left, key=lambda step: distance(last, step)) if last else left[0]
        left.remove(nearest)
        ordered.append(nearest)
        last = tuple(nearest.values)
    return ordered


def distance(last: tuple[Cell, ...], step: Step) -> int:
    """The rows and columns between the nearest of the cells filled last and of a step's cells."""
    return min(
        abs(one.row - other.row) + abs(one.column - other.column)
        for one in last
        for other in step.values
    )


def _groups(techniques: Iterable[BoardTechnique]) -> list[list[BoardTechnique]]:
    """Techniques that are used side by side, the easiest first; each trial is alone."""

    def group(technique: BoardTechnique) -> str:
        is_trial = technique.name in _TRIALS
        return technique.name if is_trial else str(technique.level in _SIMPLE)

    return [list(each) for _, each in groupby(techniques, group)]


def _easiest(
    position: Position, groups: list[list[BoardTechnique]], check_clock: Clock
) -> list[Step]:
    """The steps of the easiest techniques that find any."""
    for techniques in groups:
        found = (next_round(position, (each,), check_clock) for each in techniques)
        if steps := [step for each in found for step in each]:
            return steps
    return []
