"""Predict the time and memory of a census on this machine from a sample of its units."""

from __future__ import annotations

from time import perf_counter, process_time
from typing import NamedTuple

import numpy as np

from binairo_cp.counting.blocks import Numbers
from binairo_cp.counting.sizes import Census, tables
from binairo_cp.counting.units import count_unit

_SAMPLES = 12
_SECONDS = 6.0
_SECONDS_PER_UNIT = 3.0
_MIN_SECONDS = 2e-5
_BYTES_PER_PAIR = 1.1
"""Memory for each pair of blocks of a unit: 900 MB for the largest unit of 12x12."""

_BYTES_PER_INNER_BLOCK = 50
"""Memory for each inner block of the census, with its place in a unit."""

_BYTES_OF_PROCESS = 60_000_000


class Forecast(NamedTuple):
    """The predicted cost of a census.

    Attributes:
        seconds: the seconds of one core for each unit.
        sampled: the number of units in the sample.
        longest: the seconds of the largest unit in the sample.
        bytes: the memory of each worker.
    """

    seconds: np.typing.NDArray[np.float64]
    sampled: int
    longest: float
    bytes: int


def pairs_of_units(census: Census, packed: Numbers) -> Numbers:
    """Return the number of pairs of blocks of each unit; its time grows with that number."""
    outer, inner = tables(census).upper
    blocks = np.diff(inner.start)
    pairs = np.zeros(len(packed), np.int64)
    for each, number in zip(outer.sums, np.diff(outer.start), strict=True):
        needed = packed - each
        place = np.minimum(np.searchsorted(inner.sums, needed), len(inner.sums) - 1)
        pairs += np.where(inner.sums[place] == needed, number * blocks[place], 0)
    return pairs


def forecast(census: Census, packed: Numbers, pairs: Numbers) -> Forecast:
    """Count a few units, from small to large, and extrapolate to all units.

    Between two units of the sample, the time is interpolated as a power of the number of pairs.
    The same power law is extended beyond the largest one.

    Args:
        census: the census.
        packed: the units to count.
        pairs: the number of pairs of blocks of each unit.
    """
    order = np.argsort(pairs)
    # Sample the large units more densely, because they take most of the time.
    quantiles = 1 - np.geomspace(0.5, 1 / (len(packed) + 1), _SAMPLES)
    chosen = np.unique(order[(quantiles * len(packed)).astype(np.int64)])
    chosen = chosen[np.argsort(pairs[chosen], kind="stable")]
    sampled_pairs, sampled_seconds = list[int](), list[float]()
    started = perf_counter()
    for each in chosen.tolist():
        unit_started = process_time()
        count_unit(census, int(packed[each]))
        taken = max(process_time() - unit_started, _MIN_SECONDS)
        if sampled_pairs and pairs[each] == sampled_pairs[-1]:
            continue
        sampled_pairs.append(max(int(pairs[each]), 1))
        sampled_seconds.append(taken)
        if taken > _SECONDS_PER_UNIT or perf_counter() - started > _SECONDS:
            break
    x, y = np.log(sampled_pairs), np.log(sampled_seconds)
    log_pairs = np.log(np.maximum(pairs, 1))
    seconds = np.interp(log_pairs, x, y)
    beyond = log_pairs > x[-1]
    seconds[beyond] = y[-1] + _slope(x, y) * (log_pairs[beyond] - x[-1])
    if census.distinct == "nothing":
        # Halves are counted, not listed; only the inner blocks of a unit are.
        memory = len(tables(census).upper[1].line) * _BYTES_PER_INNER_BLOCK
    else:
        memory = int(pairs.max(initial=0) * _BYTES_PER_PAIR)
    return Forecast(np.exp(seconds), len(x), sampled_seconds[-1], _BYTES_OF_PROCESS + memory)


def _slope(x: np.typing.NDArray[np.float64], y: np.typing.NDArray[np.float64]) -> float:
    """The exponent of the growth of time with the number of pairs, for the largest units."""
    large = x >= x[-1] - np.log(100)
    if large.sum() < 2:
        return 2.0
    return float(np.clip(np.polyfit(x[large], y[large], 1)[0], 1, 2))
