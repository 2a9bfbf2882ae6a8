"""A path for learners: each technique first appears where it is easiest to see.

The path uses only techniques that it has shown before, until they find nothing more. Then it needs
a new one. It is shown at the clearest of all places where it applied on the way so far, from the
last new technique on. A place is clearer if no easier technique applies in the same line, then if
the step has fewer reason cells, then if its cells are closer together. Trials are only compared
where they are needed: to look for them everywhere would take long. Between new techniques, the path
stays local.
"""

from __future__ import annotations

from collections.abc import Iterator

from binairo_cp.deduction.contradiction import Clock
from binairo_cp.deduction.driver import TECHNIQUES, BoardTechnique, next_round
from binairo_cp.deduction.local_order import TRIALS, LocalWalk
from binairo_cp.deduction.position import Position
from binairo_cp.deduction.steps import Step
from binairo_cp.deduction.techniques import LINE_TECHNIQUES, deductions
from binairo_cp.puzzle.board import Board
from binairo_cp.puzzle.rules import Puzzle

_FIND = {technique.name: technique.find for technique in LINE_TECHNIQUES}

Clarity = tuple[bool, int, int]
"""How easy a step is to see, small for clear steps: see `clarity`."""

_Place = tuple[Position, Step | None]


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
    first = len(way) - 1 if new.name in TRIALS else 0
    each = (
        (clarity(step, position), number, step)
        for number, (position, _) in enumerate(way[first:], first)
        for step in next_round(position, (new,), check_clock)
    )
    _, number, step = min(each, key=lambda found: found[:2])
    return number, step
