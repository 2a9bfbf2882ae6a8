"""Find the signs on the edges between cells, and tell them apart by their shape."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from binairo_cp.formats.pictures.lattice import Lattice
from binairo_cp.formats.pictures.symbols import INK, SIDE, SURE, boxed, confidence, scaled

_ALIKE = 0.75
"""The least correlation of two signs of one kind."""

_FAINT = 24
"""The least difference from the ground that may be ink in a picture without noise."""

_REACH = 0.17
"""How far signs go from the middle of an edge, as a part of the side of a cell."""

_LEAST_POINTS = 4


@dataclass
class Signs:
    """The signs of a board, as in records.

    Attributes:
        found: row, column, direction and sign, in order.
        confidence: those of the signs that were found, as in `symbols.SeenCells`.
        unsure: row, column and direction of the signs that are unclear.
        note: how an unfamiliar sign was understood, if there is one.
    """

    found: list[tuple[int, int, str, str]] = field(default_factory=list)
    confidence: list[float] = field(default_factory=list)
    unsure: list[tuple[int, int, str]] = field(default_factory=list)
    note: str = ""


class _Mark(NamedTuple):
    """What stands on an edge: its ink from 0 to 1 on a scale of 12 x 12; None if it is cut off."""

    row: int
    column: int
    direction: str
    ink: Any


def signs(pixels: Any, lattice: Lattice, grounds: Any) -> Signs:
    """The signs on the inner edges."""
    # Edges between a cell and the one below are upright in the mirrored picture.
    mirrored = Lattice(lattice.ys, lattice.xs, lattice.gap)
    sides = (
        (pixels, lattice, grounds, "R"),
        (pixels.transpose(1, 0, 2), mirrored, grounds.transpose(1, 0, 2), "D"),
    )
    marks = _on_gaps(sides) if lattice.gap else _on_lines(sides)
    marks.sort(key=lambda mark: (mark.row, mark.column, mark.direction == "D"))
    kinds = [("", 0.0) if mark.ink is None else _sign(mark.ink) for mark in marks]
    others = [mark for mark, (_, sure) in zip(marks, kinds, strict=True) if sure < SURE]
    known = {kind for kind, sure in kinds if sure >= SURE}
    alike = _likeness(others) if known == {"="} and lattice.gap else 0
    result = Signs()
    if alike > _ALIKE:
        result.note = "the unfamiliar sign is read as x, since it is not ="
        other = 1 - SURE * (1 - alike) / (1 - _ALIKE)
        kinds = [pair if pair[1] >= SURE else ("x", other) for pair in kinds]
    else:
        result.unsure = [mark[:3] for mark in others]
    for mark, (kind, sure) in zip(marks, kinds, strict=True):
        if sure >= SURE:
            result.found.append((*mark[:3], kind))
            result.confidence.append(sure)
    return result


def _likeness(marks: list[_Mark]) -> float:
    """The least correlation of several marks with the first one; 0 if they can't be compared."""
    if len(marks) < 2 or any(mark.ink is None for mark in marks):
        return 0
    # Thin strokes rarely fall on the same points.
    inks = [mark.ink.reshape(SIDE // 2, 2, SIDE // 2, 2).mean(axis=(1, 3)) for mark in marks]
    # A sign may be turned with the edge on which it stands.
    return min(
        max(float(np.corrcoef(inks[0].flat, turned.flat)[0, 1]) for turned in (ink, ink.T))
        for ink in inks[1:]
    )


def _on_lines(sides: Any) -> list[_Mark]:
    """What stands on the upright inner edges of each picture, beside the ink of the lines."""
    seen = [_seen(pixels, lattice, grounds) for pixels, lattice, grounds, _ in sides]
    # Most edges have no sign: what is on them is noise.
    strongest = np.concatenate([more.max(axis=(2, 3)).ravel() for _, more in seen])
    floor = float(np.clip(2.5 * np.median(strongest), _FAINT, INK))
    marks = []
    for (_, _, _, direction), (away, more) in zip(sides, seen, strict=True):
        for row, column in np.argwhere(more.max(axis=(2, 3)) > floor).tolist():
            ink, beside = away[row, column], more[row, column]
            mask = beside > max(floor, 0.4 * beside.max())
            if mask.sum() < _LEAST_POINTS:
                continue
            border = mask[[0, -1]].any() or mask[:, [0, -1]].any()
            place = (row, column) if direction == "R" else (column, row)
            marks.append(_Mark(*place, direction, None if border else _scaled(boxed(ink, mask))))
    return marks


def _seen(pixels: Any, lattice: Lattice, grounds: Any) -> tuple[Any, Any]:
    """How far the pixels around the middles of upright edges are from the ground on their side.

    Returns:
        Two arrays of rows x edges x side x side: the second is without the ink of the lines, as it
        is where no signs are.
    """
    reach = round(_REACH * lattice.pitch)
    around = np.arange(-reach, reach + 1)
    columns = (lattice.xs[1:-1].round().astype(int)[:, None] + around)[None, :, None]
    is_left = (around < 0)[:, None]
    ground = np.where(is_left, grounds[:, :-1, None, None], grounds[:, 1:, None, None])

    def away(part: float, rows: Any) -> Any:
        ys = lattice.ys[:-1] + part * np.diff(lattice.ys)
        at = (ys.round().astype(int)[:, None] + rows)[:, None, :, None]
        return np.abs(pixels[at, columns] - ground).max(axis=4)

    beside = [np.median(away(part, np.arange(-1, 2)), axis=2) for part in (0.2, 0.8)]
    line = np.pad(np.maximum(*beside), ((0, 0), (0, 0), (1, 1)), "edge")
    line = np.maximum(np.maximum(line[..., :-2], line[..., 2:]), line[..., 1:-1])
    middle = away(0.5, around)
    return middle, (middle - 1.25 * line[:, :, None]).clip(0)


def _on_gaps(sides: Any) -> list[_Mark]:
    """What stands on badges over the upright gaps of each picture."""
    marks = []
    for pixels, lattice, grounds, direction in sides:
        reach = round(_REACH * lattice.pitch)
        ys, xs = lattice.ys.round().astype(int)[1:-1], lattice.xs.astype(int)[1:-1]
        gap = np.median(pixels[np.ix_(ys, xs)].reshape(-1, 3), axis=0)
        for row, column in np.ndindex(len(grounds), grounds.shape[1] - 1):
            x = round(lattice.xs[column + 1])
            y = round((lattice.ys[row] + lattice.ys[row + 1]) / 2)
            crop = pixels[y - reach : y + reach + 1, x - reach : x + reach + 1].astype(float)
            ink = _ink_on_a_gap(crop, gap, lattice)
            if ink is not None:
                place = (row, column) if direction == "R" else (column, row)
                marks.append(_Mark(*place, direction, _scaled(ink) if ink.any() else None))
    return marks


def _ink_on_a_gap(crop: Any, gap: Any, lattice: Lattice) -> Any:
    """The ink of a sign on a badge over the gap between two tiles; None without a badge."""
    middle = len(crop) // 2
    near = max(1, round(lattice.gap / 4))
    centre = crop[middle - near : middle + near + 1, middle - near : middle + near + 1]
    if (np.abs(centre - gap).max(axis=2) > INK).mean() < 0.3:
        return None
    ys, xs = np.indices(crop.shape[:2]) - middle
    is_badge = np.hypot(ys, xs) < 0.14 * lattice.pitch
    away = np.abs(crop - np.median(crop[is_badge], axis=0)).max(axis=2) * is_badge
    return boxed(away, away > max(INK, 0.4 * away.max()))


def _scaled(ink: Any) -> Any:
    """Ink from 0 to 1, stretched to 12 x 12."""
    return scaled((ink / np.quantile(ink, 0.95).clip(1)).clip(0, 1))


def _sign(ink: Any) -> tuple[str, float]:
    """``=`` or ``x``, whichever is nearer, and its confidence."""
    corners = [part.mean() for half in (ink[:3], ink[-3:]) for part in (half[:, :3], half[:, -3:])]
    sides = [turned[:2, 5:7].mean() for turned in (ink, ink[::-1], ink.T, ink.T[::-1])]
    middle = _enough(ink[4:8, 4:8].mean(), 0.45)
    cross = float(min(_enough(min(corners), 0.3), confidence(max(sides), 0.35), middle))
    bars = max(_two_bars(ink), _two_bars(ink.T))
    return ("=", bars) if bars >= cross else ("x", cross)


def _two_bars(ink: Any) -> float:
    """How well two level bars and the space between them explain nearly all of the ink."""
    inner = ink[:, 2:-2]
    rows = inner.mean(axis=1)
    bars = min(rows[:5].max(), rows[7:].max())
    rest = ((inner - rows[:, None]) ** 2).sum() / max(((inner - inner.mean()) ** 2).sum(), 1e-9)
    between = rows[4:8].min() / max(bars, 1e-9)
    return float(min(_enough(bars, 0.4), confidence(between, 0.6), confidence(rest, 0.15)))


def _enough(measured: float, least: float) -> float:
    """The confidence of what must not be below a bound."""
    return min(1.0, SURE * measured / least)
