"""Signs, for the code of `deduction` that numba compiles."""

from __future__ import annotations

from typing import Any

from numba import njit

from binairo_cp.puzzle.bits.words import ONE


@njit
def propagate_signs(ones: Any, zeros: Any, equal: Any, opposite: Any) -> Any:
    """Propagate the signs of a line; bit k of a word is a sign between cells k and k + 1."""
    while True:
        more_ones = ones | ((ones & equal) << ONE) | ((ones >> ONE) & equal)
        more_ones |= ((zeros & opposite) << ONE) | ((zeros >> ONE) & opposite)
        more_zeros = zeros | ((zeros & equal) << ONE) | ((zeros >> ONE) & equal)
        more_zeros |= ((ones & opposite) << ONE) | ((ones >> ONE) & opposite)
        if more_ones == ones and more_zeros == zeros:
            return ones, zeros
        ones, zeros = more_ones, more_zeros
        if ones & zeros:
            return ones, zeros
