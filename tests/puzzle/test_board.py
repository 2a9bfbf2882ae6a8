import pickle
from collections.abc import Callable

import pytest
from hypothesis import given

from binairo_cp import Board, Cell
from binairo_cp.errors import ArgumentError, BoardError
from tests.support.strategies import any_boards


@given(any_boards)
def test_parse_reads_what_str_prints(board: Board) -> None:
    assert Board.parse(str(board)) == board
    assert pickle.loads(pickle.dumps(board)) == board


@given(any_boards)
def test_symmetries_are_invertible(board: Board) -> None:
    assert board.transposed().transposed() == board
    assert board.mirrored().mirrored() == board
    assert board.complemented().complemented() == board
    assert board.rotated().rotated().rotated().rotated() == board
    assert board.rotated() == board.transposed().mirrored()


@given(any_boards)
def test_lines_are_the_rows_and_columns(board: Board) -> None:
    for line in board.lines():
        assert "".join(board[line.cell(place)] for place in range(len(line.values))) == line.values


def test_cells_and_differences() -> None:
    board = Board.from_rows(["0101", "1.10"])
    assert board[1, 0] == "1"
    assert board.columns == ["01", "1.", "01", "10"]
    other = board.with_cell((1, 1), "0").with_cell((0, 3), "0")
    assert board.differences(other) == [Cell(0, 3), Cell(1, 1)]
    assert [str(cell) for cell in board.differences(other)] == ["r1c4", "r2c2"]
    assert not board.is_full
    assert other.is_full


@pytest.mark.parametrize("cell", [(-1, 0), (0, -1), (2, 0), (0, 4)])
def test_cells_outside_the_board_are_refused(cell: tuple[int, int]) -> None:
    board = Board.empty(2, 4)
    with pytest.raises(IndexError):
        board[cell]
    with pytest.raises(IndexError):
        board.with_cell(cell, "0")


@pytest.mark.parametrize(("height", "width", "cells", "message"), [
    (0, 4, "", "height 0 is out of range; expected 1 to 255"),
    (2, 256, "." * 512, "width 256 is out of range; expected 1 to 255"),
    (2, 2, "...", "a board of 2x2 has 4 cells, not 3"),
    (2, 2, "..x.", "cell r2c1 is 'x'; expected '0', '1' or '.'"),
    (1, 2, "0١", "cell r1c2 is '١'; expected '0', '1' or '.'"),
])  # fmt: skip
def test_invalid_boards_are_refused(height: int, width: int, cells: str, message: str) -> None:
    with pytest.raises(BoardError) as caught:
        Board(height, width, cells)
    assert str(caught.value) == message


FLAT = "..10.....0.11...0....11..0...10....."
PARSED_BOARDS = [
    (FLAT, (6, 6, FLAT)),
    (" ".join(FLAT), (6, 6, FLAT)),
    (".", (1, 1, ".")),
    ("0-_?", (2, 2, "0...")),
    ("0 . 1 .", (2, 2, "0.1.")),
    ("0..1 1..0 0110 1001", (4, 4, "0..11..001101001")),
    ("01. ..1", (2, 3, "01...1")),
    ("\n  0 . 1\n  1 . .\n", (2, 3, "0.11..")),
    ("0.1. ..1.\r\n.... ....\r\n", (2, 8, "0.1...1.........")),
    ("0\n.\n1\n1", (4, 1, "0.11")),
    ("1x4:0.11", (1, 4, "0.11")),
    ("1X4: 0. 11", (1, 4, "0.11")),
    ("8x2:01 10 01 10 01 10 01 10", (8, 2, "01" + "1001" * 3 + "10")),
    ("2x3:\n01.\n..1", (2, 3, "01...1")),
]


@pytest.mark.parametrize(("text", "board"), PARSED_BOARDS)
def test_parsing(text: str, board: tuple[int, int, str]) -> None:
    assert Board.parse(text) == Board(*board)


@pytest.mark.parametrize(("text", "message"), [
    ("", "no cells; expected cells"),
    (FLAT[1:], "35 cells do not make a square; expected one row per line, or the size before the cells, as in 1x35:"),
    ("01", "2 cells do not make a square"),
    ("0 1 .", "3 cells do not make a square"),
    ("01 10 01 10 01 10 01 10", "16 cells in groups of 2 could be 8x2 or 4x4; expected one row per line, or"),
    ("0101 01", "6 cells in groups of 2, 4; expected blanks between all cells, or between rows"),
    ("01\n010", "row 2 has length 3, row 1 has length 2"),
    ("01\n\n10", "row 2 is blank; expected the rows of one board"),
    ("01\n1x", "'x' in row 2 is not a cell; expected cells of '0' and '1'"),
    ("01\u00a010", "'\\xa0' in row 1 is not a cell"),
    ("0\t\t1\n1\t\t0", "row 1 has tabs without a cell between them; expected a mark for each open cell"),
    ("2x3:01.\n.11\n...", "the rows make a board of 3x3, not 2x3 as stated"),
    ("2x3:01.", "a board of 2x3 has 6 cells, not 3"),
    ("0x1:", "no cells"),
    ("0x1:1", "height 0 is out of range"),
])  # fmt: skip
def test_invalid_or_ambiguous_text_is_refused(text: str, message: str) -> None:
    with pytest.raises(BoardError) as caught:
        Board.parse(text)
    assert message in str(caught.value)


@pytest.mark.parametrize(("make", "message"), [
    (lambda: Board.parse([[0, 1], [1, 0]]), "text: expected a str (Board.from_rows takes a list of rows), not list"),
    (lambda: Board.parse(None), "text: expected a str"),
    (lambda: Board.from_rows("0110"), "rows: expected several, as in ['01', '10'] or [[0, 1], [1, -1]], not str"),
    (lambda: Board.from_rows(7), "[[0, 1], [1, -1]], not int"),
    (lambda: Board(2, 2, [0, 1, 1, 0]), "cells: expected a str of '0', '1' and '.', not list"),
    (lambda: Board("2", 2, "0110"), "height: expected an int, not str"),
])  # fmt: skip
def test_arguments_of_the_wrong_type_are_refused(make: Callable[[], object], message: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        make()
    assert message in str(caught.value)
    assert isinstance(caught.value, TypeError)
