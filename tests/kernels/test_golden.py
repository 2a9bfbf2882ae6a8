"""Compiled code gives the results that it always gave."""

from __future__ import annotations

import pytest

from tests.kernels import golden


@pytest.mark.parametrize("part", ["quick", pytest.param("results", marks=pytest.mark.slow)])
@pytest.mark.parametrize("area", golden.areas())
def test_results_are_those_kept(area: str, part: str) -> None:
    """A difference is a fault, unless changelog.d names it."""
    found, expected = golden.computed(area, part), golden.kept(area)
    assert found
    assert found.keys() == expected.keys() or part == "quick"
    for name, value in found.items():
        assert expected[name] == value, name
