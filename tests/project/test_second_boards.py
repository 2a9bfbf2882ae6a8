"""Counts of boards row by row, with inclusion and exclusion of equal columns."""

from __future__ import annotations

import pytest

from benchmarks import second_boards
from binairo_cp.counting import counting
from binairo_cp.counting.sizes import Census

SIZES = [(2, 4), (4, 4), (6, 4), (5, 4), (6, 6), (8, 6), (9, 4), (7, 5)]


@pytest.mark.parametrize(("height", "width"), SIZES)
def test_the_census_counts_the_same(height: int, width: int) -> None:
    plain = second_boards.count_boards(height, second_boards.cells_of_rows(width))
    assert plain == counting.count_boards(Census(height, width, "nothing"))
    distinct = second_boards.count_distinct_columns(height, width)
    assert distinct == counting.count_boards(Census(height, width, "columns"))


def test_partitions() -> None:
    """Bell numbers."""
    found = [len(set(second_boards.partitions(list(range(n))))) for n in range(7)]
    assert found == [1, 1, 2, 5, 15, 52, 203]
