"""The stack of boards of a search, one per level, and the state of the search.

The package draws the words of a board. With ``lines = h + w``, row r is line r and column c is line
h + c. Both bits of a cell are always set together. A flag is a pair of words, one
for rows and one for columns. In the first three flags, each bit stands for a line: the full lines,
the nearly full lines (with one or two open cells), and the lines that changed since they were last
propagated. FULL_HASHES and COMPLETION_HASHES are small Bloom filters of the bits of `_hash_bit`: of
the full lines, and of the possible completions of the nearly full lines.
"""

from __future__ import annotations

from binairo_cp.kernels import cython_stub as cython
from binairo_cp.kernels.line import Direction
from binairo_cp.kernels.words import Index, Word, cell, first, line_of, size

FULL = 0
NEARLY_FULL = 2
CHANGED = 4
FULL_HASHES = 6
COMPLETION_HASHES = 8
FLAGS = 10

DONE = 1
STOPPED = 2
BUDGET = 3
"""How a search ended: it found all solutions, or it paused because it found enough of them
(STOPPED) or because the work ran out (BUDGET)."""

SPARE_LEVELS = 3
"""The levels besides one for each cell that the search may branch on. Look-ahead uses two."""


@cython.final
@cython.cclass
class Search:
    """A search of boards of one shape: its rules, its memory, and where it is."""

    # The size of the boards.
    height: Index
    width: Index
    lines: Index  # the number of rows and columns
    words: Index  # the number of words of a board with its flags
    longest_run: Index  # how many equal cells may stand side by side
    # The rules of the lines.
    rows: Direction
    columns: Direction
    boards: Word[::1]  # the boards of all levels
    implied: Word[::1]  # 2 * lines words: the values that other values implied
    signed: cython.bint  # whether the puzzles have signs
    # N x 2 x lines words, the equal and the opposite signs along each line; bit k is a sign between
    # cells k and k + 1.
    signs: Word[:, :, ::1]
    # N x k x height words: the rows of the last k solutions of each puzzle.
    solutions: Word[:, :, ::1]
    kept: Index  # how many solutions of each puzzle are stored
    puzzle: Index  # the number of the current puzzle
    # The state of its search: the current level, the number of solutions found, and the number of
    # nodes spent.
    depth: Index
    found: Index
    nodes: Index
    # The cell to branch on.
    best_row: Index
    best_column: Index
    most_found: Index  # stop after this many solutions
    most_nodes: Index  # stop after this many nodes, including those of earlier calls
    look_ahead: cython.bint  # whether to try the values of open cells before branching
    salt: Index  # seeds the random choice of the first value of a branch; with 0, it is always 1

    def __init__(
        self,
        rows: Direction,
        columns: Direction,
        longest_run: Index,
        boards: Word[::1],
        implied: Word[::1],
    ) -> None:
        """Prepare searches.

        Args:
            rows: the rules of the rows.
            columns: the rules of the columns.
            longest_run: how many equal cells may stand side by side.
            boards: memory of `search_words` words.
            implied: memory of two words for each row and column.

        Raises:
            ValueError: the directions don't form a board, or the memory is too small.
        """
        height, width = columns.length, rows.length
        if rows.count != height or columns.count != width or rows.begin or columns.begin != height:
            raise ValueError("rows and columns do not form a board")
        if longest_run < 1:
            raise ValueError("expected runs of at least one cell")
        lines = height + width
        if len(boards) < search_words(height, width) or len(implied) < 2 * lines:
            raise ValueError("the memory for the boards is too small")
        self.rows, self.columns = rows, columns
        self.height, self.width, self.lines = height, width, lines
        self.words = level_words(lines)
        self.longest_run = longest_run
        self.boards, self.implied = boards, implied
        self.signed = False
        self.puzzle = 0
        self.depth = -1


def search_words(height: Index, width: Index) -> int:
    """The number of words for the boards of a search."""
    return (height * width + SPARE_LEVELS) * level_words(height + width)


@cython.inline_nogil_noexcept
def level_words(lines: Index) -> Index:
    """The number of words of a board with its flags."""
    return 2 * lines + FLAGS


@cython.nogil_noexcept
def load(search: Search, cells: cython.p_uchar, place: Index) -> None:
    """Fill the first level from the bytes of a puzzle, from a place on.

    They are ``0``, ``1`` and ``.``, row by row.
    """
    height, width, lines = search.height, search.width, search.lines
    for k in range(search.words):
        search.boards[k] = 0
    for row in range(height):
        given: Word = 0
        ones: Word = 0
        for column in range(width):
            # 0x30 and 0x31 are clues, 0x2e is an open cell.
            byte: Word = cells[place]
            place += 1
            given |= ((byte >> 4) & 1) << column
            ones |= (byte & 1) << column
        ones &= given
        search.boards[row] = ones
        search.boards[lines + row] = given ^ ones
        while given:
            column = first(given)
            zero: Index = (~ones >> column) & 1
            search.boards[zero * lines + height + column] |= cell(row)
            given &= given - 1
    search.boards[2 * lines + CHANGED] = line_of(height)
    search.boards[2 * lines + CHANGED + 1] = line_of(width)


@cython.inline_nogil_noexcept
def is_full(search: Search, base: Index) -> cython.bint:
    """Whether no cell is open."""
    return search.boards[base + 2 * search.lines + FULL] == line_of(search.height)


@cython.inline_nogil_noexcept
def copy(search: Search, source: Index, target: Index) -> None:
    """Copy the words of a level to another one."""
    for k in range(search.words):
        search.boards[target + k] = search.boards[source + k]


@cython.nogil_noexcept
def store(search: Search, base: Index) -> None:
    """Store the rows of a solution; when the array is full, overwrite the oldest one."""
    place = search.found % search.kept
    for row in range(search.height):
        search.solutions[search.puzzle, place, row] = search.boards[base + row]
    search.found += 1


@cython.nogil_noexcept
def filled_cells(search: Search, base: Index) -> Index:
    """The number of cells that have a value."""
    count: Index = 0
    for row in range(search.height):
        count += size(search.boards[base + row] | search.boards[base + search.lines + row])
    return count
