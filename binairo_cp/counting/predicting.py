"""Predict the cost of a census from random halves, without listing any blocks of rows.

This works for sizes whose census does not fit the memory, or takes too long to count even one unit.
Halves are drawn row by row; each next row is one of those that complete no triple. The product of
the numbers of choices is the weight of the half, and the mean weight is the number of halves (D.
Knuth, "Estimating the efficiency of backtrack programs", 1975). The same sample says how many pairs
of halves have matching column sums, and how many halves are merged into one entry (`halves`).

For sizes within reach, a sample of the units says more: it is counted on this machine.
"""

from __future__ import annotations

from itertools import permutations
from math import log
from time import perf_counter, process_time
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from binairo_cp.counting.blocks import Numbers, rows_of
from binairo_cp.counting.sizes import Census, is_closed, tables
from binairo_cp.counting.units import count_unit

Reals = npt.NDArray[np.float64]

MAX_SIDE = 20
"""The longest lines that are listed; there are 13,000 of length 21."""

_TESTS = 400_000_000
"""The number of tests of a row after another in a sample."""

_ORDERED = 200
"""The number of halves whose orders are counted, and the most rows to reorder."""
_MOST_ORDERED = 8

# Fitted to sizes from 7x9 to 12x12 that were counted or sampled; docs/census.md has the errors.
_SECONDS_PER_HALF = 1.2e-7
_SECONDS_PER_PAIR = 6e-11
_SECONDS_PER_LINE = 1e-7
_SECONDS_PER_UNIT = 3e-4
_SECONDS_PER_PLAIN_HALF = 3e-8
_BYTES_OF_PROCESS = 60_000_000
_BYTES_PER_BLOCK = 33
_BYTES_PER_ENTRY = 35
_BYTES_PER_MERGED = 50

_SAMPLES = 12
_SECONDS = 6.0
_MAX_SECONDS_PER_UNIT = 3.0
_MIN_SECONDS = 2e-5
_BYTES_PER_PAIR = 1.1
"""Memory for each pair of blocks of a unit: 900 MB for the largest unit of 12x12."""

_BYTES_PER_INNER_BLOCK = 50
"""Memory for each inner block of the census, with its place in a unit."""


class Sample(NamedTuple):
    """Random halves: some rows without triples, from the outermost to the one at the cut.

    Attributes:
        rows: the rows of each half, as bit sets.
        weights: how many halves each of them stands for; the sum is the number of all halves.
    """

    rows: Numbers
    weights: Reals


class Prediction(NamedTuple):
    """The predicted cost of a census.

    Attributes:
        seconds: the seconds of one core for all units.
        largest: the seconds of one core for the largest unit.
        bytes: the memory of each worker.
        disk: the bytes of a state file with all units.
    """

    units: float
    seconds: float
    largest: float
    bytes: float
    disk: float


def draw(lines: Numbers, full: int, rows: int, rng: np.random.Generator) -> Sample:
    """Draw random halves of so many legal rows; `full` is the bit set of a row of ones."""
    number = int(np.clip(_TESTS // (len(lines) * rows), 500, 20_000))
    halves = np.zeros((number, rows), np.int64)
    weights = np.ones(number)
    # Lines of up to `MAX_SIDE` cells, in numbers that are quick to compare.
    compact = lines.astype(np.int32)
    for row in range(rows):
        # In blocks, so that the table of allowed rows stays small.
        for begin in range(0, number, block := max(1, 4_000_000 // len(lines))):
            part = halves[begin : begin + block]
            allowed = np.ones((len(part), len(lines)), np.bool_)
            if row >= 2:
                last, before = part[:, [row - 1, row - 2]].astype(np.int32).T[:, :, None]
                allowed = ((last ^ before) | (last ^ compact[None, :])) == full
            choices = np.count_nonzero(allowed, 1)
            chosen = (rng.random(len(part)) * choices).astype(np.int64)
            # The places of all allowed rows, one half after the other; if the last has none, any.
            places = np.append(np.flatnonzero(allowed) % len(lines), 0)
            part[:, row] = lines[places[choices.cumsum() - choices + chosen]]
            weights[begin : begin + block] *= choices
    return Sample(halves, weights / number)


def predict(census: Census, seed: int = 0) -> Prediction | None:
    """Predict the cost of a census; None if its lines are too long to list.

    The orientation is the one that takes less time.
    """
    if min(census.height, census.width) < 2 or max(census.height, census.width) > MAX_SIDE:
        return None
    both = dict.fromkeys((census, census.transposed))
    return min((_predict(each, seed) for each in both), key=lambda each: each.seconds)


def _predict(census: Census, seed: int) -> Prediction:
    rng = np.random.default_rng(seed)
    lines, full = rows_of(census.width, census.rules), (1 << census.width) - 1
    units = _units(census)
    if not len(lines):
        return Prediction(units, 0, 0, _BYTES_OF_PROCESS, units * census.width)
    rows = (census.height + 1) // 2
    upper = draw(lines, full, rows, rng)
    is_even = len(census.rules.ones(census.height)) == 1
    lower = upper if census.height % 2 == 0 else draw(lines, full, census.height // 2, rng)
    halves, below = float(upper.weights.sum()), float(lower.weights.sum())
    images = 4 if is_closed(census) else 2
    listed = halves / images
    if not (census.height % 2 == 0 and is_closed(census)):
        listed += below * (1 if is_even else 2**census.width) / images
    above_sums, below_sums = _column_sums(upper, census), _column_sums(lower, census)
    largest = halves * _peak(above_sums, census)
    inner = float(draw(lines, full, (rows + 1) // 2, rng).weights.sum())
    memory = (
        _BYTES_OF_PROCESS + _BYTES_PER_BLOCK * inner + (0 if is_even else below) * _BYTES_PER_MERGED
    )
    disk = units * census.width
    if census.distinct == "nothing":
        seconds = listed * _SECONDS_PER_PLAIN_HALF + units * _SECONDS_PER_UNIT
        return Prediction(units, seconds, largest * _SECONDS_PER_PLAIN_HALF, memory, disk)
    matching = _matching(census, above_sums, below_sums)
    merged = _merged(upper, full, rng)
    both_merged = merged * (merged if lower is upper else _merged(lower, full, rng))
    pairs = halves * below * matching * both_merged * _fitting(upper, lower, full, rng) / images
    pair_seconds = pairs * _SECONDS_PER_PAIR
    seconds = (
        listed * _SECONDS_PER_HALF
        + pair_seconds
        + _table_lines(census, len(lines), units, listed, matching) * _SECONDS_PER_LINE
        + units * _SECONDS_PER_UNIT
    )
    # Both halves are in the largest class with the probability `peak`.
    share = _peak(above_sums, census) * _peak(below_sums, census) / max(matching, 1e-300)
    longest = pair_seconds * min(1.0, share) + largest * _SECONDS_PER_HALF
    memory += largest * merged * _BYTES_PER_ENTRY
    return Prediction(units, seconds, min(longest, seconds), memory, disk)


def _table_lines(census: Census, lines: int, units: float, listed: float, matching: float) -> float:
    """The number of lines of bit tables that are cleared: a table for each two rows at the cut."""
    pairs = census.width * (census.width - 1) / 2
    if len(census.rules.ones(census.height)) == 1:
        # Most halves are in few units: the probability of a match says in how many.
        filled = min(units, 1 / matching / (4 if is_closed(census) else 2)) if matching else 0
        groups = filled * min(lines, listed / max(filled, 1)) ** 2 / 2
    else:
        groups = units * min(lines, listed / max(units, 1)) ** 2
    return groups * (lines + 2 + pairs)


class _Sums(NamedTuple):
    """The column sums of random halves, their weights (of sum 1), and their covariance."""

    sums: npt.NDArray[np.int64]
    weights: Reals
    covariance: Reals


def _column_sums(sample: Sample, census: Census) -> _Sums:
    cells = sample.rows[:, :, None] >> np.arange(census.width) & 1
    sums = cells.sum(1)
    weights = sample.weights / sample.weights.sum()
    return _Sums(sums, weights, np.cov(sums.T, aweights=weights, ddof=0).reshape(census.width, -1))


def _matching(census: Census, upper: _Sums, lower: _Sums) -> float:
    """The probability that the column sums of two halves add up to those of a board.

    Each column has its own probability. They are not independent: the correction is that of a
    normal distribution with the same covariance.
    """
    ones = census.rules.ones(census.height)
    probability = 1.0
    for column in range(census.width):
        above = np.bincount(upper.sums[:, column], upper.weights, census.height + 1)
        below = np.bincount(lower.sums[:, column], lower.weights, census.height + 1)
        ways = np.convolve(above, below)
        probability *= float(sum(ways[each] for each in ones))
    return probability * _dependence(upper.covariance + lower.covariance, census)


def _peak(upper: _Sums, census: Census) -> float:
    """The probability of the most likely class."""
    probability = 1.0
    for column in range(census.width):
        probability *= float(np.bincount(upper.sums[:, column], upper.weights).max())
    return min(1.0, probability * _dependence(upper.covariance, census))


def _dependence(covariance: Reals, census: Census) -> float:
    """How much likelier all columns together have their mean sums than if independent."""
    values = np.linalg.eigvalsh(covariance)
    fixed = len(census.rules.ones(census.width)) == 1
    # If all rows have the same number of ones, the sums lie in a plane of one dimension less.
    spread = values[1:] if fixed else values
    logarithm = np.log(np.diag(covariance)).sum() - np.log(np.maximum(spread, 1e-9)).sum()
    if fixed:
        logarithm += log(2 * np.pi) + log(census.width)
    return float(np.exp(logarithm / 2))


def _merged(sample: Sample, full: int, rng: np.random.Generator) -> float:
    """The number of entries for each half: 1 over the mean number of orders of the other rows."""
    others = min(sample.rows.shape[1] - 1, _MOST_ORDERED)
    if others < 2:
        return 1.0
    chosen = _chosen(sample, rng, _ORDERED)
    orders = np.array(list(permutations(range(others))))
    shares = []
    for half in sample.rows[chosen]:
        rows = np.column_stack([half[:others][orders], np.full(len(orders), half[-1])])
        change = rows[:, 1:] ^ rows[:, :-1]
        valid = ((change[:, 1:] | change[:, :-1]) == full).all(1)
        shares.append(1 / max(1, int(valid.sum())))
    return float(np.mean(shares))


def _fitting(upper: Sample, lower: Sample, full: int, rng: np.random.Generator) -> float:
    """The probability that no triple crosses the cut between two random halves."""
    above = upper.rows[_chosen(upper, rng, 100_000)]
    below = full ^ lower.rows[_chosen(lower, rng, 100_000)]
    cut = above[:, -1] ^ below[:, -1]
    fits = np.ones(len(above), np.bool_)
    for half in (above, below):
        if half.shape[1] > 1:
            fits &= (cut | (half[:, -1] ^ half[:, -2])) == full
    return max(float(fits.mean()), 1e-9)


def _chosen(sample: Sample, rng: np.random.Generator, number: int) -> Numbers:
    return rng.choice(len(sample.weights), number, p=sample.weights / sample.weights.sum())


def _units(census: Census) -> float:
    """The number of units: classes of upper halves, up to symmetry."""
    rows, width = (census.height + 1) // 2, census.width
    digits = rows - rows // 3 - rows // 3 + 1
    ones = census.rules.ones(width)
    ways = [1]
    for _ in range(width):
        ways = [
            sum(ways[k - d] for d in range(digits) if 0 <= k - d < len(ways))
            for k in range(len(ways) + digits - 1)
        ]
    low = width * (rows // 3)
    total = sum(
        ways[k - low]
        for k in range(rows * ones[0], rows * ones[-1] + 1)
        if 0 <= k - low < len(ways)
    )
    return total / (4 if is_closed(census) else 2)


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
        if taken > _MAX_SECONDS_PER_UNIT or perf_counter() - started > _SECONDS:
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
