"""What the signs of a line imply."""

from __future__ import annotations

from binairo_cp.kernels import cython_stub as cython
from binairo_cp.kernels.words import Word


@cython.cfunc
@cython.nogil
def propagate_signs(ones: Word, zeros: Word, equal: Word, opposite: Word) -> tuple[Word, Word]:
    """Propagate the signs of a line; bit k of a word is a sign between cells k and k + 1."""
    while True:
        more_ones = ones | ((ones & equal) << 1) | ((ones >> 1) & equal)
        more_ones |= ((zeros & opposite) << 1) | ((zeros >> 1) & opposite)
        more_zeros = zeros | ((zeros & equal) << 1) | ((zeros >> 1) & equal)
        more_zeros |= ((ones & opposite) << 1) | ((ones >> 1) & opposite)
        if more_ones == ones and more_zeros == zeros:
            return ones, zeros
        ones, zeros = more_ones, more_zeros
        if ones & zeros:
            return ones, zeros
