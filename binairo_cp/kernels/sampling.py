"""Importance sampling of boards.

A board is filled row by row at random, and weighted by the inverse of its probability. The mean
weight is the number of boards, whatever the probabilities are (Knuth, "Estimating the efficiency of
backtrack programs", 1975; with chosen probabilities, Chen, 1992). The variance depends on the
probabilities. Here the probability of a row is proportional to the product, over its cells, of the
number of ways to complete the column below, as if columns were independent.
"""

from __future__ import annotations

from binairo_cp.kernels import cython_stub as cython
from binairo_cp.kernels.arrays import zeros
from binairo_cp.kernels.randomness import Random, unit
from binairo_cp.kernels.words import Index, Word

if cython.compiled:
    from cython.cimports.libc.math import log
else:
    from math import log

_MAX_WIDTH = 40
"""The longest row: tables of the products of its halves have 2^20 numbers."""


@cython.final
@cython.cclass
class Sampler:
    """The rules of the boards, and the board that is being filled.

    Args:
        lines: the legal rows as bit sets.
        height: of the boards.
        width: of the boards.
        least: the fewest ones in a column.
        most: the most ones in a column.
        rows_differ: whether rows must differ.
        columns_differ: whether columns must differ.
    """

    lines: Index[::1]
    height: Index
    width: Index
    rows_differ: cython.bint
    columns_differ: cython.bint
    middle: Index  # the number of columns in the low half of a row
    # The number of ways to complete a column, in a line for each number of rows so far, by four
    # times the number of ones in them, plus twice the last symbol, plus the length of the run of
    # that symbol minus 1. A column without rows has symbol 0.
    ways: cython.double[:, ::1]
    # The products of the probabilities of the cells in the low half of a row, by their values.
    low: cython.double[::1]
    high: cython.double[::1]  # those of the high half
    zero: cython.double[::1]  # for each column, the probability of 0 in the next row
    one: cython.double[::1]  # that of 1
    sums: cython.double[::1]  # running sums of the products of the lines
    rows: Index[::1]  # the rows so far
    ones: Index[::1]  # the number of ones in each column
    last: Index[::1]  # the last symbol of each column
    run: Index[::1]  # 1 if it is there twice, else 0
    lists: Word[::1]  # each column so far, as a bit set
    no_weight: cython.double  # the logarithm of the weight of what is not a board, minus infinity

    def __init__(
        self,
        lines: Index[::1],
        height: Index,
        width: Index,
        least: Index,
        most: Index,
        rows_differ: cython.bint,
        columns_differ: cython.bint,
    ) -> None:
        if not (1 <= height <= 64 and 1 <= width <= _MAX_WIDTH and 0 <= least <= most <= height):
            raise ValueError(f"boards of {height}x{width} with {least} to {most} ones in a column")
        for k in range(lines.shape[0]):
            if lines[k] < 0 or lines[k] >> width:
                raise ValueError(f"line {lines[k]:b} has more than {width} cells")
        self.lines, self.height, self.width = lines, height, width
        self.rows_differ, self.columns_differ = rows_differ, columns_differ
        self.middle, self.no_weight = width >> 1, float("-inf")
        self.ways = zeros("d", height + 1, 4 * (height + 2))
        for ones in range(least, most + 1):
            for end in range(4):
                self.ways[height, 4 * ones + end] = 1.0
        self.low, self.high = zeros("d", 1 << (width >> 1)), zeros("d", 1 << (width - (width >> 1)))
        self.zero, self.one = zeros("d", width), zeros("d", width)
        self.sums = zeros("d", lines.shape[0])
        self.rows, self.ones, self.last = zeros("q", height), zeros("q", width), zeros("q", width)
        self.run, self.lists = zeros("q", width), zeros("Q", width)
        _fill_ways(self)


@cython.cfunc
def _fill_ways(sampler: Sampler) -> None:
    """Count the ways to complete a column from the last row up."""
    for row in range(sampler.height - 1, 0, -1):
        for ones in range(row + 1):
            for last in range(2):
                for run in range(2):
                    other = sampler.ways[row + 1, 4 * (ones + 1 - last) + 2 * (1 - last)]
                    more = 0.0
                    if run == 0:
                        more = sampler.ways[row + 1, 4 * (ones + last) + 2 * last + 1]
                    sampler.ways[row, 4 * ones + 2 * last + run] = other + more


@cython.cfunc
def _find_chances(sampler: Sampler, row: Index) -> None:
    """Find the probabilities of the values of each cell of a row."""
    for column in range(sampler.width):
        zero: cython.double = _ways_after(sampler, row, column, 0)
        one: cython.double = _ways_after(sampler, row, column, 1)
        total = zero + one
        if total > 0:
            zero /= total
            one /= total
        sampler.zero[column], sampler.one[column] = zero, one


@cython.inline
def _ways_after(sampler: Sampler, row: Index, column: Index, value: Index) -> cython.double:
    """The number of ways to complete a column if a cell has a value."""
    again: cython.bint = row > 0 and value == sampler.last[column]
    if again and sampler.run[column] == 1:
        return 0.0
    return sampler.ways[
        row + 1, 4 * (sampler.ones[column] + value) + 2 * value + (1 if again else 0)
    ]


@cython.cfunc
def _find_half_products(sampler: Sampler) -> None:
    """Find the products of the probabilities of cells, for all values of each half of a line."""
    sampler.low[0] = sampler.high[0] = 1.0
    for column in range(sampler.middle):
        size: Index = 1 << column
        for value in range(size):
            sampler.low[value + size] = sampler.low[value] * sampler.one[column]
            sampler.low[value] *= sampler.zero[column]
    for column in range(sampler.middle, sampler.width):
        size = 1 << (column - sampler.middle)
        for value in range(size):
            sampler.high[value + size] = sampler.high[value] * sampler.one[column]
            sampler.high[value] *= sampler.zero[column]


@cython.inline
def _product(sampler: Sampler, line: Index) -> cython.double:
    """The product of the probabilities of the cells of a line."""
    mask = (1 << sampler.middle) - 1
    return sampler.low[line & mask] * sampler.high[line >> sampler.middle]


@cython.cfunc
def _find_sums(sampler: Sampler, used: Index) -> cython.double:
    """Running sums of the products of all lines but the first rows; returns the last sum."""
    total = 0.0
    for k in range(sampler.lines.shape[0]):
        line = sampler.lines[k]
        is_used: cython.bint = False
        for row in range(used):
            is_used |= sampler.rows[row] == line
        if not is_used:
            total += _product(sampler, line)
        sampler.sums[k] = total
    return total


@cython.cfunc
def _choose(sampler: Sampler, sought: cython.double) -> Index:
    """The index of the first running sum above a number; never one of increment 0.

    Rounding could otherwise select an index past the end or with increment 0.
    """
    low: Index = 0
    high: Index = sampler.lines.shape[0]
    while low < high:
        middle: Index = (low + high) >> 1
        if sampler.sums[middle] <= sought:
            low = middle + 1
        else:
            high = middle
    while low > 0 and (
        low == sampler.lines.shape[0] or sampler.sums[low] - sampler.sums[low - 1] <= 0.0
    ):
        low -= 1
    return low


@cython.cfunc
def _add_row(sampler: Sampler, row: Index, line: Index) -> None:
    """Add a row to the board."""
    sampler.rows[row] = line
    for column in range(sampler.width):
        value = (line >> column) & 1
        sampler.run[column] = 1 if row > 0 and value == sampler.last[column] else 0
        sampler.last[column] = value
        sampler.ones[column] += value


@cython.cfunc
def _columns_repeat(sampler: Sampler) -> cython.bint:
    """Whether two columns of the board are equal."""
    for column in range(sampler.width):
        sampler.lists[column] = 0
        for row in range(sampler.height):
            value: Word = (sampler.rows[row] >> column) & 1
            sampler.lists[column] |= value << row
    for column in range(sampler.width):
        for other in range(column):
            if sampler.lists[column] == sampler.lists[other]:
                return True
    return False


@cython.cfunc
def _draw(sampler: Sampler, random: Random) -> cython.double:
    """Draw a board; return the logarithm of its weight, minus infinity if it is not a board."""
    for column in range(sampler.width):
        sampler.ones[column] = sampler.last[column] = sampler.run[column] = 0
    weight = 0.0
    for row in range(sampler.height):
        _find_chances(sampler, row)
        _find_half_products(sampler)
        total: cython.double = _find_sums(sampler, row if sampler.rows_differ else 0)
        if total <= 0.0:
            return sampler.no_weight
        line = sampler.lines[_choose(sampler, total * unit(random))]
        weight += log(total) - log(_product(sampler, line))
        _add_row(sampler, row, line)
    if sampler.columns_differ and _columns_repeat(sampler):
        return sampler.no_weight
    return weight


def sample(sampler: Sampler, seed: Word, weights: cython.double[::1]) -> None:
    """Draw boards at random, and compute their weights.

    Args:
        sampler: the rules.
        seed: the seed of the random numbers.
        weights: filled with the logarithms of the weights; minus infinity if a sample is not a
            board.
    """
    random = Random(seed)
    with cython.nogil:
        for number in range(weights.shape[0]):
            weights[number] = _draw(sampler, random)
