"""Full consistency of one line, for any length, in a few word operations; the rules of lines.

A line is two words: the cells that are 1 and the cells that are 0. `consistent` returns the cells
that have the same value in every legal completion. It relies on two facts.

First, once no open cell completes a run that is too long, a greedy algorithm finds the minimum
number of ones that a completion has. Each window of ``longest + 1`` cells without a 1 needs one.
Process the windows from the lowest to the highest and set the highest open cell of each: it also
covers most of the following windows.

Second, if the line may have more ones than this minimum, balance excludes no value of an open cell:
any cell can be set at the cost of at most one more 1. So only a line that must end with exactly its
minimum of ones, or zeros, needs more work. There the i-th added one is between its position in the
greedy solution from the right end and its position in the greedy solution from the left end. A cell
outside all of these stretches is 0, and a cell that is a stretch by itself is 1.

Both facts are tested, not proved: the tests compare all 3^n states of lines of up to 12 cells, and
random states of up to 64, with an exact enumeration, for every bound on ones and many on runs.

Up to `TABLE_LENGTH` cells the results for all states of a line are in a table instead, which makes
the solver as a whole a quarter to a third faster.
"""

from __future__ import annotations

from binairo_cp.kernels import cython_stub as cython
from binairo_cp.kernels.words import ALL, Index, Word, cell, highest, line_of, lowest, size

TABLE_LENGTH = 12
"""The maximum length of a line with a table."""

LONGEST = 64
"""The maximum length of a line: it must fit in one word."""


@cython.inline_nogil_noexcept
def completing(word: Word, longest: Index) -> Word:
    """The cells that would extend runs of a symbol beyond the longest allowed run.

    Some of them may be outside the line.
    """
    if longest == 2:
        left: Word = word << 1
        right: Word = word >> 1
        return (left & (left << 1)) | (left & right) | (right & (right >> 1))
    result: Word = 0
    if longest >= 64:  # no run can be that long, and a word can't be shifted that far
        return result
    for before in range(longest + 1):
        both: Word = ALL
        for k in range(1, before + 1):
            both &= word << k
        for k in range(1, longest - before + 1):
            both &= word >> k
        result |= both
    return result


@cython.inline_nogil_noexcept
def _windows(word: Word, longest: Index) -> Word:
    """The lowest cells of all windows of ``longest + 1`` cells that are subsets of a word."""
    if longest == 2:
        return word & (word >> 1) & (word >> 2)
    for _ in range(longest):
        word &= word >> 1
    return word


@cython.inline_nogil_noexcept
def _fewest_high(windows: Word, other: Word, longest: Index) -> Word:
    """A minimum set of open cells that hits all windows, each as high as possible."""
    added: Word = 0
    while windows:
        place = lowest(windows) << longest
        while place & other:
            place >>= 1
        added |= place
        windows &= ~((place << 1) - 1)
    return added


@cython.nogil_noexcept
def _fewest_low(windows: Word, other: Word, longest: Index) -> Word:
    """A minimum set of open cells that hits all windows, each as low as possible."""
    added: Word = 0
    while windows:
        place = highest(windows)
        while place & other:
            place <<= 1
        added |= place
        # The windows that begin at most `longest` cells below contain this cell.
        windows &= (place >> longest) - 1 if place >> longest else 0
    return added


@cython.nogil_noexcept
def _stretches(low: Word, high: Word) -> Word:
    """The cells from the i-th cell of one word to the i-th cell of the other, for all i."""
    within: Word = 0
    while high:
        begin, end = lowest(low), lowest(high)
        within |= ((end << 1) - 1) & ~(begin - 1)
        low ^= begin
        high ^= end
    return within


@cython.inline_nogil_noexcept
def _balanced(
    mine: Word, other: Word, line: Word, longest: Index, most: Index
) -> tuple[Word, Word]:
    """The open cells that must have a symbol, and those that can't, since there may be no more.

    Both are the whole line if there must be more. No open cell completes a run that is too long.
    """
    windows = _windows(line & ~mine, longest)
    # An added cell hits a window and the one above it, since each window has two open cells.
    if 2 * (most - size(mine)) > size(windows) + size(windows & ~(windows << 1)):
        return 0, 0
    high = _fewest_high(windows, other, longest)
    fewest = size(mine | high)
    if fewest > most:
        return line, line
    if fewest < most:
        return 0, 0
    low = _fewest_low(windows, other, longest)
    return low & high, line & ~(mine | other) & ~_stretches(low, high)


@cython.nogil_noexcept
def consistent(
    ones: Word, zeros: Word, line: Word, longest: Index, most_ones: Index, most_zeros: Index
) -> tuple[Word, Word]:
    """The cells that are 1, and that are 0, in every legal completion of a line.

    Args:
        ones: the cells that are 1.
        zeros: the cells that are 0.
        line: all cells of the line.
        longest: the maximum number of consecutive equal cells.
        most_ones: the maximum number of ones.
        most_zeros: the maximum number of zeros.

    Returns:
        The two words; they overlap if there is no legal completion.
    """
    while True:
        more_zeros = zeros | (completing(ones, longest) & line)
        more_ones = ones | (completing(more_zeros, longest) & line)
        if more_ones == ones and more_zeros == zeros:
            break
        ones, zeros = more_ones, more_zeros
        if ones & zeros:
            return ones, zeros
    must_be_one, never_one = _balanced(ones, zeros, line, longest, most_ones)
    must_be_zero, never_zero = _balanced(zeros, ones, line, longest, most_zeros)
    return ones | must_be_one | never_zero, zeros | must_be_zero | never_one


def consistent_line(
    ones: Word, zeros: Word, line: Word, longest: Index, most_ones: Index, most_zeros: Index
) -> tuple[int, int]:
    """`consistent` for Python."""
    if longest < 1:
        raise ValueError("expected runs of at least one cell")
    return consistent(ones, zeros, line, longest, most_ones, most_zeros)


def fill_ternary_numbers(numbers: cython.uint[::1]) -> None:
    """For each word of up to `TABLE_LENGTH` cells, the number with its binary digits in base 3."""
    count: Index = len(numbers)
    with cython.nogil:
        for word in range(1, count):
            numbers[word] = 3 * numbers[word >> 1] + (word & 1)


def table_states(length: Index) -> Index:
    """The number of states of a line: 3 to the power of its length.

    Raises:
        ValueError: the line has more than `TABLE_LENGTH` cells.
    """
    if not 1 <= length <= TABLE_LENGTH:
        raise ValueError(f"expected a line of 1 to {TABLE_LENGTH} cells")
    states: Index = 1
    for _ in range(length):
        states *= 3
    return states


def fill_table(
    shared: cython.uint[::1], length: Index, longest: Index, most_ones: Index, most_zeros: Index
) -> None:
    """`consistent` for every state of a line: the ones in the low half, the zeros in the high half.

    The state with the words `ones` and `zeros` has the number ``t(ones) + 2 t(zeros)``, where t
    reads the binary digits of a word in base 3. The table is filled from the last state to the
    first: the completions of a state are those of the two states that fill its first open cell.

    Raises:
        ValueError: the line has more than `TABLE_LENGTH` cells, or the table has another size.
    """
    states: Index = len(shared)
    if states != table_states(length) or longest < 1:
        raise ValueError("the table has another size")
    # First, the cells that are 1 (low half) and that are 0 (high half) in some legal completion.
    with cython.nogil:
        for state in range(states - 1, -1, -1):
            ones: Word = 0
            zeros: Word = 0
            rest: Index = state
            power: Index = 1
            open_power: Index = 0
            for k in range(length):
                digit = rest % 3
                rest //= 3
                if digit == 1:
                    ones |= cell(k)
                elif digit == 2:
                    zeros |= cell(k)
                elif open_power == 0:
                    open_power = power
                power *= 3
            shared[state] = 0
            if open_power:
                shared[state] = shared[state + open_power] | shared[state + 2 * open_power]
            elif (
                size(ones) <= most_ones
                and size(zeros) <= most_zeros
                and not _windows(ones, longest)
                and not _windows(zeros, longest)
            ):
                shared[state] = ones | (zeros << 16)
        for state in range(states):
            ones = shared[state] & 0xFFFF
            zeros = shared[state] >> 16
            if ones | zeros:
                shared[state] = (ones & ~zeros) | ((zeros & ~ones) << 16)
            else:
                shared[state] = 0xFFFFFFFF


@cython.nogil_noexcept
def propagate_signs(ones: Word, zeros: Word, equal: Word, opposite: Word) -> tuple[Word, Word]:
    """Propagate the signs of a line; bit k of a word is a sign between cells k and k + 1."""
    while True:
        more_ones = ones | ((ones & equal) << 1) | ((ones >> 1) & equal)
        more_ones |= ((zeros & opposite) << 1) | ((zeros >> 1) & opposite)
        more_zeros = zeros | ((zeros & equal) << 1) | ((zeros >> 1) & equal)
        more_zeros |= ((ones & opposite) << 1) | ((ones >> 1) & opposite)
        if more_ones == ones and more_zeros == zeros:
            return ones, zeros
        ones, zeros = more_ones, more_zeros
        if ones & zeros:
            return ones, zeros


@cython.final
@cython.cclass
class Direction:
    """The rules for the lines of one direction: all rows, or all columns."""

    begin: Index  # the number of the first of these lines, with rows numbered before columns
    count: Index  # how many there are
    length: Index  # their number of cells
    cells: Word  # the word of all cells of a line
    max_ones: Index  # the largest number of ones
    max_zeros: Index  # the largest number of zeros
    distinct: cython.bint  # whether no two of these lines may be equal
    balanced: cython.bint  # whether a full line has exactly the maxima of both symbols
    has_table: cython.bint  # whether there are tables
    table: cython.uint[::1]  # the table of `line.fill_table`
    ternary: cython.uint[::1]  # the numbers of `line.fill_ternary_numbers`

    def __init__(
        self,
        begin: Index,
        count: Index,
        length: Index,
        max_ones: Index,
        max_zeros: Index,
        distinct: cython.bint,
    ) -> None:
        """Keep the rules, with the names of the attributes.

        Raises:
            ValueError: a line has less than 1 or more than 64 cells, or there is none.
        """
        if not (1 <= length <= LONGEST and count >= 1 and begin >= 0):
            raise ValueError("expected lines of 1 to 64 cells")
        self.begin, self.count, self.length = begin, count, length
        self.cells = line_of(length)
        self.max_ones, self.max_zeros, self.distinct = max_ones, max_zeros, distinct
        self.balanced = max_ones + max_zeros == length
        self.has_table = False

    def use_table(self, table: cython.uint[::1], ternary: cython.uint[::1]) -> None:
        """From now on, look up the consequences of a line in tables.

        Raises:
            ValueError: a table has another size.
        """
        if len(table) != table_states(self.length):
            raise ValueError("the table has another size")
        if len(ternary) < 1 << self.length:
            raise ValueError("the ternary numbers have another size")
        self.table, self.ternary, self.has_table = table, ternary, True


@cython.inline_nogil_noexcept
def consistent_in(
    ones: Word, zeros: Word, direction: Direction, longest: Index
) -> tuple[Word, Word]:
    """`consistent` for a line of a direction."""
    line, most_ones, most_zeros = direction.cells, direction.max_ones, direction.max_zeros
    return consistent(ones, zeros, line, longest, most_ones, most_zeros)
