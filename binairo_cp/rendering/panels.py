"""Panels: where a person stands, the steps that come next, and why."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from binairo_cp.deduction import driver
from binairo_cp.deduction.steps import Step
from binairo_cp.puzzle.board import OPEN, Board
from binairo_cp.puzzle.rules import Puzzle, violations
from binairo_cp.rendering.boards import Marks, View
from binairo_cp.rendering.symbols import Symbols
from binairo_cp.solving.backends import Budget, Meter

_MOST_CELLS = 400_000
"""If a panel for each step would show more cells, there is one for each round."""


@dataclass(frozen=True, slots=True)
class Panel:
    """A board and what is seen on it.

    Attributes:
        puzzle: the puzzle.
        board: what is known before.
        steps: what follows; none on the last panel.
        end: what is said on the last panel.
    """

    puzzle: Puzzle
    board: Board
    steps: list[Step]
    end: str = ""

    @property
    def sentences(self) -> list[str]:
        """Why, for people."""
        return [step.sentence for step in self.steps] or [self.end]

    @property
    def technique(self) -> str:
        """How it is seen; empty on the last panel."""
        return self.steps[0].technique if self.steps else ""

    def view(self, symbols: Symbols, name: str = "") -> View:
        """What is drawn."""
        marks = Marks.of(self.steps) if self.steps else None
        return View(self.puzzle, self.board, symbols, marks, name)


def hint(puzzle: Puzzle, seconds: float | None) -> Panel:
    """The panel of the next step.

    Raises:
        Contradictory: the clues contradict the rules.
        BudgetExceeded: the time ran out.
    """
    path = driver.rounds(puzzle, check_clock=Meter(Budget(seconds)).check_clock)
    steps = next(path, [])[:1]
    return Panel(puzzle, puzzle.board, steps, _end(puzzle.board))


def path(puzzle: Puzzle, seconds: float | None) -> list[Panel]:
    """The panels of all steps, or of all rounds where there would be too many, and of the end.

    Raises:
        Contradictory: the clues contradict the rules.
        BudgetExceeded: the time ran out.
    """
    rounds = list(driver.rounds(puzzle, check_clock=Meter(Budget(seconds)).check_clock))
    steps = [[step] for step in chain.from_iterable(rounds)]
    many = len(steps) * len(puzzle.board.cells) > _MOST_CELLS
    panels = list(_panels(puzzle, rounds if many else steps))
    for broken in violations(puzzle, panels[-1].board):
        raise driver.Contradictory(broken.message)
    return panels


def _panels(puzzle: Puzzle, parts: list[list[Step]]) -> Iterator[Panel]:
    board = puzzle.board
    for steps in parts:
        yield Panel(puzzle, board, steps)
        cells = list(board.cells)
        for step in steps:
            for cell, value in step.values.items():
                cells[board.place(cell)] = value
        board = Board(board.height, board.width, "".join(cells))
    yield Panel(puzzle, board, [], _end(board))


def _end(board: Board) -> str:
    left = board.cells.count(OPEN)
    if not left:
        return "Solved."
    return f"No technique shows anything more; {left} cell{'s' * (left > 1)} left."
