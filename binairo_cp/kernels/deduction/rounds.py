"""The rounds of a solving path: apply a technique to the lines that changed, and fill.

A round changes a few lines, so each technique remembers which lines it has not examined since they
changed.
"""

from __future__ import annotations

from binairo_cp.kernels import cython_stub as cython
from binairo_cp.kernels.deduction.lines import BoardLines, empty_words, fill
from binairo_cp.kernels.deduction.results import IN_LINES
from binairo_cp.kernels.deduction.techniques import opposite
from binairo_cp.kernels.line import Direction
from binairo_cp.kernels.words import Index, Word, cell, first


@cython.final
@cython.cclass
class Path(BoardLines):
    """A board on the way to its solution."""

    new_ones: Word[::1]  # the ones that a round adds to each row; empty between rounds
    new_zeros: Word[::1]  # the zeros that a round adds to each row
    waiting: Word[::1]  # for each technique, the rows and the columns that it has not yet examined

    def __init__(self, rows: Direction, columns: Direction, longest_run: Index) -> None:
        BoardLines.__init__(self, rows, columns, longest_run)
        self.new_ones, self.new_zeros = empty_words(self.height), empty_words(self.height)
        self.waiting = empty_words(2 * IN_LINES)


@cython.inline_nogil_noexcept
def forget_new(path: Path) -> None:
    """Forget the new values of a round."""
    for row in range(path.height):
        path.new_ones[row] = 0
        path.new_zeros[row] = 0


@cython.inline_nogil_noexcept
def begin(path: Path, techniques: Index) -> None:
    """Forget what the rounds on an earlier board left."""
    forget_new(path)
    for k in range(2 * techniques):
        path.waiting[k] = 0


@cython.inline_nogil_noexcept
def wait(path: Path, techniques: Index) -> None:
    """Let the first few techniques examine the changed lines."""
    for technique in range(techniques):
        path.waiting[2 * technique] |= path.changed_rows
        path.waiting[2 * technique + 1] |= path.changed_columns


@cython.inline_nogil_noexcept
def _apply_in(path: Path, technique: Index, direction: Direction, across: Index) -> Word:
    """Apply a technique to the lines of a direction that wait for it; return what it finds."""
    lines = path.waiting[2 * technique + across]
    path.waiting[2 * technique + across] = 0
    longest, line, start = path.longest_run, direction.cells, direction.begin
    most_ones, most_zeros = direction.max_ones, direction.max_zeros
    any_new: Word = 0
    while lines:
        number = first(lines)
        lines &= lines - 1
        ones, zeros = path.ones[start + number], path.zeros[start + number]
        open_cells = line & ~(ones | zeros)
        if not open_cells:
            continue
        more_zeros = opposite(technique, ones, zeros, open_cells, most_ones, longest) & open_cells
        more_ones = opposite(technique, zeros, ones, open_cells, most_zeros, longest) & open_cells
        any_new |= more_ones | more_zeros
        add_new(path, across, number, more_ones, more_zeros)
    return any_new


@cython.nogil_noexcept
def apply(path: Path, technique: Index) -> cython.bint:
    """Apply a technique of `opposite` to the lines that wait for it; whether it finds anything."""
    any_new = _apply_in(path, technique, path.rows, 0)
    return (any_new | _apply_in(path, technique, path.columns, 1)) != 0


@cython.inline_nogil_noexcept
def add_new(path: Path, across: Index, number: Index, ones: Word, zeros: Word) -> None:
    """Add values of a row (across is 0) or a column (1) to those of the round."""
    if across == 0:
        path.new_ones[number] |= ones
        path.new_zeros[number] |= zeros
        return
    while ones:
        path.new_ones[first(ones)] |= cell(number)
        ones &= ones - 1
    while zeros:
        path.new_zeros[first(zeros)] |= cell(number)
        zeros &= zeros - 1


@cython.inline_nogil_noexcept
def has_conflict(path: Path) -> cython.bint:
    """Whether a round finds two values for a cell."""
    both: Word = 0
    for row in range(path.height):
        both |= path.new_ones[row] & path.new_zeros[row]
    return both != 0


@cython.nogil_noexcept
def fill_new(path: Path) -> None:
    """Fill the new values; the changed lines are then those that they changed."""
    path.changed_rows = 0
    path.changed_columns = 0
    for row in range(path.height):
        new_ones, new_zeros = path.new_ones[row], path.new_zeros[row]
        filled = new_ones | new_zeros
        if not filled:
            continue
        path.new_ones[row], path.new_zeros[row] = 0, 0
        path.changed_rows |= cell(row)
        path.changed_columns |= filled
        while filled:
            column = first(filled)
            filled &= filled - 1
            fill(path, row, column, (new_ones >> column) & 1)
