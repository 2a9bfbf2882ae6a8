"""Open a picture within bounds of memory, and read its puzzle as a record."""

from __future__ import annotations

import io
import logging
import warnings
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from binairo_cp.errors import SourceError
from binairo_cp.workers.extras import require_extra

if TYPE_CHECKING:
    from binairo_cp.formats.pictures.lattice import Lattice
    from binairo_cp.formats.pictures.signs import Signs
    from binairo_cp.formats.pictures.symbols import Cells

MAX_PIXELS = 40_000_000
"""Size limit of a picture in pixels; it is known before the picture is unpacked."""

MAX_BYTES = 32 << 20
"""Size limit of the file of a picture."""

_LONGEST = 1400
_SHORTEST = 400
_FORMATS = ("PNG", "JPEG", "WEBP")
_MOST_NAMED = 6


@dataclass(frozen=True)
class Reading:
    """What was read from a picture.

    Attributes:
        pixels: the picture: height x width x 3, int16, the longer side at most 1,400.
        lattice: where the lines of the board are.
        cells: what stands in its cells.
        signs: what stands on its edges.
    """

    pixels: Any
    lattice: Lattice
    cells: Cells
    signs: Signs

    def board(self, *, entries: bool = False) -> str:
        """The clues row by row, and the entries of the player if they are wanted."""
        values = zip(self.cells.values.flat, self.cells.given.flat, strict=True)
        return "".join(
            str(value) if value >= 0 and (given or entries) else "." for value, given in values
        )

    def record(self) -> dict[str, Any]:
        """The puzzle as a record."""
        height, width = self.cells.values.shape
        puzzle = {"height": height, "width": width, "clues": self.board()}
        return puzzle | ({"signs": self.signs.found} if self.signs.found else {})


def record(data: bytes, source: str) -> bytes:
    """The puzzle of a picture as a line of NDJSON. A note tells how the picture was understood.

    Args:
        data: the file.
        source: its name, for errors.

    Raises:
        SourceError: it is no picture of a board, or a cell or sign is unclear.
    """
    found = read(data, source)
    import orjson

    height, width = found.cells.values.shape
    entries = int((~found.cells.given).sum())
    logging.getLogger(__name__).warning(
        "binairo: %s: read a %sx%s board; 1 is %s%s%s",
        source,
        height,
        width,
        found.cells.ones,
        f"; {found.signs.note}" if found.signs.note else "",
        f"; {entries} entries of the player are left out" if entries else "",
    )
    return orjson.dumps(found.record()) + b"\n"


def read(data: bytes, source: str) -> Reading:
    """Read a picture, as `record` does."""
    with require_extra("pictures", partial(SourceError, source)):
        import numpy  # noqa: F401
        import PIL  # noqa: F401

    from binairo_cp.formats.pictures import lattice, signs, symbols

    pixels = _pixels(data, source)
    found = lattice.find(pixels)
    if found is None:
        raise SourceError(
            source,
            "shows no whole board; expected 4 to 64 rows with lines or gaps between cells",
        )
    rest, margin = pixels.copy(), found.pitch / 4
    top, left = (max(0, int(each[0] - margin)) for each in (found.ys, found.xs))
    rest[top : int(found.ys[-1] + margin), left : int(found.xs[-1] + margin)] = pixels[top, left]
    if lattice.find(rest):
        raise SourceError(source, "shows several boards; expected one, so cut the others off")
    height, width = len(found.ys) - 1, len(found.xs) - 1
    if height % 2 or width % 2:
        raise SourceError(
            source, f"shows a {height}x{width} board; expected an even number of rows and columns"
        )
    grounds = symbols.backgrounds(pixels, found)
    cells = symbols.cells(pixels, found, grounds)
    relations = signs.signs(pixels, found, grounds)
    if unsure := sorted({*cells.unsure, *relations.unsure}):
        raise SourceError(source, _unsure_message(unsure, height, width))
    if (cells.values < 0).all() and not relations.found:
        raise SourceError(source, f"shows an empty board of {height}x{width}")
    return Reading(pixels, found, cells, relations)


def _unsure_message(unsure: list[tuple[int, int]], height: int, width: int) -> str:
    names = [f"r{row + 1}c{column + 1}" for row, column in unsure[:_MOST_NAMED]]
    more = f" and {len(unsure) - _MOST_NAMED} more" if len(unsure) > _MOST_NAMED else ""
    return (
        f"shows a {height}x{width} board, but these cells or the signs right of or below them "
        f"can't be told for sure: {', '.join(names)}{more}"
    )


def _pixels(data: bytes, source: str) -> Any:
    """The pixels of a picture: height x width x 3, int16, the longer side at most 1,400."""
    import numpy as np
    from PIL import Image

    if len(data) > MAX_BYTES:
        raise SourceError(source, f"a picture of more than {MAX_BYTES >> 20} MB")
    try:
        image = _opened(data, source)
    except SourceError:
        raise
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        raise SourceError(source, f"a damaged picture: {error}") from error
    if image.mode in ("RGBA", "LA", "PA"):
        image = image.convert("RGBA")
        ground = Image.new("RGBA", image.size, "white")
        image = Image.alpha_composite(ground, image)
    image = image.convert("RGB")
    if max(image.size) < _SHORTEST:
        factor = -(-_SHORTEST // max(image.size))
        image = image.resize((factor * image.width, factor * image.height))
    return np.asarray(image, dtype=np.int16)


def _opened(data: bytes, source: str) -> Any:
    """An unpacked picture, upright and not too large, in one of few modes."""
    from PIL import Image, ImageOps

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        image: Any = Image.open(io.BytesIO(data), formats=_FORMATS)
    if image.width * image.height > MAX_PIXELS:
        raise SourceError(source, f"a picture of more than {MAX_PIXELS:,} pixels")
    if getattr(image, "n_frames", 1) > 1:
        raise SourceError(source, "an animated picture; expected a still one")
    if image.mode.startswith("I"):
        image = image.point(lambda value: value / 256).convert("L")
    elif image.mode == "1":
        image = image.convert("L")
    elif image.mode == "P":
        image = image.convert("RGBA")
    image = image.reduce(max(1, -(-max(image.size) // _LONGEST)))
    return ImageOps.exif_transpose(image)
