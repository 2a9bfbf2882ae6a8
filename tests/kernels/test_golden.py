"""Compiled code gives the results that it always gave."""

from __future__ import annotations

import pytest

from tests.kernels import golden


@pytest.mark.parametrize("area", golden.areas())
def test_results_are_those_kept(area: str) -> None:
    """A difference is a fault, unless the CHANGELOG names it."""
    found, expected = golden.computed(area), golden.kept(area)
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        assert found[name] == value, name
