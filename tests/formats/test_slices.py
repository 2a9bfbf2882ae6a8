"""Slices of arrays behave as lists of byte strings."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

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
