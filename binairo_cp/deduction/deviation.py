"""A board near a solution: which rules it breaks, updated cell by cell."""

from __future__ import annotations

from binairo_cp.deduction.bit_sets import each_bit
from binairo_cp.deduction.named_rules import RuleTable


class Deviation:
    """A board that differs from a solution in some cells, and the rules that it breaks.

    Attributes:
        cells: The cells in which it differs.
        broken: The rules that it breaks.
    """

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
