"""Single pictures: a board, with a caption above and sentences below."""

from __future__ import annotations

from collections.abc import Sequence

from binairo_cp.rendering import text_layout
from binairo_cp.rendering.boards import View, draw, size_of
from binairo_cp.rendering.shapes import CELL, Picture, Text

_MIN_TEXT_SIZE = 0.36 * CELL
_TEXT_SIZES_PER_WIDTH = 38
"""The text of wide pictures has the size of the picture's width divided by this."""
_MIN_WIDTH = 60.0
_LEADING = 1.35


def figure(view: View, caption: str = "", sentences: Sequence[str] = ()) -> Picture:
    """Return a board with text.

    Args:
        view: the board.
        caption: the text above the board.
        sentences: the sentences below the board, each on its own lines.
    """
    width = size_of(view.board, numbered=view.is_labelled)[0]
    if caption or sentences:
        width = max(width, _MIN_WIDTH)
    size = max(_MIN_TEXT_SIZE, width / _TEXT_SIZES_PER_WIDTH)
    left, text_width, leading = 0.4 * size, width - 0.8 * size, size * _LEADING
    caption_lines = list(text_layout.wrap(caption, size, text_width))
    picture = draw(view, space_above=len(caption_lines) * leading)
    picture.width = width
    for number, line in enumerate(caption_lines):
        picture.shapes.append(Text(left, size + number * leading, size, line, "start", bold=True))
    for sentence in sentences:
        picture.height += 0.4 * size
        for line in text_layout.wrap(sentence, size, text_width):
            picture.height += leading
            picture.shapes.append(Text(left, picture.height - 0.35 * size, size, line, "start"))
    return picture
