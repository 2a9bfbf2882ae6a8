"""Machine words as sets of cells: bit k of a word is cell k of a line.

All arithmetic is between unsigned 64-bit words: numba makes a float of a signed and an unsigned
number together, so a count of cells becomes a signed number only where it indexes an array.
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
    """How many cells a word holds (one machine instruction)."""
    return types.uint64(types.uint64), lambda _, builder, __, args: builder.ctpop(args[0])


@intrinsic
def first(typing_context: Any, word: Any) -> Any:
    """The number of the lowest cell of a word that is not empty (one machine instruction)."""
    undefined_if_empty = ir.Constant(ir.IntType(1), 1)
    return types.intp(types.uint64), lambda _, builder, __, args: builder.cttz(
        args[0], undefined_if_empty
    )


@njit(forceinline=True)
def at(index: int) -> Any:
    """An index that is not negative: numba need not see whether it counts from the end."""
    return np.uint64(index)


@njit(forceinline=True)
def cell(k: int) -> Any:
    """The word that holds cell k."""
    return ONE << np.uint64(k)


@njit(forceinline=True)
def lowest(word: Any) -> Any:
    """The word that holds the lowest cell of a word; empty if it is empty."""
    return word & (~word + ONE)


@njit(forceinline=True)
def line_of(length: int) -> Any:
    """The word that holds all cells of a line of 1 to 64 cells."""
    return ALL >> np.uint64(64 - length)


@intrinsic
def _leading_zeros(typing_context: Any, word: Any) -> Any:
    undefined_if_empty = ir.Constant(ir.IntType(1), 1)
    return types.uint64(types.uint64), lambda _, builder, __, args: builder.ctlz(
        args[0], undefined_if_empty
    )


@njit(forceinline=True)
def highest(word: Any) -> Any:
    """The word that holds the highest cell of a word that is not empty."""
    return TOP >> _leading_zeros(word)
