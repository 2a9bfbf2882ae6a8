"""Find the lines of a board in a picture: two sets of equally spaced, straight edges."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

LEAST_CELLS = 4
MOST_CELLS = 64

_LEAST_PITCH = 14
_MOST_PEAKS = 80
_MOST_CHAINS = 300
_LEAST_COVER = 0.35
_NEAR = 3


class Lattice(NamedTuple):
    """The positions of the lines of a board in pixels, from the first border to the last."""

    xs: Any
    ys: Any

    @property
    def pitch(self) -> float:
        """The side of a cell."""
        return float(min(np.diff(self.xs).mean(), np.diff(self.ys).mean()))


def find(pixels: Any) -> Lattice | None:
    """The largest lattice of square cells in a picture; None if there is none, or a part of it.

    Args:
        pixels: height x width x 3, int16.
    """
    upright, level = _edges(pixels), _edges(pixels.transpose(1, 0, 2)).T
    best, most = None, 0.0
    by_y = _chains(level.sum(axis=1))
    for xs in _chains(upright.sum(axis=0)):
        pitch = np.diff(xs).mean()
        for ys in by_y:
            if abs(np.diff(ys).mean() / pitch - 1) > 0.05 or len(xs) * len(ys) <= most:
                continue
            if min(_cover(upright, xs, ys), _cover(level.T, ys, xs)) >= _LEAST_COVER:
                best, most = Lattice(xs, ys), len(xs) * len(ys)
    if best and (_continues(upright, *best) or _continues(level.T, best.ys, best.xs)):
        return None
    return best


def _edges(pixels: Any) -> Any:
    """Where the colour changes from left to right, along upright runs of some length."""
    height, width, _ = pixels.shape
    change = np.zeros((height, width), np.int16)
    change[:, 1:-1] = np.abs(pixels[:, 2:] - pixels[:, :-2]).max(axis=2)
    edges = change > max(5, 3 * int(np.median(change)))
    edges[:, 1:-1] |= edges[:, 2:] | edges[:, :-2]
    length = max(8, min(height, width) // 90)
    sums = np.zeros((height + 1, width), np.int32)
    np.cumsum(edges, axis=0, out=sums[1:])
    begins = np.zeros((height + length, width), np.int32)
    begins[length : height + 1] = sums[length:] - sums[:-length] == length
    total = np.cumsum(begins, axis=0)
    return (total[length:] - total[:-length])[:height] > 0


def _chains(scores: Any) -> list[Any]:
    """Sets of equally spaced peaks, those with the most lines first."""
    peaks = _peaks(scores)
    found: dict[tuple[int, ...], None] = {}
    for i, first in enumerate(peaks):
        for second in peaks[i + 1 :]:
            pitch = second - first
            if pitch * LEAST_CELLS > peaks[-1] - first + pitch:
                break
            if pitch >= _LEAST_PITCH:
                chain = _chain(peaks, first, second)
                # Other edges of the page may continue the lattice by chance.
                ends = [chain[begin : len(chain) - end] for begin in range(3) for end in range(3)]
                found |= {tuple(each): None for each in ends if len(each) > LEAST_CELLS}
    chains = sorted((each for each in found if len(each) <= MOST_CELLS + 1), key=len, reverse=True)
    return [_refined(scores, np.array(chain, float)) for chain in chains[:_MOST_CHAINS]]


def _chain(peaks: Any, first: int, second: int) -> list[int]:
    chain = [int(first), int(second)]
    while True:
        pitch = (chain[-1] - chain[0]) / (len(chain) - 1)
        expected = chain[-1] + pitch
        nearest = int(peaks[np.abs(peaks - expected).argmin()])
        if abs(nearest - expected) > max(2.5, 0.06 * pitch):
            return chain
        chain.append(nearest)


def _peaks(scores: Any) -> Any:
    """The positions of the strongest peaks, at least five pixels apart."""
    smooth = np.convolve(scores, np.hanning(9), "same")
    left = smooth.copy()
    peaks: list[int] = []
    while len(peaks) < _MOST_PEAKS:
        at = int(left.argmax())
        if left[at] < 0.15 * smooth.max() or left[at] <= 0:
            break
        peaks.append(at)
        left[max(0, at - 5) : at + 6] = 0
    return np.array(sorted(peaks))


def _refined(scores: Any, chain: Any) -> Any:
    """The middles of the lines, which have two edges each, on one regular scale."""
    reach = max(2, int(0.06 * np.diff(chain).mean()))
    middles = []
    for at in chain:
        for _ in range(3):
            around = np.arange(max(0, int(at) - reach), min(len(scores), int(at) + reach + 1))
            weights = scores[around].astype(float)
            at = round(float((around * weights).sum() / max(weights.sum(), 1e-9)))
        middles.append(at)
    numbers = np.arange(len(chain))
    return np.polyval(np.polyfit(numbers, middles, 1), numbers)


def _cover(edges: Any, across: Any, along: Any) -> float:
    """The part of the least visible line, or of the least visible row, that has an edge."""
    bands = _bands(edges, across)
    rows = [bands[:, int(begin) : int(end)].mean() for begin, end in pairwise(along)]
    return float(min(bands[:, int(along[0]) : int(along[-1])].mean(axis=1).min(), *rows))


def _bands(edges: Any, across: Any) -> Any:
    """Whether each line has an edge in each row of pixels: lines x rows."""
    return np.array(
        [
            edges[:, max(0, at - _NEAR) : at + _NEAR + 1].any(axis=1)
            for at in across.round().astype(int)
        ]
    )


def _continues(edges: Any, across: Any, along: Any) -> bool:
    """Whether most inner lines go on beyond the first or the last line that crosses them."""
    bands = _bands(edges, across[1:-1])
    pitch = (along[-1] - along[0]) / (len(along) - 1)
    inset, reach = int(0.12 * pitch) + 2, int(0.4 * pitch)
    begin, end = int(along[0]), int(along[-1])
    outside = (
        bands[:, max(0, begin - reach) : max(0, begin - inset)],
        bands[:, end + inset : end + reach],
    )
    return any(each.shape[1] > 3 and each.mean() > 0.6 for each in outside)
