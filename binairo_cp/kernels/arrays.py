"""Arrays for kernels that need memory of their own."""

from __future__ import annotations

from math import prod
from mmap import mmap
from struct import calcsize

_LARGE_ARRAY = 1 << 20
"""From so many bytes on, memory comes from the operating system, which clears it at first use."""


def zeros(kind: str, *shape: int) -> memoryview:
    """An array of zeros with one or two lengths.

    Args:
        kind: the type of an item, as in the module `struct`: ``Q`` for words, ``q`` for numbers.
        shape: the lengths; at least 1 is taken, since Python casts no memory of length 0.
    """
    lengths = [max(1, length) for length in shape]
    size = calcsize(kind) * prod(lengths)
    memory = mmap(-1, size) if size >= _LARGE_ARRAY else bytearray(size)
    return memoryview(memory).cast(kind, lengths)


def nones(size: int) -> memoryview:
    """Numbers that are all -1, and at least one."""
    return memoryview(bytearray(b"\xff") * (8 * max(1, size))).cast("q")
