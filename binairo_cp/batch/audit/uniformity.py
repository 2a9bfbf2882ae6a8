"""How far the solutions of a collection are from boards that are all equally likely.

Two things are compared, for each size and rules: how often puzzles share a solution, against the
number of boards; and three features of the solutions, by chi-square, against those of all boards,
or of random ones where they are too many to list.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from binairo_cp.errors import BinairoError
from binairo_cp.generation import boards
from binairo_cp.puzzle.rules import Rules
from binairo_cp.puzzle.slices import Bytes
from binairo_cp.puzzle.symmetries import symmetries_under

Features = dict[str, npt.NDArray[np.int64]]
"""For each feature, how many lines or boards have each of its values."""

KNOWN_COUNTS = {True: {8: 4_111_116, 10: 48_183_195_384, 12: 4_972_955_852_202_492}}
KNOWN_COUNTS[False] = {8: 12_413_918, 10: 117_925_227_108, 12: 9_396_732_711_449_280}
"""The numbers of square boards with distinct lines, and without, that take long to list."""

_NAMES = {
    "equal neighbours": "equal neighbours in a line",
    "rows": "rows that differ by more than a swap of 0 and 1",
    "columns": "columns that differ by more than a swap of 0 and 1",
}
_LISTED_CELLS, _COUNTED_CELLS = 36, 64
_DRAWN = 500
_LEAST_BOARDS = 50
_LEAST_EXPECTED = 5
_FAR = 0.1
"""Chi-square for each line or board, from which on a collection is far from uniform."""
_SIGMAS = 10
_TWICE = 2


class ShapeKey(NamedTuple):
    """What puzzles that are compared have in common."""

    height: int
    width: int
    rules: Rules

    def __str__(self) -> str:
        return f"{self.height}x{self.width}"


def features(cells: Bytes) -> Features:
    """The features of n x height x width solved boards."""
    ones = cells == ord("1")
    neighbours = []
    for each in (ones, ones.transpose(0, 2, 1)):
        neighbours.append((each[:, :, 1:] == each[:, :, :-1]).sum(axis=2).ravel())
    length = max(cells.shape[1:])
    return {
        "equal neighbours": np.bincount(np.concatenate(neighbours), minlength=length),
        "rows": _different(ones),
        "columns": _different(ones.transpose(0, 2, 1)),
    }


def add_features(kept: dict[ShapeKey, Features], shape: ShapeKey, new: Features) -> int:
    """Add the features of more boards to those of their shape; return the number of the shape."""
    if shape in kept:
        for name, numbers in new.items():
            kept[shape][name] += numbers
    else:
        kept[shape] = new
    return list(kept).index(shape)


def _different(ones: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """How many boards have each number of rows that differ by more than a swap of 0 and 1."""
    _, height, width = ones.shape
    # A row is the same as its complement after this.
    swapped = ones ^ ones[:, :, :1]
    words = swapped @ (1 << np.arange(width, dtype=np.uint64))
    ordered = np.sort(words, axis=1)
    different = 1 + (ordered[:, 1:] != ordered[:, :-1]).sum(axis=1)
    return np.bincount(different, minlength=height + 1)


def problems(
    shape: ShapeKey, seen: Features, puzzles: int, shared: npt.NDArray[np.int64]
) -> list[dict[str, Any]]:
    """What is far from uniform among the puzzles of a shape. `puzzles` is the number of different
    ones with one solution, `shared` how many share each solution, up to symmetry.
    """
    facts = {"size": str(shape), "puzzles": puzzles}
    found = []
    try:
        if repeated := _repeated(shape, puzzles, shared):
            found.append({"kind": "repeated-solutions", **facts, **repeated})
        if uneven := _uneven(shape, seen):
            found.append({"kind": "uneven-lines", **facts, **uneven})
    except BinairoError:
        pass  # boards of other rules can't be drawn, nor counted
    return found


def _repeated(
    shape: ShapeKey, puzzles: int, shared: npt.NDArray[np.int64]
) -> dict[str, Any] | None:
    """Whether far more pairs of puzzles share a solution than of random boards."""
    pairs = int((shared * (shared - 1) // 2).sum())
    if not pairs:
        return None
    group = len(symmetries_under(shape.rules, shape.height, shape.width))
    classes = _boards(shape) / group
    expected = puzzles * (puzzles - 1) / 2 / classes
    if pairs <= _TWICE * expected + _SIGMAS * (1 + math.sqrt(expected)):
        return None
    solutions = puzzles - int(shared.sum()) + len(shared)
    usual = round(-classes * math.expm1(-puzzles / classes))
    return {"solutions": solutions, "expected": min(usual, puzzles)}


def _boards(shape: ShapeKey) -> int:
    """The number of boards of a shape; for large ones, that of a smaller one."""
    height, width, rules = shape
    known = KNOWN_COUNTS[rules.distinct_lines]
    is_known = height == width in known and rules == Rules(distinct_lines=rules.distinct_lines)
    if height * width <= _COUNTED_CELLS and not is_known:
        return boards.count_boards(height, width, rules)
    sides = [side for side in known if side * side <= height * width]
    return known[max(sides)] if sides else boards.count_boards(8, 8, rules)


def _uneven(shape: ShapeKey, seen: Features) -> dict[str, Any] | None:
    """The feature that is farthest from that of random boards, if one is far."""
    if seen["rows"].sum() < _LEAST_BOARDS:
        return None
    usual, is_exact = _usual(shape)
    distances = {}
    for name, numbers in seen.items():
        chi_square, freedom = _chi_square(numbers, usual[name], is_exact)
        if chi_square > freedom + _SIGMAS * math.sqrt(2 * max(1, freedom)):
            distances[name] = chi_square / int(numbers.sum())
    distance, name = max(((each, name) for name, each in distances.items()), default=(0.0, ""))
    if distance <= _FAR:
        return None
    return {"feature": _NAMES[name], "distance": round(distance, 2)}


def _usual(shape: ShapeKey) -> tuple[Features, bool]:
    """The features of all boards of a shape, or of random ones; whether they are all."""
    height, width, rules = shape
    if height * width <= _LISTED_CELLS:
        return features(boards.every_board(height, width, rules)), True
    seeds = [boards.seed_of("audit", number) for number in range(_DRAWN)]
    text = "".join(each.cells for each in boards.draw_boards(height, width, seeds, rules))
    return features(np.frombuffer(text.encode(), np.uint8).reshape(-1, height, width)), False


def _chi_square(
    seen: npt.NDArray[np.int64], usual: npt.NDArray[np.int64], is_exact: bool
) -> tuple[float, int]:
    """Chi-square of the numbers seen, and its degrees of freedom; rare values count together."""
    expected = usual * (seen.sum() / usual.sum())
    is_rare = (expected < _LEAST_EXPECTED) | (usual < _LEAST_EXPECTED)
    both = [
        np.append(each[~is_rare], each[is_rare].sum()).astype(float) for each in (seen, expected)
    ]
    # If random boards never have what others have, count it as if one of them had it.
    floor = seen.sum() / usual.sum()
    variance = np.maximum(both[1], floor)
    if not is_exact:
        variance = variance * (1 + floor)
    return float(((both[0] - both[1]) ** 2 / variance).sum()), len(both[0]) - 1
