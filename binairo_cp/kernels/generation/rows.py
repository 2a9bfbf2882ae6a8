"""Fill boards row by row, with backtracking.

The candidates for a row are the legal lines that the columns above allow, by their last two symbols
and their sums. The candidates are never listed: each has a number, and the search visits the
numbers in a random order that contains each exactly once. When a row has no candidates left, the
search backtracks to the row above.

This draws a random board, but some boards are more likely than others.
"""

from __future__ import annotations

from binairo_cp.kernels import cython_stub as cython
from binairo_cp.kernels.completions import count_lines, end_after, line_of_number
from binairo_cp.kernels.generation.generator import Generator, have_distinct_columns, repeats
from binairo_cp.kernels.randomness import below
from binairo_cp.kernels.words import Index, Word, cell

FOUND, NO_MORE, OUT_OF_BUDGET = 0, 1, 2
"""How a search ended."""


@cython.nogil_noexcept
def _greatest_common_divisor(one: Index, other: Index) -> Index:
    while other:
        one, other = other, one % other
    return one


@cython.nogil_noexcept
def _find_possible_symbols(generator: Generator, row: Index) -> None:
    """Find which cells of a row can be 0, and which 1, after the columns above."""
    zero_cells: Word = 0
    one_cells: Word = 0
    for column in range(generator.columns.count):
        so_far: Index = generator.sums[row, column]
        end: Index = generator.ends[row, column]
        after = end_after(end, 0)
        if after >= 0 and generator.possible[row + 1, so_far, after]:
            zero_cells |= cell(column)
        after = end_after(end, 1)
        if after >= 0 and generator.possible[row + 1, so_far + 1, after]:
            one_cells |= cell(column)
    generator.can_zero[row], generator.can_one[row] = zero_cells, one_cells


@cython.nogil_noexcept
def _find_candidates(generator: Generator, row: Index) -> None:
    """Count the candidates of a row, and choose the order in which to visit them."""
    _find_possible_symbols(generator, row)
    width = generator.columns.count
    ways = count_lines(
        width,
        generator.can_zero[row],
        generator.can_one[row],
        generator.rows.fewest,
        generator.rows.most,
        generator.tables,
        row * (width + 1),
    )
    generator.total[row] = generator.left[row] = ways
    generator.number[row], generator.step[row] = ways - 1, 1
    if ways > 1:
        generator.number[row] = below(generator.random, ways)
        # The step is coprime to the number of candidates, so each candidate comes exactly once.
        step = 1 + below(generator.random, ways - 1)
        while _greatest_common_divisor(step, ways) != 1:
            step = 1 + below(generator.random, ways - 1)
        generator.step[row] = step


@cython.nogil_noexcept
def _enter_row(generator: Generator, row: Index, line: Word) -> None:
    """Update the sums and ends of the columns after a row."""
    for column in range(generator.columns.count):
        symbol: Index = (line >> column) & 1
        generator.sums[row + 1, column] = generator.sums[row, column] + symbol
        generator.ends[row + 1, column] = end_after(generator.ends[row, column], symbol)


@cython.nogil_noexcept
def start_search(generator: Generator) -> None:
    """Empty the board."""
    for column in range(generator.columns.count):
        generator.sums[0, column], generator.ends[0, column] = 0, -2
    generator.row, generator.is_new = 0, True


@cython.nogil_noexcept
def next_board(generator: Generator, budget: Index) -> Index:
    """Search for the next board.

    Args:
        generator: where the search is; its rows become those of the board.
        budget: the maximum number of rows to try.

    Returns:
        How the search ended: FOUND, NO_MORE if there are no other boards, or OUT_OF_BUDGET.
    """
    height, width = generator.rows.count, generator.columns.count
    tried: Index = 0
    while True:
        row: Index = generator.row
        if row == height:
            generator.row, generator.is_new = row - 1, False
            if not generator.distinct or have_distinct_columns(generator.rows, width):
                return FOUND
            continue
        tried += 1
        if tried > budget:
            return OUT_OF_BUDGET
        if generator.is_new:
            _find_candidates(generator, row)
        if generator.left[row] == 0:
            if row == 0:
                return NO_MORE
            generator.row, generator.is_new = row - 1, False
            continue
        generator.left[row] -= 1
        number = (generator.number[row] + generator.step[row]) % generator.total[row]
        generator.number[row] = number
        line = line_of_number(
            width,
            number,
            generator.can_zero[row],
            generator.can_one[row],
            generator.tables,
            row * (width + 1),
        )
        generator.rows.words[row] = line
        generator.is_new = not (generator.distinct and repeats(generator.rows, row))
        if generator.is_new:
            _enter_row(generator, row, line)
            generator.row = row + 1


@cython.nogil_noexcept
def fill_rows(generator: Generator, budget: Index, tries: Index) -> cython.bint:
    """Draw a board by repeated short searches; return whether one succeeded.

    If the first rows can't be completed, a search takes very long to find out. A restart is cheap.
    """
    for _ in range(tries):
        start_search(generator)
        ended = next_board(generator, budget)
        if ended != OUT_OF_BUDGET:
            return ended == FOUND
    return False
