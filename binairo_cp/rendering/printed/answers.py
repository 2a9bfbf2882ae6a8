"""Answers in a grid of equal cells, each with the page of its puzzle."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

from binairo_cp.rendering import text_layout
from binairo_cp.rendering.boards import View, draw, size_of
from binairo_cp.rendering.items import Item
from binairo_cp.rendering.pages import (
    Page,
    PageLayout,
    content_area,
    finish_page,
    header,
    header_height,
)
from binairo_cp.rendering.paper import Grid, best_grid
from binairo_cp.rendering.shapes import CELL, PlacedPicture, Shape, Text

_NOTE = 0.85
"""The size of the page reference, as a fraction of the size of the number."""
_CAPTION = 2.4
_MOST_ENLARGED = 1.6
"""Small boards are drawn larger, to fill their cells of the grid, up to this factor."""
_MOST_ENLARGED_ALONE = 2.6
"""The same if all answers are on one page."""


def answer_pages(items: list[Item], layout: PageLayout) -> Iterator[Page]:
    """Yield the pages of the answers."""
    grid = _grid(items, layout)
    is_alone = len(items) <= grid.columns * grid.rows
    if is_alone:
        grid = _grid_of_one_page(items, layout)
    for chunk in _chunks(items, grid):
        page, shapes = Page(), header(layout, layout.section)
        top = header_height(layout, layout.section)
        for place, item in enumerate(chunk):
            x, y = grid.corner(place)
            shapes += _place(item, page, layout, grid, (x, y + top), is_alone=is_alone)
        yield finish_page(page, shapes, layout)


def _chunks(items: list[Item], grid: Grid) -> Iterator[list[Item]]:
    """The answers of each page: as few pages as possible, with about as many rows on each."""
    rows = [items[start : start + grid.columns] for start in range(0, len(items), grid.columns)]
    pages = ceil(len(rows) / grid.rows)
    for page in range(pages):
        first, end = ceil(page * len(rows) / pages), ceil((page + 1) * len(rows) / pages)
        yield [item for row in rows[first:end] for item in row]


def _largest(items: list[Item]) -> tuple[float, float]:
    boards = [size_of(item.puzzle.board) for item in items]
    return max(width for width, _ in boards), max(height for _, height in boards)


def _grid_of_one_page(items: list[Item], layout: PageLayout) -> Grid:
    """Equal cells that make the boards as large as possible."""
    sizes = layout.sizes
    area = content_area(layout, layout.section)
    gap, caption = 1.6 * sizes.answer, _CAPTION * sizes.answer
    return best_grid(area, len(items), gap, _largest(items), caption)


def _grid(items: list[Item], layout: PageLayout) -> Grid:
    """Equal cells for the largest board and the widest caption."""
    sizes = layout.sizes
    area = content_area(layout, layout.section)
    board = _largest(items)
    notes = (layout.puzzle_places.get(item.number, "") for item in items)
    caption = max(text_layout.text_width(note, _NOTE * sizes.answer) for note in notes)
    scale, gap = sizes.answer_cell / CELL, 1.6 * sizes.answer
    width = min(area[0], max(caption, board[0] * scale))
    height = board[1] * scale + _CAPTION * sizes.answer
    columns = max(1, int((area[0] + gap) / (width + gap)))
    rows = max(1, int((area[1] + gap) / (height + gap)))
    box = (area[0] - gap * (columns - 1)) / columns, (area[1] - gap * (rows - 1)) / rows
    return Grid(columns, rows, *box, gap)


def _place(
    item: Item,
    page: Page,
    layout: PageLayout,
    grid: Grid,
    corner: tuple[float, float],
    *,
    is_alone: bool,
) -> list[Shape]:
    """Place an answer in its cell, and return its caption."""
    sizes, (x, y) = layout.sizes, corner
    size = size_of(item.puzzle.board)
    caption = _CAPTION * sizes.answer
    scale = min(
        grid.width / size[0],
        (grid.height - caption) / size[1],
        (_MOST_ENLARGED_ALONE if is_alone else _MOST_ENLARGED) * sizes.answer_cell / CELL,
    )
    board = item.solution or item.puzzle.board
    picture = draw(View(item.puzzle, board, layout.style.symbols))
    page.placed.append(PlacedPicture(picture, x, y + caption, scale))
    page.answers.append(item.number)
    return [
        Text(x, y + sizes.answer, sizes.answer, str(item.number), "start", bold=True),
        Text(
            x,
            y + 2.05 * sizes.answer,
            _NOTE * sizes.answer,
            layout.puzzle_places.get(item.number, ""),
            "start",
            ink="grey",
        ),
    ]
