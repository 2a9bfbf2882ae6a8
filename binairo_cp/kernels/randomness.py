"""Random numbers for compiled code; the same seed gives the same numbers on every machine.

splitmix64: Guy Steele, Doug Lea and Christine Flood, "Fast splittable pseudorandom number
generators", OOPSLA 2014.
"""

from __future__ import annotations

from binairo_cp.kernels import cython_stub as cython
from binairo_cp.kernels.words import ALL, Index, Word

_STEP = 0x9E3779B97F4A7C15
_FIRST = 0xBF58476D1CE4E5B9
_SECOND = 0x94D049BB133111EB
_HALF = 0xFFFFFFFF


@cython.final
@cython.cclass
class Random:
    """A stream of random numbers."""

    state: Word

    def __init__(self, seed: Word) -> None:
        self.state = seed


@cython.inline_nogil_noexcept
def word(random: Random) -> Word:
    """Draw the next 64 random bits."""
    random.state = (random.state + _STEP) & ALL
    mixed = random.state
    mixed = ((mixed ^ (mixed >> 30)) * _FIRST) & ALL
    mixed = ((mixed ^ (mixed >> 27)) * _SECOND) & ALL
    return mixed ^ (mixed >> 31)


@cython.nogil_noexcept
def below(random: Random, number: Index) -> Index:
    """Draw an integer from 0 to `number` - 1; all are equally likely.

    For small ranges this avoids divisions: Daniel Lemire, "Fast random integer generation in an
    interval", 2019.
    """
    size: Word = number
    if size <= _HALF:
        product: Word = (word(random) >> 32) * size
        if product & _HALF < size:
            unfair: Word = (_HALF - size + 1) % size
            while product & _HALF < unfair:
                product = (word(random) >> 32) * size
        return product >> 32
    # Values above the last multiple of the size would make the low numbers more likely.
    end: Word = ALL - ALL % size
    drawn: Word = word(random)
    while drawn >= end:
        drawn = word(random)
    return drawn % size


@cython.inline_nogil_noexcept
def unit(random: Random) -> cython.double:
    """Draw a number in [0, 1)."""
    high: cython.double = word(random) >> 11
    return high * (1.0 / 9007199254740992.0)


def fill_words(seed: Word, words: Word[::1]) -> None:
    """Fill an array with the first random words of a seed."""
    random = Random(seed)
    for k in range(len(words)):
        words[k] = word(random)
