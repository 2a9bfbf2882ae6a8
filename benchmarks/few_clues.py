"""Search for puzzles with a given number of clues, through all sets of clues.

A set of clues that agrees with two known boards is no puzzle. The known boards are the bits of
words: a word for each clue says which boards agree with it. So a set of clues is ruled out by the
AND of a few words. Only sets that agree with fewer than two known boards are returned.

The search chooses the cells in a fixed order. It does not continue where the rule of no triples
alone leads to a contradiction: such clues agree with no board.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from binairo_cp.puzzle.bits.words import ALL, ONE, ZERO, size

_SAMPLE = 64
"""The number of boards that are copied from the known ones to rule out sets with two more clues:
one for each bit of a word."""


class Known(NamedTuple):
    """Known boards. Cells are numbered in the order of the search. Clue 2c + v: cell c has value v.

    Attributes:
        boards: at [b, w], the cells of board b as bits, in two words; all boards are different.
        agree: at [k, w], which boards agree with clue k, as bits; no bit is set beyond the boards.
    """

    boards: Any
    agree: Any


class Grid(NamedTuple):
    """Where the cells are.

    Attributes:
        cells: the number of cells.
        neighbours: at [c, d, k], the cell k + 1 steps from cell c in direction d (left, right, up,
            down); -1 if there is none.
    """

    cells: int
    neighbours: Any


class Assigned(NamedTuple):
    """The clues of a set and the values that follow from them.

    Attributes:
        values: the value of each cell; -1 if it is open.
        wrong: for each clue, all bits if it contradicts the others, else 0.
        trail: the cells that have values, in the order in which they got them.
        length: one number: how many cells have values.
    """

    values: Any
    wrong: Any
    trail: Any
    length: Any


class Work(NamedTuple):
    """Space for a search. At first all arrays are 0, but `values` are -1.

    Attributes:
        state: the `Assigned` values.
        chosen: the clues of the set so far.
        lengths: how many cells had values before each of them.
        place: the next clue to try at each depth.
        end: the clue where each depth ends.
        agreeing: for each depth, the known boards that agree, as bits.
        block: 2 x 64 words to transpose.
        sample: which of the copied boards agree with each clue, as bits.
        here: one word: the copied boards, as bits.
    """

    state: Any
    chosen: Any
    lengths: Any
    place: Any
    end: Any
    agreeing: Any
    block: Any
    sample: Any
    here: Any


@njit
def _assign(grid: Any, state: Any, cell: int, value: int) -> bool:
    """Give a cell a value, and all cells whose values follow; return False at a contradiction."""
    if state.values[cell] >= 0:
        return bool(state.values[cell] == value)
    done = state.length[0]
    _set(state, cell, value)
    while done < state.length[0]:
        cell = state.trail[done]
        value, other = state.values[cell], 1 - state.values[cell]
        done += 1
        for direction in range(4):
            next_cell = grid.neighbours[cell, direction, 0]
            second = grid.neighbours[cell, direction, 1]
            opposite = grid.neighbours[cell, direction ^ 1, 0]
            if next_cell < 0:
                continue
            if state.values[next_cell] == value:
                # A pair: the cells at both ends are different.
                for end in (second, opposite):
                    if end >= 0 and state.values[end] == value:
                        return False
                    if end >= 0 and state.values[end] < 0:
                        _set(state, end, other)
            elif second >= 0 and state.values[second] == value and state.values[next_cell] < 0:
                _set(state, next_cell, other)
    return True


@njit
def _set(state: Any, cell: int, value: int) -> None:
    state.values[cell] = value
    state.wrong[2 * cell + 1 - value] = ALL
    state.trail[state.length[0]] = cell
    state.length[0] += 1


@njit
def _undo(state: Any, length: int) -> None:
    """Remove the last values until a number of them is left."""
    while state.length[0] > length:
        state.length[0] -= 1
        cell = state.trail[state.length[0]]
        state.wrong[2 * cell + 1 - state.values[cell]] = ZERO
        state.values[cell] = -1


@njit
def _transpose(block: Any) -> None:
    """Transpose 64 words as a matrix of bits (Warren, "Hacker's Delight", 2012)."""
    step, mask = 32, np.uint64(0x00000000FFFFFFFF)
    while step:
        shift = np.uint64(step)
        for begin in range(0, 64, 2 * step):
            for row in range(begin, begin + step):
                changed = (block[row] >> shift ^ block[row + step]) & mask
                block[row] ^= changed << shift
                block[row + step] ^= changed
        step >>= 1
        mask ^= mask << np.uint64(step)


@njit
def _draw_sample(known: Any, cells: int, work: Any, depth: int, begin: int) -> None:
    """Copy the first boards that agree with the clues up to a depth, from the cell `begin` on."""
    number, parts = 0, range(begin // 64, (cells + 63) // 64)
    for word in range(work.agreeing.shape[1]):
        left = work.agreeing[depth, word]
        while left != ZERO and number < _SAMPLE:
            board = 64 * word + np.int64(size((left & (~left + ONE)) - ONE))
            left &= left - ONE
            for part in parts:
                work.block[part, number] = known.boards[board, part]
            number += 1
        if number == _SAMPLE:
            break
    work.here[0] = ALL if number == _SAMPLE else (ONE << np.uint64(number)) - ONE
    for part in parts:
        _transpose(work.block[part])
    for cell in range(begin, cells):
        ones = work.block[cell // 64, cell % 64] & work.here[0]
        work.sample[2 * cell + 1] = ones
        work.sample[2 * cell] = work.here[0] & ~ones


@njit
def _agree_with_two(agreeing: Any, depth: int, agree: Any, clue: int) -> bool:
    """Whether two of the boards that agree up to a depth agree with a clue."""
    found = np.uint64(0)
    for word in range(agreeing.shape[1]):
        found += size(agreeing[depth, word] & agree[clue, word])
        if found > ONE:
            return True
    return False


@njit
def _open_clues(here: Any, sample: Any, wrong: Any, begin: int) -> int:
    """The number of clues from `begin` on that the copied boards do not rule out.

    A clue is ruled out if it contradicts the set, or agrees with two boards.

    Args:
        here: the copied boards that agree with the set.
        sample: the copied boards that agree with each clue.
        wrong: which clues contradict the set.
        begin: the first clue.
    """
    found = 0
    for clue in range(begin, len(wrong)):
        found += not _is_ruled_out(here, sample, wrong, clue)
    return found


@njit(forceinline=True)
def _is_ruled_out(here: Any, sample: Any, wrong: Any, clue: int) -> bool:
    left = sample[clue] & here
    return ((left & (left - ONE)) | wrong[clue]) != ZERO


@njit
def search(
    grid: Any, known: Any, work: Any, first: int, second: int, clues: int, found: Any
) -> int:
    """Find the sets of clues that agree with fewer than two known boards.

    Args:
        grid: the `Grid`.
        known: the `Known` boards.
        work: a `Work`.
        first: the first clue.
        second: the second clue, in a later cell than the first one.
        clues: the number of clues, 3 or more.
        found: at [k, i], receives clue i of the k-th set; the rest of the row is -1. A set with
            fewer clues agrees with no known board. It stands for all sets that contain it and
            otherwise only clues in later cells.

    Returns:
        The number of sets found, or -1 if there was no room for them.
    """
    state, chosen, lengths, place, end, agreeing, _, sample, here = work
    literals = 2 * grid.cells
    end[:] = literals
    place[0], end[0], end[1] = first, first + 1, second + 1
    number, depth = 0, 0
    while depth >= 0:
        if place[depth] >= end[depth]:
            depth -= 1
            if depth >= 0:
                _undo(state, lengths[depth])
            continue
        clue = place[depth]
        place[depth] += 1
        chosen[depth] = clue
        lengths[depth] = state.length[0]
        if not _assign(grid, state, clue // 2, clue % 2):
            _undo(state, lengths[depth])
            continue
        is_last = depth == clues - 2
        left = sample[clue] & here[0]
        is_known = not is_last or left == ZERO
        if is_known and not _restrict(agreeing, depth, known.agree, clue):
            number = _add(found, number, chosen, depth + 1)
            if number < 0:
                return -1
            _undo(state, lengths[depth])
            continue
        begin = 2 * (clue // 2 + 1)
        if is_last:
            if _open_clues(left, sample, state.wrong, begin):
                if not is_known:
                    _restrict(agreeing, depth, known.agree, clue)
                for last in range(begin, literals):
                    if _is_ruled_out(left, sample, state.wrong, last):
                        continue
                    if not _agree_with_two(agreeing, depth, known.agree, last):
                        chosen[clues - 1] = last
                        number = _add(found, number, chosen, clues)
                        if number < 0:
                            return -1
            _undo(state, lengths[depth])
            continue
        if depth == clues - 3:
            _draw_sample(known, grid.cells, work, depth, begin // 2)
        depth += 1
        place[depth] = second if depth == 1 else begin
    return number


@njit
def _restrict(agreeing: Any, depth: int, agree: Any, clue: int) -> bool:
    """Store which boards agree with the clues up to a depth; return whether there is one."""
    left = ZERO
    for word in range(agree.shape[1]):
        before = agreeing[depth - 1, word] if depth else ALL
        agreeing[depth, word] = before & agree[clue, word]
        left |= agreeing[depth, word]
    return left != ZERO


@njit
def _add(found: Any, number: int, chosen: Any, length: int) -> int:
    """Store a set of clues; return the number of sets, or -1 if there is no room."""
    if number == len(found):
        return -1
    for place in range(found.shape[1]):
        found[number, place] = chosen[place] if place < length else -1
    return number + 1
