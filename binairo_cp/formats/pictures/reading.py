"""Open a picture within bounds of memory, and read its puzzles as records."""

from __future__ import annotations

import io
import logging
import math
import warnings
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from PIL import Image, ImageOps, UnidentifiedImageError

from binairo_cp.errors import SourceError, UnsureError
from binairo_cp.formats.pictures import lattice, symbols
from binairo_cp.formats.pictures.lattice import Lattice
from binairo_cp.formats.pictures.symbols import SeenCells, Signs
from binairo_cp.formats.unpacking import HEIC
from binairo_cp.json_library import orjson

MAX_PIXELS = 40_000_000
"""Size limit of a picture in pixels; it is known before the picture is unpacked."""

MAX_BYTES = 32 << 20
"""Size limit of the file of a picture."""

MAX_BOARDS = 12
"""So many boards in a picture are read."""

_KEPT_PIXELS = 9_000_000
"""Larger pictures than a screen of 3,840 x 2,160 are reduced."""

_MOST_PIXELS = 2_200_000
"""So many pixels are searched for boards, about those of a screen."""

_SHORTEST = 400
_PITCH = 100
"""The side of a cell in pixels when its symbol and its signs are told apart."""

_LEAST_CONTRAST = 180
"""The least difference between bright and dark."""

_LEAST_DRIFT, _MOST_DRIFT = 0.02, 0.12
"""How far the lines of photos go to the side at least, and those of any board at most, in cells."""

_LONGEST = 1800
"""The longest side of a board when its symbols and signs are told apart."""

_NO_BOARD = (
    "shows no whole board; expected 4 to 64 rows with lines or gaps between cells. "
    "Paste the text of a terminal instead of its picture"
)
_FORMATS = ("PNG", "JPEG", "WEBP")
_MOST_NAMED = 6


@dataclass(frozen=True)
class Reading:
    """What was read from a board in a picture.

    Attributes:
        pixels: the picture: height x width x 3, int16, reduced if it is large.
        lattice: where the lines of the board are.
        corners: those of the board in a photo that was straightened, as parts of its width and
            height, clockwise from the left top one.
        drift: how far its lines lean, as in `lattice.drift`.
    """

    pixels: Any
    lattice: Lattice
    cells: SeenCells
    signs: Signs
    corners: Any = None
    drift: float = 0

    def board(self, *, entries: bool = False) -> str:
        """The clues row by row, and the entries of the player if they are wanted."""
        values = zip(self.cells.values.flat, self.cells.given.flat, strict=True)
        return "".join(
            str(value) if value >= 0 and (given or entries) else "." for value, given in values
        )

    @property
    def unsure(self) -> list[tuple[int, int]]:
        """The cells that are unclear, and those left of or above an unclear sign."""
        return sorted({*self.cells.unsure, *(sign[:2] for sign in self.signs.unsure)})

    def picture(self) -> dict[str, Any]:
        """What was read, as `schema.PictureRecord`."""
        cells, (tall, wide) = self.cells, self.pixels.shape[:2]
        height, width = cells.values.shape
        angled = {} if self.corners is None else {"corners": self.corners.round(4).tolist()}
        ends = np.transpose([self.lattice.xs[[0, -1]] / wide, self.lattice.ys[[0, -1]] / tall])
        ends = ends if self.corners is None else self.corners
        return {
            "height": height,
            "width": width,
            "board": self.board(entries=True),
            "entries": np.argwhere(~cells.given).tolist(),
            "confidence": [round(float(number), 2) for number in cells.confidence.flat],
            "unsure": cells.unsure,
            "signs": self.signs.found,
            "sign_confidence": [round(number, 2) for number in self.signs.confidence],
            "unsure_signs": self.signs.unsure,
            "symbols": {str(value): asdict(symbol) for value, symbol in cells.symbols.items()},
            "one": cells.ones,
            "note": self.signs.note,
            "box": [*ends.min(axis=0).round(4).tolist(), *ends.max(axis=0).round(4).tolist()],
            **angled,
        }

    def record(self) -> dict[str, Any]:
        """The puzzle as a record; if something is unclear, the error that says so."""
        height, width = self.cells.values.shape
        found: dict[str, Any] = {"height": height, "width": width, "clues": self.board()}
        if self.unsure:
            found = _invalid(UnsureError.kind, _unsure_message(self.unsure, height, width))
        elif self.signs.found:
            found["signs"] = self.signs.found
        return found | {"picture": self.picture()}

    def __str__(self) -> str:
        height, width = self.cells.values.shape
        entries = int((~self.cells.given).sum())
        parts = [f"read a board of {height}x{width}", f"1 is {self.cells.ones}", self.signs.note]
        if self.corners is not None:
            parts.append("it is a photo: one board is read, and all are taken for clues")
        parts.append(f"{entries} entries of the player are left out" if entries else "")
        return "; ".join(filter(None, parts))


def _invalid(kind: str, message: str) -> dict[str, Any]:
    return {"verdict": "invalid", "error": {"kind": kind, "message": message}}


def lines(data: bytes, source: str, *, notes: bool = False) -> bytes:
    """The puzzles of a picture as lines of NDJSON. What is unclear is the record of an error.

    Args:
        data: the file.
        source: its name, for errors.
        notes: whether notes tell how the boards were understood.

    Raises:
        SourceError: it is no picture of a board.
    """
    records = []
    for found in read(data, source):
        if isinstance(found, SourceError):
            records.append(_invalid(found.kind, found.without_place))
            continue
        if notes and not found.unsure:
            logging.getLogger(__name__).warning("binairo: %s: %s", source, found)
        records.append(found.record())
    return b"".join(orjson.dumps(record) + b"\n" for record in records)


def read(data: bytes, source: str) -> list[Reading | SourceError]:
    """Read the boards of a picture, from top to bottom.

    Returns:
        What was read; the error of a board that can't be read if there are others.

    Raises:
        SourceError: it is no picture of a board.
    """
    image = _image(data, source)
    boards = _boards(_enlarged(image, _SHORTEST), source)
    if not any(map(_is_sure, boards)) and max(image.size) < 2 * _SHORTEST:
        # Other lines are clear in a larger picture. Nothing that was seen is dropped.
        with suppress(SourceError):
            again = _boards(_enlarged(image, 2 * _SHORTEST), source)
            if again and all(map(_is_sure, again)) and _size(again) >= _size(boards):
                boards = again
    boards = boards or [SourceError(source, _NO_BOARD)]
    if len(boards) == 1 and isinstance(boards[0], SourceError):
        raise boards[0]
    return boards


def _is_sure(board: Reading | SourceError) -> bool:
    return isinstance(board, Reading) and not board.unsure


def _size(boards: list[Reading | SourceError]) -> int:
    return sum(board.cells.values.size for board in boards if isinstance(board, Reading))


def _enlarged(image: Any, shortest: int) -> Any:
    factor = -(-shortest // max(image.size))
    return image.resize((factor * image.width, factor * image.height))


def _boards(image: Any, source: str) -> list[Reading | SourceError]:
    """The boards of a picture, or the one of a photo."""
    pixels = _reduced(image)
    boards = [_read(image, pixels, board, source) for board in _lattices(pixels, source)]
    readings = [board for board in boards if isinstance(board, Reading)]
    # Straightening would not make a board clearer that is no photo.
    if not any(not board.unsure or board.drift < _LEAST_DRIFT for board in readings):
        board = _photographed(pixels, source)
        if board and (not readings or _is_sure(board)):
            boards = [board]
    return boards


def _photographed(pixels: Any, source: str) -> Reading | SourceError | None:
    """The board of a photo that is turned or taken at an angle; None if there is none."""
    corners = lattice.corners_of(pixels)
    if corners is None:
        return None
    straight = lattice.from_above(pixels, corners)
    upright, level = lattice.edges_of(straight)
    found = lattice.find_among(upright, level)
    if not found:
        # The most that there may be, whatever their heights and widths.
        scales = level.scales, upright.scales
        rows, columns = (len(scale[0][0]) - 1 if scale else 1 for scale in scales)
        if rows != columns and rows % 2 == columns % 2 == 0:
            straight = lattice.from_above(pixels, corners, rows / columns)
            found = lattice.find_among(*lattice.edges_of(straight))
    image = lattice.as_image(straight)
    board = _read(image, straight, found, source, in_even_light=False) if found else None
    if isinstance(board, Reading):
        return replace(board, corners=corners / pixels.shape[1::-1])
    return board


def _lattices(pixels: Any, source: str) -> list[Lattice]:
    """Where the boards are, from top to bottom, and from left to right side by side."""
    found: list[Lattice] = []
    upright, level = lattice.edges_of(pixels)
    while one := lattice.find_among(upright, level):
        if len(found) == MAX_BOARDS:
            raise SourceError(source, f"shows more than {MAX_BOARDS} boards")
        found.append(one)
        margin = one.pitch / 4
        tall, wide = (
            slice(max(0, int(edges[0] - margin)), int(edges[-1] + margin))
            for edges in (one.ys, one.xs)
        )
        upright, level = upright.without(tall, wide), level.without(wide, tall)

    def place(one: Lattice) -> tuple[float, float]:
        """Boards side by side begin within a cell."""
        tops = [other.ys[0] for other in found if other.ys[0] > one.ys[0] - other.pitch]
        return min(tops), one.xs[0]

    return sorted(found, key=place)


def _read(
    image: Any, pixels: Any, found: Lattice, source: str, *, in_even_light: bool = True
) -> Reading | SourceError:
    height, width = len(found.ys) - 1, len(found.xs) - 1
    if height % 2 or width % 2:
        message = f"shows a board of {height}x{width}"
        return SourceError(source, f"{message}; expected an even number of rows and columns")
    near, found_near = _close_up(image, found, image.width / pixels.shape[1])
    drift = lattice.drift(near, found_near)
    if drift > _MOST_DRIFT:
        return SourceError(source, "shows a board that is turned; expected upright lines")
    grounds = symbols.backgrounds(near, found_near)
    if found.gap and not symbols.are_tiles(near, found_near, grounds):
        return SourceError(source, _NO_BOARD)
    cells = symbols.cells(near, found_near, grounds, tells_entries=in_even_light)
    signs = symbols.signs(near, found_near, grounds, cells.values >= 0)
    reading = Reading(pixels, found, cells, signs, drift=drift)
    if not reading.unsure and (reading.cells.values < 0).all() and not reading.signs.found:
        return SourceError(source, f"shows an empty board of {height}x{width}")
    return reading


def _close_up(image: Any, found: Lattice, factor: float) -> tuple[Any, Lattice]:
    """A board with cells of one size, from the whole picture, and where its lines are there."""
    xs, ys = ((edges + 0.5) * factor for edges in (found.xs, found.ys))
    margin = found.pitch * factor / 2
    left, top = max(0, xs[0] - margin), max(0, ys[0] - margin)
    right, bottom = min(image.width, xs[-1] + margin), min(image.height, ys[-1] + margin)
    scale = min(_PITCH / (found.pitch * factor), _LONGEST / max(right - left, bottom - top))
    size = round(scale * (right - left)), round(scale * (bottom - top))
    seen = image.resize(size, Image.Resampling.BICUBIC, (left, top, right, bottom), 1.5)
    near = lattice.Lattice(
        (xs - left) * scale - 0.5, (ys - top) * scale - 0.5, found.gap * factor * scale
    )
    return _stretched(np.asarray(seen, np.int16)), near


def _stretched(pixels: Any) -> Any:
    """Pixels with more contrast if they have little."""
    low, high = np.quantile(pixels[::4, ::4], (0.002, 0.998))
    if not 0 < high - low < _LEAST_CONTRAST:
        return pixels
    return ((pixels - high) * _LEAST_CONTRAST / (high - low) + high).clip(0, 255).astype(np.int16)


def _unsure_message(unsure: list[tuple[int, int]], height: int, width: int) -> str:
    names = [f"r{row + 1}c{column + 1}" for row, column in unsure[:_MOST_NAMED]]
    more = f" and {len(unsure) - _MOST_NAMED} more" if len(unsure) > _MOST_NAMED else ""
    return (
        f"shows a board of {height}x{width}, but these cells or the signs right of or below them "
        f"can't be told for sure: {', '.join(names)}{more}"
    )


def _image(data: bytes, source: str) -> Any:
    """A picture without transparency, in three colours."""
    if len(data) > MAX_BYTES:
        raise SourceError(source, f"a picture of more than {MAX_BYTES >> 20} MB")
    try:
        image = _opened(data, source)
    except SourceError:
        raise
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        # Pillow's own message on an unknown format names an object of the program.
        why = "" if isinstance(error, UnidentifiedImageError) else f": {error}"
        raise SourceError(source, f"a damaged picture{why}") from error
    if image.has_transparency_data:
        ground = Image.new("RGBA", image.size, "white")
        image = Image.alpha_composite(ground, image.convert("RGBA"))
    return image.convert("RGB")


def _reduced(image: Any) -> Any:
    """The pixels of a picture: height x width x 3, int16, not many more than those of a screen."""
    scale = math.sqrt(_MOST_PIXELS / (image.width * image.height))
    if scale < 1:
        size = round(scale * image.width), round(scale * image.height)
        image = image.resize(size, Image.Resampling.BOX, reducing_gap=1.5)
    return _stretched(np.asarray(image, np.int16))


def _opened(data: bytes, source: str) -> Any:
    """An unpacked picture, upright and not too large, in one of few modes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        formats = _heic(source) if data[4:12] in HEIC else _FORMATS
        image: Any = Image.open(io.BytesIO(data), formats=formats)
    if image.width * image.height > MAX_PIXELS:
        raise SourceError(source, f"a picture of more than {MAX_PIXELS:,} pixels")
    if getattr(image, "n_frames", 1) > 1:
        raise SourceError(source, "an animated picture; expected a still one")
    if image.mode.startswith("I"):
        image = image.point(lambda value: value / 256).convert("L")
    elif image.mode in ("1", "P"):
        image = image.convert("RGBA")
    image = image.reduce(math.ceil(math.sqrt(image.width * image.height / _KEPT_PIXELS)))
    return ImageOps.exif_transpose(image)


def _heic(source: str) -> tuple[str, ...]:
    """The name of HEIC for Pillow, which learns to open it if its package is installed."""
    try:
        import pillow_heif
    except ImportError as error:
        hint = "pip install pillow-heif, or save the picture as PNG or JPEG"
        raise SourceError(source, f"a HEIC picture, which needs pillow-heif: {hint}") from error
    pillow_heif.register_heif_opener()
    return ("HEIF",)
