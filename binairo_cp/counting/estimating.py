"""Estimate the number of boards by sampling, with error bars."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from math import exp, floor, inf, log, log10, sqrt
from typing import Any, NamedTuple

import numpy as np

from binairo_cp.counting.blocks import rows_of
from binairo_cp.counting.counting import map_blocks
from binairo_cp.counting.sizes import Census
from binairo_cp.errors import LimitError
from binairo_cp.generation.boards import seed_of
from binairo_cp.kernels import sampling
from binairo_cp.workers.executors import Executor
from binairo_cp.workers.terminal import option

MAX_SIDE = 26
"""A line of this length has 133,000 legal values."""

_SAMPLES_PER_BLOCK = 1_000


class Estimate(NamedTuple):
    """An estimated number of boards.

    Attributes:
        logarithm: the natural logarithm of the number; minus infinity if no board was found.
        error: the standard error relative to the number.
        samples: the number of samples.
    """

    logarithm: float
    error: float
    samples: int

    def to_dict(self) -> dict[str, Any]:
        """The attributes as plain values; None instead of infinity, which JSON lacks."""
        values = self._asdict().items()
        return {name: value if abs(value) < inf else None for name, value in values}

    def __str__(self) -> str:
        if self.logarithm == -inf:
            return f"none found in {self.samples:,} samples"
        digits = self.logarithm / log(10)
        power = floor(digits)
        error = 10 ** (digits - power) * self.error
        places = min(8, max(2, 1 - floor(log10(error)))) if error > 0 else 8
        number = f"{10 ** (digits - power):.{places}f}e{power}"
        return f"{number} +- {error:.{places}f}e{power} ({100 * self.error:.2g} %)"


def estimate(
    census: Census, samples: int, seed: str = "", pool: Executor | None = None
) -> Estimate:
    """Estimate the number of boards by importance sampling.

    The error is one standard error, computed from the spread of the samples. The true number is
    within two standard errors in 95 % of cases, provided the samples include the rare boards of
    large weight.

    Args:
        census: the size and rules of the boards; sides up to `MAX_SIDE`.
        samples: the number of samples, at least 2.
        seed: the random seed; the same seed gives the same result with any number of workers.
        pool: the workers to use; None to sample in this process.

    Raises:
        LimitError: the sides are too long, or there are too few samples.
        SolverCrash: a worker died.
    """
    if not 2 <= min(census.height, census.width) <= max(census.height, census.width) <= MAX_SIDE:
        raise LimitError(f"{option('estimate')} needs sides of 2 to {MAX_SIDE} cells")
    if samples < 2:
        raise LimitError(f"{option('estimate')} needs 2 samples or more")
    # Transpose wide boards: shorter rows have fewer legal values.
    if census.width > census.height:
        census = census.transposed
    blocks = list(_blocks(census, samples, seed))
    first, second = -inf, -inf
    for one, other in map_blocks(partial(_sample, census), blocks, pool):
        first, second = np.logaddexp(first, one), np.logaddexp(second, other)
    if first == -inf:
        return Estimate(-inf, inf, samples)
    mean = first - log(samples)
    spread = max(0.0, exp(second - log(samples) - 2 * mean) - 1)
    return Estimate(float(mean), sqrt(spread / (samples - 1)), samples)


def _blocks(census: Census, samples: int, seed: str) -> Iterator[tuple[int, int]]:
    for number, begin in enumerate(range(0, samples, _SAMPLES_PER_BLOCK)):
        yield seed_of("census", census, seed, number), min(_SAMPLES_PER_BLOCK, samples - begin)


def _sample(census: Census, block: tuple[int, int]) -> tuple[float, float]:
    """The logarithms of the sum of the weights and of their squares."""
    seed, number = block
    ones = census.rules.ones(census.height)
    weights: Any = np.empty(number)
    sampler = sampling.Sampler(
        rows_of(census.width, census.rules).data,
        census.height,
        census.width,
        ones[0],
        ones[-1],
        census.rows_differ,
        census.columns_differ,
    )
    sampling.sample(sampler, seed, weights.data)
    return float(np.logaddexp.reduce(weights)), float(np.logaddexp.reduce(2 * weights))
