"""The boards of all lanes, the rules of their lines, and the operations on vectors."""

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


@cython.final
@cython.cclass
class LineRules:
    """The rules for the lines of one direction.

    Raises:
        ValueError: a number is out of range.
    """

    length: Index  # the number of cells
    max_ones: Index  # the largest number of ones
    max_zeros: Index  # the largest number of zeros

    def __init__(self, length: Index, max_ones: Index, max_zeros: Index) -> None:
        if not 1 <= length <= LONGEST:
            raise ValueError(f"expected lines of 1 to {LONGEST} cells")
        if not (0 <= max_ones <= length and 0 <= max_zeros <= length <= max_ones + max_zeros):
            raise ValueError("no line can have these numbers of ones and zeros")
        self.length, self.max_ones, self.max_zeros = length, max_ones, max_zeros


@cython.cclass
class LaneBoards:
    """A group of puzzles of one shape, and their memory.

    Args:
        rows: the rules of rows.
        columns: the rules of columns.
        vectors: the number of vectors of memory that a subclass needs besides those of the cells.
    """

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
    rows: LineRules
    columns: LineRules
    places: cython.longlong[::1]  # the numbers of the puzzles in the lanes, one lane after another

    def __init__(self, rows: LineRules, columns: LineRules, vectors: Index) -> None:
        self.rows, self.columns = rows, columns
        self.height, self.width = columns.length, rows.length
        self.cells = self.height * self.width
        # A vector more, for the alignment.
        self.memory = bytearray((2 * self.cells + vectors + 1) * VECTOR)
        self.data = aligned(self.memory)
        self.ones = self.ones_memory = bytearray(self.cells)
        self.known = self.known_memory = bytearray(self.cells)

    def set_places(self, number: Index) -> None:
        """Give each of n puzzles its own lane."""
        self.places = memoryview(bytearray(8 * number)).cast("q")
        for k in range(number):
            self.places[k] = k


@cython.nogil_noexcept
def load_lanes(boards: LaneBoards, codes: cython.p_uchar, first: Index, number: Index) -> None:
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


@cython.nogil_noexcept
def store_lanes(boards: LaneBoards, codes: cython.p_uchar, first: Index, number: Index) -> None:
    """Store the boards at their places."""
    cells = boards.cells
    data: cython.p_uchar = boards.data
    ones: cython.p_uchar = boards.ones
    filled: cython.p_uchar = boards.known
    for group in range(VECTOR):
        begin: Index = first + 8 * group
        for c in range(cells):
            ones[c] = data[c * VECTOR + group]
            filled[c] = ones[c] | data[(cells + c) * VECTOR + group]
        for k in range(begin, min(begin + 8, number)):
            place: Index = boards.places[k] * cells
            for c in range(cells):
                # The codes of ``.``, ``0`` and ``1``.
                codes[place + c] = 46 + 2 * (filled[c] & 1) + (ones[c] & 1)
                ones[c], filled[c] = ones[c] >> 1, filled[c] >> 1
