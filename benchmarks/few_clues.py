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

_SAMPLE = 128
"""The number of boards that are copied from the known ones to rule out sets with two more clues."""


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
            next_cell, second = grid.neighbours[cell, direction]
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
        row = 0
        while row < 64:
            shift = np.uint64(step)
            changed = (block[row] >> shift ^ block[row + step]) & mask
            block[row] ^= changed << shift
            block[row + step] ^= changed
            row = (row + step + 1) & ~step
        step >>= 1
        mask ^= mask << np.uint64(step)


@njit
def _draw_sample(known: Any, cells: int, agreeing: Any, block: Any, sample: Any) -> Any:
    """Copy the first boards that agree with some clues.

    Args:
        known: the `Known` boards.
        cells: the number of cells.
        agreeing: the boards that agree, as bits.
        block: a buffer of 2 x 2 x 64 words.
        sample: receives at [w, k], which copied boards agree with clue k, as bits in two words.

    Returns:
        The copied boards, as bits in two words.
    """
    number = 0
    for word in range(len(agreeing)):
        left = agreeing[word]
        while left != ZERO and number < _SAMPLE:
            board = 64 * word + np.int64(size((left & (~left + ONE)) - ONE))
            left &= left - ONE
            for part in range(2):
                block[number // 64, part, number % 64] = known.boards[board, part]
            number += 1
        if number == _SAMPLE:
            break
    here = np.zeros(2, np.uint64)
    for word in range(2):
        used = max(0, min(64, number - 64 * word))
        here[word] = ALL if used == 64 else (ONE << np.uint64(used)) - ONE
        for part in range(2):
            _transpose(block[word, part])
        for cell in range(cells):
            ones = block[word, cell // 64, cell % 64] & here[word]
            sample[word, 2 * cell + 1] = ones
            sample[word, 2 * cell] = here[word] & ~ones
    return here


@njit
def _agree_with_two(agreeing: Any, agree: Any) -> bool:
    """Whether two of some boards agree with a clue."""
    found = np.uint64(0)
    for word in range(len(agreeing)):
        found += size(agreeing[word] & agree[word])
        if found > ONE:
            return True
    return False


@njit
def _is_empty(words: Any) -> bool:
    for word in words:
        if word != ZERO:
            return False
    return True


@njit
def _open_clues(one: Any, other: Any, sample: Any, wrong: Any, begin: int) -> int:
    """The number of clues from `begin` on that the copied boards do not rule out.

    A clue is ruled out if it contradicts the set, or agrees with two boards of the same word.

    Args:
        one: the boards in the first word that agree with the set.
        other: those in the second word.
        sample: the copied boards that agree with each clue.
        wrong: which clues contradict the set.
        begin: the first clue.
    """
    found = 0
    for clue in range(begin, len(wrong)):
        found += not _is_ruled_out(one, other, sample, wrong, clue)
    return found


@njit(forceinline=True)
def _is_ruled_out(one: Any, other: Any, sample: Any, wrong: Any, clue: int) -> bool:
    x, y = sample[0, clue] & one, sample[1, clue] & other
    return ((x & (x - ONE)) | (y & (y - ONE)) | wrong[clue]) != ZERO


@njit
def search(grid: Any, known: Any, first: int, second: int, clues: int, found: Any) -> int:
    """Find the sets of clues that agree with fewer than two known boards.

    Args:
        grid: the `Grid`.
        known: the `Known` boards.
        first: the first clue.
        second: the second clue, in a later cell than the first one.
        clues: the number of clues, 3 or more.
        found: at [k, i], receives clue i of the k-th set; the rest of the row is -1. A set with
            fewer clues agrees with no known board. It stands for all sets that contain it and
            otherwise only clues in later cells.

    Returns:
        The number of sets found, or -1 if there was no room for them.
    """
    literals, words = 2 * grid.cells, known.agree.shape[1]
    state = Assigned(
        np.full(grid.cells, -1, np.int64),
        np.zeros(literals, np.uint64),
        np.zeros(grid.cells, np.int64),
        np.zeros(1, np.int64),
    )
    chosen, lengths = np.zeros(clues, np.int64), np.zeros(clues, np.int64)
    place, end = np.zeros(clues, np.int64), np.full(clues, literals, np.int64)
    place[0], end[0], end[1] = first, first + 1, second + 1
    agreeing = np.full((clues, words), ALL)
    block, sample = np.zeros((2, 2, 64), np.uint64), np.zeros((2, literals), np.uint64)
    here = np.zeros(2, np.uint64)
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
        one, other = sample[0, clue] & here[0], sample[1, clue] & here[1]
        is_known = False
        if not is_last or (one | other) == ZERO:
            _restrict(agreeing, depth, known.agree[clue])
            is_known = True
            if _is_empty(agreeing[depth]):
                number = _add(found, number, chosen, depth + 1)
                if number < 0:
                    return -1
                _undo(state, lengths[depth])
                continue
        begin = 2 * (clue // 2 + 1)
        if is_last:
            if _open_clues(one, other, sample, state.wrong, begin):
                if not is_known:
                    _restrict(agreeing, depth, known.agree[clue])
                for last in range(begin, literals):
                    if _is_ruled_out(one, other, sample, state.wrong, last):
                        continue
                    if not _agree_with_two(agreeing[depth], known.agree[last]):
                        chosen[clues - 1] = last
                        number = _add(found, number, chosen, clues)
                        if number < 0:
                            return -1
            _undo(state, lengths[depth])
            continue
        if depth == clues - 3:
            here = _draw_sample(known, grid.cells, agreeing[depth], block, sample)
        depth += 1
        place[depth] = second if depth == 1 else begin
    return number


@njit
def _restrict(agreeing: Any, depth: int, agree: Any) -> None:
    """Store which boards agree with the clues up to a depth."""
    for word in range(len(agree)):
        before = agreeing[depth - 1, word] if depth else ALL
        agreeing[depth, word] = before & agree[word]


@njit
def _add(found: Any, number: int, chosen: Any, length: int) -> int:
    """Store a set of clues; return the number of sets, or -1 if there is no room."""
    if number == len(found):
        return -1
    found[number] = -1
    found[number, :length] = chosen[:length]
    return number + 1
