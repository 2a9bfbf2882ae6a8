"""Tests of the memory in which halves are listed and joined."""

from __future__ import annotations

from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from binairo_cp.counting import units
from binairo_cp.counting.sizes import Census, Distinct, classes_of
from binairo_cp.counting.units import count_units
from binairo_cp.kernels import census as kernel


@pytest.mark.parametrize("distinct", ["lines", "rows", "nothing"])
def test_memory_that_is_too_small_grows(distinct: Distinct, monkeypatch: pytest.MonkeyPatch):
    census = Census(6, 8, distinct)
    packed = [int(each) for each in classes_of(census).packed[:40]]
    expected = count_units(census, packed)
    small = units._Memory()
    # A kind needs room for 128 pairs.
    small.lengths = [0, 1, 1, 1, 2, 128]
    monkeypatch.setattr(units, "_memory", small)
    assert count_units(census, packed) == expected
    assert small.lengths > [0, 1, 1, 1, 2, 128]


def test_large_memory_is_not_kept(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(units, "_MAX_KEPT", 0)
    memory = units._Memory()
    assert memory.get("ends", units._ends_memory, 8) is not memory.get(
        "ends", units._ends_memory, 8
    )


@given(st.lists(st.integers(0, 2**64 - 1) | st.integers(0, 9), max_size=300))
def test_words_are_sorted(words: list[int]):
    values = array("Q", words)
    kernel.sort_words(memoryview(values))
    assert values.tolist() == sorted(words)
