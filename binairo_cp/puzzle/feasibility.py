"""Sizes without any board, which counting shows at once and a search takes very long to show."""

from __future__ import annotations

from functools import lru_cache

from binairo_cp.puzzle.lines import legal_lines
from binairo_cp.puzzle.rules import Rules

_FEW_LINES_UP_TO = 16
"""Of longer lines, more are legal than a board can have lines, if runs of two are legal."""


@lru_cache(maxsize=256)
def is_impossible(height: int, width: int, rules: Rules) -> bool:
    """Whether there are too few different lines, or the rows need other numbers of ones than the
    columns. If not, there may still be no board.
    """
    if rules.distinct_lines and (
        _too_few_lines(width, height, rules) or _too_few_lines(height, width, rules)
    ):
        return True
    by_rows, by_columns = rules.ones(width), rules.ones(height)
    return (
        height * by_rows[-1] < width * by_columns[0] or width * by_columns[-1] < height * by_rows[0]
    )


def _too_few_lines(length: int, number: int, rules: Rules) -> bool:
    if length > _FEW_LINES_UP_TO and rules.longest_run > 1:
        return False
    return legal_lines(length, rules).count < number
