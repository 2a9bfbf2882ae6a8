"""Straighten the photo of a board: find its four corners, and map them to a square.

The lines of a printed board hang together, so that they are among the largest connected ink. Its
corners are those of its largest quadrilateral.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from PIL import Image

_SMALL = 640
_SIDE = 1000
_MARGIN = 0.06
_LEAST_PART = 0.04
_MOST_PARTS = 2
_STRAIGHT = 0.006


def corners_of(pixels: Any) -> list[Any]:
    """The corners of what may be a board that is turned or seen at an angle, the largest first.

    Args:
        pixels: height x width x 3, int16.

    Returns:
        For each, 4 x 2: x and y, clockwise from the left top one.
    """
    height, width = pixels.shape[:2]
    factor = -(-max(height, width) // _SMALL)
    found = []
    for points in _parts(_ink(_grey(as_image(pixels), factor))):
        corners = _corners(points)
        if corners is None:
            continue
        corners = (corners + 0.5) * factor
        (left, top), (right, bottom) = corners.min(axis=0), corners.max(axis=0)
        upright = np.array([(left, top), (right, top), (right, bottom), (left, bottom)])
        is_straight = np.abs(corners - upright).max() < _STRAIGHT * max(right - left, bottom - top)
        if not is_straight and _area(corners) >= _LEAST_PART * height * width:
            found.append(corners)
    return found


def from_above(pixels: Any, corners: Any, ratio: float = 1) -> Any:
    """The pixels of a board seen from straight above, with the same light everywhere.

    Args:
        pixels: height x width x 3, int16.
        corners: as of `corners_of`.
        ratio: the height of the board divided by its width.
    """
    return _lit(_warped(as_image(pixels), corners, ratio))


def _ink(grey: Any) -> Any:
    """Thin strokes that are darker than what is on both sides of them; edges of shadows are not."""
    away = _closed(grey, max(grey.shape) // 60) - grey
    return away > max(6.0, 0.2 * float(np.quantile(away, 0.99)))


def _closed(grey: Any, radius: int) -> Any:
    """The picture without what is dark and at most twice as wide as the radius."""
    return -_lightest(-_lightest(grey, radius), radius)


def _lightest(grey: Any, radius: int) -> Any:
    """The highest value within a radius along both axes."""
    padded, side = np.pad(grey, radius, "edge"), 2 * radius + 1
    for _ in range(2):
        width = 1
        while width < side:
            step = min(width, side - width)
            padded, width = np.maximum(padded[step:], padded[:-step]), width + step
        padded = padded.T
    return padded


def _parts(mask: Any) -> list[Any]:
    """The points, as x and y, of the connected parts of a mask that take up the most room."""
    begins: list[int] = []
    ends: list[int] = []
    parents: list[int] = []

    def root(run: int) -> int:
        while parents[run] != run:
            parents[run] = parents[parents[run]]
            run = parents[run]
        return run

    rows: list[int] = []
    before: range = range(0)
    for y, row in enumerate(mask):
        changes = np.flatnonzero(np.diff(row.astype(np.int8), prepend=0, append=0))
        first = len(begins)
        begins += changes[::2].tolist()
        ends += changes[1::2].tolist()
        rows += [y] * (len(changes) // 2)
        parents += range(first, len(begins))
        above = before.start
        for run in range(first, len(begins)):
            while above < before.stop and ends[above] < begins[run]:
                above += 1
            other = above
            while other < before.stop and begins[other] <= ends[run]:
                parents[root(other)] = root(run)
                other += 1
        before = range(first, len(begins))
    if not begins:
        return []
    roots = np.array([root(run) for run in range(len(begins))])
    lasts = [end - 1 for end in ends]
    points = np.array([*zip(begins, rows, strict=True), *zip(lasts, rows, strict=True)], float)
    names, owners = np.unique(np.tile(roots, 2), return_inverse=True)
    lows, highs = np.full((len(names), 2), np.inf), np.full((len(names), 2), -np.inf)
    np.minimum.at(lows, owners, points)
    np.maximum.at(highs, owners, points)
    rooms = (highs - lows).prod(axis=1)
    return [points[owners == part] for part in rooms.argsort()[::-1][:_MOST_PARTS]]


def _corners(points: Any) -> Any:
    """The corners of the largest quadrilateral, clockwise from the top left one."""
    hull = _hull(points)
    if len(hull) < 4:
        return None
    distances = np.linalg.norm(hull[:, None] - hull[None], axis=2)
    first, third = np.unravel_index(distances.argmax(), distances.shape)
    along = hull[third] - hull[first]
    aside = along[0] * (hull - hull[first])[:, 1] - along[1] * (hull - hull[first])[:, 0]
    corners = hull[[first, aside.argmax(), third, aside.argmin()]]
    middle = corners.mean(axis=0)
    angles = np.arctan2(*(corners - middle).T[::-1])
    corners = corners[angles.argsort()]
    start = corners.sum(axis=1).argmin()
    return np.roll(corners, -start, axis=0)


def _hull(points: Any) -> Any:
    """The convex hull, by Andrew's monotone chain."""
    ordered = sorted(set(map(tuple, points.tolist())))
    halves = []
    for corners in (ordered, ordered[::-1]):
        chain: list[tuple[float, float]] = []
        for x, y in corners:
            while len(chain) > 1 and (chain[-1][0] - chain[-2][0]) * (y - chain[-2][1]) <= (
                chain[-1][1] - chain[-2][1]
            ) * (x - chain[-2][0]):
                chain.pop()
            chain.append((x, y))
        halves.append(chain[:-1])
    return np.array(halves[0] + halves[1])


def _area(corners: Any) -> float:
    xs, ys = corners.T
    return float(abs((xs * np.roll(ys, -1) - np.roll(xs, -1) * ys).sum()) / 2)


def _warped(image: Any, corners: Any, ratio: float) -> Any:
    """The picture in which these corners are those of an upright rectangle, with a margin. `ratio`
    is the height of the rectangle divided by its width.
    """
    wide, tall = _SIDE * min(1, 1 / ratio), _SIDE * min(1, ratio)
    margin = _MARGIN * _SIDE
    right, bottom = margin + wide, margin + tall
    flat = np.array([(margin, margin), (right, margin), (right, bottom), (margin, bottom)])
    rows, values = [], []
    for (x, y), (u, v) in zip(flat, corners, strict=True):
        rows += [[x, y, 1, 0, 0, 0, -u * x, -u * y], [0, 0, 0, x, y, 1, -v * x, -v * y]]
        values += [u, v]
    return image.transform(
        (round(right + margin), round(bottom + margin)),
        Image.Transform.PERSPECTIVE,
        np.linalg.solve(np.array(rows), np.array(values)).tolist(),
        Image.Resampling.BICUBIC,
    )


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
