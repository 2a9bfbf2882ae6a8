"""Find the lines of a board in a picture, or the gaps between its tiles.

Both are two sets of equally spaced, straight edges. In the photo of a board they are not, so it is
straightened first: its four corners are mapped to a square. The lines of a printed board hang
together, so that they are the largest connected ink.
"""

from __future__ import annotations

from functools import cached_property, reduce
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from PIL import Image

LEAST_CELLS = 4
MOST_CELLS = 64

_LEAST_PITCH = 14
_MOST_PEAKS = 80
_MOST_CHAINS = 300
_MOST_TRIED = 2000
_LEAST_COVER = 0.35
_LEAST_OF_ROW = 0.6
_NEAR = 0.045
_SMALL = 640
_SIDE = 1000
_MARGIN = 0.06
_LEAST_PART = 0.04
_STRAIGHT = 0.006


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
        return float(min(map(_pitch, (self.xs, self.ys))))


def _pitch(edges: Any) -> float:
    """The distance of equally spaced edges; much faster than the mean of their differences."""
    return float(edges[-1] - edges[0]) / (len(edges) - 1)


def edges_of(pixels: Any) -> tuple[_Edges, _Edges]:
    """The upright and the level edges of a picture: height x width x 3, int16."""
    return _Edges(_edges(pixels)), _Edges(_edges(pixels.transpose(1, 0, 2)))


def find_among(upright: _Edges, level: _Edges) -> Lattice | None:
    """The largest lattice of square cells; None if there is none, or a part of it, or very many
    boxes. Its arguments are the edges of a picture.
    """
    best, most, tried = None, 0, 0
    by_y = level.scales
    pitches = np.array([_pitch(ys) for ys, _ in by_y])
    for xs, gap in upright.scales:
        pitch = _pitch(xs)
        for at in np.flatnonzero(np.abs(pitches / pitch - 1) <= 0.05):
            ys, other = by_y[at]
            if len(xs) * len(ys) <= most:
                break  # So have all that follow.
            if bool(gap) != bool(other) or abs(gap - other) > 0.05 * pitch:
                continue
            tried += 1
            if tried > _MOST_TRIED:
                return None
            both = (upright, xs, ys), (level, ys, xs)
            if all(_is_drawn(*edges, gap) for edges in both):
                best, most = Lattice(xs, ys, (gap + other) / 2), len(xs) * len(ys)
    if best and (_continues(upright, best.xs, best.ys) or _continues(level, best.ys, best.xs)):
        return None
    return best


def distance(pixels: Any, ground: Any) -> Any:
    """How far colours are from others in that of three colours where they are farthest."""
    # A maximum along an axis of three takes four times as long.
    return reduce(np.maximum, np.moveaxis(np.abs(pixels - ground), -1, 0))


def drift(pixels: Any, lattice: Lattice) -> float:
    """How far the lines of a board go to the side from one end to the other, in cells."""
    reach = round(0.15 * lattice.pitch + lattice.gap / 2)
    around = np.arange(-reach, reach + 1)
    # Signs are in the middle of an edge.
    parts = np.array([0.15, 0.2, 0.25, 0.75, 0.8, 0.85])
    most = 0.0
    for seen, xs, ys in (pixels, *lattice[:2]), (pixels.transpose(1, 0, 2), *lattice[1::-1]):
        columns = xs[1:-1].round().astype(int)[:, None] + around
        rows = (ys[:-1, None] + parts * np.diff(ys)[:, None]).astype(int)[:, :, None, None]
        change = distance(seen[rows, columns + 1], seen[rows, columns - 1])
        weights = change.clip(0, 30).sum(axis=1) + 1e-9
        asides = (weights * around).sum(axis=2) / weights.sum(axis=2)
        slopes = np.polyfit(np.arange(len(asides)), asides, 1)[0]
        most = max(most, float(abs(np.median(slopes)) * (len(ys) - 1) / lattice.pitch))
    return most


def _scales(scores: Any) -> list[tuple[Any, float]]:
    """Sets of equally spaced lines, and of gaps with their width, those with the most first."""
    chains = _chains(scores)
    scales = [(chain, 0.0) for chain in chains if len(chain) > LEAST_CELLS]
    middles, lengths = (
        np.array([measure(chain) for chain in chains]) for measure in (np.mean, len)
    )
    for first, middle in zip(chains, middles, strict=True):
        pitch = _pitch(first)
        # The first edges of tiles and their last edges.
        sides = (middles - middle) * (lengths == len(first))
        for at in np.flatnonzero((sides > 0.6 * pitch) & (sides < 0.97 * pitch)):
            last, gap = chains[at], pitch - sides[at]
            if np.ptp(last - first) < 0.06 * pitch:
                scales.append((np.append(first - gap / 2, last[-1] + gap / 2), gap))
    return sorted(scales, key=lambda scale: len(scale[0]), reverse=True)


class _Edges:
    """The upright edges of a picture.

    Args:
        edges: where they are: height x width.

    Attributes:
        height: that of the picture.
        scores: the length of the edges in each column of pixels.
    """

    def __init__(self, edges: Any) -> None:
        self._edges, self.height = edges, len(edges)
        self.scores = edges.sum(axis=0)
        # These may overflow: whether two of them differ is asked, never by how much.
        self._sums = np.zeros((len(self.scores) + 1, len(edges)), np.uint16)
        np.cumsum(edges.T, axis=0, out=self._sums[1:])

    def without(self, rows: slice, columns: slice) -> _Edges:
        """The edges that are not in a part of the picture."""
        edges = self._edges.copy()
        edges[rows, columns] = False
        return _Edges(edges)

    @cached_property
    def scales(self) -> list[tuple[Any, float]]:
        """What they may be the lines of, as `_scales` finds it."""
        return _scales(self.scores)

    def near(self, across: Any, reach: int, rows: slice = slice(None)) -> Any:
        """Whether each row of pixels has an edge near each of these columns: columns x rows."""
        begins = across.round().astype(int) - reach
        begins, ends = np.clip([begins, begins + 2 * reach + 1], 0, len(self.scores))
        sums = self._sums[:, rows]
        return sums[ends] != sums[begins]


def _edges(pixels: Any) -> Any:
    """Where the colour changes from left to right, along upright runs of some length."""
    change = distance(pixels[:, 2:], pixels[:, :-2])
    # The median, in a fraction of the time of `numpy.median`.
    usual = np.bincount(change.ravel()).cumsum().searchsorted((change.size + 1) // 2)
    edges = np.pad(change > max(5, 3 * int(usual)), ((0, 0), (1, 1)))
    edges[:, 1:-1] |= edges[:, 2:] | edges[:, :-2]
    length = min(len(edges), max(8, min(edges.shape) // 90))
    runs = ~_highest(~edges, length)
    return _highest(np.pad(runs, ((length - 1, length - 1), (0, 0))), length)


def _highest(values: Any, length: int) -> Any:
    """The highest of each so many values that follow each other in a column."""
    width = 1
    while width < length:
        step = min(width, length - width)
        values, width = np.maximum(values[step:], values[:-step]), width + step
    return values


def _chains(scores: Any) -> list[Any]:
    """Sets of equally spaced peaks, those with the most lines first."""
    peaks, heights = _peaks(scores)
    found: dict[tuple[int, ...], None] = {}
    for first, second in combinations(peaks, 2):
        if _LEAST_PITCH <= second - first <= (peaks[-1] - first) / (LEAST_CELLS - 1):
            chain = _chain(peaks, heights, first, second)
            # Other edges of the page may continue the lattice by chance.
            ends = [chain[begin : len(chain) - end] for begin in range(3) for end in range(3)]
            found |= {tuple(end): None for end in ends if len(end) >= LEAST_CELLS}
    chains = sorted(
        (places for places in found if len(places) <= MOST_CELLS + 1), key=len, reverse=True
    )
    weights, moments = (
        np.pad(terms, (1, 0)).cumsum() for terms in (scores, scores * np.arange(len(scores)))
    )
    return [_refined(weights, moments, np.array(chain)) for chain in chains[:_MOST_CHAINS]]


def _chain(peaks: Any, heights: Any, first: int, second: int) -> list[int]:
    chain = [int(first), int(second)]
    while True:
        pitch = (chain[-1] - chain[0]) / (len(chain) - 1)
        near = np.abs(peaks - chain[-1] - pitch) <= max(2.5, 0.06 * pitch)
        if not near.any():
            return chain
        # The slopes of a peak are peaks too.
        chain.append(int(peaks[(near * heights).argmax()]))


def _peaks(scores: Any) -> tuple[Any, Any]:
    """The positions and the heights of the strongest peaks, at least five pixels apart."""
    smooth = np.convolve(scores, np.hanning(9), "same")
    left = smooth.copy()
    peaks: list[int] = []
    while len(peaks) < _MOST_PEAKS:
        at = int(left.argmax())
        # A few edges of the page may be much longer than those of the board.
        if left[at] <= 0.15 * min(smooth[peaks[: LEAST_CELLS + 1]], default=0):
            break
        peaks.append(at)
        left[max(0, at - 5) : at + 6] = 0
    peaks.sort()
    return np.array(peaks), smooth[peaks]


def _refined(weights: Any, moments: Any, chain: Any) -> Any:
    """The middles of the lines, which have two edges each, on one regular scale."""
    reach = max(2, int(0.06 * _pitch(chain)))
    middles = chain
    for _ in range(3):
        begins = np.maximum(middles.astype(int) - reach, 0)
        ends = np.minimum(middles.astype(int) + reach + 1, len(weights) - 1)
        middles = np.rint(
            (moments[ends] - moments[begins]) / np.maximum(weights[ends] - weights[begins], 1e-9)
        )
    numbers = np.arange(len(chain)) - (len(chain) - 1) / 2
    return middles.mean() + (numbers @ middles) / (numbers @ numbers) * numbers


def _is_drawn(edges: _Edges, across: Any, along: Any, gap: float) -> bool:
    """Whether each line, and each row, has an edge along enough of it.

    No row may have far fewer edges than the others, such as two buttons below a board.
    """
    begins = along.clip(0, edges.height - 1).astype(int)
    heights = np.diff(begins)
    near = edges.near(across, _reach(across) + round(gap / 2), slice(begins[0], begins[-1]))
    if not heights.all() or near.sum(axis=1).min() < _LEAST_COVER * near.shape[1]:
        return False
    found = np.add.reduceat(near, begins[:-1] - begins[0], axis=1, dtype=np.int32)
    rows = found.mean(axis=0) / heights
    return bool(rows.min() >= max(_LEAST_COVER, _LEAST_OF_ROW * np.median(rows)))


def _reach(across: Any) -> int:
    """How far the edges of a line may be from its middle."""
    return max(3, round(_NEAR * _pitch(across)))


def _continues(edges: _Edges, across: Any, along: Any) -> bool:
    """Whether most inner lines go on beyond the first or the last line that crosses them.

    They may do so where the picture ends, if it ends at one side of the board only.
    """
    bands = edges.near(across[1:-1], _reach(across))
    pitch = (along[-1] - along[0]) / (len(along) - 1)
    inset, reach = int(0.12 * pitch) + 2, int(0.4 * pitch)
    begin, end = int(along[0]), int(along[-1])
    margins = sorted((begin, edges.height - 1 - end))
    if margins[0] < inset and margins[1] > pitch / 2:
        return True
    outside = (
        bands[:, max(0, begin - reach) : max(0, begin - inset)],
        bands[:, end + inset : end + reach],
    )
    return any(strip.shape[1] > 3 and strip.mean() > 0.6 for strip in outside)


def corners_of(pixels: Any) -> Any:
    """The corners of what may be a board that is turned or seen at an angle.

    Args:
        pixels: height x width x 3, int16.

    Returns:
        4 x 2: x and y, clockwise from the left top one; None if it is small, or upright.
    """
    height, width = pixels.shape[:2]
    factor = -(-max(height, width) // _SMALL)
    points = _largest_part(_ink(_grey(as_image(pixels), factor)))
    # If it is turned by less than 45 degrees, its corners are the farthest points diagonally.
    farthest = (points @ [(-1, 1, 1, -1), (-1, -1, 1, 1)]).argmax(axis=0)
    corners = (points[farthest] + 0.5) * factor
    x, y = (np.roll(corners, -1, axis=0) - corners).T
    is_upright = np.minimum(abs(x), abs(y)).max() < _STRAIGHT * np.abs([x, y]).max()
    # At each corner, the area of the parallelogram that its sides make.
    areas = x * np.roll(y, -1) - y * np.roll(x, -1)
    return None if is_upright or areas.min() < _LEAST_PART * height * width else corners


def from_above(pixels: Any, corners: Any, ratio: float = 1) -> Any:
    """The pixels of a board seen from straight above, with a margin and the same light everywhere.

    Args:
        pixels: height x width x 3, int16.
        corners: as of `corners_of`.
        ratio: the height of the board divided by its width.
    """
    size, margin = np.array([min(1, 1 / ratio), min(1, ratio)]) * _SIDE, _MARGIN * _SIDE
    flat = margin + size * [(0, 0), (1, 0), (1, 1), (0, 1)]
    ones, zeros = np.insert(flat, 2, 1, axis=1), np.zeros((4, 3))
    u, v = corners.T[..., None]
    equations = np.block([[ones, zeros, -u * flat], [zeros, ones, -v * flat]])
    mapping = np.linalg.solve(equations, corners.T.ravel()).tolist()
    whole = (size + 2 * margin).round().astype(int).tolist()
    how = Image.Transform.PERSPECTIVE, mapping, Image.Resampling.BICUBIC
    return _lit(as_image(pixels).transform(whole, *how))


def _ink(grey: Any) -> Any:
    """Thin strokes that are darker than what is on both sides of them; edges of shadows are not."""
    away = _closed(grey, max(grey.shape) // 60) - grey
    return away > max(6.0, 0.2 * float(np.quantile(away, 0.99)))


def _closed(grey: Any, radius: int) -> Any:
    """The picture without what is dark and at most twice as wide as the radius."""
    return -_lightest(-_lightest(grey, radius), radius)


def _lightest(grey: Any, radius: int) -> Any:
    """The highest value within a radius along both axes."""
    grey = np.pad(grey, radius, "edge")
    for _ in range(2):
        grey = _highest(grey, 2 * radius + 1).T
    return grey


def _largest_part(mask: Any) -> Any:
    """The points, as x and y, of the largest connected part of a mask; one point if it is empty."""
    if not mask.any():
        return np.zeros((1, 2))
    mask = np.pad(mask, 1)
    places, wide = np.flatnonzero(mask), mask.shape[1]
    numbers = np.full(mask.size, -1)
    names = numbers[places] = np.arange(len(places))
    # Points that touch each other, also at a corner.
    others = numbers[places + np.array([[1], [wide - 1], [wide], [wide + 1]])]
    first, second = np.nonzero(others >= 0)[1], others[others >= 0]
    before = names[:0]
    while not np.array_equal(names, before):
        names, before = names.copy(), names
        least = np.minimum(before[first], before[second])
        np.minimum.at(names, before[first], least)
        np.minimum.at(names, before[second], least)
        names = names[names]
    return np.argwhere(mask)[names == np.bincount(names).argmax(), ::-1] - 1


def _lit(image: Any) -> Any:
    """The pixels as if the light were the same everywhere: paper is white."""
    grey = _grey(image, 4)
    paper = Image.fromarray(_closed(grey, max(grey.shape) // 12).astype(np.uint8))
    light = np.asarray(paper.resize(image.size, Image.Resampling.BICUBIC), float)
    pixels = np.asarray(image, float) * (245 / light.clip(30))[..., None]
    return pixels.clip(0, 255).astype(np.int16)


def as_image(pixels: Any) -> Any:
    """Pixels as a picture of Pillow."""
    return Image.fromarray(pixels.astype(np.uint8))


def _grey(image: Any, factor: int) -> Any:
    return np.asarray(image.convert("L").reduce(factor), np.int16)
