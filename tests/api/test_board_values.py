"""Boards as values: nested lists, arrays and tables of 0, 1, -1 and what others write for them."""

import io
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import polars
import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st

import binairo_cp as bn
from binairo_cp.errors import ArgumentError, BinairoError, BoardError
from tests.support.strategies import any_boards

NAN = float("nan")
VALUES: dict[str, list[Any]] = {
    "0": [0, 0.0, False, "0", "0.0", b"0", np.int8(0), np.float64(0), Decimal(0)],
    "1": [1, 1.0, True, "1", "1.0", b"1", np.uint8(1), np.bool_(True), np.str_("1")],
    ".": [
        -1, -1.0, None, NAN, np.nan, np.float32("nan"), Decimal("nan"), pandas.NA, pandas.NaT,
        np.ma.masked, *".-_? ", "", "-1",
    ],
}  # fmt: skip
CELLS = "..1....0..10.0.."
BOARD = bn.Board(4, 4, CELLS)
ROWS = [[{"0": 0, "1": 1, ".": -1}[cell] for cell in row] for row in BOARD]
INTEGERS = np.array(ROWS)
FLOATS = np.where(INTEGERS < 0, np.nan, INTEGERS)
OBJECTS = np.where(INTEGERS < 0, None, INTEGERS)
TEXTS = np.array([list(row) for row in BOARD])
MASKED = np.ma.masked_less(INTEGERS, 0)
CODES = np.frombuffer(CELLS.encode(), np.uint8).reshape(4, 4)

FORMS: dict[str, Any] = {
    "nested lists": ROWS,
    "nested tuples": tuple(map(tuple, ROWS)),
    "rows of text": list(BOARD),
    "cells of text": [list(row) for row in BOARD],
    "integers": INTEGERS,
    "small integers": INTEGERS.astype(np.int8),
    "floats": FLOATS,
    "objects": OBJECTS,
    "texts": TEXTS,
    "bytes": TEXTS.astype("S1"),
    "floats as text": FLOATS.astype(str),
    "masked": MASKED,
    "masked bytes": np.ma.masked_array(np.abs(INTEGERS).astype(np.uint8), INTEGERS < 0),
    "codes": CODES,
    "masked codes": np.ma.masked_equal(CODES, ord(".")),
    "big-endian": FLOATS.astype(">f8"),
    "not contiguous": np.repeat(INTEGERS, 2, axis=1)[:, ::2],
    "Fortran order": np.asfortranarray(INTEGERS),
    "codes in Fortran order": np.asfortranarray(CODES),
    "pandas": pandas.DataFrame(FLOATS),
    "pandas with NA": pandas.DataFrame(OBJECTS).astype("Int64"),
    "pandas without a header": pandas.read_csv(
        io.StringIO(bn.convert(BOARD, to="csv")), header=None
    ),
    "polars": polars.DataFrame(INTEGERS),
}


@given(any_boards, st.data())
def test_every_value_for_a_cell_is_read(board: bn.Board, data: st.DataObject) -> None:
    rows = [[data.draw(st.sampled_from(VALUES[cell])) for cell in row] for row in board]
    assert bn.Board.from_rows(rows) == board
    assert bn.Board.from_rows(iter(rows)) == board
    if board.width > 1:
        array = np.empty((board.height, board.width), object)
        array[:] = [[None if cell is np.ma.masked else cell for cell in row] for row in rows]
        assert bn.Board.from_numpy(array) == bn.Board.from_rows(pandas.DataFrame(array)) == board


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_every_function_takes_a_board_in_every_form(form: Any, tmp_path: Path) -> None:
    puzzle = bn.Puzzle(BOARD)
    assert bn.Board.from_rows(form) == BOARD
    assert bn.check(form).puzzle == bn.solve(form).puzzle == bn.count(form).puzzle == puzzle
    assert bn.hint(form) == bn.hint(puzzle, form) == bn.hint(puzzle)
    assert bn.grade(form) == bn.grade(puzzle)
    assert bn.clues(form) == bn.clues(puzzle)
    assert bn.encode(form) == bn.encode(puzzle)
    assert bn.check_many([form, form]).verdict.tolist() == ["unique", "unique"]
    if form is not FORMS["rows of text"]:
        assert bn.convert(form) == bn.convert([form]) == bn.convert(puzzle)
        assert bn.render(form) == bn.render(puzzle)
        bn.write(form, tmp_path / "puzzle.txt")
        assert bn.read(tmp_path / "puzzle.txt")[0].puzzle == puzzle


@pytest.mark.parametrize("number", [1, 400])
@pytest.mark.parametrize("form", [form for form in FORMS.values() if isinstance(form, np.ndarray)])
def test_many_boards_in_one_array(form: Any, number: int) -> None:
    """Many are decided in compiled code, a few one by one."""
    stack = np.ma.stack if isinstance(form, np.ma.MaskedArray) else np.stack
    found = bn.check_many(stack([form] * number))
    assert found.verdict.tolist() == ["unique"] * number
    assert found[0].puzzle.board == BOARD


def test_a_wrong_value_in_an_array_costs_its_puzzle() -> None:
    for array in (INTEGERS, FLOATS, np.abs(INTEGERS).astype(np.uint8)):
        found = bn.count_many(np.stack([array, array + 1]))
        assert found.error[0] is None
        assert found.error[1].startswith("value 2")
        assert found.error[1].endswith("; expected 0, 1, or -1 for an open cell")
    # A board without any code is not one of values if the others have codes.
    found = bn.check_many(np.stack([CODES, CODES * 0]))
    assert found.error[1].startswith("value 0 in row 1, column 1; expected 48, 49 or 46")


HEADED = pandas.read_csv(io.StringIO("0,,,1\n1,,,0\n0,1,1,0\n"))
TABLE = pandas.DataFrame({"id": ["one"], "clues": [CELLS]})
SHAPE = "expected a board, height x width"
TAKES_ROWS = "could be rows or puzzles"


@pytest.mark.parametrize(("value", "words"), [
    ([[0, 1, 2, 0]], "value 2 in row 1, column 3; expected 0, 1, or -1 for an open cell"),
    (np.array([[0, 1], [2, 0]]), "value 2 in row 2, column 1; expected 0, 1, or -1"),
    (np.array([[0, 255]], np.uint8), "value 255 in row 1, column 2"),
    ([["x"]], "value 'x' in row 1, column 1"),
    ([["y" * 10_000]], "value 'yyyyyyyyyyyy...yyyyyyyyyyyyy' in row 1"),
    ([[0.5]], "value 0.5"),
    ([[([],)]], r"value \(\[\],\) in row 1"),
    ([[np.array([0, 1])]], "value array"),
    ([[np.int64(7)]], "value 7 in row 1"),
    (np.array([["2020-01-01"]], "M8[D]"), "value datetime.date"),
    ([[0, 1], [1]], "row 2 has length 1, row 1 has length 2"),
    ([[0, 1], 1], "row 2: expected cells, .*, not int"),
    ([[0, 1], b"10"], "row 2: expected cells, .*, not bytes"),
    ([[0, 1], {1, 0}], "row 2: expected cells, .*, not set"),
    ([], "at least one row"),
    ([[]], "width 0"),
    ([ROWS, ROWS], r"value \[-1, -1, 1, -1\] in row 1, column 1"),
    (np.array(0), SHAPE),
    (INTEGERS[0], SHAPE),
    (INTEGERS[None], rf"{SHAPE} \(check_many takes several puzzles\), .*shape \(1, 4, 4\)"),
    (TABLE["clues"], SHAPE),
    (pyarrow.table({"a": [0]}), SHAPE),
    (TABLE, "value 'one' in row 1, column 1"),
    (HEADED, "names of the columns look like cells"),
    ({"puzzle": CELLS}, "json.dumps makes text of a record"),
    (CELLS.encode(), "decode"),
    (Path("puzzle.txt"), "read returns"),
    ((row for row in ROWS), "check_many takes several"),
    ([BOARD, BOARD], "check_many takes a list"),
    ([CELLS], TAKES_ROWS),
    (["." * 36] * 6, TAKES_ROWS),
])  # fmt: skip
def test_what_is_not_one_board_is_refused(value: Any, words: str) -> None:
    with pytest.raises(BinairoError, match=words):
        bn.check(value)


@pytest.mark.parametrize(("value", "words"), [
    (TABLE, r"expected one column, such as table\['clues'\], not a table"),
    (pandas.DataFrame(FLOATS), "check takes the table of one board"),
    (polars.DataFrame({"a": ["x"]}), r"such as table\['a'\]"),
    (pyarrow.table({"a": ["x"]}), r"such as table\['a'\]"),
    (pandas.DataFrame(), "expected one column"),
    (ROWS, "check takes one board"),
    ([INTEGERS[0]], "check takes one board"),
    (INTEGERS, r"shape \(4, 4\) \(check takes the array of one board\)"),
    (TEXTS, r"shape \(4, 4\)"),
    (INTEGERS[0], "n x h x w"),
    (INTEGERS[None, None], "n x h x w"),
    (np.array(0), "n x h x w"),
    ({"id": CELLS}, "not dict"),
    (CELLS.encode(), "not bytes"),
])  # fmt: skip
def test_what_is_not_several_puzzles_is_refused(value: Any, words: str) -> None:
    for function in (bn.check_many, bn.solve_many, bn.count_many, bn.grade_many):
        with pytest.raises(ArgumentError, match=words):
            function(value)


@pytest.mark.parametrize("array", [np.array(0), CODES[0], CODES[None], [[48]], None, CELLS])
def test_arrays_of_other_shapes_are_refused(array: Any) -> None:
    with pytest.raises(ArgumentError, match="height x width"):
        bn.Board.from_numpy(array)


def test_the_cell_of_an_error_is_known() -> None:
    with pytest.raises(BoardError) as caught:
        bn.Board.from_rows([[0, 1], [1, 7]])
    assert caught.value.cell == (1, 1)


def test_a_begun_board_has_the_size_of_its_puzzle() -> None:
    puzzle = bn.Board.empty(4, 6)
    assert bn.hint(puzzle, "0" + "." * 23).mistake is None
    with pytest.raises(BoardError, match="the board is 6x4; expected 4x6"):
        bn.hint(puzzle, bn.Board.empty(6, 4))


ASKING: list[Callable[[], Any]] = [
    lambda: bn.check(CELLS),
    lambda: bn.check_many([CELLS])[0],
    lambda: bn.check_many(["0x.."])[0],
]


@pytest.mark.parametrize("make", ASKING)
def test_outcomes_are_neither_true_nor_false(make: Callable[[], Any]) -> None:
    with pytest.raises(TypeError, match=r"compare its verdict, as in outcome.verdict == 'unique'"):
        bool(make())
