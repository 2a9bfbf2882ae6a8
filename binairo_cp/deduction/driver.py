"""How a person goes on: the cheapest technique that shows something, and back to the cheapest.

Everything that the technique shows at once is one round, so that the path does not depend on where
the search begins: turn a puzzle or exchange its symbols, and the path is turned or exchanged, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from binairo_cp.deduction import chains, contradiction
from binairo_cp.deduction.contradiction import Clock
from binairo_cp.deduction.position import Position, Values
from binairo_cp.deduction.steps import Step, step_of
from binairo_cp.deduction.techniques import (
    DISTINCT,
    LINE_TECHNIQUES,
    TWO_OPEN,
    FindBeside,
    Level,
    LineTechnique,
    Technique,
    distinct,
    found,
    two_open,
)
from binairo_cp.puzzle.board import OPEN, Board
from binairo_cp.puzzle.rules import Puzzle

Steps = Callable[[Position, Clock], Iterator[Step]]


@dataclass(frozen=True, slots=True)
class Way:
    """A technique on the whole board: all that it shows there."""

    name: str
    level: Level
    steps: Steps


def _in_lines(technique: LineTechnique) -> Way:
    def steps(position: Position, _: Clock) -> Iterator[Step]:
        for line in position.lines:
            for deduced in found(technique.find, line.strip):
                yield step_of(technique, line, deduced)

    return Way(technique.name, technique.level, steps)


def _beside_full_lines(technique: Technique, find: FindBeside) -> Way:
    def steps(position: Position, _: Clock) -> Iterator[Step]:
        for line in position.lines:
            if line.strip.open_places:
                for deduced in find(line.strip, position.full_lines(line)):
                    yield step_of(technique, line, deduced)

    return Way(technique.name, technique.level, steps)


_LINES = {technique.name: _in_lines(technique) for technique in LINE_TECHNIQUES}
WAYS = (
    *(_LINES[technique.name] for technique in contradiction.FOLLOWED),
    _LINES["one of each"],
    Way(chains.NAME, chains.LEVEL, lambda position, _: chains.steps(position)),
    _LINES["projection"],
    _beside_full_lines(TWO_OPEN, two_open),
    _beside_full_lines(DISTINCT, distinct),
    Way("contradiction", "expert", contradiction.steps),
    Way("nested contradiction", "beyond logic", contradiction.nested),
)
"""All techniques, the cheapest first."""


class Contradictory(Exception):
    """The clues contradict the rules: a technique shows two values for a cell, or none."""


def rounds(
    puzzle: Puzzle,
    board: Board | None = None,
    ways: tuple[Way, ...] = WAYS,
    check_clock: Clock = lambda: None,
) -> Iterator[list[Step]]:
    """The path from a board, round by round; each step fills cells that no earlier one did.

    It ends when the board is full, or when no technique shows anything more.

    Args:
        puzzle: the puzzle.
        board: what is known; None for the clues.
        ways: the techniques, the cheapest first.
        check_clock: is called now and then, and may raise.

    Raises:
        Contradictory: there is no solution.
    """
    position = Position(puzzle, board or puzzle.board)
    for fault in position.faults():
        raise Contradictory(fault)
    while OPEN in position.board.cells:
        steps = next_round(position, ways, check_clock)
        if not steps:
            return
        yield steps
        values = {cell: value for step in steps for cell, value in step.values.items()}
        position = position.with_values(values)
        for fault in position.faults(position.numbers_of(values)):
            raise Contradictory(fault)


def next_round(
    position: Position,
    ways: tuple[Way, ...] = WAYS,
    check_clock: Clock = lambda: None,
) -> list[Step]:
    """All that the cheapest technique shows that shows anything.

    Raises:
        Contradictory: it shows two values for a cell.
    """
    for way in ways:
        check_clock()
        if steps := _new(way.steps(position, check_clock)):
            return steps
    return []


def _new(steps: Iterator[Step]) -> list[Step]:
    """The steps that fill cells which those before them don't."""
    filled: Values = {}
    kept = []
    for step in steps:
        values = {cell: value for cell, value in step.values.items() if cell not in filled}
        if any(filled.get(cell, value) != value for cell, value in step.values.items()):
            raise Contradictory(f"{min(step.values)} would have to be both 0 and 1")
        if values:
            filled |= values
            kept.append(replace(step, values=values))
    return kept
