"""Lay out the answers of a book: small solved boards on separate pages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from binairo_cp.rendering import text_layout
from binairo_cp.rendering.boards import View, draw, size_of
from binairo_cp.rendering.items import Item
from binairo_cp.rendering.pages import (
    Page,
    PageLayout,
    TypeSizes,
    content_area,
    finish_page,
    header,
    header_height,
)
from binairo_cp.rendering.shapes import CELL, Picture, PlacedPicture, Text


def answer_pages(items: list[Item], layout: PageLayout) -> Iterator[Page]:
    """Yield pages with rows of answers, as many side by side as fit."""
    sizes = layout.sizes
    area = content_area(layout, "Answers")
    caption_height, gap = 1.5 * sizes.answer, 2 * sizes.answer
    page, text_shapes, y = Page(), header(layout, "Answers"), 0.0
    for row in _rows(items, sizes, area, caption_height, gap):
        row_height = max(board.height for board in row) + caption_height
        if y and y + row_height > area[1]:
            yield finish_page(page, text_shapes, layout)
            page, text_shapes, y = Page(), header(layout, "Answers"), 0.0
        for answer in row:
            left = layout.paper.margin + answer.x
            top = layout.paper.margin + header_height(layout, "Answers") + y
            text = _caption(answer.item)
            text_shapes.append(
                Text(left, top + sizes.answer, sizes.answer, text, "start", bold=True)
            )
            page.answers.append(answer.item.number)
            picture = answer.picture(layout)
            page.placed.append(PlacedPicture(picture, left, top + caption_height, answer.scale))
        y += row_height + gap
    if page.placed:
        yield finish_page(page, text_shapes, layout)


def _caption(item: Item) -> str:
    return f"{item.number}  {item.note}" if item.note else str(item.number)


@dataclass
class _Answer:
    """An answer in a row, with its measures in points; x is the distance from the margin."""

    item: Item
    scale: float
    width: float
    height: float
    x: float = 0.0

    def picture(self, layout: PageLayout) -> Picture:
        item = self.item
        return draw(View(item.puzzle, item.solution or item.puzzle.board, layout.style.symbols))


def _rows(
    items: list[Item],
    sizes: TypeSizes,
    area: tuple[float, float],
    caption_height: float,
    min_gap: float,
) -> Iterator[list[_Answer]]:
    """Rows of answers, spread over the width; the last row has the gaps of the row above."""
    row: list[_Answer] = []
    gap = min_gap
    for item in items:
        size = size_of(item.puzzle.board)
        scale = min(
            sizes.answer_cell / CELL, area[0] / size[0], (area[1] - caption_height) / size[1]
        )
        caption_width = text_layout.text_width(_caption(item), sizes.answer)
        answer = _Answer(item, scale, max(size[0] * scale, caption_width), size[1] * scale)
        used = sum(each.width + min_gap for each in row)
        if row and used + answer.width > area[0]:
            if len(row) > 1:
                gap = (area[0] - sum(each.width for each in row)) / (len(row) - 1)
            yield _spread(row, gap)
            row = []
        row.append(answer)
    if row:
        boards_width = sum(each.width for each in row)
        fits = boards_width + gap * (len(row) - 1) <= area[0]
        yield _spread(row, gap if fits else min_gap)


def _spread(row: list[_Answer], gap: float) -> list[_Answer]:
    """Place the answers of a row from left to right, with gaps between them."""
    x = 0.0
    for answer in row:
        answer.x = x
        x += answer.width + gap
    return row
