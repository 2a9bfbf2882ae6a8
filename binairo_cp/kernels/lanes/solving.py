"""Propagate many puzzles of one shape side by side.

A puzzle whose board becomes full is solved, and has no other solution. Nothing is concluded about
the others: they may even have no solution.

Few puzzles need many rounds. So after some rounds, those whose boards still change move to new
lanes, without the others.
"""

from __future__ import annotations

from binairo_cp.kernels import cython_stub as cython
from binairo_cp.kernels.lanes.boards import (
    VECTOR,
    LaneBoards,
    Lanes,
    LineRules,
    any_of,
    every,
    get,
    load_lanes,
    none,
    put,
    store_lanes,
)
from binairo_cp.kernels.words import Index

_FIRST_ROUNDS = 3
"""So many rounds pass before distinct lines fill cells: few lines are full before."""

_ROUNDS = 7
"""So many rounds pass before puzzles move to new lanes the first time."""

_MORE_ROUNDS = 2
"""So many rounds pass before they move again."""

_MOST_PASSES = 12
"""A puzzle that moves so often remains unsolved."""

_OPEN, _SOLVED, _CHANGED = 0, 1, 2
"""What is known of a puzzle: no more cells are filled, it is solved, or the board still changes."""

_ONE, _ONES, _ZERO, _ZEROS = 0, 1, 2, 3
"""What the first cells of a line end with: a single 1, one or two of them, a single 0, one or two.
The other cells can follow on a single 1, on one or two of them, and so on."""
_ENDS = 4


@cython.final
@cython.cclass
class LaneSolver(LaneBoards):
    """A group of puzzles of one shape, and the memory to propagate them."""

    distinct: cython.bint  # whether no two rows and no two columns may be equal
    stride: Index  # the number of vectors for one cell of a line in `_propagate_line`
    begins: Index  # the first of the vectors for beginnings of lines
    rests: Index  # the first of those for the rests of lines
    marks: Index  # the first of those for lines: whether they are full, and whether nearly full
    changed: Index  # the vector of lanes with a cell that was filled in this round
    repeated: Index  # that of lanes with two equal lines
    solved: Index  # that of solved lanes

    def __init__(self, rows: LineRules, columns: LineRules, distinct: cython.bint) -> None:
        longest: Index = max(rows.length, columns.length)
        self.stride = _ENDS * (longest + 3)
        LaneBoards.__init__(self, rows, columns, (longest + 2) * self.stride + 2 * longest + 3)
        self.distinct = distinct
        self.begins = 2 * self.cells
        self.rests = self.begins + (longest + 1) * self.stride
        self.marks = self.rests + self.stride
        self.changed = self.marks + 2 * longest
        self.repeated = self.changed + 1
        self.solved = self.repeated + 1


@cython.nogil_noexcept
def _note_known(boards: LaneSolver, known: cython.p_uchar, first: Index, number: Index) -> None:
    data: cython.p_uchar = boards.data
    for k in range(first, min(first + 8 * VECTOR, number)):
        lane: Index = k - first
        solved: Index = data[boards.solved * VECTOR + (lane >> 3)] >> (lane & 7) & 1
        changed: Index = data[boards.changed * VECTOR + (lane >> 3)] >> (lane & 7) & 1
        known[boards.places[k]] = solved + _CHANGED * changed


@cython.nogil_noexcept
def _propagate_line(boards: LaneSolver, first: Index, step: Index, rules: LineRules) -> None:
    """Fill the cells that have the same value in all legal completions of a line.

    The first i cells can be filled in many ways, of which only the number of ones and the end
    matter for the others. There is a vector for each i, number and end: the lanes in which there is
    such a way. Another vector says in which lanes the other cells can be filled after that.
    """
    data, stride = boards.data, boards.stride
    length, max_ones, max_zeros = rules.length, rules.max_ones, rules.max_zeros
    # Slot 0 is for -1 ones, which no line has.
    begin: Index = boards.begins + _ENDS
    rest: Index = boards.rests + _ENDS
    for k in range(stride):
        put(data, boards.begins + k, none())
        put(data, boards.rests + k, none())
    # Both values can be first, as if they followed on the other one.
    put(data, begin + _ONES, every())
    put(data, begin + _ZEROS, every())
    low: Index = 0
    high: Index = 0
    for i in range(length):
        may_be_one: Lanes = every() ^ get(data, boards.cells + first + i * step)
        may_be_zero: Lanes = every() ^ get(data, first + i * step)
        low, high = max(0, i + 1 - max_zeros), min(i + 1, max_ones)
        for end in range(_ENDS):
            put(data, begin + stride + _ENDS * (low - 1) + end, none())
            put(data, begin + stride + _ENDS * (high + 1) + end, none())
        for k in range(begin + _ENDS * low, begin + _ENDS * (high + 1), _ENDS):
            on_zeros: Lanes = get(data, k - _ENDS + _ZEROS)
            on_ones: Lanes = get(data, k + _ONES)
            put(data, k + stride + _ONE, may_be_one & on_zeros)
            put(data, k + stride + _ONES, may_be_one & (on_zeros | get(data, k - _ENDS + _ONE)))
            put(data, k + stride + _ZERO, may_be_zero & on_ones)
            put(data, k + stride + _ZEROS, may_be_zero & (on_ones | get(data, k + _ZERO)))
        begin += stride
    for k in range(_ENDS * low, _ENDS * (high + 1)):
        put(data, rest + k, every())
    for i in range(length - 1, -1, -1):
        can_be_one: Lanes = none()
        can_be_zero: Lanes = none()
        for k in range(_ENDS * low, _ENDS * (high + 1), _ENDS):
            can_be_one |= get(data, begin + k + _ONE) & get(data, rest + k + _ONE)
            can_be_one |= get(data, begin + k + _ONES) & get(data, rest + k + _ONES)
            can_be_zero |= get(data, begin + k + _ZERO) & get(data, rest + k + _ZERO)
            can_be_zero |= get(data, begin + k + _ZEROS) & get(data, rest + k + _ZEROS)
        _fill(boards, first + i * step, every() ^ can_be_zero, every() ^ can_be_one)
        begin -= stride
        low, high = max(0, i - max_zeros), min(i, max_ones)
        for k in range(rest + _ENDS * low, rest + _ENDS * (high + 1), _ENDS):
            one: Lanes = can_be_one & get(data, k + _ENDS + _ONE)
            second_one: Lanes = can_be_one & get(data, k + _ENDS + _ONES)
            zero: Lanes = can_be_zero & get(data, k + _ZERO)
            second_zero: Lanes = can_be_zero & get(data, k + _ZEROS)
            put(data, k + _ONE, zero | second_one)
            put(data, k + _ONES, zero)
            put(data, k + _ZERO, one | second_zero)
            put(data, k + _ZEROS, one)


@cython.inline_nogil_noexcept
def _fill(boards: LaneSolver, cell: Index, ones: Lanes, zeros: Lanes) -> None:
    """Fill a cell with 1 and with 0 in some lanes."""
    old_ones: Lanes = get(boards.data, cell)
    old_zeros: Lanes = get(boards.data, boards.cells + cell)
    put(boards.data, cell, old_ones | ones)
    put(boards.data, boards.cells + cell, old_zeros | zeros)
    new: Lanes = (ones & (every() ^ old_ones)) | (zeros & (every() ^ old_zeros))
    put(boards.data, boards.changed, get(boards.data, boards.changed) | new)


@cython.nogil_noexcept
def _mark_full(
    boards: LaneSolver, line: Index, first: Index, step: Index, rules: LineRules
) -> None:
    """Mark in which lanes a line is full, and in which it is nearly full.

    That is with one open cell, or with two if one of them must be 1 and the other one 0.
    """
    any_open: Lanes = none()
    two_open: Lanes = none()
    three_open: Lanes = none()
    for k in range(rules.length):
        cell: Index = first + k * step
        is_open: Lanes = every() ^ (get(boards.data, cell) | get(boards.data, boards.cells + cell))
        three_open |= two_open & is_open
        two_open |= any_open & is_open
        any_open |= is_open
    put(boards.data, boards.marks + 2 * line, every() ^ any_open)
    nearly: Lanes = any_open & (every() ^ two_open)
    if rules.max_ones + rules.max_zeros == rules.length:
        nearly = any_open & (every() ^ three_open)
    put(boards.data, boards.marks + 2 * line + 1, nearly)


@cython.nogil_noexcept
def _keep_different(
    boards: LaneSolver, count: Index, apart: Index, step: Index, rules: LineRules
) -> None:
    """Fill the open cells of nearly full lines that agree with a full one so far.

    Each line is `apart` cells behind the one before; `step` leads to the next cell of a line.
    """
    data, marks, zeros = boards.data, boards.marks, boards.cells
    for line in range(count):
        _mark_full(boards, line, line * apart, step, rules)
    for one in range(count):
        for other in range(one):
            full: Lanes = get(data, marks + 2 * one)
            other_full: Lanes = get(data, marks + 2 * other)
            same: Lanes = full & (other_full | get(data, marks + 2 * other + 1))
            same |= other_full & get(data, marks + 2 * one + 1)
            if not any_of(same):
                continue
            for k in range(rules.length):
                a: Index = one * apart + k * step
                b: Index = other * apart + k * step
                differ: Lanes = get(data, a) & get(data, zeros + b)
                same &= every() ^ (differ | (get(data, zeros + a) & get(data, b)))
            if not any_of(same):
                continue
            repeated: Lanes = get(data, boards.repeated) | (same & full & other_full)
            put(data, boards.repeated, repeated)
            for k in range(rules.length):
                a: Index = one * apart + k * step
                b: Index = other * apart + k * step
                here: Lanes = same & full & (every() ^ (get(data, b) | get(data, zeros + b)))
                there: Lanes = same & other_full & (every() ^ (get(data, a) | get(data, zeros + a)))
                _fill(boards, b, here & get(data, zeros + a), here & get(data, a))
                _fill(boards, a, there & get(data, zeros + b), there & get(data, b))


@cython.nogil_noexcept
def _propagate(boards: LaneSolver, begin: Index, end: Index) -> None:
    """Propagate for rounds `begin` to `end` - 1, or until nothing changes; note solved lanes."""
    data, height, width = boards.data, boards.height, boards.width
    put(data, boards.repeated, none())
    for number in range(begin, end):
        put(data, boards.changed, none())
        for row in range(height):
            _propagate_line(boards, row * width, 1, boards.rows)
        for column in range(width):
            _propagate_line(boards, column, width, boards.columns)
        if boards.distinct and number >= _FIRST_ROUNDS:
            _keep_different(boards, height, width, 1, boards.rows)
            _keep_different(boards, width, 1, width, boards.columns)
        if number >= _FIRST_ROUNDS and not any_of(get(data, boards.changed)):
            break
    solved: Lanes = every() ^ (get(data, boards.changed) | get(data, boards.repeated))
    for cell in range(boards.cells):
        solved &= get(data, cell) ^ get(data, boards.cells + cell)
    put(data, boards.solved, solved)


@cython.nogil_noexcept
def _solve(boards: LaneSolver, codes: cython.p_uchar, known: cython.p_uchar, number: Index) -> None:
    """Propagate n boards, in as many passes as it takes; their places are set."""
    begin: Index = 0
    end: Index = _ROUNDS
    for _ in range(_MOST_PASSES):
        first: Index = 0
        while first < number:
            load_lanes(boards, codes, first, number)
            _propagate(boards, begin, end)
            store_lanes(boards, codes, first, number)
            _note_known(boards, known, first, number)
            first += 8 * VECTOR
        left: Index = 0
        for k in range(number):
            boards.places[left] = boards.places[k]
            left += known[boards.places[k]] == _CHANGED
        begin, end, number = end, end + _MORE_ROUNDS, left
    for k in range(number):
        known[boards.places[k]] = _OPEN


def solve_all(boards: LaneSolver, cells: bytearray, is_solved: bytearray) -> None:
    """Solve those of n puzzles whose boards propagation fills.

    Args:
        boards: the rules and the memory.
        cells: n * height * width bytes ``0``, ``1`` and ``.``: the clues, and then also the cells
            that follow from them. Some of these are wrong if the puzzle has no solution.
        is_solved: n bytes, which are set: 1 for solved puzzles, each of which has no other
            solution, and 0 for all others.

    Raises:
        ValueError: an argument has another size.
    """
    number: Index = len(is_solved)
    if not boards.cells or len(cells) != number * boards.cells:
        raise ValueError("the number of cells is not that of the boards")
    boards.set_places(number)
    codes: cython.p_uchar = cells
    known: cython.p_uchar = is_solved
    with cython.nogil:
        _solve(boards, codes, known, number)
