"""Draw values over the picture that a puzzle was read from, with the symbols of the picture."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from binairo_cp.formats.pictures.reading import Reading
from binairo_cp.formats.pictures.symbols import INK
from binairo_cp.puzzle.board import OPEN, Cell

_OPACITY = 0.75
_FILLED, _REASON, _UNSURE = (0, 140, 60), (200, 120, 0), (200, 20, 20)


def drawn(
    reading: Reading,
    values: Mapping[Cell, str],
    *,
    reason: Iterable[Cell] = (),
    framed: bool = False,
    on: Any = None,
) -> Any:
    """A picture with values in some cells of a board.

    Args:
        reading: the picture and what was read from it.
        values: the values to write.
        reason: cells to frame, since the values follow from them.
        framed: whether the cells with values are framed too.
        on: the picture to draw on: height x width x 3, uint8; None for the one that was read.

    Returns:
        height x width x 3, uint8.
    """
    pixels = (reading.pixels if on is None else on).astype(np.uint8)
    examples = {value: _example(reading, int(value)) for value in "01"}
    for cell, value in values.items():
        box = _box(reading, pixels, cell)
        box[...] = _written(box, examples[value], value)
    image = Image.fromarray(pixels)
    frames = [(cell, _REASON) for cell in reason]
    frames += [(cell, _FILLED) for cell in values if framed]
    _draw_frames(image, reading, frames)
    return np.asarray(image)


def marked(readings: Iterable[Reading]) -> Any:
    """The picture of some boards with what was read: green, or red with a frame if it is unsure."""
    image = None
    for reading in readings:
        image = image or Image.fromarray(reading.pixels.astype(np.uint8))
        _draw_frames(image, reading, [(Cell(*at), _UNSURE) for at in reading.cells.unsure])
        draw, pitch = ImageDraw.Draw(image), reading.lattice.pitch
        font = ImageFont.load_default(max(10, pitch / 4))
        unsure = {*reading.cells.unsure}
        for number, value in enumerate(reading.board(entries=True)):
            at = Cell(*divmod(number, reading.cells.values.shape[1]))
            if value != OPEN or at in unsure:
                left, top, _, _ = _edges(reading, at)
                text = "?" if value == OPEN else value if reading.cells.given[at] else f"({value})"
                _tag(draw, (left, top), text, font, _UNSURE if at in unsure else _FILLED)
        signs = [*reading.signs.found, *((*at, "?") for at in reading.signs.unsure)]
        for row, column, direction, sign in signs:
            x = reading.lattice.xs[column] + pitch * (1 if direction == "R" else 0.5)
            y = reading.lattice.ys[row] + pitch * (1 if direction == "D" else 0.5)
            _tag(draw, (x, y), sign, font, _UNSURE if sign == "?" else _FILLED)
    return np.asarray(image)


def png(pixels: Any) -> bytes:
    """A picture of height x width x 3, uint8, as PNG."""
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "PNG")
    return file.getvalue()


def _tag(draw: Any, at: tuple[float, float], text: str, font: Any, colour: Any) -> None:
    box = draw.textbbox(at, text, font)
    draw.rectangle((box[0] - 2, box[1] - 2, box[2] + 2, box[3] + 2), fill=colour)
    draw.text(at, text, "white", font)


def _draw_frames(image: Any, reading: Reading, frames: Iterable[tuple[Cell, Any]]) -> None:
    draw, width = ImageDraw.Draw(image), max(2, round(reading.lattice.pitch / 20))
    for cell, colour in frames:
        left, top, right, bottom = _edges(reading, cell)
        draw.rectangle((left, top, right - 1, bottom - 1), outline=colour, width=width)


def _edges(reading: Reading, cell: Cell) -> tuple[int, int, int, int]:
    """The left, top, right and bottom of a cell inside its lines; all cells are of one size."""
    lattice, (row, column) = reading.lattice, cell
    inset = lattice.gap / 2 + 0.04 * lattice.pitch
    side = int(lattice.pitch - 2 * inset)
    left, top = round(lattice.xs[column] + inset), round(lattice.ys[row] + inset)
    return left, top, left + side, top + side


def _box(reading: Reading, pixels: Any, cell: Cell) -> Any:
    left, top, right, bottom = _edges(reading, cell)
    return pixels[top:bottom, left:right]


def _example(reading: Reading, value: int) -> Any:
    """A cell of the picture with this value, if possible a clue; None if there is none."""
    cells = reading.cells
    places = [Cell(*map(int, at)) for at in np.argwhere(cells.values == value)]
    if not places:
        return None
    return _box(reading, reading.pixels, max(places, key=lambda at: cells.given[at])).astype(float)


def _written(box: Any, example: Any, value: str) -> Any:
    """A cell with a symbol: that of the example, else a circle, which is filled for 1."""
    if example is None:
        image = Image.fromarray(box)
        height, width = box.shape[:2]
        circle = (0.28 * width, 0.28 * height, 0.72 * width, 0.72 * height)
        ink = "black" if box.mean() > 128 else "white"
        draw = ImageDraw.Draw(image)
        draw.ellipse(
            circle, fill=ink if value == "1" else None, outline=ink, width=max(2, width // 16)
        )
        return np.asarray(image)
    inner = slice(len(box) // 6, -(len(box) // 6))
    result = box.astype(float)
    symbol = example[inner, inner]
    ground = np.median(np.concatenate([example[len(box) // 8], example[-len(box) // 8]]), axis=0)
    away = np.abs(symbol - ground).max(axis=2, keepdims=True)
    opacity = _OPACITY * (away / max(40.0, 0.35 * away.max())).clip(0, 1)
    if np.abs(ground - np.median(result, axis=(0, 1))).max() > 2 * INK:
        # Tiles with a symbol have a colour of their own.
        opacity = np.full_like(away, _OPACITY)
    result[inner, inner] += opacity * (symbol - result[inner, inner])
    return result.round().astype(np.uint8)
