"""Slices of arrays behave as lists of byte strings."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from binairo_cp.kernels.records import copy_lines, count_lines
from binairo_cp.puzzle.slices import Slices, decimals, joined

strings = st.lists(st.binary(max_size=20), max_size=10)


@given(strings, st.randoms(use_true_random=False))
def test_slices_are_taken_hidden_and_joined(values: list[bytes], chance: object) -> None:
    order = list(range(len(values)))
    chance.shuffle(order)  # type: ignore[attr-defined]
    slices = Slices.of(values)
    taken = slices.take(np.array(order, np.int64))
    assert slices.tolist() == values
    assert taken.tolist() == [values[k] for k in order]
    flags = np.array([k % 2 == 0 for k in order], np.bool_)
    hidden = [value if k % 2 == 0 else b"" for k, value in zip(order, values, strict=True)]
    assert slices.only(flags).tolist() == hidden
    expected = [values[k] + value for k, value in zip(order, hidden, strict=True)]
    assert joined([taken, slices.only(flags)]).tolist() == expected


@given(st.lists(st.integers(0, 10**18), max_size=10))
def test_numbers_as_digits(numbers: list[int]) -> None:
    found = decimals(np.array(numbers, np.int64)).tolist()
    assert found == [str(number).encode() for number in numbers]


@given(st.text("01.", max_size=40), st.integers(1, 20), st.data())
def test_equal_lines_of_cells_are_copied(cells: str, number: int, data: st.DataObject) -> None:
    text = bytearray(f"{cells}\n".encode() * number)
    boards = np.zeros((number, len(cells)), np.uint8)
    assert copy_lines(text, boards.data) is True
    assert boards.tobytes() == cells.encode() * number
    place = data.draw(st.integers(0, len(text) - 1))
    old, text[place] = text[place], data.draw(st.integers(0, 255))
    is_same_kind = (old in b"01.") == (text[place] in b"01.")
    assert copy_lines(text, boards.data) is (text[place] in b"01.\n" and is_same_kind)


@given(st.binary(max_size=20), st.integers(1, 40))
def test_lines_are_counted(text: bytes, times: int) -> None:
    assert count_lines(text * times) == times * text.count(b"\n")
