"""Panels: a board, the next solving steps on it, and their reasons."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from binairo_cp.deduction import driver
from binairo_cp.deduction.steps import Step
from binairo_cp.puzzle.board import OPEN, Board
from binairo_cp.puzzle.rules import Puzzle, violations
from binairo_cp.rendering.boards import Highlights, View
from binairo_cp.rendering.symbols import Symbols
from binairo_cp.solving.backends import Budget, Meter

_MAX_CELLS = 400_000
"""If the panels of single steps would have more cells in total, each panel shows a round."""


@dataclass(frozen=True, slots=True)
class Panel:
    """A board and the steps that follow from it.

    Attributes:
        puzzle: the puzzle.
        board: the board before the steps.
        steps: the steps; empty on the last panel.
        end: the sentence on the last panel.
    """

    puzzle: Puzzle
    board: Board
    steps: list[Step]
    end: str = ""

    @property
    def sentences(self) -> list[str]:
        """The reasons of the steps, as sentences; those of a single step with its chain."""
        if len(self.steps) == 1:
            return [line.strip() for line in str(self.steps[0]).splitlines()]
        return [step.sentence for step in self.steps] or [self.end]

    @property
    def technique(self) -> str:
        """The technique of the first step; empty on the last panel."""
        return self.steps[0].technique if self.steps else ""

    def view(self, symbols: Symbols, name: str = "") -> View:
        """Return the board with the steps highlighted."""
        highlights = Highlights.of(self.steps) if self.steps else None
        return View(self.puzzle, self.board, symbols, highlights, name)


def hint(puzzle: Puzzle, seconds: float | None) -> Panel:
    """Return the panel of the next step.

    Raises:
        Contradictory: the clues contradict the rules.
        BudgetExceeded: the time ran out.
    """
    rounds = driver.rounds(puzzle, check_clock=Meter(Budget(seconds)).check_clock)
    steps = next(rounds, [])[:1]
    return Panel(puzzle, puzzle.board, steps, _closing_sentence(puzzle.board))


def path(puzzle: Puzzle, seconds: float | None) -> list[Panel]:
    """Return the panels of all steps, or of all rounds if there are too many steps, and a last one.

    Raises:
        Contradictory: the clues contradict the rules.
        BudgetExceeded: the time ran out.
    """
    rounds = list(driver.rounds(puzzle, check_clock=Meter(Budget(seconds)).check_clock))
    steps = [[step] for step in chain.from_iterable(rounds)]
    too_many = len(steps) * len(puzzle.board.cells) > _MAX_CELLS
    panels = list(_panels(puzzle, rounds if too_many else steps))
    for violation in violations(puzzle, panels[-1].board):
        raise driver.Contradictory(violation.message)
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
    yield Panel(puzzle, board, [], _closing_sentence(board))


def _closing_sentence(board: Board) -> str:
    left = board.cells.count(OPEN)
    if not left:
        return "Solved."
    return f"No technique shows anything more; {left} cell{'s' * (left > 1)} left."
