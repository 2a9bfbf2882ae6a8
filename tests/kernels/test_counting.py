"""The kernels of counting refuse arrays that do not fit, and take arrays of all small lengths."""

from array import array
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest

from binairo_cp.kernels import census, proofs

LENGTHS = (0, 1, 63, 64, 65, 255)


def numbers(*values: int) -> memoryview:
    return memoryview(array("q", values))


def table(height: int, width: int, kind: Any = np.int64) -> memoryview:
    return memoryview(np.zeros((height, width), kind))


def blocks(sums: int, starts: int, number: int) -> Any:
    start = numbers(*[number] * starts)
    each = numbers(*[0] * number)
    return census.Blocks(numbers(*range(sums)), start, each, each, table(number, 1, np.int16))


LINES = numbers(0b0011, 0b0101)

WRONG: dict[str, Callable[[], Any]] = {
    "blocks of other sums": lambda: blocks(2, 2, 1),
    "a list with few slots": lambda: census.HalfList(2, 4, 1, 1, 1, 1, 1),
    "a list of negative length": lambda: census.HalfList(2, 5, 1, -1, 1, 1, 1),
    "long rows to join": lambda: census.Joiner(2, 17, 1),
    "rows of another number": lambda: census.list_halves(numbers(0), 3, True, table(3, 2, np.uint64), blocks(1, 2, 1), blocks(1, 2, 1), census.HalfList(2, 5, 1, 1, 1, 1, 1)),
    "counts that are not square": lambda: census.count_ends(numbers(0), 3, blocks(1, 2, 1), blocks(1, 2, 1), numbers(0), *[numbers(0)] * 2, table(2, 2)),
    "names of other rows": lambda: census.join_plain(LINES, 15, numbers(0), True, table(2, 3), table(2, 3)),
    "names of rows that are not there": lambda: census.join(numbers(0), 1, numbers(7), True, True, *[census.HalfList(1, 5, 1, 1, 1, 1, 1)] * 2, census.Joiner(1, 1, 1)),
    "names of no rows": lambda: census.join_plain(LINES, 15, numbers(0, 9), True, table(2, 3), table(2, 3)),
    "a literal below 0": lambda: proofs.Checker(0, array("i", [-2]), numbers(0, 1), array("B", [0]), numbers(0), 1),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_arrays_that_do_not_fit_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        WRONG[name]()


@pytest.mark.parametrize(("rows", "length"), list(product((0, 1), LENGTHS)))
def test_no_halves(rows: int, length: int) -> None:
    """Blocks without sums have no halves."""
    empty = [numbers(), numbers(0), numbers(), numbers(), table(0, 1, np.int16)]
    halves = census.HalfList(rows, 5, length, length, length, length, length)
    ended = census.list_halves(
        numbers(*range(length)),
        1,
        True,
        table(rows, 2, np.uint64),
        census.Blocks(*empty),
        census.Blocks(*empty),
        halves,
    )
    assert ended == census.LISTED
    assert halves.number() == 0
    joiner = census.Joiner(rows, 1, length)
    lines = numbers(*range(rows))
    assert census.join(lines, 1, lines, True, True, halves, halves, joiner) == 0
