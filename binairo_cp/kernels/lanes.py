"""Propagate many puzzles of one shape side by side, with one bit for each.

A lane is a place for one puzzle. The bits of all lanes are a vector of the processor, so that each
operation treats as many puzzles as a vector has bits. For each cell, one vector says in which lanes
it is 1, and another one in which lanes it is 0:

    lane              0 1 2 3 4 5 ...
    ones of r1c1      1 0 0 0 1 0        puzzles 0 and 4 have 1 in r1c1,
    zeros of r1c1     0 0 1 0 0 0        puzzle 2 has 0; the others have an open cell

A puzzle whose board becomes full is solved, and has no other solution. Nothing is concluded about
the others: they may even have no solution.

Few puzzles need many rounds. So after some rounds, those whose boards still change move to new
lanes, without the others.
"""

from __future__ import annotations

from binairo_cp.kernels import cython_stub as cython
from binairo_cp.kernels.words import Index

if cython.compiled:
    from cython.cimports.binairo_cp.kernels.vectors import (
        VECTOR,
        Lanes,
        aligned,
        any_of,
        every,
        get,
        none,
        put,
    )

    WORTH = 64
    """From so many puzzles on, this takes less time than to search one by one."""
else:
    Lanes = int
    VECTOR = 256
    WORTH = 1_000

    def none() -> int:
        """No lane."""
        return 0

    def every() -> int:
        """All lanes."""
        return (1 << 8 * VECTOR) - 1

    def any_of(lanes: int) -> bool:
        """Whether there are any lanes."""
        return lanes != 0

    def aligned(data: bytearray) -> bytearray:
        """The first place from here on where a vector can be."""
        return data

    def get(data: bytearray, k: int) -> int:
        """Vector k of an array."""
        return int.from_bytes(data[k * VECTOR : (k + 1) * VECTOR], "little")

    def put(data: bytearray, k: int, lanes: int) -> None:
        """Set vector k of an array."""
        data[k * VECTOR : (k + 1) * VECTOR] = lanes.to_bytes(VECTOR, "little")


LONGEST_RUN = 2
"""The longest run of equal cells that the rules allow."""

LONGEST = 32
"""The maximum length of a line. The vectors of longer ones would not fit in fast caches."""

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
class LineRules:
    """The rules for the lines of one direction."""

    length: Index  # the number of cells
    max_ones: Index  # the largest number of ones
    max_zeros: Index  # the largest number of zeros

    def __init__(self, length: Index, max_ones: Index, max_zeros: Index) -> None:
        """Keep the rules.

        Raises:
            ValueError: a number is out of range.
        """
        if not 1 <= length <= LONGEST:
            raise ValueError(f"expected lines of 1 to {LONGEST} cells")
        if not (0 <= max_ones <= length and 0 <= max_zeros <= length <= max_ones + max_zeros):
            raise ValueError("no line can have these numbers of ones and zeros")
        self.length, self.max_ones, self.max_zeros = length, max_ones, max_zeros


@cython.final
@cython.cclass
class LaneBoards:
    """A group of puzzles of one shape, and the memory to propagate them."""

    memory: bytearray  # the memory for all vectors
    # Its first byte. It begins with the ones of all cells, and then the zeros.
    data: cython.p_uchar
    ones_memory: bytearray  # what `ones` and `known` point to
    known_memory: bytearray
    ones: cython.p_uchar  # a byte for each cell: in which of eight lanes it is 1
    known: cython.p_uchar  # the same, in which lanes it is not open
    height: Index  # the number of rows
    width: Index  # the number of columns
    cells: Index  # the number of cells
    rows: LineRules  # the rules of rows
    columns: LineRules  # the rules of columns
    distinct: cython.bint  # whether no two rows and no two columns may be equal
    stride: Index  # the number of vectors for one cell of a line in `_propagate_line`
    begins: Index  # the first of the vectors for beginnings of lines
    rests: Index  # the first of those for the rests of lines
    marks: Index  # the first of those for lines: whether they are full, and whether nearly full
    changed: Index  # the vector of lanes with a cell that was filled in this round
    repeated: Index  # that of lanes with two equal lines
    solved: Index  # that of solved lanes
    places: cython.longlong[::1]  # the numbers of the puzzles in the lanes, one lane after another

    def __init__(self, rows: LineRules, columns: LineRules, distinct: cython.bint) -> None:
        """Keep the rules, and allocate the memory."""
        height: Index = columns.length
        width: Index = rows.length
        self.rows, self.columns, self.distinct = rows, columns, distinct
        self.height, self.width, self.cells = height, width, height * width
        longest = max(height, width)
        self.stride = _ENDS * (longest + 3)
        self.begins = 2 * self.cells
        self.rests = self.begins + (longest + 1) * self.stride
        self.marks = self.rests + self.stride
        self.changed = self.marks + 2 * longest
        self.repeated = self.changed + 1
        # A vector more, for the alignment.
        self.solved = self.repeated + 1
        self.memory = bytearray((self.solved + 2) * VECTOR)
        self.data = aligned(self.memory)
        self.ones = self.ones_memory = bytearray(self.cells)
        self.known = self.known_memory = bytearray(self.cells)


@cython.cfunc
def _load(boards: LaneBoards, codes: cython.p_uchar, first: Index, number: Index) -> None:
    """Load the boards at the places from `first` on, one for each lane, or as many as there are.

    The codes of 0 and 1 have bit 4, that of an open cell has not; bit 0 is the value.
    """
    cells = boards.cells
    data: cython.p_uchar = boards.data
    ones: cython.p_uchar = boards.ones
    known: cython.p_uchar = boards.known
    for group in range(VECTOR):
        for c in range(cells):
            ones[c] = known[c] = 0
        begin: Index = first + 8 * group
        for k in range(min(begin + 8, number) - 1, begin - 1, -1):
            place: Index = boards.places[k] * cells
            for c in range(cells):
                code: cython.uchar = codes[place + c]
                ones[c] = 2 * ones[c] + (code & 1)
                known[c] = 2 * known[c] + (code >> 4 & 1)
        for c in range(cells):
            data[c * VECTOR + group] = ones[c]
            data[(cells + c) * VECTOR + group] = ones[c] ^ known[c]


@cython.cfunc
def _store(
    boards: LaneBoards, codes: cython.p_uchar, known: cython.p_uchar, first: Index, number: Index
) -> None:
    """Store the boards at their places, and what is known of them."""
    cells = boards.cells
    data: cython.p_uchar = boards.data
    ones: cython.p_uchar = boards.ones
    filled: cython.p_uchar = boards.known
    for group in range(VECTOR):
        begin: Index = first + 8 * group
        solved: Index = data[boards.solved * VECTOR + group]
        changed: Index = data[boards.changed * VECTOR + group]
        for c in range(cells):
            ones[c] = data[c * VECTOR + group]
            filled[c] = ones[c] | data[(cells + c) * VECTOR + group]
        for k in range(begin, min(begin + 8, number)):
            lane: Index = k - begin
            place: Index = boards.places[k] * cells
            known[boards.places[k]] = (solved >> lane & 1) + _CHANGED * (changed >> lane & 1)
            for c in range(cells):
                # The codes of ``.``, ``0`` and ``1``.
                codes[place + c] = 46 + 2 * (filled[c] & 1) + (ones[c] & 1)
                ones[c], filled[c] = ones[c] >> 1, filled[c] >> 1


@cython.cfunc
def _propagate_line(boards: LaneBoards, first: Index, step: Index, rules: LineRules) -> None:
    """Fill the cells that have the same value in all legal completions of a line.

    The first i cells can be filled in many ways, of which only the number of ones and the end
    matter for the others. There is a vector for each i, number and end: the lanes in which there is
    such a way. Another vector says in which lanes the other cells can be filled after that.

    Args:
        boards: the boards.
        first: the first cell.
        step: from each cell of the line to the next.
        rules: the rules of the line.
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


@cython.inline
def _fill(boards: LaneBoards, cell: Index, ones: Lanes, zeros: Lanes) -> None:
    """Fill a cell with 1 and with 0 in some lanes."""
    old_ones: Lanes = get(boards.data, cell)
    old_zeros: Lanes = get(boards.data, boards.cells + cell)
    put(boards.data, cell, old_ones | ones)
    put(boards.data, boards.cells + cell, old_zeros | zeros)
    new: Lanes = (ones & (every() ^ old_ones)) | (zeros & (every() ^ old_zeros))
    put(boards.data, boards.changed, get(boards.data, boards.changed) | new)


@cython.cfunc
def _mark_full(
    boards: LaneBoards, line: Index, first: Index, step: Index, rules: LineRules
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


@cython.cfunc
def _keep_different(
    boards: LaneBoards, count: Index, apart: Index, step: Index, rules: LineRules
) -> None:
    """Fill the open cells of nearly full lines that agree with a full one so far.

    Args:
        boards: the boards.
        count: the number of lines of this direction.
        apart: from a cell of a line to the same one of the next line.
        step: from each cell of a line to the next.
        rules: the rules of the lines.
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


@cython.cfunc
def _propagate(boards: LaneBoards, begin: Index, end: Index) -> None:
    """Propagate for some rounds, or until nothing changes, and note the solved lanes.

    Args:
        boards: the boards.
        begin: the number of the first round.
        end: the number of the round after the last.
    """
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


@cython.cfunc
def _solve(boards: LaneBoards, codes: cython.p_uchar, known: cython.p_uchar, number: Index) -> None:
    """Propagate n boards, in as many passes as it takes; their places are set."""
    begin: Index = 0
    end: Index = _ROUNDS
    for _ in range(_MOST_PASSES):
        first: Index = 0
        while first < number:
            _load(boards, codes, first, number)
            _propagate(boards, begin, end)
            _store(boards, codes, known, first, number)
            first += 8 * VECTOR
        left: Index = 0
        for k in range(number):
            boards.places[left] = boards.places[k]
            left += known[boards.places[k]] == _CHANGED
        begin, end, number = end, end + _MORE_ROUNDS, left
    for k in range(number):
        known[boards.places[k]] = _OPEN


def solve_all(boards: LaneBoards, clues: bytes, solutions: bytearray, is_solved: bytearray) -> None:
    """Solve those of n puzzles whose boards propagation fills.

    Args:
        boards: the rules and the memory.
        clues: n * height * width bytes ``0``, ``1`` and ``.``.
        solutions: as many bytes, which are set to ``0`` and ``1``: the boards of solved puzzles.
            Those of others are undefined.
        is_solved: n bytes, which are set: 1 for solved puzzles, each of which has no other
            solution, and 0 for all others.

    Raises:
        ValueError: an argument has another size.
    """
    number: Index = len(is_solved)
    size: Index = number * boards.cells
    if len(clues) != size or len(solutions) != size:
        raise ValueError("the number of cells is not that of the boards")
    boards.places = memoryview(bytearray(8 * number)).cast("q")
    solutions[:] = clues
    codes: cython.p_uchar = solutions
    known: cython.p_uchar = is_solved
    with cython.nogil:
        for k in range(number):
            boards.places[k] = k
        _solve(boards, codes, known, number)
