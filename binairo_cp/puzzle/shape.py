"""The size and rules of a board as plain numbers, for compiled code."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from binairo_cp.errors import OptionError
from binairo_cp.puzzle.rules import Rules

if TYPE_CHECKING:
    from binairo_cp.kernels.lanes import LineRules

_Direction = TypeVar("_Direction")

_SIZE = re.compile(r"([0-9]{1,3})(?:x([0-9]{1,3}))?", re.ASCII | re.IGNORECASE)
LONGEST = 64
"""The maximum length of a line, in cells."""
_LONGEST_SHOWN = 40


class Shape(NamedTuple):
    """The size of a board and the rules for it, all as 64-bit integers.

    All kernels take it: the solver, the grader, the generator and the census.

    Attributes:
        height: number of rows.
        width: number of columns.
        longest_run: how many equal cells may stand side by side.
        distinct_rows: 1 if no two rows may be equal, else 0.
        distinct_columns: 1 if no two columns may be equal, else 0.
        balanced: 1 if the numbers of zeros and ones in a line are bounded by balance, else 0.
        row_min_ones: the smallest number of ones in a row.
        row_max_ones: the largest number of ones in a row.
        column_min_ones: the smallest number of ones in a column.
        column_max_ones: the largest number of ones in a column.
    """

    height: int
    width: int
    longest_run: int
    distinct_rows: int
    distinct_columns: int
    balanced: int
    row_min_ones: int
    row_max_ones: int
    column_min_ones: int
    column_max_ones: int

    @classmethod
    @lru_cache(maxsize=256)
    def of(cls, height: int, width: int, rules: Rules) -> Shape:
        """The shape of height x width boards under some rules."""
        longest, distinct = min(rules.longest_run, max(height, width)), int(rules.distinct_lines)
        row, column = rules.ones(width), rules.ones(height)
        ones = row[0], row[-1], column[0], column[-1]
        return cls(height, width, longest, distinct, distinct, int(rules.balanced), *ones)

    def directions(self, direction: Callable[..., _Direction]) -> tuple[_Direction, _Direction]:
        """The rules of the rows and of the columns, as the class `Direction` of a kernel."""
        height, width = self.height, self.width
        row = self.row_max_ones, width - self.row_min_ones, bool(self.distinct_rows)
        column = self.column_max_ones, height - self.column_min_ones, bool(self.distinct_columns)
        return direction(0, height, width, *row), direction(height, width, height, *column)

    def fits_lanes(self, number: int) -> bool:
        """Whether so many boards are worth working on side by side."""
        # Imported here and below, because few boards at a time need no lanes.
        from binairo_cp.kernels import lanes

        longest = max(self.height, self.width)
        is_fit = self.longest_run == lanes.LONGEST_RUN and longest <= lanes.LONGEST
        return number >= lanes.WORTH and is_fit

    def lane_rules(self) -> tuple[LineRules, LineRules]:
        """The rules of the rows and of the columns for lanes."""
        from binairo_cp.kernels import lanes

        return self.directions(lambda _, __, *line: lanes.LineRules(*line[:3]))


def sides_of(size: int | str) -> tuple[int, int]:
    """The numbers of rows and columns of a size, as 10 or 6x8.

    Raises:
        OptionError: the text is not a size.
    """
    text = str(size).strip()
    match = _SIZE.fullmatch(text)
    if not match:
        expected = "expected a whole number, or rows x columns as in 6x8"
        raise OptionError("size", f"{text[:_LONGEST_SHOWN]!r}; {expected}")
    height, width = int(match[1]), int(match[2] or match[1])
    if not (height and width):
        raise OptionError("size", f"{text!r}; expected at least one row and one column")
    return height, width
