"""Two orders of the steps of a path: near the last step, and clear for learners.

A person who has filled a cell looks next at what it opened. So a **local** path takes the nearest
step that an easy technique finds, not the first of one technique all over the board. Only
techniques of the usual path are used, so no step is harder than the grade, which stays the same.

In a path for **learners**, each technique first appears where it is easiest to see. The path uses
only techniques that it has shown before, until they find nothing more. Then it needs a new one. It
is shown at the clearest of all places where it applied on the way so far, from the last new
technique on. A place is clearer if no easier technique applies in the same line, then if the step
has fewer reason cells, then if its cells are closer together. Trials are only compared where they
are needed: to look for them everywhere would take long. Between new techniques, the path stays
local.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby

from binairo_cp.deduction import contradiction
from binairo_cp.deduction.contradiction import CONTRADICTION
from binairo_cp.deduction.driver import TECHNIQUES, BoardTechnique, Contradictory, next_round
from binairo_cp.deduction.grading import grade
from binairo_cp.deduction.position import Position
from binairo_cp.deduction.shortest_chain import Clock
from binairo_cp.deduction.steps import Step
from binairo_cp.deduction.techniques import LINE_TECHNIQUES, deductions
from binairo_cp.puzzle.board import OPEN, Board, Cell
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.solving.backends import Meter

_TRIALS = ("sign chain", "contradiction", "nested contradiction")
_SIMPLE = ("beginner", "easy", "medium")
"""Levels that a person uses side by side: a count here comes before a pair at the other end."""

_FIND = {technique.name: technique.find for technique in LINE_TECHNIQUES}

_Group = list[BoardTechnique]

Clarity = tuple[bool, int, int]
"""How easy a step is to see, small for clear steps: see `clarity`."""

_Place = tuple[Position, Step | None]


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
        return distance(self._last, step.values), {*step.reason}.isdisjoint(self._last)

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
        nearest = min(self._refuted, key=lambda each: distance(self._last, each[:1]))
        return contradiction.against(self._position, *nearest, self._check_clock)


def distance(last: Iterable[Cell], cells: Iterable[Cell]) -> int:
    """The rows and columns between the nearest two of some cells; 0 if there are none."""
    each = (abs(a.row - b.row) + abs(a.column - b.column) for a in last for b in cells)
    return min(each, default=0)


def _groups(techniques: Iterable[BoardTechnique]) -> list[_Group]:
    """Techniques that are used side by side, the easiest first; each trial is alone."""

    def group(technique: BoardTechnique) -> str:
        is_trial = technique.name in _TRIALS
        return technique.name if is_trial else str(technique.level in _SIMPLE)

    return [list(each) for _, each in groupby(techniques, group)]


def teaching_rounds(puzzle: Puzzle, board: Board, check_clock: Clock) -> Iterator[list[Step]]:
    """Yield the path a step at a time.

    Args:
        puzzle: The puzzle.
        board: The cells known so far.
        check_clock: Is called regularly, and may raise.

    Raises:
        Contradictory: There is no solution.
    """
    walk, shown = LocalWalk(Position(puzzle, board), (), check_clock), list[BoardTechnique]()
    while True:
        way = list(walk.by(shown))
        new = _needed(way[-1][0], shown, check_clock)
        if new is None:
            yield from ([step] for _, step in way if step)
            return
        number, clearest = _clearest(way, new, check_clock)
        yield from ([step] for _, step in way[:number] if step)
        yield [clearest]
        after = way[number][0].with_values(clearest.values)
        walk = LocalWalk(after, clearest.values, check_clock)
        shown = [each for each in TECHNIQUES if each in shown or each is new]


def clarity(step: Step, position: Position) -> Clarity:
    """How easy a step is to see, small for clear steps.

    Returns:
        Whether an easier technique applies in its line; the number of its reason cells, or of the
        steps of its chain; and the distance between the outermost of its cells.
    """
    cells = (*step.values, *step.reason)
    rows, columns = [cell.row for cell in cells], [cell.column for cell in cells]
    distance = max(rows) - min(rows) + max(columns) - min(columns)
    number = step.chain.size if step.chain else len(step.reason)
    return _has_easier(step, position), number, distance


def _has_easier(step: Step, position: Position) -> bool:
    if not step.line:
        return False
    (line,) = (each for each in position.lines if str(each) == step.line)
    for technique in TECHNIQUES:
        if technique.name == step.technique:
            return False
        find = _FIND.get(technique.name)
        if find and deductions(find, line.strip):
            return True
    return False


def _needed(
    position: Position, shown: list[BoardTechnique], check_clock: Clock
) -> BoardTechnique | None:
    """The easiest technique that finds anything where the shown ones find nothing."""
    for technique in TECHNIQUES:
        if technique not in shown and next_round(position, (technique,), check_clock):
            return technique
    return None


def _clearest(way: list[_Place], new: BoardTechnique, check_clock: Clock) -> tuple[int, Step]:
    """The clearest step of a technique on the way, and the number of steps before it."""
    first = len(way) - 1 if new.name in _TRIALS else 0
    each = (
        (clarity(step, position), number, step)
        for number, (position, _) in enumerate(way[first:], first)
        for step in next_round(position, (new,), check_clock)
    )
    _, number, step = min(each, key=lambda found: found[:2])
    return number, step
