"""The order of the puzzles in a printed book, its sections, and the pages of each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from math import ceil
from typing import Literal

from binairo_cp.deduction.grading import Grade
from binairo_cp.deduction.techniques import LEVELS
from binairo_cp.rendering import text_layout
from binairo_cp.rendering.boards import View, draw, size_of
from binairo_cp.rendering.book import comfortable_number
from binairo_cp.rendering.items import Item
from binairo_cp.rendering.pages import (
    BookPage,
    Grid,
    PageLayout,
    best_grid,
    content_area,
    finish_page,
    header,
    header_height,
)
from binairo_cp.rendering.shapes import CELL, PlacedPicture, Shape, Text

Order = Literal["strict", "flexible"]

_NOTE = 0.85
"""The size of the page reference, as a fraction of the size of the number."""
_CAPTION = 2.4
_MOST_ENLARGED = 1.6
"""Small boards are drawn larger, to fill their cells of the grid, up to this factor."""
_MOST_ENLARGED_ALONE = 2.6
"""The same if all answers are on one page."""


@dataclass(frozen=True, slots=True)
class GradedItem:
    """A puzzle to print, with its grade."""

    item: Item
    grade: Grade


@dataclass(frozen=True, slots=True)
class Section:
    """The puzzles of one level, in the order of the book."""

    level: str
    items: list[Item]


def sections(puzzles: list[GradedItem], order: Order) -> Iterator[tuple[str, list[GradedItem]]]:
    """Yield the puzzles of each level, the easiest first.

    Args:
        puzzles: the puzzles.
        order: within a level, by score (``strict``), or by size and then by score (``flexible``).
    """

    def place(each: GradedItem) -> tuple[int, int, float, str]:
        cells = len(each.item.puzzle.board.cells) if order == "flexible" else 0
        return LEVELS.index(each.grade.level), cells, each.grade.score, each.item.id

    for level, group in groupby(sorted(puzzles, key=place), lambda each: each.grade.level):
        yield level, list(group)


def chunks(items: list[Item], layout: PageLayout) -> list[list[Item]]:
    """The puzzles of each page, in order.

    Boards of different sizes share a page if each of them allows so many. Two pages of one size
    share their puzzles evenly if the second would be less than half as full as the first.
    """
    pages: list[list[Item]] = []
    room = 0
    for item in items:
        number = layout.per_page or comfortable_number(item, layout)
        room = min(room, number)
        if not pages or len(pages[-1]) >= room:
            pages.append([])
            room = number
        pages[-1].append(item)
    for k in range(1, len(pages)):
        both = [*pages[k - 1], *pages[k]]
        if 2 * len(pages[k]) < len(pages[k - 1]) and are_alike(both):
            half = ceil(len(both) / 2)
            pages[k - 1 : k + 1] = [both[:half], both[half:]]
    return pages


def are_alike(items: list[Item]) -> bool:
    """Whether all boards have the same size."""
    return len({(item.puzzle.board.height, item.puzzle.board.width) for item in items}) == 1


def answer_pages(items: list[Item], layout: PageLayout) -> Iterator[BookPage]:
    """Yield the pages of the answers."""
    grid = _grid(items, layout)
    is_alone = len(items) <= grid.columns * grid.rows
    if is_alone:
        grid = _grid_of_one_page(items, layout)
    for chunk in _chunks(items, grid):
        page, shapes = BookPage(), header(layout, layout.section)
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
    page: BookPage,
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
