"""Grade many puzzles: the solving path of each, without its steps.

`driver` defines the path, and the tests compare the two. There are no signs here, nor lines of more
than 64 cells. A round changes a few lines, so each technique remembers which lines it has not
examined since they changed.
"""

from __future__ import annotations

from binairo_cp.kernels import cython_stub as cython
from binairo_cp.kernels.deduction.closure import Closing, breaks
from binairo_cp.kernels.deduction.lines import (
    BoardLines,
    add_implied,
    check_puzzles,
    copy_values,
    empty_words,
    fill,
    forget_implied,
    is_broken,
    is_implied,
    load,
)
from binairo_cp.kernels.deduction.results import (
    BROKEN,
    FOLLOWED,
    IN_LINES,
    LOOKS,
    NARROWEST,
    OPEN_CELLS,
    PLACED,
    PROJECTION,
    RESULT_WORDS,
    ROUNDS,
)
from binairo_cp.kernels.deduction.techniques import distinct_from_full, opposite
from binairo_cp.kernels.line import Direction, consistent_in
from binairo_cp.kernels.words import Index, Word, cell, first, line_of, size

_TOO_LONG = -1


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


def grade_all(
    path: Path,
    trial: Path,
    clues: cython.const[cython.uchar][:, ::1],
    tries: cython.bint,
    results: cython.longlong[:, ::1],
) -> None:
    """Grade puzzles of one shape.

    Args:
        path: the rules and the memory.
        trial: memory with the same rules, for boards on which a value is tried.
        clues: n x (h * w) bytes ``0``, ``1`` and ``.``, row by row.
        tries: whether to try values, to find contradictions.
        results: n x `RESULT_WORDS` numbers, all 0, or those of the rounds that filled the boards so
            far; are filled.

    Raises:
        ValueError: the sizes differ.
    """
    check_puzzles(path, clues)
    check_puzzles(trial, clues)
    if trial.height != path.height or trial is path:
        raise ValueError("expected a trial of its own, of the same size")
    if results.shape[0] != clues.shape[0] or results.shape[1] != RESULT_WORDS:
        raise ValueError(
            f"results of {results.shape[0]} x {results.shape[1]}: "
            f"expected {clues.shape[0]} x {RESULT_WORDS}"
        )
    closing = Closing(path.rows, path.columns, path.longest_run)
    closing.has_goal = closing.signed = False
    puzzle: Index
    number: Index = clues.shape[0]
    with cython.nogil:
        for puzzle in range(number):
            if not results[puzzle, ROUNDS]:
                results[puzzle, NARROWEST] = path.height * path.width
            results[puzzle, OPEN_CELLS] = load(path, clues, puzzle)
            _grade(path, trial, closing, tries, results, puzzle)


@cython.nogil_noexcept
def _grade(
    path: Path,
    trial: Path,
    closing: Closing,
    tries: cython.bint,
    results: cython.longlong[:, ::1],
    puzzle: Index,
) -> None:
    begin(path, IN_LINES)
    path.changed_rows, path.changed_columns = line_of(path.height), line_of(path.width)
    while True:
        if is_broken(path):
            results[puzzle, BROKEN] = 1
        if not results[puzzle, OPEN_CELLS] or results[puzzle, BROKEN]:
            break
        wait(path, IN_LINES)
        technique = _find(path)
        depth: Index = 1
        if technique == IN_LINES and tries:
            depth = _refute(path, trial, closing) + 1
        placed: Index = 0
        for row in range(path.height):
            placed += size(path.new_ones[row] | path.new_zeros[row])
        if not placed:
            break
        results[puzzle, PLACED + technique] += placed
        results[puzzle, LOOKS + technique] += depth
        results[puzzle, ROUNDS] += 1
        results[puzzle, OPEN_CELLS] -= placed
        if results[puzzle, OPEN_CELLS] and placed < results[puzzle, NARROWEST]:
            results[puzzle, NARROWEST] = placed
        results[puzzle, BROKEN] = has_conflict(path)
        fill_new(path)


@cython.inline_nogil_noexcept
def _find(path: Path) -> Index:
    """Apply the easiest technique for lines that finds anything; return its number.

    Returns `IN_LINES` if none does.
    """
    technique: Index
    for technique in range(PROJECTION):
        if apply(path, technique):
            return technique
    for technique in range(PROJECTION, IN_LINES):
        any_new = _apply_whole(path, technique, path.rows, 0)
        if any_new | _apply_whole(path, technique, path.columns, 1):
            return technique
    return IN_LINES


@cython.nogil_noexcept
def _apply_whole(path: Path, technique: Index, direction: Direction, across: Index) -> Word:
    """Apply a technique that `opposite` does not have to a direction; return what it finds."""
    lines: Word = 0
    if technique == PROJECTION:
        lines = path.waiting[2 * technique + across]
        path.waiting[2 * technique + across] = 0
    elif direction.distinct:
        # The result for an unchanged line can change when another line becomes full.
        lines = line_of(direction.count)
    any_new: Word = 0
    while lines:
        number = first(lines)
        lines &= lines - 1
        k = direction.begin + number
        ones, zeros = path.ones[k], path.zeros[k]
        open_cells = direction.cells & ~(ones | zeros)
        if not open_cells:
            continue
        if technique == PROJECTION:
            more_ones, more_zeros = consistent_in(ones, zeros, direction, path.longest_run)
            if more_ones & more_zeros:
                continue
        else:
            more_ones, more_zeros = distinct_from_full(path, technique, k, direction)
        more_ones &= open_cells
        more_zeros &= open_cells
        any_new |= more_ones | more_zeros
        add_new(path, across, number, more_ones, more_zeros)
    return any_new


@cython.nogil_noexcept
def _refute(path: Path, trial: Path, closing: Closing) -> Index:
    """Apply `contradiction`: add the opposites of the values that are refuted in the fewest rounds.

    Returns the number of rounds. Values are tried on the boards of `closing` first: to see whether
    one is refuted at all takes less time than to count the rounds, which few values need.
    """
    fewest: Index = path.height * path.width + 1
    forget_implied(path)
    for row in range(path.height):
        open_cells = path.rows.cells & ~(path.ones[row] | path.zeros[row])
        while open_cells:
            column = first(open_cells)
            open_cells &= open_cells - 1
            for value in range(2):
                if is_implied(path, row, column, value):
                    continue
                copy_values(closing, path)
                if not breaks(closing, row, column, value):
                    add_implied(path, closing)
                    continue
                copy_values(trial, path)
                rounds = _rounds_to_refute(trial, row, column, value, fewest)
                if rounds == _TOO_LONG:
                    continue
                if rounds < fewest:
                    fewest = rounds
                    forget_new(path)
                if value:
                    path.new_zeros[row] |= cell(column)
                else:
                    path.new_ones[row] |= cell(column)
    return fewest


@cython.nogil_noexcept
def _rounds_to_refute(trial: Path, row: Index, column: Index, value: Index, most: Index) -> Index:
    """The number of rounds until a value breaks a rule; `_TOO_LONG` if they would exceed `most`."""
    fill(trial, row, column, value)
    trial.changed_rows, trial.changed_columns = cell(row), cell(column)
    begin(trial, FOLLOWED)
    rounds: Index = 0
    while True:
        if is_broken(trial):
            return rounds
        if rounds == most:
            return _TOO_LONG
        wait(trial, FOLLOWED)
        rounds += 1
        for technique in range(FOLLOWED):
            if apply(trial, technique):
                break
        if has_conflict(trial):
            return rounds
        fill_new(trial)
