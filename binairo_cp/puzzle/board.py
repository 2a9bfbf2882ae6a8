"""Boards: the values of the cells, without any rules.

Conventions of the whole package: rows, columns and cells are counted from 0. A cell is open
(``.``), ``0`` or ``1``. The cells of a board are one string, row by row, so cell (r, c) of a board
of width w is character ``r * w + c``. Messages count from 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self

from binairo_cp.errors import ArgumentError, BoardError
from binairo_cp.puzzle import cell_values, grids

if TYPE_CHECKING:
    import numpy.typing as npt

    Array = npt.NDArray[Any]

MAX_SIDE = 255
"""The maximum side of a board, in cells."""

OPEN = "."
SYMBOLS = "01"

Direction = Literal["row", "column"]

_TO_VALUES = {ord(mark): value for value, mark in enumerate(".01")}
_LEAST_ROWS = 4
"""Words on one line are the rows of a square of so many, or more."""

_NO_CELL = re.compile(r"[^01.]")
_PLAIN = re.compile(r"(?:([0-9]{1,3})x([0-9]{1,3}):)?([01._?-]+)|([01._?-]+\n[01._?\n-]+)")


class Cell(NamedTuple):
    """The position of a cell, counted from 0. `str` counts from 1: ``r1c1``."""

    row: int
    column: int

    def __str__(self) -> str:
        return f"r{self.row + 1}c{self.column + 1}"


class Line(NamedTuple):
    """A row or a column with its values.

    `number` is the index of the row or column, from 0.
    """

    direction: Direction
    number: int
    values: str

    def cell(self, place: int) -> Cell:
        """The position of the cell at an index of this line."""
        return Cell(self.number, place) if self.direction == "row" else Cell(place, self.number)

    @property
    def is_full(self) -> bool:
        return OPEN not in self.values

    def __str__(self) -> str:
        return f"{self.direction} {self.number + 1}"


@dataclass(frozen=True, slots=True)
class Board:
    """An immutable grid of cells, each ``0``, ``1`` or ``.`` (open). `str` and `parse` are inverse.

    Attributes:
        height: the number of rows, 1 to 255.
        width: the number of columns, 1 to 255.
        cells: row by row, ``height * width`` characters of ``01.``.

    Raises:
        BoardError: a side out of range, the wrong number of cells, or another character.
    """

    height: int
    width: int
    cells: str

    def __post_init__(self) -> None:
        if not isinstance(self.cells, str):
            raise ArgumentError.of("cells", "a str of '0', '1' and '.'", self.cells)
        height, width = self.height, self.width
        if not (type(height) is type(width) is int and 0 < height <= MAX_SIDE >= width > 0):
            _check_side("height", height)
            _check_side("width", width)
        if len(self.cells) != height * width:
            raise BoardError(
                f"a board of {height}x{width} has {height * width} cells, not {len(self.cells)}"
            )
        if wrong := _NO_CELL.search(self.cells):
            cell = Cell(*divmod(wrong.start(), self.width))
            raise BoardError(f"cell {cell} is {wrong.group()!r}; expected '0', '1' or '.'", cell)

    @classmethod
    def empty(cls, height: int, width: int) -> Self:
        """A board with all cells open."""
        _check_side("height", height)
        _check_side("width", width)
        return cls(height, width, OPEN * (height * width))

    @classmethod
    def from_rows(cls, rows: Iterable[Any]) -> Self:
        """A board from its rows, all of one length.

        Args:
            rows: strings such as ``"01.."``, or rows of values: 0 or 1 (also as bool or text), and
                -1, None, nan or an open mark for an open cell. Also an h x w array or data frame.

        Raises:
            BoardError: there are no rows, they have different lengths, a value is no cell, or
                `Board` raises it.
            ArgumentError: a row is neither a string nor values, or `rows` is a single string.
        """
        cells = cell_values.rows_of(rows)
        if not cells:
            raise BoardError("a board has at least one row")
        for number, row in enumerate(cells, 1):
            if len(row) != len(cells[0]):
                raise BoardError(
                    f"row {number} has length {len(row)}, row 1 has length {len(cells[0])}"
                )
        return cls(len(cells), len(cells[0]), "".join(cells))

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse a board, as printed by `str` or written by hand.

        - Several lines: each line is a row. Blanks within a row are ignored.
        - One line: a square, so 36 cells are 6x6. Blanks may separate all cells, or rows of two or
          more cells, then also of rectangles: ``"0..1 1..0 0110 1001"``.
        - ``HEIGHTxWIDTH:`` before the cells sets the size. A single row needs it: ``"1x4:01.."``.

        An open cell is ``.``, ``-``, ``_`` or ``?``. Ambiguous text is refused.

        Raises:
            BoardError: the text is not a board, or is ambiguous.
            ArgumentError: `text` is not a str.
        """
        if not isinstance(text, str):
            expected = "a str (Board.from_rows takes a list of rows)"
            raise ArgumentError.of("text", expected, text)
        (height, width), cells = grids.parsed(text)
        return cls(height, width, cells)

    def __str__(self) -> str:
        # Without a size, a single row could be a square, and a column a list of anything.
        size = f"{self.height}x{self.width}:" if 1 in (self.height, self.width) else ""
        return size + "\n".join(self.rows)

    def __getitem__(self, cell: tuple[int, int]) -> str:
        """The value of a cell.

        Raises:
            IndexError: the cell is not on the board.
        """
        return self.cells[self.place(cell)]

    def place(self, cell: tuple[int, int]) -> int:
        """The index of a cell in `cells`.

        Raises:
            IndexError: the cell is not on the board.
        """
        try:
            row, column = cell
        except TypeError as error:
            expected = "a row and a column, from 0 (board.rows has the rows)"
            raise ArgumentError.of("cell", expected, cell) from error
        if not (0 <= row < self.height and 0 <= column < self.width):
            raise IndexError(f"no cell {cell} on a board of {self.height}x{self.width}")
        return row * self.width + column

    @property
    def rows(self) -> list[str]:
        width = self.width
        return [self.cells[start : start + width] for start in range(0, len(self.cells), width)]

    @property
    def columns(self) -> list[str]:
        return [self.cells[start :: self.width] for start in range(self.width)]

    def lines(self) -> Iterator[Line]:
        """All rows, then all columns."""
        for number, values in enumerate(self.rows):
            yield Line("row", number, values)
        for number, values in enumerate(self.columns):
            yield Line("column", number, values)

    def __iter__(self) -> Iterator[str]:
        """The rows, from top to bottom."""
        return iter(self.rows)

    @classmethod
    def from_numpy(cls, array: Array) -> Self:
        """A board from an h x w array of any type.

        Args:
            array: 0 and 1 (numbers, bools or text), and -1, nan, None or masked for an open cell;
                or the ASCII codes of ``0``, ``1`` and ``.`` as bytes (uint8).

        Raises:
            ArgumentError: this is not an h x w array.
            BoardError: a value is not a cell.
        """
        return cls.from_rows(cell_values.rows_of_array(array))

    def numpy(self) -> Array:
        """An h x w array of small integers (int8): 0, 1, and -1 for an open cell."""
        # Imported here, because boards need no numpy.
        import numpy as np

        cells = np.frombuffer(self.cells.translate(_TO_VALUES).encode(), np.int8) - 1
        return cells.reshape(self.height, self.width)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        """The array of `numpy`, for `numpy.asarray`."""
        array = self.numpy()
        return array if dtype is None else array.astype(dtype)

    def _repr_html_(self) -> str:
        from binairo_cp.puzzle.html import table

        return table(self)

    @property
    def is_full(self) -> bool:
        return OPEN not in self.cells

    def cell(self, place: int) -> Cell:
        """The position of the cell at an index of `cells`."""
        return Cell(*divmod(place, self.width))

    @property
    def clue_count(self) -> int:
        """The number of cells that are not open."""
        return len(self.cells) - self.cells.count(OPEN)

    def clues(self) -> Iterator[tuple[Cell, str]]:
        """The cells that are not open with their values, row by row."""
        return ((self.cell(k), value) for k, value in enumerate(self.cells) if value != OPEN)

    def differences(self, other: Board) -> list[Cell]:
        """The cells in which two boards of one size differ."""
        pairs = enumerate(zip(self.cells, other.cells, strict=True))
        return [self.cell(k) for k, (mine, theirs) in pairs if mine != theirs]

    def with_cell(self, cell: tuple[int, int], value: str) -> Board:
        """The same board with another value in one cell.

        Raises:
            IndexError: the cell is not on the board.
            BoardError: the value is not ``0``, ``1`` or ``.``.
        """
        place = self.place(cell)
        return Board(
            self.height, self.width, f"{self.cells[:place]}{value}{self.cells[place + 1 :]}"
        )

    def transposed(self) -> Board:
        """Swap rows and columns."""
        return Board(self.width, self.height, "".join(self.columns))

    def mirrored(self) -> Board:
        """Swap left and right."""
        return Board.from_rows(row[::-1] for row in self.rows)

    def rotated(self) -> Board:
        """Rotate by a quarter turn clockwise."""
        return Board(self.width, self.height, "".join(column[::-1] for column in self.columns))

    def complemented(self) -> Board:
        """Swap 0 and 1."""
        return Board(self.height, self.width, self.cells.translate(COMPLEMENT))


def plain_board(text: str) -> Board | None:
    """The board of a text with nothing but cells: on one line, or a square of rows; else None.

    Blanks may separate the cells of rows. `formats.free_text` finds the same board, but takes ten
    times as long.
    """
    match = _PLAIN.fullmatch(_without_blanks(text) if " " in text else text)
    if match is None:
        return None
    height, width, cells, grid = match.groups()
    if grid:
        rows = grid.removesuffix("\n").split("\n")
        size = grids.Size(len(rows), len(rows))
        if any(len(row) != size.width for row in rows):
            return None
        rule = "-" * size.width
        others = "".join(row for row in rows if row != rule)
        is_frame = rows[0] == rows[-1] == rule and set(grid) & {*"._?"}
        if is_frame or (rule in rows and others and ("-" not in others or size.height < 4)):
            return None  # These may be rules above, below or between the rows.
        cells = "".join(rows)
        if size.height > 4 and (_may_be_solved(cells) or _may_be_solved(_by_columns(rows))):
            return None
    elif height:
        size = grids.Size(int(height), int(width))
    else:
        size = grids.square(len(cells)) or grids.Size(0, 0)
        if size.cells < grids.LEAST or {*cells} == {"-"}:
            return None  # A line of dashes may be above or below a board.
    if size.cells != len(cells) or not 0 < max(size) <= MAX_SIDE:
        return None
    if len({*cells} - {"0", "1"}) > 1:
        return None  # A board has one mark for open cells; another one may be no cell.
    return Board(*size, grids.normalised(cells))


def _by_columns(rows: list[str]) -> str:
    """The cells column by column; none if the last column has open ones, so that few need this."""
    is_full = not "".join(row[-1] for row in rows).strip("01")
    return "".join(map("".join, zip(*rows, strict=True))) if is_full else ""


def _may_be_solved(cells: str) -> bool:
    """Whether the second half of some cells may be the solution of the first half."""
    half, is_odd = divmod(len(cells), 2)
    puzzle, solution = cells[:half], cells[half:]
    if is_odd or solution.strip("01") or not puzzle.strip("01"):
        return False
    return all(
        clue in (cell, *grids.OPEN_MARKS) for clue, cell in zip(puzzle, solution, strict=True)
    )


def _without_blanks(text: str) -> str:
    """The rows of a text with blanks between all cells of each, or between the rows; else empty."""
    if "\n" in text:
        spaced = [(row, row[::2]) for row in text.removesuffix("\n").split("\n")]
        is_plain = all(" ".join(cells) == row for row, cells in spaced)
        return "\n".join(cells for _, cells in spaced) if is_plain else ""
    words = text.split(" ")
    is_plain = _LEAST_ROWS <= len(words) < grids.LEAST and {*map(len, words)} == {len(words)}
    return "\n".join(words) if is_plain else ""


def _check_side(name: str, side: object) -> None:
    if not isinstance(side, int) or isinstance(side, bool):
        raise ArgumentError.of(name, "an int", side)
    if not 1 <= side <= MAX_SIDE:
        raise BoardError(f"{name} {side} is out of range; expected 1 to {MAX_SIDE}")


def filled(board: Board, values: Mapping[Cell, str]) -> Board:
    """A board with other values in some cells."""
    cells = list(board.cells)
    for cell, value in values.items():
        cells[board.place(cell)] = value
    return Board(board.height, board.width, "".join(cells))


def clue_places(cells: str) -> list[int]:
    """The places of the clues among the cells of a board, row by row."""
    return [place for place, value in enumerate(cells) if value != OPEN]


def open_places(cells: str) -> list[int]:
    """The places of the open cells, in the same way."""
    return [place for place, value in enumerate(cells) if value == OPEN]


COMPLEMENT = str.maketrans("01", "10")
"""Swaps 0 and 1 with `str.translate`."""
