"""Seeds of independent streams of random numbers, the same on every machine."""

from __future__ import annotations

import hashlib

import numpy as np
import numpy.typing as npt

from binairo_cp.kernels.generation import fill_words


def seed_of(*parts: object, bits: int = 64) -> int:
    """Derive the seed of an independent stream, such as that of one puzzle; at most 256 bits."""
    return int.from_bytes(hashlib.sha256(repr(parts).encode()).digest()[: bits // 8], "little")


def words(seed: int, number: int) -> npt.NDArray[np.uint64]:
    """Return the first random words of a seed."""
    found = np.zeros(number, np.uint64)
    fill_words(seed, found.data)
    return found
