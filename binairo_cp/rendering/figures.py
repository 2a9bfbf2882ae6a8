"""Pictures that stand alone in a file: a board, with words above it and sentences below."""

from __future__ import annotations

from collections.abc import Sequence

from binairo_cp.rendering import wording
from binairo_cp.rendering.boards import View, draw, size_of
from binairo_cp.rendering.shapes import CELL, Picture, Text

_LEAST_SIZE = 0.36 * CELL
_PARTS = 38
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
    size = max(_LEAST_SIZE, width / _PARTS)
    left, room, leading = 0.4 * size, width - 0.8 * size, size * _LEADING
    above = list(wording.wrapped(head, size, room))
    picture = draw(view, head=len(above) * leading)
    picture.width = width
    for number, line in enumerate(above):
        picture.shapes.append(Text(left, size + number * leading, size, line, "start", bold=True))
    for sentence in below:
        picture.height += 0.4 * size
        for line in wording.wrapped(sentence, size, room):
            picture.height += leading
            picture.shapes.append(Text(left, picture.height - 0.35 * size, size, line, "start"))
    return picture
