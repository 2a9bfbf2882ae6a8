"""Find the signs on the edges between cells, and tell them apart by their shape."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from binairo_cp.formats.pictures.lattice import Lattice
from binairo_cp.formats.pictures.symbols import INK, SIDE, SURE, boxed, confidence, scaled

_ALIKE = 0.75
"""The least correlation of two signs of one kind."""


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
    marks = _marks(pixels, lattice, grounds, "R")
    # Edges between a cell and the one below are upright in the mirrored picture.
    mirrored = Lattice(lattice.ys, lattice.xs, lattice.gap)
    marks += _marks(pixels.transpose(1, 0, 2), mirrored, grounds.transpose(1, 0, 2), "D")
    marks.sort(key=lambda mark: (mark.row, mark.column, mark.direction == "D"))
    kinds = [("", 0.0) if mark.ink is None else _sign(mark.ink) for mark in marks]
    others = [mark for mark, (_, sure) in zip(marks, kinds, strict=True) if sure < SURE]
    known = {kind for kind, sure in kinds if sure >= SURE}
    alike = _likeness(others) if known == {"="} else 0
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
        max(float(np.corrcoef(inks[0].flat, each.flat)[0, 1]) for each in (ink, ink.T))
        for ink in inks[1:]
    )


def _marks(pixels: Any, lattice: Lattice, grounds: Any, direction: str) -> list[_Mark]:
    """What stands on the upright inner edges."""
    height, width = grounds.shape[:2]
    reach, aside = round(0.17 * lattice.pitch), round(0.04 * lattice.pitch)
    crossings = pixels[np.ix_(lattice.ys.round().astype(int)[1:-1], lattice.xs.astype(int)[1:-1])]
    gap = np.median(crossings.reshape(-1, 3), axis=0)
    places, line = np.zeros((height, width - 1), int), 0
    if not lattice.gap:
        places, line = _lines(pixels, lattice, grounds, reach // 2)
    marks = []
    for row, column in np.ndindex(height, width - 1):
        x = round(lattice.xs[column + 1]) + int(places[row, column])
        y = round((lattice.ys[row] + lattice.ys[row + 1]) / 2)
        sides = grounds[row, column : column + 2]
        # In small pictures signs may stand a little beside the line.
        for shift in (0, -aside, aside):
            near, at = reach - abs(shift), x + shift
            crop = pixels[y - near : y + near + 1, at - near : at + near + 1].astype(float)
            ink = (
                _ink_on_a_gap(crop, gap, lattice)
                if lattice.gap
                else _ink_on_a_line(crop, sides, line)
            )
            if ink is None or ink.any():
                break
        if ink is not None:
            place = (row, column) if direction == "R" else (column, row)
            marks.append(_Mark(*place, direction, _scaled(ink) if ink.any() else None))
    return marks


def _lines(pixels: Any, lattice: Lattice, grounds: Any, reach: int) -> tuple[Any, int]:
    """Where the upright lines really are, and how far their ink goes from their middles.

    Both are measured where no signs are.

    Returns:
        For each edge, how far the line is to the right of its place in the lattice; and the reach
        of the ink of most lines.
    """
    height, width = grounds.shape[:2]
    aside = np.zeros((height, width - 1), int)
    halves = []
    for row, column in np.ndindex(aside.shape):
        x = round(lattice.xs[column + 1])
        ink = np.zeros(2 * reach + 1, bool)
        for part in (0.2, 0.8):
            y = round(lattice.ys[row] + part * lattice.pitch)
            crop = pixels[y - 1 : y + 2, x - reach : x + reach + 1].astype(float)
            away = np.median(_away(crop, grounds[row, column : column + 2]), axis=0)
            ink |= away > INK
        places = np.flatnonzero(ink) - reach
        if len(places):
            aside[row, column] = round((places[0] + places[-1]) / 2)
            halves.append((places[-1] - places[0]) / 2)
    half = np.quantile(halves, 0.75) if halves else 0
    return aside, int(max(2, round(0.035 * lattice.pitch), half + 1.5))


def _away(crop: Any, sides: Any) -> Any:
    """How far pixels around an upright line are from the ground on their side of it."""
    is_left = np.arange(crop.shape[1]) < crop.shape[1] // 2
    return np.abs(crop - np.where(is_left[None, :, None], sides[0], sides[1])).max(axis=2)


def _ink_on_a_line(crop: Any, sides: Any, line: int) -> Any:
    """The ink of a sign around the middle of a line; None without one, empty if it is cut off."""
    reach = len(crop) // 2
    across = np.arange(-reach, reach + 1)
    away = _away(crop, sides)
    beside = (away > INK) & (np.abs(across) > line)[None, :]
    parts = beside[:, across < 0].sum(), beside[:, across > 0].sum()
    if max(parts) <= 1:
        return None
    return boxed(away, beside) if min(parts) >= 2 else np.zeros((1, 1))


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
    sides = [each[:2, 5:7].mean() for each in (ink, ink[::-1], ink.T, ink.T[::-1])]
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
