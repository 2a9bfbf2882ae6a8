"""Keys of many puzzles: equal for puzzles that differ only by a symmetry, or only for equal ones.

A key is a weighted sum of the cells and signs with random weights, so two different puzzles have
the same 128 bits with a probability of about 2^-128. The smallest key of all images of a puzzle is
its canonical key. Sums of whole numbers below 2^53 are exact in floating point, where they take
the least time. A rectangle and its quarter turns have the same canonical key.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from binairo_cp.puzzle.board import Board
from binairo_cp.puzzle.rules import Puzzle, Rules, Sign
from binairo_cp.puzzle.shape import LONGEST
from binairo_cp.puzzle.slices import Bytes, PlainPuzzles
from binairo_cp.puzzle.symmetries import (
    Signs,
    canonical_digest,
    digest,
    symmetries,
    symmetries_under,
    transposed_signs,
)

KeyArray = npt.NDArray[np.uint64]

_WORDS = 4
_MOST_VALUES = 1 << 22
"""Values in the largest array of floats: 32 MiB."""

_MOST_PRODUCTS = 1 << 18
"""Products of numbers in a product of matrices for which OpenBLAS uses a single thread."""

_SWAPPED = {"0": "1", "1": "0", "=": "=", "x": "x"}
_SEED = 20_240_229


class Keys(NamedTuple):
    """The keys of n puzzles, each n x 2 words.

    Attributes:
        canonical: the same for twins.
        own: the same only for equal puzzles.
    """

    canonical: KeyArray
    own: KeyArray


def keys(puzzles: PlainPuzzles) -> Keys:
    """The keys of puzzles of one shape; their sides may have any length."""
    clues, signs = puzzles.clues, puzzles.signs
    _, height, width = clues.shape
    if max(height, width) > LONGEST:
        return _keys_of_long(puzzles)
    may_swap = len(symmetries_under(puzzles.rules, height, width)) > len(
        symmetries(height, width, False)
    )
    is_turned = height > width
    if is_turned:
        clues = np.ascontiguousarray(clues.transpose(0, 2, 1))
        signs = signs and [transposed_signs(some) for some in signs]
    found = _weighted(_with_signs(clues, signs) if signs else clues, bool(signs), may_swap)
    return Keys(found.canonical, found.own ^ np.uint64(is_turned))


def board_keys(boards: Bytes, rules: Rules) -> KeyArray:
    """The canonical keys of n x height x width solved boards."""
    nothing: Any = None
    return keys(PlainPuzzles(rules, boards, nothing, nothing)).canonical


def _with_signs(clues: Bytes, signs: list[Signs]) -> Bytes:
    """Boards with a row and a column between each two, which hold the signs."""
    number, height, width = clues.shape
    grids = np.zeros((number, 2 * height - 1, 2 * width - 1), np.uint8)
    grids[:, ::2, ::2] = clues
    places = [
        (k, 2 * row + (way == "D"), 2 * column + (way == "R"), ord(relation))
        for k, some in enumerate(signs)
        for row, column, way, relation in some
    ]
    at, rows, columns, marks = np.array(places, np.int64).reshape(-1, 4).T
    grids[at, rows, columns] = marks
    return grids


def _weighted(grids: Bytes, has_signs: bool, may_swap: bool) -> Keys:
    number, height, width = grids.shape
    marks = "01=x" if has_signs else "01"
    weights = _weights(height, width, marks, may_swap)
    flat = grids.reshape(number, -1)
    result = Keys(*(np.empty((number, 2), np.uint64) for _ in Keys._fields))
    step = max(1, _MOST_VALUES // max(weights.shape))
    for begin in range(0, number, step):
        some = flat[begin : begin + step]
        columns = [some == ord(mark) for mark in marks]
        values = np.concatenate([*columns, np.ones((len(some), 1))], axis=1, dtype=np.float64)
        sums = _product(values, weights).astype(np.uint64).reshape(len(some), -1, 2, 2)
        words = sums[..., 0] << np.uint64(32) | sums[..., 1] & np.uint64(2**32 - 1)
        smallest = words[:, :, 0].argmin(axis=1)
        result.canonical[begin : begin + step] = words[np.arange(len(some)), smallest]
        result.own[begin : begin + step] = words[:, 0]
    return result


def _product(
    values: npt.NDArray[np.float64], weights: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """The product of two matrices, by parts so small that BLAS starts no threads for them.

    Its threads wait for one another. Where other processes use the cores, that takes several times
    as long as the product.
    """
    product = np.empty((len(values), weights.shape[1]))
    step = max(1, _MOST_PRODUCTS // weights.size)
    for begin in range(0, len(values), step):
        part = slice(begin, begin + step)
        np.matmul(values[part], weights, out=product[part])
    return product


@lru_cache(maxsize=16)
def _weights(height: int, width: int, marks: str, may_swap: bool) -> npt.NDArray[np.float64]:
    """The weights of each mark at each place, one row for each; a column for each image and word.

    Rows: all places of the first mark, then of the next, and last the weight of the size of the
    board. Columns: four words of each image in turn.
    """
    random = np.random.Generator(np.random.PCG64([_SEED, height, width, len(marks)]))
    of_mark = {
        mark: random.integers(0, 2**32, (height * width, _WORDS)).astype(np.float64)
        for mark in marks
    }
    images = []
    for symmetry in symmetries(height, width, may_swap):
        order = np.array(symmetry.order)
        image = np.empty((len(marks), height * width, _WORDS))
        for k, mark in enumerate(marks):
            image[k, order] = of_mark[_SWAPPED[mark] if symmetry.complemented else mark]
        images.append(image.reshape(-1, _WORDS))
    of_size = random.integers(0, 2**32, _WORDS).astype(np.float64)
    return np.vstack([np.concatenate(images, axis=1), np.tile(of_size, len(images))])


def _keys_of_long(puzzles: PlainPuzzles) -> Keys:
    _, height, width = puzzles.clues.shape
    own, smallest = [], []
    for k, cells in enumerate(puzzles.clues):
        signs = tuple(Sign(*sign) for sign in (puzzles.signs[k] if puzzles.signs else ()))  # type: ignore[arg-type]  # they were checked
        puzzle = Puzzle(Board(height, width, cells.tobytes().decode()), puzzles.rules, signs)
        own.append(digest(puzzle))
        smallest.append(canonical_digest(puzzle))
    return Keys(
        *(np.frombuffer(b"".join(digests), "<u8").reshape(-1, 2) for digests in (smallest, own))
    )
