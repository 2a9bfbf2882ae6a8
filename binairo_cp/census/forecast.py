"""How long a census will take here, from a sample of its units, and how much memory."""

from __future__ import annotations

from time import perf_counter, process_time
from typing import NamedTuple

import numpy as np

from binairo_cp.census.blocks import Numbers
from binairo_cp.census.kernel import kernel
from binairo_cp.census.sizes import Census, tables
from binairo_cp.census.units import count_unit

_SAMPLES = 12
_SECONDS = 6.0
_SECONDS_A_UNIT = 3.0
_SMALLEST_SECONDS = 2e-5
_BYTES_A_PAIR = 1.1
"""So many bytes are in use for each pair of blocks of a unit: 900 MB for the largest of 12x12."""

_BYTES_OF_CODE = 200_000_000


class Forecast(NamedTuple):
    """What a census will take.

    Attributes:
        seconds: of one core, for each unit.
        sampled: how many units that was learned from.
        longest: the seconds of the largest of them.
        bytes: of memory for each worker.
    """

    seconds: np.typing.NDArray[np.float64]
    sampled: int
    longest: float
    bytes: int


def pairs_of_units(census: Census, packed: Numbers) -> Numbers:
    """How many pairs of blocks each unit has: what it takes grows with that."""
    outer, inner = tables(census).upper
    blocks = np.diff(inner.start)
    pairs = np.zeros(len(packed), np.int64)
    for each, number in zip(outer.sums, np.diff(outer.start), strict=True):
        wanted = packed - each
        place = np.minimum(np.searchsorted(inner.sums, wanted), len(inner.sums) - 1)
        pairs += np.where(inner.sums[place] == wanted, number * blocks[place], 0)
    return pairs


def forecast(census: Census, packed: Numbers, pairs: Numbers) -> Forecast:
    """Count a few units, from small to large, and tell from them how long all take.

    Between two of the sample the time is a power of the number of pairs, and it goes on like that
    beyond the largest.

    Args:
        census: of which the units are.
        packed: the units to be counted.
        pairs: how many pairs of blocks each has.
    """
    order = np.argsort(pairs)
    # More from among the large ones, which take most of the time.
    quantiles = 1 - np.geomspace(0.5, 1 / (len(packed) + 1), _SAMPLES)
    chosen = np.unique(order[(quantiles * len(packed)).astype(np.int64)])
    chosen = chosen[np.argsort(pairs[chosen], kind="stable")]
    kernel().load()
    known_pairs, known_seconds = list[int](), list[float]()
    begun = perf_counter()
    for each in chosen.tolist():
        started = process_time()
        count_unit(census, int(packed[each]))
        taken = max(process_time() - started, _SMALLEST_SECONDS)
        if known_pairs and pairs[each] == known_pairs[-1]:
            continue
        known_pairs.append(max(int(pairs[each]), 1))
        known_seconds.append(taken)
        if taken > _SECONDS_A_UNIT or perf_counter() - begun > _SECONDS:
            break
    x, y = np.log(known_pairs), np.log(known_seconds)
    wanted = np.log(np.maximum(pairs, 1))
    seconds = np.interp(wanted, x, y)
    beyond = wanted > x[-1]
    seconds[beyond] = y[-1] + _slope(x, y) * (wanted[beyond] - x[-1])
    most = int(pairs.max(initial=0) * _BYTES_A_PAIR)
    return Forecast(np.exp(seconds), len(x), known_seconds[-1], _BYTES_OF_CODE + most)


def _slope(x: np.typing.NDArray[np.float64], y: np.typing.NDArray[np.float64]) -> float:
    """With which power the time grows at the upper end."""
    large = x >= x[-1] - np.log(100)
    if large.sum() < 2:
        return 2.0
    return float(np.clip(np.polyfit(x[large], y[large], 1)[0], 1, 2))
