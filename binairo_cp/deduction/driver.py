"""The solving path: always apply the easiest technique that finds something.

All steps that the technique finds on the board form one round. So the path does not depend on the
order of search: if a puzzle is rotated, or its symbols are exchanged, so is the path.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, repeat

from binairo_cp.deduction import contradiction
from binairo_cp.deduction.position import PlacedStrip, Position, Values
from binairo_cp.deduction.shortest_chain import Clock
from binairo_cp.deduction.steps import Step, step_of, values_of
from binairo_cp.deduction.techniques import (
    COMPARING,
    LINE_TECHNIQUES,
    PROJECTION,
    Deduction,
    LineTechnique,
    Technique,
    deductions,
)
from binairo_cp.puzzle.board import OPEN, Board, Cell
from binairo_cp.puzzle.rules import Puzzle

Steps = Callable[[Position, Clock], Iterator[Step]]
StepsInLine = Callable[[Position, PlacedStrip], Iterator[Step]]


@dataclass(frozen=True, slots=True)
class BoardTechnique(Technique):
    """A technique applied to the whole board.

    Attributes:
        steps: Yields all steps that it finds in a position.
        needs_signs: It finds nothing on boards without signs.
        in_line: Yields the steps in a line; None if it is about more than a line at a time.
    """

    steps: Steps
    needs_signs: bool = False
    in_line: StepsInLine | None = None

    def steps_at(self, position: Position, cell: Cell) -> Iterator[Step]:
        """Yield the steps that fill a cell, as far as its own lines show them."""
        if self.in_line is None:
            found = self.steps(position, lambda: None)
        else:
            lines = map(position.lines.__getitem__, position.numbers_of([cell]))
            found = chain.from_iterable(map(self.in_line, repeat(position), lines))
        return (step for step in found if cell in step.values)


def _in_lines(technique: Technique) -> BoardTechnique:
    def in_line(position: Position, line: PlacedStrip) -> Iterator[Step]:
        found: Iterable[Deduction] = ()
        if isinstance(technique, LineTechnique):
            found = deductions(technique.find, line.strip)
        elif line.strip.open_places:
            found = COMPARING[technique](line.strip, position.full_lines(line))
        return (step_of(technique, line, deduction) for deduction in found)

    def steps(position: Position, _: Clock) -> Iterator[Step]:
        return chain.from_iterable(map(in_line, repeat(position), position.lines))

    needs_signs = isinstance(technique, LineTechnique) and technique.needs_signs
    return BoardTechnique(technique.name, technique.level, steps, needs_signs, in_line)


def _on_board(technique: Technique, steps: Steps, needs_signs: bool = False) -> BoardTechnique:
    return BoardTechnique(technique.name, technique.level, steps, needs_signs)


TECHNIQUES = (
    *map(_in_lines, LINE_TECHNIQUES),
    _on_board(contradiction.SIGN_CHAIN, contradiction.sign_chains, needs_signs=True),
    _in_lines(PROJECTION),
    *map(_in_lines, COMPARING),
    _on_board(contradiction.CONTRADICTION, contradiction.steps),
    _on_board(contradiction.NESTED, contradiction.nested),
)
"""All techniques, the easiest first."""

DIRECT = TECHNIQUES[:-2]
"""Those that try no values of cells without signs."""

GRADED = (*DIRECT, _on_board(contradiction.CONTRADICTION, contradiction.without_chains))
"""The techniques for grades, which don't need explanations. Puzzles that need more are beyond
logic."""


class Contradictory(Exception):
    """The board has no solution: it breaks a rule, or a technique finds two values for a cell."""


def rounds(
    puzzle: Puzzle,
    board: Board | None = None,
    techniques: tuple[BoardTechnique, ...] = TECHNIQUES,
    check_clock: Clock = lambda: None,
) -> Iterator[list[Step]]:
    """Yield the solving path from a board, round by round; no two steps fill the same cell.

    The path ends when the board is full, or when no technique finds anything more.

    Args:
        puzzle: The puzzle.
        board: The cells known so far; None for the clues.
        techniques: The techniques to use, the easiest first.
        check_clock: Is called regularly, and may raise.

    Raises:
        Contradictory: There is no solution.
    """
    position = Position(puzzle, board or puzzle.board)
    for fault in position.faults():
        raise Contradictory(fault.sentence)
    while OPEN in position.board.cells:
        steps = next_round(position, techniques, check_clock)
        if not steps:
            return
        yield steps
        values = values_of(steps)
        position = position.with_values(values)
        for fault in position.faults(position.numbers_of(values)):
            raise Contradictory(fault.sentence)


def next_round(
    position: Position,
    techniques: tuple[BoardTechnique, ...] = TECHNIQUES,
    check_clock: Clock = lambda: None,
) -> list[Step]:
    """Return all steps of the easiest technique that finds any.

    Raises:
        Contradictory: It finds two values for a cell.
    """
    filled, kept = Values(), list[Step]()
    for technique in techniques:
        check_clock()
        for step in technique.steps(position, check_clock):
            if any(filled.get(cell, value) != value for cell, value in step.values.items()):
                raise Contradictory(f"{min(step.values)} would have to be both 0 and 1")
            if new := step.values.keys() - filled:
                kept.append(step.only(new))
                filled |= step.values
        if kept:
            break
    return kept
