"""Compiled functions refuse what would crash Python: objects without their constructor, indexes."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from binairo_cp.kernels import bitboard, census, deduction, generation, lanes, proofs


def bare(kind: Any) -> Any:
    """An object without its constructor."""
    return kind.__new__(kind)


def words(*shape: int) -> Any:
    return np.zeros(shape, np.uint64)


def numbers(*shape: int) -> Any:
    return np.zeros(shape, np.int64)


def open_cells(*shape: int) -> Any:
    return np.full(shape, ord("."), np.uint8)


def closing() -> Any:
    return bare(deduction.Closing)


def path() -> Any:
    return bare(deduction.Path)


def directions() -> Any:
    return bitboard.Search(
        bare(bitboard.Direction), bare(bitboard.Direction), 2, words(100), words(10)
    )


def unset_rules(kind: Any, *more: object) -> Any:
    return kind(bare(lanes.LineRules), bare(lanes.LineRules), *more)


HALVES = census.HalfList


def block(start: int, row: int) -> census.Blocks:
    """One block of one row."""
    ends = numbers(2)
    ends[:] = start, 1
    return census.Blocks(numbers(1), ends, numbers(1), numbers(1), np.full((1, 1), row, np.int16))


def joined_twice() -> None:
    halves, memory = HALVES(2, 5, 4, 4, 4, 4, 256), census.Joiner(2, 2, 4)
    for _ in range(2):
        census.join(numbers(2), 3, numbers(2), True, True, halves, halves, memory)


REFUSED: dict[str, Callable[[], object]] = {
    "start": lambda: bitboard.start(bare(bitboard.Search), b".", None, words(1, 1, 1)),
    "start without cells": lambda: bitboard.start(bare(bitboard.Search), b"", None, words(1, 1, 1)),
    "start without rules": lambda: bitboard.start(directions(), b".", None, words(1, 1, 1)),
    "resume": lambda: bitboard.resume(bare(bitboard.Search), 1, 10, True, 0),
    "solution": lambda: bitboard.solution(bare(bitboard.Search), 0),
    "solve": lambda: lanes.solve_all(bare(lanes.LaneSolver), bytearray(4), bytearray(1)),
    "solve no cells": lambda: lanes.solve_all(bare(lanes.LaneSolver), bytearray(), bytearray(1)),
    "solve without rules": lambda: lanes.solve_all(
        unset_rules(lanes.LaneSolver, True), bytearray(), bytearray(1)
    ),
    "grade": lambda: lanes.begin_grades(bare(lanes.LaneGrader), bytearray(), numbers(1, 9)),
    "close": lambda: deduction.close_all(
        *(closing(), closing(), open_cells(1, 4), words(1, 2, 4), 1, numbers(1, 1), open_cells(1))
    ),
    "refute": lambda: deduction.refutes(closing(), open_cells(1, 0), words(1, 2, 0), 0, 1),
    "grade all": lambda: deduction.grade_all(
        path(), path(), open_cells(1, 4), True, numbers(1, 22)
    ),
    "check": lambda: proofs.check(bare(proofs.Checker), 10),
    "list halves": lambda: census.list_halves(
        *(numbers(4), 4, True, words(4, 4), bare(census.Blocks), bare(census.Blocks), bare(HALVES))
    ),
    "join": lambda: census.join(
        *(numbers(4), 4, numbers(4), False, True, bare(HALVES), bare(HALVES), bare(census.Joiner))
    ),
    "join twice": joined_twice,
    "blocks that end before they begin": lambda: block(2, 0),
    "blocks of no row": lambda: block(0, -1),
    "list halves of other rows": lambda: census.list_halves(
        *(numbers(1), 1, True, words(1, 2), block(0, 1), block(0, 1), HALVES(1, 5, 4, 4, 4, 4, 256))
    ),
    "draw": lambda: generation.draw(bare(generation.Generator), words(1, 4), words(1), 1, 10, 1),
}


@pytest.mark.parametrize("name", REFUSED)
def test_objects_without_their_constructor_are_refused(name: str) -> None:
    # A build with checks raises an error of its own for an array that is not set.
    with pytest.raises(
        (ValueError, AttributeError),
        match=r"expected|number of|stored|open cell|memory|begin|no row|not initialized",
    ):
        REFUSED[name]()


def test_clauses_that_change_later_are_not_those_that_are_checked() -> None:
    """The clauses x and not x refute each other; the checker has copies of both."""
    literals, starts = np.array([2, 3], np.int32), numbers(3)
    deletes = np.zeros(2, np.uint8)
    starts[:] = 0, 1, 2
    checker = proofs.Checker(2, literals, starts, deletes, numbers(2), 1)
    literals[:], starts[:], deletes[:] = 1 << 30, 1 << 60, 1
    assert proofs.check(checker, 100) == proofs.REFUTED
