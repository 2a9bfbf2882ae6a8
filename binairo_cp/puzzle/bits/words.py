"""Machine words as sets of cells: bit k of a word is cell k of a line.

All arithmetic is between unsigned 64-bit words: numba converts mixed signed and unsigned operands
to float. So a count of cells becomes a signed number only where it indexes an array.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

ZERO, ONE, TWO = np.uint64(0), np.uint64(1), np.uint64(2)
ALL = ~ZERO
TOP = ONE << np.uint64(63)


@intrinsic
def size(typing_context: Any, word: Any) -> Any:
    """The number of cells in a word (one machine instruction)."""
    return types.uint64(types.uint64), lambda _, builder, __, args: builder.ctpop(args[0])


@intrinsic
def first(typing_context: Any, word: Any) -> Any:
    """The index of the lowest cell of a nonempty word (one machine instruction)."""
    undefined_if_empty = ir.Constant(ir.IntType(1), 1)
    return types.intp(types.uint64), lambda _, builder, __, args: builder.cttz(
        args[0], undefined_if_empty
    )


@njit(forceinline=True)
def at(index: int) -> Any:
    """A nonnegative index, for which numba omits the check for counting from the end."""
    return np.uint64(index)


@njit
def copy_into(target: Any, source: Any) -> None:
    """Copy an array to the front of another one.

    For a slice assignment, numba compiles a message about shapes, which takes up to four seconds.
    """
    for k in range(len(source)):
        target[at(k)] = source[at(k)]


@njit(forceinline=True)
def cell(k: int) -> Any:
    """The word with only cell k."""
    return ONE << np.uint64(k)


@njit(forceinline=True)
def lowest(word: Any) -> Any:
    """The word with only the lowest cell of a word; empty if the word is empty."""
    return word & (~word + ONE)


@njit(forceinline=True)
def line_of(length: int) -> Any:
    """The word with all cells of a line of 1 to 64 cells."""
    return ALL >> np.uint64(64 - length)


@intrinsic
def _leading_zeros(typing_context: Any, word: Any) -> Any:
    undefined_if_empty = ir.Constant(ir.IntType(1), 1)
    return types.uint64(types.uint64), lambda _, builder, __, args: builder.ctlz(
        args[0], undefined_if_empty
    )


@njit(forceinline=True)
def highest(word: Any) -> Any:
    """The word with only the highest cell of a nonempty word."""
    return TOP >> _leading_zeros(word)
