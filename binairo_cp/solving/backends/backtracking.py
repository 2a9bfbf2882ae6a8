"""The reference: a simple backtracking search, cell by cell, in Python alone.

It is short enough to be read in two minutes and shares no code with the encodings, so that all
other backends can be tested against it. It does not learn, and it looks ahead only to the end of
each line, so it is limited to boards of up to about 10x10.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import ClassVar

from binairo_cp.puzzle.board import OPEN, SYMBOLS, Board
from binairo_cp.puzzle.rules import Puzzle, Sign
from binairo_cp.solving.backends import UNLIMITED, Budget, Meter

_NODES_BETWEEN_CLOCKS = 256


@dataclass(frozen=True, slots=True)
class Backtracking:
    """The backend. Its unit of work is a node: one value tried in one cell."""

    name: ClassVar[str] = "backtracking"

    def solutions(
        self, puzzle: Puzzle, *, limit: int | None = None, budget: Budget = UNLIMITED
    ) -> Iterator[Board]:
        """Solve as the protocol says."""
        return islice(search(puzzle, Meter(budget)), limit)


def search(puzzle: Puzzle, meter: Meter) -> Iterator[Board]:
    """All solutions, in lexicographic order. `meter.work` counts the nodes.

    Raises:
        BudgetExceeded: the budget of the meter ran out.
    """
    board = puzzle.board
    grid = _Grid(puzzle)
    choices = [SYMBOLS if value == OPEN else value for value in board.cells]
    untried = [list(choices[0])]
    while untried:
        place = len(untried) - 1
        grid.erase(place)
        if not untried[-1]:
            untried.pop()
            continue
        value = untried[-1].pop(0)
        meter.spend()
        if meter.work % _NODES_BETWEEN_CLOCKS == 1:
            meter.check_clock()
        if not grid.put(place, value):
            continue
        if place + 1 == len(board.cells):
            yield Board(board.height, board.width, "".join(grid.cells))
        else:
            untried.append(list(choices[place + 1]))


class _Grid:
    """The cells filled so far, row by row. All cells after them are open."""

    def __init__(self, puzzle: Puzzle) -> None:
        self.cells: list[str] = []
        self._width = puzzle.board.width
        self._height = puzzle.board.height
        self._rules = puzzle.rules
        # Each sign is checked when its second cell is filled.
        self._signs: dict[int, list[Sign]] = {}
        for sign in puzzle.signs:
            second = sign.cells[1]
            self._signs.setdefault(second.row * self._width + second.column, []).append(sign)

    def erase(self, place: int) -> None:
        """Clear this cell and all after it."""
        del self.cells[place:]

    def put(self, place: int, value: str) -> bool:
        """Fill the next cell. Return whether the lines through it can still become legal."""
        self.cells.append(value)
        row, column = divmod(place, self._width)
        across = self.cells[row * self._width :]
        down = self.cells[column :: self._width]
        return (
            self._line_is_possible(across, self._width)
            and self._line_is_possible(down, self._height)
            and self._lines_are_distinct(row, column)
            and self._signs_are_kept(place)
        )

    def _line_is_possible(self, line: list[str], length: int) -> bool:
        """Check the run at the end of the line and the number of its last symbol."""
        last, longest = line[-1], self._rules.longest_run
        if len(line) > longest and line[-longest - 1 :].count(last) > longest:
            return False
        ones = self._rules.ones(length)
        maximum = ones[-1] if last == "1" else length - ones[0]
        return line.count(last) <= maximum

    def _lines_are_distinct(self, row: int, column: int) -> bool:
        """Compare a row or column that has just become full with the earlier ones."""
        if not self._rules.distinct_lines:
            return True
        cells, width = self.cells, self._width
        if column + 1 == width:
            rows = [cells[start : start + width] for start in range(0, len(cells), width)]
            if rows[-1] in rows[:-1]:
                return False
        if row + 1 == self._height:
            columns = [cells[start::width] for start in range(column + 1)]
            if columns[-1] in columns[:-1]:
                return False
        return True

    def _signs_are_kept(self, place: int) -> bool:
        for sign in self._signs.get(place, ()):
            first, second = (self.cells[r * self._width + c] for r, c in sign.cells)
            if (first == second) != (sign.relation == "="):
                return False
        return True
