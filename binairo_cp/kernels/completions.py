"""The legal completions of a line by number: `lines.Lines` for machine words.

A line has up to 64 cells. Two words give the cells that can be 0 and the cells that can be 1. A
table counts the completions of a prefix by (its cells, its ones, its end). The end is the last
symbol and whether it occurs twice: ``2 * symbol + doubled``. An empty prefix has the end -2.
"""

from __future__ import annotations

from binairo_cp.kernels import cython_stub as cython
from binairo_cp.kernels.words import Index, Word, cell

ENDS = 4


@cython.inline_nogil_noexcept
def end_after(end: Index, symbol: Index) -> Index:
    """The end of a prefix after one more symbol; -1 if it would be the third in a row."""
    if end >> 1 != symbol:
        return 2 * symbol
    return -1 if end & 1 else 2 * symbol + 1


@cython.nogil_noexcept
def count_lines(
    length: Index,
    zeros: Word,
    ones: Word,
    fewest: Index,
    most: Index,
    tables: cython.longlong[:, :, ::1],
    begin: Index,
) -> Index:
    """Fill the table and count the legal lines.

    Args:
        length: Length of the line, 1 to 64 cells.
        zeros: The cells that can be 0.
        ones: The cells that can be 1.
        fewest: The minimum number of ones.
        most: The maximum number of ones.
        tables: Tables of at least length + 2 by `ENDS` numbers in each place; one is filled.
        begin: The first of the length + 1 places of this table.
    """
    for number in range(length + 1):
        for end in range(ENDS):
            tables[begin + length, number, end] = 1 if fewest <= number <= most else 0
    for place in range(length - 1, 0, -1):
        can_zero, can_one = zeros & cell(place), ones & cell(place)
        # With fewer ones than this the minimum can't be reached.
        least: Index = max(0, fewest - (length - place))
        this, after = begin + place, begin + place + 1
        for end in range(ENDS):
            tables[this, most + 1, end] = 0
            if least:
                tables[this, least - 1, end] = 0
        for number in range(least, min(place, most) + 1):
            # A doubled end allows only the other symbol next; a single end allows both.
            zero_first = tables[after, number, 0] if can_zero else 0
            zero_again = tables[after, number, 1] if can_zero else 0
            one_first = tables[after, number + 1, 2] if can_one else 0
            one_again = tables[after, number + 1, 3] if can_one else 0
            tables[this, number, 0] = zero_again + one_first
            tables[this, number, 1] = one_first
            tables[this, number, 2] = zero_first + one_again
            tables[this, number, 3] = zero_first
    total: Index = 0
    if zeros & 1:
        total += tables[begin + 1, 0, 0]
    if ones & 1:
        total += tables[begin + 1, 1, 2]
    return total


@cython.nogil_noexcept
def line_of_number(
    length: Index,
    number: Index,
    zeros: Word,
    ones: Word,
    tables: cython.longlong[:, :, ::1],
    begin: Index,
) -> Word:
    """Return a line by its number, from 0, in lexicographic order, as the word of its ones.

    The other arguments are those of `count_lines`, which has filled the table.
    """
    line: Word = 0
    so_far: Index = 0
    end: Index = -2
    for place in range(length):
        after = end_after(end, 0)
        ways: Index = 0
        if after >= 0 and zeros & cell(place):
            ways = tables[begin + place + 1, so_far, after]
        if number < ways:
            end = after
        else:
            number -= ways
            end = end_after(end, 1)
            so_far += 1
            line |= cell(place)
    return line
