"""Find the lines of a board in a picture, or the gaps between its tiles.

Both are two sets of equally spaced, straight edges.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

LEAST_CELLS = 4
MOST_CELLS = 64

_LEAST_PITCH = 14
_MOST_PEAKS = 80
_MOST_CHAINS = 300
_LEAST_COVER = 0.35
_NEAR = 0.045


class Lattice(NamedTuple):
    """The positions of the lines of a board in pixels, from the first border to the last.

    Tiles have gaps between them: then these are the middles of the gaps, whose width is ``gap``.
    """

    xs: Any
    ys: Any
    gap: float = 0

    @property
    def pitch(self) -> float:
        """The side of a cell."""
        return float(min(np.diff(self.xs).mean(), np.diff(self.ys).mean()))


def find(pixels: Any) -> Lattice | None:
    """The largest lattice of square cells in a picture; None if there is none, or a part of it.

    Args:
        pixels: height x width x 3, int16.
    """
    return find_among(*edges_of(pixels))


def edges_of(pixels: Any) -> tuple[_Edges, _Edges]:
    """The upright and the level edges of a picture."""
    return _Edges(pixels), _Edges(pixels.transpose(1, 0, 2))


def find_among(upright: _Edges, level: _Edges) -> Lattice | None:
    """The same, from the edges of the picture."""
    best, most = None, 0
    by_y = level.scales
    pitches = np.array([np.diff(ys).mean() for ys, _ in by_y])
    for xs, gap in upright.scales:
        pitch = np.diff(xs).mean()
        for at in np.flatnonzero(np.abs(pitches / pitch - 1) <= 0.05):
            ys, other = by_y[at]
            if len(xs) * len(ys) <= most:
                break  # So have all that follow.
            if bool(gap) != bool(other) or abs(gap - other) > 0.05 * pitch:
                continue
            if min(_cover(upright, xs, ys, gap), _cover(level, ys, xs, gap)) >= _LEAST_COVER:
                best, most = Lattice(xs, ys, (gap + other) / 2), len(xs) * len(ys)
    if best and (_continues(upright, best.xs, best.ys) or _continues(level, best.ys, best.xs)):
        return None
    return best


def drift(pixels: Any, lattice: Lattice) -> float:
    """How far the lines of a board go to the side from one end to the other, in cells."""
    both = (pixels, lattice.xs, lattice.ys), (pixels.transpose(1, 0, 2), lattice.ys, lattice.xs)
    return max(_drift(*lines, lattice) for lines in both)


def _drift(pixels: Any, xs: Any, ys: Any, lattice: Lattice) -> float:
    reach = round(0.15 * lattice.pitch + lattice.gap / 2)
    around = np.arange(-reach, reach + 1)
    columns = xs[1:-1].round().astype(int)[:, None] + around
    # Signs are in the middle of an edge.
    parts = np.array([0.15, 0.2, 0.25, 0.75, 0.8, 0.85])
    rows = (ys[:-1, None] + parts * np.diff(ys)[:, None]).astype(int)[:, :, None, None]
    change = np.abs(pixels[rows, columns + 1] - pixels[rows, columns - 1]).max(axis=4)
    weights = change.clip(0, 30).sum(axis=1) + 1e-9
    asides = (weights * around).sum(axis=2) / weights.sum(axis=2)
    slopes = np.polyfit(np.arange(len(asides)), asides, 1)[0]
    return float(abs(np.median(slopes)) * (len(ys) - 1) / lattice.pitch)


def cells_along(upright: _Edges, level: _Edges) -> tuple[int, int]:
    """The most rows and columns that may be in a picture, whatever their heights and widths."""
    scales = level.scales, upright.scales
    rows, columns = (len(scale[0][0]) - 1 if scale else 1 for scale in scales)
    return rows, columns


def _scales(scores: Any) -> list[tuple[Any, float]]:
    """Sets of equally spaced lines, and of gaps with their width, those with the most first."""
    chains = _chains(scores)
    scales = [(chain, 0.0) for chain in chains if len(chain) > LEAST_CELLS]
    middles, lengths = (
        np.array([measure(chain) for chain in chains]) for measure in (np.mean, len)
    )
    for first, middle in zip(chains, middles, strict=True):
        pitch = np.diff(first).mean()
        # The first edges of tiles and their last edges.
        sides = (middles - middle) * (lengths == len(first))
        for at in np.flatnonzero((sides > 0.6 * pitch) & (sides < 0.97 * pitch)):
            last, gap = chains[at], pitch - sides[at]
            if np.ptp(last - first) < 0.06 * pitch:
                scales.append((np.append(first - gap / 2, last[-1] + gap / 2), gap))
    return sorted(scales, key=lambda scale: len(scale[0]), reverse=True)


class _Edges:
    """The upright edges of a picture.

    Attributes:
        scores: the length of the edges in each column of pixels.
    """

    def __init__(self, pixels: Any) -> None:
        edges = _edges(pixels)
        self.scores = edges.sum(axis=0)
        self._sums = np.pad(edges, ((0, 0), (1, 0))).cumsum(axis=1, dtype=np.int32)
        self._near: dict[int, Any] = {}

    @cached_property
    def scales(self) -> list[tuple[Any, float]]:
        """What they may be the lines of, as `_scales` finds it."""
        return _scales(self.scores)

    def near(self, across: Any, reach: int) -> Any:
        """Whether each row of pixels has an edge near each of these columns: rows x columns."""
        if reach not in self._near:
            begins = np.arange(self._sums.shape[1] - 1)
            ends = np.minimum(begins + reach, begins[-1]) + 1
            self._near[reach] = self._sums[:, ends] > self._sums[:, np.maximum(begins - reach, 0)]
        columns = across.round().astype(int).clip(0, len(self.scores) - 1)
        return self._near[reach][:, columns]


def _edges(pixels: Any) -> Any:
    """Where the colour changes from left to right, along upright runs of some length."""
    height, width, _ = pixels.shape
    change = np.zeros((height, width), np.int16)
    # A maximum along an axis of three takes four times as long.
    red, green, blue = np.moveaxis(np.abs(pixels[:, 2:] - pixels[:, :-2]), 2, 0)
    change[:, 1:-1] = np.maximum(np.maximum(red, green), blue)
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
                found |= {tuple(end): None for end in ends if len(end) >= LEAST_CELLS}
    chains = sorted(
        (places for places in found if len(places) <= MOST_CELLS + 1), key=len, reverse=True
    )
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


def _cover(edges: _Edges, across: Any, along: Any, gap: float) -> float:
    """The part of the least visible line, or of the least visible row, that has an edge."""
    bands = edges.near(across, _reach(across) + round(gap / 2))
    begins = along.clip(0, len(bands)).astype(int)
    heights = np.diff(begins)
    if not heights.all():
        return 0
    rows = np.diff(np.pad(bands.mean(axis=1).cumsum(), (1, 0))[begins]) / heights
    return float(min(bands[begins[0] : begins[-1]].mean(axis=0).min(), rows.min()))


def _reach(across: Any) -> int:
    """How far the edges of a line may be from its middle."""
    return max(3, round(_NEAR * float(np.diff(across).mean())))


def _continues(edges: _Edges, across: Any, along: Any) -> bool:
    """Whether most inner lines go on beyond the first or the last line that crosses them."""
    bands = edges.near(across[1:-1], _reach(across))
    pitch = (along[-1] - along[0]) / (len(along) - 1)
    inset, reach = int(0.12 * pitch) + 2, int(0.4 * pitch)
    begin, end = int(along[0]), int(along[-1])
    outside = (
        bands[max(0, begin - reach) : max(0, begin - inset)],
        bands[end + inset : end + reach],
    )
    return any(len(strip) > 3 and strip.mean() > 0.6 for strip in outside)
