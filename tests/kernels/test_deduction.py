"""The kernel of grades and closures refuses arguments that do not fit."""

from typing import Any

import numpy as np
import pytest

from binairo_cp import CLASSIC
from binairo_cp.kernels import deduction as kernel
from binairo_cp.puzzle.shape import Shape

SIZES = [(1, 1), (1, 64), (63, 2), (64, 64)]


def rules_of(height: int, width: int) -> tuple[Any, ...]:
    return *Shape.of(height, width, CLASSIC).directions(kernel.Direction), 2


def grade(height: int, width: int, **changed: Any) -> list[list[int]]:
    """Grade three empty boards, with some arguments changed."""
    results = np.zeros((3, kernel.RESULT_WORDS), np.int64)
    arguments: dict[str, Any] = {
        "path": kernel.Path(*rules_of(height, width)),
        "trial": kernel.Path(*rules_of(height, width)),
        "clues": np.full((3, height * width), ord("."), np.uint8),
        "tries": False,
        "results": results,
    } | changed
    kernel.grade_all(*arguments.values())
    return results.tolist()


def close(height: int, width: int, **changed: Any) -> list[int]:
    """Whether the lowest level fills three empty boards, with some arguments changed."""
    reached = np.zeros(3, np.uint8)
    arguments: dict[str, Any] = {
        "board": kernel.Closing(*rules_of(height, width)),
        "trial": kernel.Closing(*rules_of(height, width)),
        "clues": np.full((3, height * width), ord("."), np.uint8),
        "signs": np.zeros((3, 2, height + width), np.uint64),
        "level": 0,
        "targets": np.full((3, 1), -1),
        "reached": reached,
    } | changed
    kernel.close_all(*arguments.values())
    return reached.tolist()


@pytest.mark.parametrize(("height", "width"), SIZES)
def test_all_sizes_up_to_64_are_taken(height: int, width: int) -> None:
    for row in grade(height, width):
        assert row[kernel.OPEN_CELLS] == height * width
    assert close(height, width) == [0, 0, 0]
    last = np.full((3, 1), height * width - 1)
    assert close(height, width, targets=last, signs=np.zeros((1, 2, 0), np.uint64)) == [0, 0, 0]


def test_no_puzzles_are_taken() -> None:
    nothing = np.zeros((0, 36), np.uint8)
    grade(6, 6, clues=nothing, results=np.zeros((0, kernel.RESULT_WORDS), np.int64))
    none = {"targets": np.zeros((0, 0), np.int64), "reached": np.zeros(0, np.uint8)}
    close(6, 6, clues=nothing, signs=np.zeros((0, 2, 12), np.uint64), **none)


@pytest.mark.parametrize("length", [0, 65, 255])
def test_other_lengths_are_refused(length: int) -> None:
    for lengths in ((length, 6), (6, length)):
        with pytest.raises(ValueError, match="64"):
            kernel.Path(*rules_of(*lengths))
    with pytest.raises(ValueError, match="64"):
        kernel.Path(*rules_of(6, 6)[:2], length)


def test_the_rules_must_be_those_of_one_board() -> None:
    rows, columns, longest = rules_of(4, 6)
    with pytest.raises(ValueError, match="the rules of all rows"):
        kernel.Path(columns, rows, longest)
    with pytest.raises(ValueError, match="the rules of all rows"):
        kernel.Closing(rows, rules_of(6, 6)[1], longest)


GRADE = [
    {"clues": np.zeros((3, 35), np.uint8)},
    {"clues": np.zeros((3, 63), np.uint8)},
    {"clues": np.zeros((2, 36), np.uint8)},
    {"clues": np.zeros((3, 36), np.int16)},
    {"clues": np.zeros((3, 72), np.uint8)[:, ::2]},
    {"clues": None},
    {"results": np.zeros((3, kernel.RESULT_WORDS - 1), np.int64)},
    {"results": np.zeros((4, kernel.RESULT_WORDS), np.int64)},
    {"results": None},
    {"trial": kernel.Path(*rules_of(4, 9))},
    {"trial": kernel.Path(*rules_of(6, 8))},
    {"path": None},
    {"trial": None},
]
CLOSE = [
    {"clues": np.zeros((3, 35), np.uint8)},
    {"clues": None},
    {"signs": np.zeros((3, 2, 11), np.uint64)},
    {"signs": np.zeros((3, 1, 12), np.uint64)},
    {"signs": np.zeros((1, 2, 12), np.uint64)},
    {"signs": None},
    {"targets": np.zeros((2, 1), np.int64)},
    {"targets": np.full((3, 1), 36)},
    {"targets": np.zeros((3, 1), np.int32)},
    {"targets": None},
    {"reached": np.zeros(2, np.uint8)},
    {"reached": None},
    {"trial": kernel.Closing(*rules_of(4, 9))},
    {"trial": None},
    {"level": 1 << 70},
]


@pytest.mark.parametrize("changed", GRADE, ids=range(len(GRADE)))
def test_wrong_arguments_of_grades_are_refused(changed: dict[str, Any]) -> None:
    with pytest.raises((ValueError, TypeError)):
        grade(6, 6, **changed)


@pytest.mark.parametrize("changed", CLOSE, ids=range(len(CLOSE)))
def test_wrong_arguments_of_closures_are_refused(changed: dict[str, Any]) -> None:
    with pytest.raises((ValueError, TypeError, OverflowError)):
        close(6, 6, **changed)


@pytest.mark.parametrize(
    "changed",
    [
        {"clues": np.full((1, 35), ord("."), np.uint8)},
        {"clues": np.full((2, 36), ord("."), np.uint8)},
        {"clues": np.full((1, 36), ord("0"), np.uint8)},
        {"signs": np.zeros((1, 2, 11), np.uint64)},
        {"signs": np.zeros((2, 2, 12), np.uint64)},
        {"place": 36},
        {"place": -1},
        {"board": None},
    ],
    ids=range(8),
)
def test_wrong_arguments_of_refutations_are_refused(changed: dict[str, Any]) -> None:
    arguments: dict[str, Any] = {
        "board": kernel.Closing(*rules_of(6, 6)),
        "clues": np.full((1, 36), ord("."), np.uint8),
        "signs": np.zeros((1, 2, 12), np.uint64),
        "place": 35,
        "value": 1,
    }
    assert not kernel.refutes(*arguments.values())
    with pytest.raises((ValueError, TypeError)):
        kernel.refutes(*(arguments | changed).values())


def test_memory_is_not_shared() -> None:
    path = kernel.Path(*rules_of(6, 6))
    with pytest.raises(ValueError, match="of its own"):
        grade(6, 6, path=path, trial=path)
