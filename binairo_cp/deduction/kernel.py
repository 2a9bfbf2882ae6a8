"""The techniques for lines once more, as compiled code on machine words, for grading many puzzles.

`techniques` is what is meant, and the tests compare the two round by round. This has what needs no
signs and no trying of values; lines have up to 64 cells. A line is two words, as in the bitboard.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numba import int64, njit, uint8

from binairo_cp.backends.bitboard.line import completing, consistent
from binairo_cp.backends.bitboard.words import ONE, ZERO, cell, first, line_of, lowest, size
from binairo_cp.compiling import compiled, digest, notice

NAMES = (
    "pair",
    "sandwich",
    "count",
    "last one",
    "one of each",
    "projection",
    "two open",
    "distinct lines",
)
"""The techniques in order; they are a part of `driver.WAYS`."""

ROUNDS, NARROWEST, OPEN_CELLS, CONTRADICTION, PLACED = 0, 1, 2, 3, 4
"""What is told of a puzzle: how many rounds, the fewest cells filled in one but the last, how many
cells are open in the end, whether a contradiction came up; and from the last on how many cells each
technique filled."""

RESULT_WORDS = PLACED + len(NAMES)
_PAIR, _SANDWICH, _COUNT, _LAST_ONE, _ONE_OF_EACH, _PROJECTION, _TWO_OPEN, DISTINCT_LINES = range(8)
_TECHNIQUES = 8


@cache
def grader() -> Any:
    """The compiled `grade`."""
    signature = int64(uint8[:, ::1], int64[::1], int64[:, ::1])
    with notice("the grader"):
        return compiled(_entry(digest("deduction", "backends/bitboard")), signature)


def _entry(sources: int) -> Callable[[Any, Any, Any], int]:
    def entry(clues: Any, shape: Any, results: Any) -> int:
        grade(clues, shape, results)
        return sources

    return entry


@njit
def grade(clues: Any, shape: Any, results: Any) -> None:
    """Grade puzzles of one shape and its rules.

    Args:
        clues: puzzles x cells, row by row: 0, 1, or 2 for an open cell.
        shape: height, width, longest run, distinct lines, balance, and the most ones and zeros of
            a row and of a column.
        results: puzzles x `RESULT_WORDS`; is filled.
    """
    height, width = shape[0], shape[1]
    lines = height + width
    ones, zeros = np.zeros(lines, np.uint64), np.zeros(lines, np.uint64)
    new_ones, new_zeros = np.zeros(height, np.uint64), np.zeros(height, np.uint64)
    dirty = np.zeros((_TECHNIQUES, lines), np.bool_)
    stack = np.zeros((130, 2), np.uint64)
    for puzzle in range(len(clues)):
        ones[:] = ZERO
        zeros[:] = ZERO
        results[puzzle] = 0
        results[puzzle, NARROWEST] = height * width
        open_cells = 0
        for place in range(height * width):
            value = clues[puzzle, place]
            row, column = place // width, place % width
            if value == 1:
                ones[row] |= cell(column)
                ones[height + column] |= cell(row)
            elif value == 0:
                zeros[row] |= cell(column)
                zeros[height + column] |= cell(row)
            else:
                open_cells += 1
        dirty[:] = True
        if _is_broken(height, width, shape, ones, zeros):
            results[puzzle, CONTRADICTION] = 1
        while open_cells and not results[puzzle, CONTRADICTION]:
            placed = 0
            for technique in range(_TECHNIQUES):
                new_ones[:] = ZERO
                new_zeros[:] = ZERO
                for k in range(lines):
                    if dirty[technique, k]:
                        dirty[technique, k] = technique >= _TWO_OPEN
                        _look(
                            technique,
                            k,
                            height,
                            width,
                            shape,
                            ones,
                            zeros,
                            new_ones,
                            new_zeros,
                            stack,
                        )
                for row in range(height):
                    placed += int(size(new_ones[row] | new_zeros[row]))
                    if new_ones[row] & new_zeros[row]:
                        results[puzzle, CONTRADICTION] = 1
                if results[puzzle, CONTRADICTION]:
                    break
                if placed:
                    results[puzzle, PLACED + technique] += placed
                    break
            if not placed or results[puzzle, CONTRADICTION]:
                break
            results[puzzle, ROUNDS] += 1
            open_cells -= placed
            if open_cells:
                results[puzzle, NARROWEST] = min(results[puzzle, NARROWEST], placed)
            _fill(height, width, ones, zeros, new_ones, new_zeros, dirty)
            if _is_broken(height, width, shape, ones, zeros):
                results[puzzle, CONTRADICTION] = 1
                break
        results[puzzle, OPEN_CELLS] = open_cells


@njit
def _fill(
    height: int,
    width: int,
    ones: Any,
    zeros: Any,
    new_ones: Any,
    new_zeros: Any,
    dirty: Any,
) -> None:
    for row in range(height):
        filled = new_ones[row] | new_zeros[row]
        ones[row] |= new_ones[row]
        zeros[row] |= new_zeros[row]
        if filled:
            dirty[:, row] = True
        while filled:
            column = first(filled)
            if new_ones[row] & cell(column):
                ones[height + column] |= cell(row)
            else:
                zeros[height + column] |= cell(row)
            dirty[:, height + column] = True
            filled &= filled - ONE


@njit
def _is_broken(height: int, width: int, shape: Any, ones: Any, zeros: Any) -> Any:
    """Whether a rule is broken."""
    longest = shape[2]
    for k in range(height + width):
        most_ones, most_zeros = most_of(shape, k, height)
        if size(ones[k]) > most_ones or size(zeros[k]) > most_zeros:
            return True
        if _has_long_run(ones[k], longest) or _has_long_run(zeros[k], longest):
            return True
    if shape[3]:
        for begin, end, length in ((0, height, width), (height, height + width, height)):
            for one in range(begin, end):
                if ones[one] | zeros[one] == line_of(length):
                    for two in range(begin, one):
                        if ones[one] == ones[two] and zeros[one] == zeros[two]:
                            return True
    return False


@njit
def most_of(shape: Any, k: int, height: int) -> Any:
    """How many ones and zeros line k may have."""
    first_of = 5 if k < height else 7
    return np.uint64(shape[first_of]), np.uint64(shape[first_of + 1])


@njit
def _has_long_run(word: Any, longest: int) -> Any:
    if longest >= 64:
        return False
    for _ in range(longest):
        word &= word >> ONE
    return word != ZERO


@njit
def _look(
    technique: int,
    k: int,
    height: int,
    width: int,
    shape: Any,
    ones: Any,
    zeros: Any,
    new_ones: Any,
    new_zeros: Any,
    stack: Any,
) -> None:
    """Add what a technique shows in a line to what is new."""
    length = width if k < height else height
    most_ones, most_zeros = most_of(shape, k, height)
    line, longest = line_of(length), shape[2]
    open_cells = line & ~(ones[k] | zeros[k])
    if not open_cells:
        return
    if technique == _PROJECTION:
        more_ones, more_zeros = consistent(ones[k], zeros[k], line, longest, most_ones, most_zeros)
        if more_ones & more_zeros:
            return
    elif technique >= _TWO_OPEN:
        if not shape[3]:
            return
        begin, end = (0, height) if k < height else (height, height + width)
        more_ones, more_zeros = unlike(
            technique, k, begin, end, line, longest, most_ones, most_zeros, ones, zeros, stack
        )
    else:
        more_zeros = _opposite(technique, ones[k], zeros[k], line, longest, most_ones, shape[4])
        more_ones = _opposite(technique, zeros[k], ones[k], line, longest, most_zeros, shape[4])
    more_ones &= open_cells
    more_zeros &= open_cells
    if k < height:
        new_ones[k] |= more_ones
        new_zeros[k] |= more_zeros
        return
    column = cell(k - height)
    while more_ones:
        new_ones[first(more_ones)] |= column
        more_ones &= more_ones - ONE
    while more_zeros:
        new_zeros[first(more_zeros)] |= column
        more_zeros &= more_zeros - ONE


@njit
def _opposite(
    technique: int, mine: Any, other: Any, line: Any, longest: int, most: Any, balanced: Any
) -> Any:
    """The cells that must have the other symbol than `mine` does; open ones among others."""
    open_cells = line & ~(mine | other)
    if technique == _PAIR:
        if longest >= 64:
            return ZERO
        runs = mine
        for shift in range(1, longest):
            runs &= mine >> np.uint64(shift)
        beside = runs << np.uint64(longest) if longest < 64 else ZERO
        return beside | (runs >> ONE)
    if technique == _SANDWICH:
        return completing(mine, longest)
    if not balanced:
        return ZERO
    missing = int(most) - int(size(mine))
    if technique == _COUNT:
        return open_cells if missing == 0 else ZERO
    if technique == _LAST_ONE:
        return last_one(open_cells, other, longest) if missing == 1 else ZERO
    return _one_of_each(mine, other, open_cells, line, longest, missing)


@njit
def last_one(open_cells: Any, other: Any, longest: int) -> Any:
    """The open cells in which the last one of a symbol would make a run of the rest."""
    found, rest = ZERO, open_cells
    while rest:
        place = lowest(rest)
        if _has_long_run(other | (open_cells & ~place), longest):
            found |= place
        rest ^= place
    return found


@njit
def _one_of_each(
    mine: Any, other: Any, open_cells: Any, line: Any, longest: int, missing: int
) -> Any:
    if longest != 2:
        return ZERO
    pairs = open_cells & (open_cells >> ONE)
    mixed = ((mine << ONE) & (other >> np.uint64(2))) | ((other << ONE) & (mine >> np.uint64(2)))
    pairs &= mixed
    if not pairs or int(size(pairs)) != missing:
        return ZERO
    return open_cells & ~(pairs | (pairs << ONE))


@njit
def unlike(
    technique: int,
    k: int,
    begin: int,
    end: int,
    line: Any,
    longest: int,
    most_ones: Any,
    most_zeros: Any,
    ones: Any,
    zeros: Any,
    stack: Any,
) -> Any:
    """What a line must have so that it is not like a full one."""
    open_cells = line & ~(ones[k] | zeros[k])
    if technique == _TWO_OPEN and size(open_cells) != np.uint64(2):
        return ZERO, ZERO
    more_ones, more_zeros = ZERO, ZERO
    alike = 0
    for full in range(begin, end):
        if _is_like(full, k, line, ones, zeros):
            alike += 1
    if not alike:
        return ZERO, ZERO
    if technique == _TWO_OPEN:
        count = _completions(ones[k], zeros[k], line, longest, most_ones, most_zeros, 3, stack)
        if count != 2:
            return ZERO, ZERO
        for full in range(begin, end):
            if _is_like(full, k, line, ones, zeros):
                # Of two completions that differ in both cells one is taken.
                flipped_ones = ones[k] | (zeros[full] & open_cells)
                flipped_zeros = zeros[k] | (ones[full] & open_cells)
                if _completions(
                    flipped_ones, flipped_zeros, line, longest, most_ones, most_zeros, 1, stack
                ) and _completions(
                    ones[full], zeros[full], line, longest, most_ones, most_zeros, 1, stack
                ):
                    more_ones |= zeros[full] & open_cells
                    more_zeros |= ones[full] & open_cells
        return more_ones, more_zeros
    rest = open_cells
    while rest:
        place = lowest(rest)
        rest ^= place
        for symbol in range(2):
            same = 0
            for full in range(begin, end):
                has = ones[full] & place if symbol else zeros[full] & place
                if has and _is_like(full, k, line, ones, zeros):
                    same += 1
                    for earlier in range(begin, full):
                        if ones[earlier] == ones[full] and zeros[earlier] == zeros[full]:
                            same -= 1
                            break
            if not same:
                continue
            tried_ones = ones[k] | place if symbol else ones[k]
            tried_zeros = zeros[k] if symbol else zeros[k] | place
            count = _completions(
                tried_ones, tried_zeros, line, longest, most_ones, most_zeros, same + 1, stack
            )
            if 0 < count <= same:
                if symbol:
                    more_zeros |= place
                else:
                    more_ones |= place
    return more_ones, more_zeros


@njit
def _is_like(full: int, k: int, line: Any, ones: Any, zeros: Any) -> Any:
    """Whether another line is full and has all that this one has."""
    return (
        full != k
        and ones[full] | zeros[full] == line
        and not (ones[k] & ~ones[full])
        and not (zeros[k] & ~zeros[full])
    )


@njit
def _completions(
    ones: Any,
    zeros: Any,
    line: Any,
    longest: int,
    most_ones: Any,
    most_zeros: Any,
    limit: int,
    stack: Any,
) -> Any:
    """How many legal lines complete this one, up to a limit."""
    stack[0, 0], stack[0, 1] = ones, zeros
    top, count = 1, 0
    while top and count < limit:
        top -= 1
        ones, zeros = consistent(stack[top, 0], stack[top, 1], line, longest, most_ones, most_zeros)
        if ones & zeros:
            continue
        if ones | zeros == line:
            count += 1
            continue
        place = lowest(line & ~(ones | zeros))
        stack[top, 0], stack[top, 1] = ones | place, zeros
        stack[top + 1, 0], stack[top + 1, 1] = ones, zeros | place
        top += 2
    return count
