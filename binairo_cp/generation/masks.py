"""Masks: where clues must stand (``#``), may stand (``?``), and must not (``.``)."""

from __future__ import annotations

import re

from binairo_cp.errors import OptionError, SourceError

MUST, MAY, NONE = "#", "?", "."
_LINES = re.compile("([rc])([0-9]{1,3})(?:-([0-9]{1,3}))?")
_LONGEST_SHOWN = 20
_DARK, _GREY = 85, 170


def mask_of(text: str | None, empty: str | None, height: int, width: int) -> str:
    """The mask that options state, row by row; empty text without them.

    Args:
        text: Rows of ``#``, ``?`` and ``.``; None if clues may stand everywhere.
        empty: Rows and columns without clues: ``r1,c2-4``.
        height: Rows of the board.
        width: Columns of the board.

    Raises:
        OptionError: One of them can't be read, or the mask has another size.
    """
    if text is None and empty is None:
        return ""
    cells = [*_rows(text, height, width)] if text is not None else [MAY] * height * width
    for word in empty.split(",") if empty is not None else ():
        for row, column in _places(word.strip(), height, width):
            cells[row * width + column] = NONE
    return "".join(cells)


def _rows(text: str, height: int, width: int) -> str:
    rows = text.split()
    for number, row in enumerate(rows, 1):
        if wrong := re.search(f"[^{MUST}{MAY}{NONE}]", row):
            place = f"row {number}, column {wrong.start() + 1}: {wrong[0]!r}"
            raise OptionError(
                "mask", f"{place}; expected {MUST} (a clue), {MAY} (perhaps) or {NONE}"
            )
    if len(rows) != height or any(len(row) != width for row in rows):
        sizes = f"{len(rows)} rows of {', '.join(sorted({str(len(row)) for row in rows}))} cells"
        raise OptionError("mask", f"{sizes}; expected {height} rows of {width}")
    return "".join(rows)


def _places(word: str, height: int, width: int) -> list[tuple[int, int]]:
    found = _LINES.fullmatch(word)
    most = height if found and found[1] == "r" else width
    first, last = (int(found[2]), int(found[3] or found[2])) if found else (0, 0)
    if not 1 <= first <= last <= most:
        shown = word[:_LONGEST_SHOWN]
        raise OptionError(
            "empty",
            f"{shown!r}; expected rows r1 to r{height} and columns c1 to c{width}, as in r1,c2-3",
        )
    lines = range(first - 1, last)
    if found and found[1] == "r":
        return [(row, column) for row in lines for column in range(width)]
    return [(row, column) for row in range(height) for column in lines]


def read_mask(name: str, height: int, width: int) -> str:
    """The rows of a mask in a file: text, or a picture, whose black parts must have clues, whose
    grey parts may, and whose white or transparent parts must not.

    Raises:
        SourceError: The file can't be read.
    """
    try:
        with open(name, "rb") as file:
            data = file.read(1 << 24)
    except OSError as error:
        raise SourceError(name, error.strerror or str(error)) from error
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return _of_picture(name, height, width)


def _of_picture(name: str, height: int, width: int) -> str:
    # Imported here, because it is optional.
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(name) as picture:
            clear = picture.convert("RGBA")
    except (OSError, UnidentifiedImageError, Image.DecompressionBombError) as error:
        raise SourceError(name, "is neither text nor a picture that can be read") from error
    white = Image.new("RGBA", clear.size, "white")
    grey = (
        Image.alpha_composite(white, clear)
        .convert("L")
        .resize((width, height), Image.Resampling.BOX)
    )
    cells = [MUST if shade < _DARK else MAY if shade < _GREY else NONE for shade in grey.tobytes()]
    rows = ["".join(cells[k : k + width]) for k in range(0, len(cells), width)]
    return "\n".join(rows)
