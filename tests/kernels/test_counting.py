"""The kernels of counting refuse arrays that do not fit, and take arrays of all small lengths."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest

from binairo_cp.kernels import census, clue_sets, few_clues, fixed_boards, sampling

LENGTHS = (0, 1, 63, 64, 65, 255)


def numbers(*values: int) -> memoryview:
    return memoryview(array("q", values))


def words(*values: int) -> memoryview:
    return memoryview(array("Q", values))


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
    "a sampled line that is too long": lambda: sampling.Sampler(LINES, 2, 2, 1, 1, True, True),
    "a sampled row that is too long": lambda: sampling.Sampler(LINES, 2, 60, 1, 1, True, True),
    "an image that is no row": lambda: fixed_boards.MirroredRows(LINES, 15, numbers(0, 2), table(2, 2, np.uint64), table(2, 2, np.uint64), words(0, 0)),
    "a cell beyond the board": lambda: fixed_boards.count_fixed(fixed_boards.FixedBoards(1, 2, True, True, (1, 1), (0, 1)), numbers(0, 1, 2), numbers(0, 2), numbers(0, 0)),
    "a first row that is none": lambda: fixed_boards.count_symmetric(LINES, 4, True, 2),
    "groups of other boards": lambda: clue_sets.BoardIndex(words(1), numbers(0, 2), words(1), 1),
    "an orbit without its cell": lambda: clue_sets.count_hitting(words(1), words(2, 2), memoryview(np.zeros((3, 3, 3, 3), np.int64))),
    "a set with a cell too many": lambda: clue_sets.count_minimal(words(4), table(1, 2, np.uint64), 1, table(1, 3), words()),
    "few counts": lambda: clue_sets.count_minimal(words(1), table(1, 2, np.uint64), 1, table(1, 2), words()),
    "a neighbour beyond the board": lambda: few_clues.Clues(memoryview(np.full((4, 2), 1))),
    "boards without a bit": lambda: few_clues.Search(few_clues.Clues(memoryview(np.full((4, 2), -1))), table(65, 2, np.uint64), table(2, 1, np.uint64), 3),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_arrays_that_do_not_fit_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        WRONG[name]()


@pytest.mark.parametrize("length", LENGTHS)
def test_sets_of_all_lengths(length: int) -> None:
    sets = np.array([1 << k % 64 for k in range(length)], np.uint64)
    kept = clue_sets.keep_minimal(memoryview(sets))
    assert kept == min(length, 64)
    orbits = np.uint64(1) << np.arange(64, dtype=np.uint64)
    counts = np.zeros((65, 65, 1, 1), np.int64)
    clue_sets.count_hitting(memoryview(sets), memoryview(orbits), memoryview(counts))
    # Each of the kept cells is certain, and the others are free.
    assert np.argwhere(counts).tolist() == [[kept, 64 - kept, 0, 0]]
    sizes, found = np.zeros((1, 65), np.int64), np.zeros(1, np.uint64)
    stored = clue_sets.count_minimal(
        memoryview(sets), memoryview(orbits[None]), kept, memoryview(sizes), memoryview(found)
    )
    assert stored == 1
    assert np.argwhere(sizes).tolist() == [[0, kept]]
    assert int(found[0]) == (1 << kept) - 1


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


def test_samples_without_lines_are_no_boards() -> None:
    weights = np.zeros(3)
    sampler = sampling.Sampler(numbers(), 2, 2, 1, 1, True, True)
    sampling.sample(sampler, 1, memoryview(weights))
    assert weights.tolist() == [-np.inf] * 3
