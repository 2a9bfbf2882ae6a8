"""Random numbers for code compiled by numba; as in kernels/randomness.py."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_A_UNIT = 1.0 / (1 << 53)


@njit
def _word(state: Any) -> Any:
    state[0] += _STEP
    mixed = state[0]
    mixed = (mixed ^ (mixed >> np.uint64(30))) * _FIRST
    mixed = (mixed ^ (mixed >> np.uint64(27))) * _SECOND
    return mixed ^ (mixed >> np.uint64(31))


@njit
def unit(state: Any) -> float:
    """Draw a number in [0, 1)."""
    return np.float64(_word(state) >> np.uint64(11)) * _A_UNIT
