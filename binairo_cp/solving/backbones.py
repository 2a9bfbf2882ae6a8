"""The backbone of a puzzle: the cells that are the same in all of its solutions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from binairo_cp.errors import BudgetExceeded
from binairo_cp.puzzle.board import Board, Cell, open_places
from binairo_cp.puzzle.rules import Puzzle, expect_puzzle
from binairo_cp.solving import backends
from binairo_cp.solving.backends import Backend, Budget
from binairo_cp.solving.solutions import enumerate_solutions


@dataclass(frozen=True, slots=True)
class Backbone:
    """The cells that are the same in all solutions.

    Attributes:
        board: those cells, the clues among them; the others are open.
        undecided: the open cells of `board` that were not decided before the time ran out.
    """

    board: Board
    undecided: tuple[Cell, ...]

    def __str__(self) -> str:
        return str(self.board)

    def _repr_html_(self) -> str:
        return self.board._repr_html_()

    def to_dict(self) -> dict[str, Any]:
        """The fields of the result record."""
        return {"backbone": self.board.cells, "backbone_complete": self.complete}

    @property
    def complete(self) -> bool:
        return not self.undecided


def backbone(
    puzzle: Puzzle, *, backend: str | Backend = backends.DEFAULT, time_limit: float | None = None
) -> Backbone | None:
    """Find the cells that are the same in all solutions; None if there is no solution.

    Start from a first solution and test for each cell whether it can have the other value. A
    solution with the other value decides all cells in which it differs from the first.

    Raises:
        LimitError: `time_limit` is negative.
        BackendError: the backend does not support the puzzle, or failed.
        ArgumentError: `puzzle` is not a puzzle.
    """
    expect_puzzle(puzzle)
    meter = backends.Meter(Budget(time_limit))
    board = puzzle.board
    undecided = set(open_places(board.cells))
    fixed = list(board.cells)

    def first_solution(board: Board) -> Board | None:
        part = replace(puzzle, board=board)
        left = meter.seconds_left
        return next(enumerate_solutions(part, backend=backend, limit=1, time_limit=left), None)

    try:
        first = first_solution(board)
        if first is None:
            return None
        for place in sorted(undecided):
            if place not in undecided:
                continue
            value = first.cells[place]
            other = first_solution(board.with_cell(board.cell(place), "10"[int(value)]))
            if other is None:
                undecided.remove(place)
                fixed[place] = value
            else:
                undecided -= {k for k in undecided if other.cells[k] != first.cells[k]}
    except BudgetExceeded:
        pass
    known = Board(board.height, board.width, "".join(fixed))
    return Backbone(known, tuple(board.cell(k) for k in sorted(undecided)))
