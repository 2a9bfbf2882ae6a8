"""Boards with another value in a cell than the solution, and what they break.

The rules and known cells that such a board breaks are a *conflict set* of the cell.
"""

from __future__ import annotations

from collections.abc import Iterator

from binairo_cp.deduction.named_rules import RuleTable
from binairo_cp.deduction.small_hitting_sets import Watch, each_bit
from binairo_cp.puzzle.board import Board

_NEAR = 3
"""The first boards differ from the solution in up to four cells that are no further apart."""

_BOARD = 5
"""The work to make a board."""


class Deviation:
    """A board that differs from a solution in some cells, and the rules that it breaks."""

    def __init__(self, rules: RuleTable, cells: int = 0) -> None:
        self._rules = rules
        self.cells = cells
        self._ones = rules.solution ^ cells
        self._values = rules.values_of_solution()
        lines: tuple[set[int], set[int]] = set(), set()
        places = list(each_bit(cells))
        for place in places:
            row, column = rules.line_numbers(place)
            self._values[0][row] ^= 1 << column
            self._values[1][column] ^= 1 << row
            lines[0].add(row)
            lines[1].add(column)
        self.broken = rules.broken(self._ones, places)
        for direction in (0, 1):
            values = self._values[direction]
            for line in lines[direction]:
                if values.count(values[line]) > 1:
                    self.broken |= rules.equal(direction, line, values)

    def conflict_set(self, known: int) -> int:
        """The broken rules and known cells: the cells have the lowest bits."""
        return self.broken << self._rules.number_of_cells | self.cells & known

    def flip(self, place: int) -> None:
        """Change the value of a cell."""
        rules, bit = self._rules, 1 << place
        row, column = rules.line_numbers(place)
        self.cells ^= bit
        self._ones ^= bit
        ones = self._ones
        about, parts = rules.of_cell(place)
        broken = self.broken & ~about
        for part, mask, kept in parts:
            if (ones & mask).bit_count() not in kept:
                broken |= part
        for direction, line, other in ((0, row, column), (1, column, row)):
            values = self._values[direction]
            values[line] ^= 1 << other
            broken &= ~rules.pairs_with(direction, line)
            if values.count(values[line]) > 1:
                broken |= rules.equal(direction, line, values)
        self.broken = broken


class ConflictBoards:
    """The boards found so far, for each cell with another value.

    Sets of known cells and rules are integers: the cells have the lowest bits.
    """

    def __init__(self, rules: RuleTable, solution: Board) -> None:
        self._rules, self._solution = rules, solution
        self._height, self._width = solution.height, solution.width
        self._cells = len(solution.cells)
        # For each cell: the cells that differ, and the broken rules.
        self._boards: list[dict[int, int]] = [{} for _ in solution.cells]
        self._has_near = 0

    def add(self, board: Deviation) -> None:
        broken = board.broken << self._cells
        for place in each_bit(board.cells):
            self._boards[place][board.cells] = broken

    def without_boards(self) -> ConflictBoards:
        """The same without boards."""
        return ConflictBoards(self._rules, self._solution)

    def number(self, place: int) -> int:
        """The number of boards of a cell."""
        return len(self._boards[place])

    def sets(self, place: int, facts: int) -> dict[int, int]:
        """The conflict sets of a cell, each with the cells that differ on its board."""
        return {broken | cells & facts: cells for cells, broken in self._boards[place].items()}

    def add_near(self, place: int, spend: Watch) -> None:
        """Add the boards that differ from the solution in a cell and a few others near it."""
        if self._has_near >> place & 1:
            return
        for cells in self._near(place):
            if cells not in self._boards[place]:
                spend(_BOARD)
                self.add(Deviation(self._rules, cells))
        spend(_BOARD)
        self._has_near |= 1 << place

    def _near(self, place: int) -> Iterator[int]:
        """A cell alone, and with others so that their lines have as many ones with other values.

        These are an end of a line, or a corner of a rectangle.
        """
        values, row, column = self._solution.cells, *divmod(place, self._width)
        value = values[place]
        columns = [
            k for k in self._around(column, self._width) if values[place - column + k] != value
        ]
        bit = 1 << place
        yield bit
        for k in columns:
            yield bit | 1 << place - column + k
        for other_row in self._around(row, self._height):
            begin = other_row * self._width
            if values[begin + column] != value:
                yield bit | 1 << begin + column
                for k in columns:
                    if values[begin + k] == value:
                        yield bit | 1 << place - column + k | 1 << begin + column | 1 << begin + k

    def _around(self, number: int, count: int) -> range:
        return range(max(0, number - _NEAR), min(count, number + _NEAR + 1))
