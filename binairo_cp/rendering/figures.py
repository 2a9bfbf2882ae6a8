"""Pictures that stand alone in a file: a board, with words above it and sentences below."""

from __future__ import annotations

from collections.abc import Sequence

from binairo_cp.rendering import wording
from binairo_cp.rendering.boards import View, draw, size_of
from binairo_cp.rendering.shapes import CELL, Picture, Text

_LEAST_SIZE = 0.36 * CELL
_PARTS = 28
"""Text is as large as this part of the picture's width, where that is more."""
_LEAST_WIDTH = 60.0
_LEADING = 1.35


def figure(view: View, head: str = "", below: Sequence[str] = ()) -> Picture:
    """A board with words.

    Args:
        view: the board.
        head: words above it.
        below: sentences below it.
    """
    width = size_of(view.board, numbered=view.marks is not None)[0]
    if head or below:
        width = max(width, _LEAST_WIDTH)
    size = max(_LEAST_SIZE, width / _PARTS / _LEADING)
    above = list(wording.wrapped(head, size, width / 1.1))
    picture = draw(view, head=len(above) * size * _LEADING)
    picture.width = width
    for number, line in enumerate(above):
        picture.shapes.append(Text(0, size + number * size * _LEADING, size, line, "start", True))
    for sentence in below:
        picture.height += 0.4 * size
        for line in wording.wrapped(sentence, size, width):
            picture.height += size * _LEADING
            picture.shapes.append(Text(0, picture.height - 0.35 * size, size, line, "start"))
    return picture
