"""Arrays of zeros, for kernels that need memory of their own."""

from __future__ import annotations

from math import prod
from struct import calcsize


def zeros(kind: str, *shape: int) -> memoryview:
    """An array of zeros with one or two lengths.

    Args:
        kind: the type of an item, as in the module `struct`: ``Q`` for words, ``q`` for numbers.
        shape: the lengths; at least 1 is taken, since Python casts no memory of length 0.
    """
    lengths = [max(1, length) for length in shape]
    return memoryview(bytearray(calcsize(kind) * prod(lengths))).cast(kind, lengths)
