from __future__ import annotations

import pickle

import pytest
from hypothesis import given

from binairo_cp import Board, Cell
from binairo_cp.errors import BoardError
from tests.strategies import any_boards


def test_a_board_prints_as_itself() -> None:
    board = Board.from_rows(["01.", "..1"])
    assert str(board) == "01.\n..1"
    assert board == Board(2, 3, "01...1")
    assert {board: 1}[Board.parse("01. ..1")] == 1


@given(any_boards)
def test_parse_reads_what_str_prints(board: Board) -> None:
    assert Board.parse(str(board)) == board
    assert pickle.loads(pickle.dumps(board)) == board


@given(any_boards)
def test_symmetries_undo_themselves(board: Board) -> None:
    assert board.transposed().transposed() == board
    assert board.mirrored().mirrored() == board
    assert board.complemented().complemented() == board
    assert board.rotated().rotated().rotated().rotated() == board
    assert board.rotated() == board.transposed().mirrored()


@given(any_boards)
def test_lines_are_the_rows_and_the_columns(board: Board) -> None:
    for line in board.lines():
        assert "".join(board[line.cell(place)] for place in range(len(line.values))) == line.values


def test_cells_and_differences() -> None:
    board = Board.from_rows(["0101", "1.10"])
    assert board[1, 0] == "1"
    assert board.columns == ["01", "1.", "01", "10"]
    other = board.replace((1, 1), "0").replace((0, 3), "0")
    assert board.differences(other) == [Cell(0, 3), Cell(1, 1)]
    assert [str(cell) for cell in board.differences(other)] == ["r1c4", "r2c2"]
    assert not board.is_full
    assert other.is_full


@pytest.mark.parametrize("cell", [(-1, 0), (0, -1), (2, 0), (0, 4)])
def test_there_is_nothing_beside_the_board(cell: tuple[int, int]) -> None:
    board = Board.empty(2, 4)
    with pytest.raises(IndexError):
        board[cell]
    with pytest.raises(IndexError):
        board.replace(cell, "0")


@pytest.mark.parametrize(
    ("height", "width", "cells", "message"),
    [
        (0, 4, "", "height 0 is out of range; expected 1 to 255"),
        (2, 256, "." * 512, "width 256 is out of range; expected 1 to 255"),
        (2, 2, "...", "a 2x2 board has 4 cells, not 3"),
        (2, 2, "..x.", "cell r2c1 is 'x'; expected '0', '1' or '.'"),
        (1, 2, "0١", "cell r1c2 is '١'; expected '0', '1' or '.'"),
    ],
)
def test_what_is_no_board(height: int, width: int, cells: str, message: str) -> None:
    with pytest.raises(BoardError) as caught:
        Board(height, width, cells)
    assert str(caught.value) == message


def test_rows_of_different_lengths_are_no_board() -> None:
    with pytest.raises(BoardError, match="row 2 has 3 cells, row 1 has 2"):
        Board.from_rows(["01", "010"])
    with pytest.raises(BoardError, match="at least one row"):
        Board.from_rows([])
