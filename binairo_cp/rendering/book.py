"""Lay out books: numbered puzzles on pages, and small solved boards as answers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from binairo_cp.deduction.styles import Symbols
from binairo_cp.errors import RenderError
from binairo_cp.rendering import text_layout
from binairo_cp.rendering.boards import View, draw, size_of
from binairo_cp.rendering.items import Item
from binairo_cp.rendering.pages import (
    MM,
    BookPage,
    Grid,
    PageLayout,
    TypeSizes,
    best_grid,
    content_area,
    finish_page,
    header,
    header_height,
    number_pages,
    scale_in,
)
from binairo_cp.rendering.shapes import CELL, Picture, PlacedPicture, Shape, Text

_MIN_CELL = 0.3 * MM
_GAP = 8 * MM
_LEADING = 1.3
_PER_PAGE = (12, 9, 8, 6, 4, 3, 2, 1)


def pages(items: list[Item], layout: PageLayout) -> Iterator[BookPage]:
    """Yield the pages of a book. All pages at once would take much memory.

    Raises:
        RenderError: a board does not fit its place on the page.
    """
    return number_pages(_pages(items, layout), layout)


def _pages(items: list[Item], layout: PageLayout) -> Iterator[BookPage]:
    for place, chunk in enumerate(_chunks(items, layout)):
        page = puzzle_page(chunk, layout, layout.per_page or comfortable_number(chunk[0], layout))
        page.heading = "" if place else _header_text(layout) or "Puzzles"
        yield page
        if layout.answers == "back":
            yield from answer_pages(chunk, layout)
    if layout.answers == "end":
        for place, page in enumerate(answer_pages(items, layout)):
            page.heading = "" if place else "Answers"
            yield page


def _chunks(items: list[Item], layout: PageLayout) -> Iterator[list[Item]]:
    """The puzzles of each page; puzzles share a page if the same number of each fits on one."""
    for number, group in groupby(items, lambda item: comfortable_number(item, layout)):
        puzzles = list(group)
        for start in range(0, len(puzzles), number):
            yield puzzles[start : start + number]


def comfortable_number(item: Item, layout: PageLayout) -> int:
    """How many puzzles like this one share a page: as many as fit with cells that are not small."""
    if layout.per_page:
        return layout.per_page
    content = size_of(item.puzzle.board)
    for number in _PER_PAGE:
        grid = _grid_of(layout, number, content)
        if scale_in(grid, content, _caption_height(layout)) * CELL >= layout.sizes.min_cell:
            return number
    return 1


def _caption_height(layout: PageLayout) -> float:
    """The height of the caption: a line with the number and a description, and one for the name."""
    return 1.6 * layout.sizes.number + layout.ids * _LEADING * layout.sizes.caption


def _header_text(layout: PageLayout) -> str:
    """The text on the right of the page header."""
    return layout.section or ("Solutions" if layout.solved else "")


def _grid_of(layout: PageLayout, number: int, content: tuple[float, float]) -> Grid:
    return best_grid(
        content_area(layout, _header_text(layout)), number, _GAP, content, _caption_height(layout)
    )


def puzzle_page(items: list[Item], layout: PageLayout, boxes: int) -> BookPage:
    """Return a page of puzzles.

    Raises:
        RenderError: a board does not fit its box.
    """
    board_sizes = [size_of(item.puzzle.board) for item in items]
    largest = max(width for width, _ in board_sizes), max(height for _, height in board_sizes)
    grid = _grid_of(layout, boxes, largest)
    page = BookPage(numbers=[item.number for item in items])
    text_shapes = header(layout, _header_text(layout))
    for place, (item, size) in enumerate(zip(items, board_sizes, strict=True)):
        scale = min(scale_in(grid, size, _caption_height(layout)), layout.sizes.max_cell / CELL)
        if scale * CELL < _MIN_CELL:
            raise RenderError(
                f"puzzle {item.number} is {item.puzzle.board.height}x{item.puzzle.board.width}: "
                "its cells would be too small to see; expected a larger page, or fewer on it"
            )
        x, y = grid.corner(place)
        x += layout.paper.margin + (grid.width - size[0] * scale) / 2
        y += layout.paper.margin + header_height(layout, _header_text(layout))
        y += (grid.height - _caption_height(layout) - size[1] * scale) / 2
        text_shapes += _caption(item, layout, (x, y), (size[0] * scale, grid.width))
        board = item.solution if layout.solved and item.solution else item.puzzle.board
        picture = draw(View(item.puzzle, board, layout.style.symbols))
        page.placed.append(PlacedPicture(picture, x, y + _caption_height(layout), scale))
    return finish_page(page, text_shapes, layout)


def caption_words(item: Item, symbols: Symbols, *, names_rules: bool = True) -> list[str]:
    """Return the parts of a puzzle's caption: its grade, its unusual rules, its note."""
    rules = text_layout.rules_caption(item.puzzle, symbols) if names_rules else ""
    parts = (item.level or "", rules, item.note)
    return [part for part in parts if part]


def _caption(
    item: Item, layout: PageLayout, corner: tuple[float, float], widths: tuple[float, float]
) -> list[Shape]:
    """The caption of a puzzle: number on the left, description on the right, name below.

    The caption is as wide as the board, or up to the box if the text needs it. A name that is too
    long is cut. A description is printed smaller instead, because it may contain rules.
    """
    sizes = layout.sizes
    number = str(item.number)
    number_width = text_layout.text_width(number, sizes.number) + sizes.caption
    words = caption_words(item, layout.style.symbols, names_rules=layout.names_rules)
    if place := layout.answer_places.get(item.number):
        words.append(place)
    text = " \u00b7 ".join(words)
    text_width = text_layout.text_width(text, sizes.caption)
    width = min(widths[1], max(widths[0], number_width + text_width))
    size = sizes.caption * min(1.0, (width - number_width) / max(text_width, 1.0))
    x, y = corner[0] + (widths[0] - width) / 2, corner[1] + sizes.number
    shapes: list[Shape] = [Text(x, y, sizes.number, number, "start", bold=True)]
    if text:
        shapes.append(Text(x + width, y, max(size, 1.0), text, "end", ink="grey"))
    if layout.ids and item.id:
        name = text_layout.shorten(item.id, sizes.caption, widths[1])
        left = x + min(0.0, (width - text_layout.text_width(name, sizes.caption)) / 2)
        y += _LEADING * sizes.caption
        shapes.append(Text(left, y, sizes.caption, name, "start", ink="grey"))
    return shapes


def answer_pages(items: list[Item], layout: PageLayout) -> Iterator[BookPage]:
    """Yield pages with rows of answers, as many side by side as fit."""
    sizes = layout.sizes
    area = content_area(layout, "Answers")
    caption_height, gap = 1.5 * sizes.answer, 2 * sizes.answer
    page, text_shapes, y = BookPage(), header(layout, "Answers"), 0.0
    for row in _rows(items, sizes, area, caption_height, gap):
        row_height = max(board.height for board in row) + caption_height
        if y and y + row_height > area[1]:
            yield finish_page(page, text_shapes, layout)
            page, text_shapes, y = BookPage(), header(layout, "Answers"), 0.0
        for answer in row:
            left = layout.paper.margin + answer.x
            top = layout.paper.margin + header_height(layout, "Answers") + y
            text = _answer_caption(answer.item)
            text_shapes.append(
                Text(left, top + sizes.answer, sizes.answer, text, "start", bold=True)
            )
            page.answers.append(answer.item.number)
            picture = answer.picture(layout)
            page.placed.append(PlacedPicture(picture, left, top + caption_height, answer.scale))
        y += row_height + gap
    if page.placed:
        yield finish_page(page, text_shapes, layout)


def _answer_caption(item: Item) -> str:
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
        caption_width = text_layout.text_width(_answer_caption(item), sizes.answer)
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
