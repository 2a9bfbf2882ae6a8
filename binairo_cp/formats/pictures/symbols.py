"""Tell the symbols of cells, and the signs on the edges between them, apart by shape and colour."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from PIL import Image

from binairo_cp.formats.pictures.lattice import Lattice, distance

INK = 36
"""The least difference of ink from its ground, in one of three colours of 0 to 255."""

SURE = 0.5
"""What has a lower confidence can't be told for sure."""

SIDE = 12
_MOST_SPREAD = 0.25
_MOST_SPREAD_ALONE = 0.15
_LEAST_SHADE = 6
_OPEN_INK, _LEAST_INK = 0.0025, 0.008
"""The part of an open cell that may be ink, and the part that a symbol has at least."""

_ALIKE = 0.75
"""The least correlation of two signs of one kind."""

_FAINT = 24
"""The least difference from the ground that may be ink in a picture without noise."""

_REACH, _NEAR = 0.2, 0.08
"""How far signs go from the middle of an edge, and how near symbols come to it, in cells."""

_LEAST_POINTS = 4


@dataclass(frozen=True)
class SeenSymbol:
    """What a symbol looks like.

    Attributes:
        colour: as ``#rrggbb``.
        shape: ``hollow`` if there is no ink in the middle, ``solid`` if nearly all is ink, else
            ``open``.
    """

    colour: str
    shape: Literal["hollow", "solid", "open"]


@dataclass
class SeenCells:
    """What stands in the cells of a board: arrays of height x width, row by row.

    Attributes:
        values: 0 or 1, -1 for open cells.
        given: whether the cell is a clue, not an entry of the player.
        confidence: 1 for a cell far from any bound, 0.5 at a bound, less beyond it.
        ones: how 1 was told from 0.
        symbols: what the symbols look like, by their value.
    """

    values: Any
    given: Any
    confidence: Any
    ones: str = ""
    symbols: dict[int, SeenSymbol] = field(default_factory=dict)

    @property
    def unsure(self) -> list[tuple[int, int]]:
        """The cells that are unclear, by row and column from 0."""
        return [(int(row), int(column)) for row, column in np.argwhere(self.confidence < SURE)]


def backgrounds(pixels: Any, lattice: Lattice) -> Any:
    """The colour of each cell near its border."""
    return np.median(_frames(_crops(pixels, lattice), int(0.1 * lattice.pitch)), axis=2)


def are_tiles(pixels: Any, lattice: Lattice, grounds: Any) -> bool:
    """Whether the gaps have one colour where they cross, which no tile has."""
    crossings = _crossings(pixels, lattice)
    gap = np.median(crossings, axis=0)
    return bool(2 * distance(crossings, gap).mean() < distance(grounds, gap).min())


def _crossings(pixels: Any, lattice: Lattice) -> Any:
    """The colours where the gaps between tiles cross."""
    inner = (edges[1:-1].round().astype(int) for edges in (lattice.ys, lattice.xs))
    return pixels[np.ix_(*inner)].reshape(-1, 3)


def _crops(pixels: Any, lattice: Lattice) -> Any:
    """The cells without their borders: rows x columns x side x side x 3."""
    inset = max(0.1 * lattice.pitch, lattice.gap / 2 + 0.04 * lattice.pitch)
    side = round(lattice.pitch - 2 * inset)
    ys, xs = (
        ((edges[:-1] + edges[1:] - side) / 2).round().astype(int)[:, None] + np.arange(side)
        for edges in (lattice.ys, lattice.xs)
    )
    return pixels[ys[:, None, :, None], xs[:, None, :]]


def _frames(crops: Any, depth: int) -> Any:
    """What is along the border of each cell: rows x columns x pixels."""
    is_inner = np.zeros(crops.shape[2:4], bool)
    is_inner[depth:-depth, depth:-depth] = True
    return crops[:, :, ~is_inner]


def cells(pixels: Any, lattice: Lattice, grounds: Any, *, tells_entries: bool) -> SeenCells:
    """The symbols of all cells; entries of the player are told from clues only if it is said."""
    shape = grounds.shape[:2]
    found = SeenCells(np.full(shape, -1), np.ones(shape, bool), np.ones(shape))
    places: list[tuple[int, int]] = []
    masks, colours = [], []
    crops = _crops(pixels, lattice)
    away = distance(crops, grounds[:, :, None, None].astype(np.float32))
    inner = _inner(away, lattice.pitch)
    crops, away = crops[:, :, inner, inner], away[:, :, inner, inner]
    side = away.shape[2]
    aside = np.abs((np.arange(side) + 0.5 - side / 2) / lattice.pitch)
    # Signs on the edges reach into the cells.
    is_sign = np.logical_and.outer(aside > 0.34, aside < 0.16)
    away[:, :, is_sign | is_sign.T] = 0
    for row, column in np.argwhere(away.max(axis=(2, 3)) > INK).tolist():
        seen = away[row, column]
        # Shades of the cell itself are no ink.
        mask = seen > max(INK, 0.35 * np.quantile(seen, 0.98))
        part = mask.sum() / lattice.pitch**2
        if part < _LEAST_INK:
            found.confidence[row, column] = confidence(part, _OPEN_INK)
            continue
        places.append((row, column))
        masks.append(_scaled(mask))
        colours.append(np.median(crops[row, column][seen >= np.quantile(seen[mask], 0.3)], axis=0))
    if places:
        _classify(found, places, np.array(masks), np.array(colours), grounds)
        if tells_entries:
            _tell_entries(found, grounds)
    return found


def _inner(away: Any, pitch: float) -> slice:
    """The part of each cell that symbols take up: a frame around it cuts the fewest of them."""
    side = away.shape[2]
    depths = [max(0, round(side / 2 - part * pitch)) for part in (0.28, 0.31, 0.34, 0.37, 0.4)]

    def cuts(inner: slice) -> int:
        return int((_frames(away[:, :, inner, inner], 1).max(axis=2) > INK).sum())

    return min((slice(depth, side - depth) for depth in depths), key=cuts)


def _scaled(mask: Any) -> Any:
    """The ink in the smallest box around it, on a scale of 12 x 12, blurred a little."""
    box = boxed(mask, mask).astype(float)
    spare = [max(box.shape) - length for length in box.shape]
    return scaled(np.pad(box, [(both // 2, both - both // 2) for both in spare]))


def boxed(away: Any, mask: Any) -> Any:
    """What is in the smallest box around a mask."""
    ys, xs = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    if not len(ys):
        return np.zeros((1, 1))
    return away[ys[0] : ys[-1] + 1, xs[0] : xs[-1] + 1]


def scaled(ink: Any) -> Any:
    """Ink stretched to 12 x 12."""
    image = Image.fromarray(ink.astype(np.float32))
    return np.asarray(image.resize((SIDE, SIDE), Image.Resampling.BOX))


def _classify(
    found: SeenCells, places: list[tuple[int, int]], masks: Any, colours: Any, grounds: Any
) -> None:
    """Tell two kinds of symbols apart, from two that are as unlike as possible."""
    features = np.hstack([masks.reshape(len(masks), -1) / SIDE, colours / 255])
    seeds = features[[0, int(np.linalg.norm(features - features[0], axis=1).argmax())]]
    for _ in range(20):
        distances = np.linalg.norm(features[:, None] - seeds[None], axis=2)
        second = distances[:, 1] < distances[:, 0]
        if not second.any():
            break
        seeds = np.array([features[~second].mean(axis=0), features[second].mean(axis=0)])
    apart = float(np.linalg.norm(seeds[0] - seeds[1]))
    at = tuple(np.transpose(places))
    if apart < 0.22:
        value, found.ones = _alone(masks.mean(axis=0), np.median(colours, axis=0))
        values = np.full(len(places), max(value, 0))
        spread = np.linalg.norm(features - features.mean(axis=0), axis=1).max()
        sure = np.full(len(places), confidence(spread, _MOST_SPREAD_ALONE) * (value >= 0))
    else:
        is_one, found.ones = _which_is_one(masks, colours, grounds[at], second)
        values = (second == (is_one is not False)).astype(int)
        sure = confidence(distances.min(axis=1), min(0.42 * apart, _MOST_SPREAD))
        sure *= is_one is not None
    found.values[at], found.confidence[at] = values, sure
    for value in {*values.tolist()}:
        found.symbols[value] = _symbol(masks[values == value], colours[values == value])


def confidence(measured: Any, most: float) -> Any:
    """How far below its bound something is: 1 at 0, 0.5 at the bound, 0 at twice the bound."""
    return np.clip(1 - 0.5 * measured / most, 0, 1)


def _symbol(masks: Any, colours: Any) -> SeenSymbol:
    ink, (red, green, blue) = masks.mean(axis=0), np.median(colours, axis=0).astype(int)
    shape: Literal["hollow", "solid", "open"] = "solid" if ink.mean() > 0.62 else "open"
    return SeenSymbol(f"#{red:02x}{green:02x}{blue:02x}", "hollow" if _middle(ink) < 0.3 else shape)


def _which_is_one(masks: Any, colours: Any, tiles: Any, second: Any) -> tuple[bool | None, str]:
    """Whether the second kind is 1, and what 1 looks like; None if that is unclear."""
    kinds = ~second, second
    inks = [masks[kind].mean(axis=0) for kind in kinds]
    tints, sides = (
        [np.median(all_of[kind], axis=0) for kind in kinds] for all_of in (colours, tiles)
    )
    if all(np.ptp(tint) > 50 for tint in tints):
        fills = [ink.mean() for ink in inks]
        if max(fills) > 0.68 and min(fills) < 0.6:
            return bool(fills[1] < fills[0]), "the crescent"
        if abs(_warmth(tints[0]) - _warmth(tints[1])) > 40:
            return _warmth(tints[1]) < _warmth(tints[0]), "the symbol that is less yellow"
    if abs(_warmth(sides[0]) - _warmth(sides[1])) > 80:
        return _warmth(sides[1]) < _warmth(sides[0]), "the tile that is less yellow"
    # The stem of a 1 can be right of the middle; then nothing is left of it, as it is of a hole.
    for measure in _middle, lambda ink: -_thinner_wall(ink):
        first, other = map(measure, inks)
        if abs(first - other) > 0.4:
            hollow = inks[other < first]
            # Zeros and circles look the same upside down; an empty star or heart may be either.
            is_round = np.corrcoef(hollow.flat, hollow[::-1].flat)[0, 1] > 0.4
            return other > first if is_round else None, "the symbol without a hole"
    lights = [tint.mean() for tint in tints]
    if abs(lights[0] - lights[1]) > 40:
        return bool(lights[1] < lights[0]), "the darker symbol"
    return None, ""


def _warmth(colour: Any) -> float:
    """How much more red than blue there is: more in yellow than in blue."""
    return float(colour[0] - colour[2])


def _thinner_wall(ink: Any) -> float:
    """The most ink at half height, on the side of the middle that has less of it."""
    across = ink[SIDE // 2 - 1 : SIDE // 2 + 1].mean(axis=0)
    return float(min(across[: SIDE // 2 - 1].max(), across[SIDE // 2 + 1 :].max()))


def _middle(ink: Any) -> float:
    """How much of the middle of a symbol is ink: little for 0 and an empty circle."""
    return float(ink[4:8, 5:7].mean())


def _alone(ink: Any, tint: Any) -> tuple[int, str]:
    """The value of the only kind of symbol, -1 if it is unclear, and what 1 looks like."""
    if abs(_warmth(tint)) > 50:
        return int(_warmth(tint) < 0), "the symbol that is less yellow"
    middle = _middle(ink)
    value = 1 if middle > 0.8 else 0 if middle < 0.2 else -1
    return value, "the symbol without a hole"


def _tell_entries(found: SeenCells, grounds: Any) -> None:
    """Shaded cells are given if others with symbols are not shaded, except in uneven light."""
    filled = found.values >= 0
    light = grounds.mean(axis=2)
    # If no cell is open, the lightest is plain, or the darkest of dark ones.
    extreme = light == (light.min() if np.median(light) < 128 else light.max())
    plain = np.median(grounds[extreme if filled.all() else ~filled], axis=0)
    away = distance(grounds, plain)
    shaded = away > _LEAST_SHADE
    is_mixed = (filled & shaded).any() and (filled & ~shaded).any()
    if is_mixed and away[shaded].min() - away[~shaded].max() > _LEAST_SHADE / 2:
        found.given = shaded | ~filled


@dataclass
class Signs:
    """The signs of a board, as in records.

    Attributes:
        found: row, column, direction and sign, in order.
        confidence: those of the signs that were found, as in `SeenCells`.
        unsure: row, column and direction of the signs that are unclear.
        note: how an unfamiliar sign was understood, if there is one.
    """

    found: list[tuple[int, int, str, str]]
    confidence: list[float]
    unsure: list[tuple[int, int, str]]
    note: str


def signs(pixels: Any, lattice: Lattice, grounds: Any, filled: Any) -> Signs:
    """The signs on the inner edges; `filled` says which cells have a symbol."""
    # Edges between a cell and the one below are upright in the mirrored picture.
    mirrored = Lattice(lattice.ys, lattice.xs, lattice.gap)
    sides = (
        (pixels, lattice, grounds, filled, "R"),
        (pixels.transpose(1, 0, 2), mirrored, grounds.transpose(1, 0, 2), filled.T, "D"),
    )
    inks = {
        (row, column, direction) if direction == "R" else (column, row, direction): ink
        for direction, row, column, ink in (_on_gaps if lattice.gap else _on_lines)(sides)
    }
    places = sorted(inks, key=lambda place: (*place[:2], place[2] == "D"))
    kinds = {at: ("", 0.0) if inks[at] is None else _sign(inks[at]) for at in places}
    sure = {at: kind for at, kind in kinds.items() if kind[1] >= SURE}
    others, note = [at for at in places if at not in sure], ""
    if lattice.gap and {kind for kind, _ in sure.values()} == {"="}:
        alike = _likeness([inks[at] for at in others])
        if alike > _ALIKE:
            note = "the unfamiliar sign is read as x, since it is not ="
            unfamiliar = "x", 1 - SURE * (1 - alike) / (1 - _ALIKE)
            sure, others = {at: sure.get(at, unfamiliar) for at in places}, []
    found = [(*at, kind) for at, (kind, _) in sure.items()]
    return Signs(found, [number for _, number in sure.values()], others, note)


def _likeness(inks: list[Any]) -> float:
    """The least correlation of several signs with the first one; 0 if they can't be compared."""
    if len(inks) < 2 or any(ink is None for ink in inks):
        return 0
    # Thin strokes rarely fall on the same points.
    inks = [ink.reshape(SIDE // 2, 2, SIDE // 2, 2).mean(axis=(1, 3)) for ink in inks]
    # A sign may be turned with the edge on which it stands.
    return min(
        max(float(np.corrcoef(inks[0].flat, turned.flat)[0, 1]) for turned in (ink, ink.T))
        for ink in inks[1:]
    )


def _on_lines(sides: Any) -> Iterator[tuple[str, int, int, Any]]:
    """What stands on the upright inner edges of each picture, beside the ink of the lines.

    Yields:
        The direction, the row, the column and the ink from 0 to 1 on a scale of 12 x 12; None if it
        is cut off.
    """
    seen = [_seen(*side) for *side, _, _ in sides]
    # Most edges have no sign: what is on them is noise.
    strongest = np.concatenate([more.max(axis=(2, 3)).ravel() for _, more in seen])
    floor = float(np.clip(2.5 * np.median(strongest), _FAINT, INK))
    for (_, lattice, _, filled, direction), (away, more) in zip(sides, seen, strict=True):
        for row, column in np.argwhere(more.max(axis=(2, 3)) > floor).tolist():
            beside = more[row, column]
            outer = len(beside) // 2 - round(_NEAR * lattice.pitch)
            for half, cell in (beside, column), (beside[:, ::-1], column + 1):
                # What is not next to the line is a part of the symbol, not of a sign.
                clear = np.flatnonzero(half[:, :outer].max(axis=0) <= floor)
                if filled[row, cell] and len(clear):
                    half[:, : clear[-1]] = 0
            mask = beside > max(floor, 0.4 * beside.max())
            if mask.sum() >= _LEAST_POINTS:
                border = mask[[0, -1]].any() or mask[:, [0, -1]].any()
                ink = None if border else _scaled_sign(boxed(away[row, column], mask))
                yield direction, row, column, ink


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
        return distance(pixels[at, columns], ground)

    beside = [np.median(away(part, np.arange(-1, 2)), axis=2) for part in (0.2, 0.8)]
    line = np.pad(np.maximum(*beside), ((0, 0), (0, 0), (1, 1)), "edge")
    line = np.maximum(np.maximum(line[..., :-2], line[..., 2:]), line[..., 1:-1])
    middle = away(0.5, around)
    return middle, (middle - 1.25 * line[:, :, None]).clip(0)


def _on_gaps(sides: Any) -> Iterator[tuple[str, int, int, Any]]:
    """What stands on badges over the upright gaps of each picture, as `_on_lines` yields it."""
    for pixels, lattice, grounds, _, direction in sides:
        reach, near = round(_REACH * lattice.pitch), max(1, round(lattice.gap / 4))
        around, centre = np.arange(-reach, reach + 1), slice(reach - near, reach + near + 1)
        is_badge = np.hypot(*np.meshgrid(around, around)) < 0.14 * lattice.pitch
        gap = np.median(_crossings(pixels, lattice), axis=0)
        for row, column in np.ndindex(len(grounds), grounds.shape[1] - 1):
            x = round(lattice.xs[column + 1])
            y = round((lattice.ys[row] + lattice.ys[row + 1]) / 2)
            crop = pixels[y - reach : y + reach + 1, x - reach : x + reach + 1].astype(float)
            if (distance(crop[centre, centre], gap) > INK).mean() >= 0.3:
                away = distance(crop, np.median(crop[is_badge], axis=0)) * is_badge
                ink = boxed(away, away > max(INK, 0.4 * away.max()))
                yield direction, row, column, _scaled_sign(ink) if ink.any() else None


def _scaled_sign(ink: Any) -> Any:
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
