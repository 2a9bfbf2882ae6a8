"""Machine words as sets of cells: bit k of a word is cell k of a line.

Compiled, a `Word` is an unsigned 64-bit number of C. Uncompiled, it is a Python integer, which has
no last bit: ``~word`` is negative and ``word << 1`` may grow. So both are only used where an
intersection follows, as in ``line & ~word``; then the results are the same. A product or sum that
may wrap is masked with `ALL`; the C compiler removes the mask.
"""

from __future__ import annotations

from binairo_cp.kernels import cython_stub as cython

Word = cython.typedef(cython.ulonglong)
"""A set of up to 64 cells."""

Index = cython.typedef(cython.Py_ssize_t)
"""A place in an array, or a small number."""

ALL = 0xFFFF_FFFF_FFFF_FFFF
LARGE = 1 << 30

if cython.compiled:
    from cython.cimports.binairo_cp.kernels.machine import highest, popcount, trailing_zeros
else:

    def popcount(word: int) -> int:
        """The number of cells in a word."""
        return word.bit_count()

    def trailing_zeros(word: int) -> int:
        """The index of the lowest cell of a nonempty word."""
        return (word & -word).bit_length() - 1

    def highest(word: int) -> int:
        """The word with only the highest cell of a nonempty word."""
        return 1 << (word.bit_length() - 1)


@cython.inline_nogil_noexcept
def size(word: Word) -> Index:
    """The number of cells in a word (one machine instruction)."""
    return popcount(word)


@cython.inline_nogil_noexcept
def first(word: Word) -> Index:
    """The index of the lowest cell of a nonempty word (one machine instruction)."""
    return trailing_zeros(word)


@cython.inline_nogil_noexcept
def cell(k: Index) -> Word:
    """The word with only cell k."""
    return cython.cast(Word, 1) << k


@cython.inline_nogil_noexcept
def lowest(word: Word) -> Word:
    """The word with only the lowest cell of a word; empty if the word is empty."""
    return word & -word


@cython.inline_nogil_noexcept
def line_of(length: Index) -> Word:
    """The word with all cells of a line of 1 to 64 cells."""
    return ALL >> (64 - length)
