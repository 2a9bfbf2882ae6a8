"""A path that stays local: of all steps that are equally easy, the next is near the last ones.

A person who has filled a cell looks next at what it opened. So the next step is the nearest that
an easy technique finds, not the first of one technique all over the board. Only techniques of the
usual path are used, so no step is harder than the grade, which stays the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby

from binairo_cp.deduction import contradiction
from binairo_cp.deduction.contradiction import CONTRADICTION, Clock
from binairo_cp.deduction.driver import (
    TECHNIQUES,
    BoardTechnique,
    Contradictory,
    next_round,
)
from binairo_cp.deduction.grading import grade
from binairo_cp.deduction.position import Position
from binairo_cp.deduction.steps import Step
from binairo_cp.puzzle.board import OPEN, Board, Cell
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.solving.backends import Meter

TRIALS = ("sign chain", "contradiction", "nested contradiction")
_SIMPLE = ("beginner", "easy", "medium")
"""Levels that a person uses side by side: a count here comes before a pair at the other end."""

_Group = list[BoardTechnique]


def local_rounds(puzzle: Puzzle, board: Board, meter: Meter) -> Iterator[list[Step]]:
    """Yield the path from a board, a step at a time.

    Raises:
        BudgetExceeded: The time ran out.
        Contradictory: There is no solution.
    """
    used = grade(replace(puzzle, board=board), meter).placed
    # A nested contradiction may be needed, and rarely another technique, where other cells are
    # filled first.
    groups = _groups(each for each in TECHNIQUES if each.name in used) + _groups(TECHNIQUES)
    for _, step in LocalWalk(Position(puzzle, board), (), meter.check_clock).steps(groups):
        if step:
            yield [step]


class LocalWalk:
    """A walk over a board, always to the nearest of the steps that are equally easy.

    Args:
        position: Where it starts.
        last: The cells filled last; none at the start of a puzzle.
        check_clock: Is called regularly, and may raise.
    """

    def __init__(self, position: Position, last: Iterable[Cell], check_clock: Clock) -> None:
        self._position, self._last, self._check_clock = position, tuple(last), check_clock
        self._refuted: list[tuple[Cell, str]] = []

    def by(self, techniques: Iterable[BoardTechnique]) -> Iterator[tuple[Position, Step | None]]:
        """Yield each position with the step taken there by some techniques; None at the end.

        Raises:
            Contradictory: A rule is broken, or a cell would get two values.
        """
        return self.steps(_groups(techniques))

    def steps(self, groups: list[_Group]) -> Iterator[tuple[Position, Step | None]]:
        """The same by groups of techniques that are used side by side, the easiest first."""
        while True:
            for fault in self._position.faults():
                raise Contradictory(fault.sentence)
            step = next(filter(None, map(self._nearest, groups)), None)
            yield self._position, step
            if not step:
                return
            self._position = self._position.with_values(step.values)
            self._last = tuple(step.values)

    def _nearest(self, group: _Group) -> Step | None:
        """The nearest step that the techniques of a group find."""
        if group[0].name == CONTRADICTION.name:
            return self._contradiction()
        found = (next_round(self._position, (each,), self._check_clock) for each in group)
        steps = (step for each in found for step in each)
        return min(steps, key=self._far, default=None)

    def _far(self, step: Step) -> tuple[int, bool]:
        """How far a step is, and whether the last cells had no part in it."""
        return self._distance(step.values), {*step.reason}.isdisjoint(self._last)

    def _contradiction(self) -> Step | None:
        """The nearest of the values refuted in the fewest rounds.

        To look for them takes long, and what is refuted stays so. So all are used before the next
        look.
        """
        board = self._position.board
        self._refuted = [each for each in self._refuted if board[each[0]] == OPEN]
        if not self._refuted:
            _, self._refuted = contradiction.refuted(self._position, self._check_clock)
        if not self._refuted:
            return None
        nearest = min(self._refuted, key=lambda each: self._distance(each[:1]))
        return contradiction.against(self._position, *nearest)

    def _distance(self, cells: Iterable[Cell]) -> int:
        return distance(self._last, cells)


def distance(last: Iterable[Cell], cells: Iterable[Cell]) -> int:
    """The rows and columns between the nearest two of some cells; 0 if there are none."""
    each = (abs(a.row - b.row) + abs(a.column - b.column) for a in last for b in cells)
    return min(each, default=0)


def _groups(techniques: Iterable[BoardTechnique]) -> list[_Group]:
    """Techniques that are used side by side, the easiest first; each trial is alone."""

    def group(technique: BoardTechnique) -> str:
        is_trial = technique.name in TRIALS
        return technique.name if is_trial else str(technique.level in _SIMPLE)

    return [list(each) for _, each in groupby(techniques, group)]
