"""Importance sampling of boards.

A board is filled row by row at random, and weighted by the inverse of its probability. The mean
weight is the number of boards, whatever the probabilities are (Knuth, "Estimating the efficiency of
backtrack programs", 1975; with chosen probabilities, Chen, 1992). The variance depends on the
probabilities. Here the probability of a row is proportional to the product, over its cells, of the
number of ways to complete the column below, as if columns were independent.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from binairo_cp.generation.numba_randomness import unit
from binairo_cp.puzzle.bits.words import ONE

_RUNS = 2


@njit
def ways_below(height: int, least: int, most: int) -> Any:
    """Return the number of ways to complete a column.

    The indices are the number of rows so far, the number of ones in them, the last symbol, and the
    length of the run of that symbol minus 1. A column without rows has symbol 0.
    """
    ways = np.zeros((height + 1, height + 2, 2, _RUNS))
    ways[height, least : most + 1] = 1
    for row in range(height - 1, 0, -1):
        for ones in range(row + 1):
            for last in range(2):
                for run in range(_RUNS):
                    other = ways[row + 1, ones + 1 - last, 1 - last, 0]
                    more = ways[row + 1, ones + last, last, 1] if run == 0 else 0.0
                    ways[row, ones, last, run] = other + more
    return ways


@njit
def _half_products(chances: Any, width: int, low: Any, high: Any) -> None:
    """Products of the probabilities of cells, for all values of each half of a line."""
    middle = width // 2
    for part, begin, end in ((low, 0, middle), (high, middle, width)):
        part[0] = 1.0
        for column in range(begin, end):
            size = 1 << (column - begin)
            for value in range(size):
                part[value + size] = part[value] * chances[column, 1]
                part[value] *= chances[column, 0]


@njit
def _columns_repeat(rows: Any, width: int) -> bool:
    columns = np.zeros(width, np.uint64)
    for row in rows:
        for column in range(width):
            columns[column] = (columns[column] << ONE) | np.uint64((row >> column) & 1)
    for column in range(width):
        for other in range(column):
            if columns[column] == columns[other]:
                return True
    return False


@njit
def sample(
    lines: Any, height: int, width: int, ways: Any, rows_differ: bool, columns_differ: bool,
    state: Any, weights: Any,
) -> None:  # fmt: skip
    """Draw boards at random, and compute their weights.

    Args:
        lines: the legal rows as bit sets.
        height: of the boards.
        width: of the boards.
        ways: the table of `ways_below`.
        rows_differ: whether rows must differ.
        columns_differ: whether columns must differ.
        state: the state of the random number generator.
        weights: filled with the logarithms of the weights; minus infinity if a sample is not a
            board.
    """
    middle = width // 2
    low, high = np.empty(1 << middle), np.empty(1 << (width - middle))
    chances, products = np.empty((width, 2)), np.empty(len(lines))
    rows = np.empty(height, np.int64)
    ones, last, run = (
        np.empty(width, np.int64),
        np.empty(width, np.int64),
        np.empty(width, np.int64),
    )
    mask = (1 << middle) - 1
    for number in range(len(weights)):
        ones[:], last[:], run[:] = 0, 0, 0
        weight = 0.0
        for row in range(height):
            for column in range(width):
                for value in range(2):
                    again = row > 0 and value == last[column]
                    allowed = not (again and run[column] == 1)
                    chances[column, value] = (
                        ways[row + 1, ones[column] + value, value, 1 if again else 0]
                        if allowed
                        else 0.0
                    )
                total = chances[column, 0] + chances[column, 1]
                if total > 0:
                    chances[column, 0] /= total
                    chances[column, 1] /= total
            _half_products(chances, width, low, high)
            total = _running_sums(
                lines, rows[: row if rows_differ else 0], low, high, mask, middle, products
            )
            if total <= 0.0:
                weight = -np.inf
                break
            chosen = _choose(products, total, state)
            line = lines[chosen]
            rows[row] = line
            share = low[line & mask] * high[line >> middle]
            weight += np.log(total) - np.log(share)
            for column in range(width):
                value = (line >> column) & 1
                run[column] = 1 if row > 0 and value == last[column] else 0
                last[column] = value
                ones[column] += value
        if columns_differ and weight > -np.inf and _columns_repeat(rows, width):
            weight = -np.inf
        weights[number] = weight


@njit
def _running_sums(
    lines: Any, rows: Any, low: Any, high: Any, mask: int, middle: int, sums: Any
) -> float:
    """Running sums of the products of all lines that are not in `rows`; returns the last sum."""
    total = 0.0
    for k in range(len(lines)):
        is_used = False
        for row in rows:
            is_used |= row == lines[k]
        if not is_used:
            total += low[lines[k] & mask] * high[lines[k] >> middle]
        sums[k] = total
    return total


@njit
def _choose(sums: Any, total: float, state: Any) -> int:
    """Draw an index in proportion to its increment of the running sums; never one of increment 0.

    Rounding could otherwise select an index past the end or with increment 0.
    """
    place = np.searchsorted(sums, total * unit(state), side="right")
    while place == len(sums) or (sums[place] - sums[place - 1] if place else sums[0]) <= 0.0:
        place -= 1
    return place
