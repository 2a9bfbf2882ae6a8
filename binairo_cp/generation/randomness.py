"""Random numbers for compiled code; the same seed gives the same numbers on every machine.

splitmix64: Guy Steele, Doug Lea and Christine Flood, "Fast splittable pseudorandom number
generators", OOPSLA 2014.
"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit

_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_LAST = np.uint64(0xFFFFFFFFFFFFFFFF)
_HALF, _HALF_BITS = np.uint64(0xFFFFFFFF), np.uint64(32)
_A_UNIT = 1.0 / (1 << 53)


def seed_of(*parts: object, bits: int = 64) -> int:
    """Derive the seed of an independent stream, such as that of one puzzle; at most 256 bits."""
    return int.from_bytes(hashlib.sha256(repr(parts).encode()).digest()[: bits // 8], "little")


def words(seed: int, number: int) -> npt.NDArray[np.uint64]:
    """Return the first random words of a seed, the same that `word` draws."""
    with np.errstate(over="ignore"):
        mixed = np.uint64(seed) + _STEP * np.arange(1, number + 1, dtype=np.uint64)
        mixed = (mixed ^ (mixed >> np.uint64(30))) * _FIRST
        mixed = (mixed ^ (mixed >> np.uint64(27))) * _SECOND
        return mixed ^ (mixed >> np.uint64(31))


@njit
def word(state: Any) -> Any:
    """Draw the next 64 random bits; `state` is an array of one word, initially the seed."""
    state[0] += _STEP
    mixed = state[0]
    mixed = (mixed ^ (mixed >> np.uint64(30))) * _FIRST
    mixed = (mixed ^ (mixed >> np.uint64(27))) * _SECOND
    return mixed ^ (mixed >> np.uint64(31))


@njit
def below(state: Any, number: int) -> Any:
    """Draw an integer from 0 to `number` - 1; all are equally likely.

    For small ranges this avoids divisions: Daniel Lemire, "Fast random integer generation in an
    interval", 2019.
    """
    size = np.uint64(number)
    if size <= _HALF:
        product = (word(state) >> _HALF_BITS) * size
        if product & _HALF < size:
            unfair = (_HALF - size + np.uint64(1)) % size
            while product & _HALF < unfair:
                product = (word(state) >> _HALF_BITS) * size
        return np.int64(product >> _HALF_BITS)
    # Values above the last multiple of the size would make the low numbers more likely.
    end = _LAST - _LAST % size
    drawn = word(state)
    while drawn >= end:
        drawn = word(state)
    return np.int64(drawn % size)


@njit
def unit(state: Any) -> float:
    """Draw a number in [0, 1)."""
    return np.float64(word(state) >> np.uint64(11)) * _A_UNIT


@njit
def shuffle(numbers: Any, state: Any) -> None:
    """Shuffle an array in place (Fisher-Yates)."""
    for last in range(len(numbers) - 1, 0, -1):
        other = below(state, last + 1)
        numbers[last], numbers[other] = numbers[other], numbers[last]
