"""A book: puzzles on pages, numbered, and their answers, smaller, apart from them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from binairo_cp.errors import RenderError
from binairo_cp.rendering import wording
from binairo_cp.rendering.answers import answer_pages
from binairo_cp.rendering.boards import View, draw, size_of
from binairo_cp.rendering.items import Item
from binairo_cp.rendering.pages import Page, Plan, finished, heading, numbered, room, top
from binairo_cp.rendering.paper import MM, Boxes, boxes, scale_in
from binairo_cp.rendering.shapes import CELL, Placed, Shape, Text
from binairo_cp.rendering.symbols import Symbols

_LEAST_CELL = 0.3 * MM
_GAP = 8 * MM
_LEADING = 1.3
_PER_PAGE = (12, 9, 8, 6, 4, 3, 2, 1)


def pages(items: list[Item], plan: Plan) -> Iterator[Page]:
    """The pages of a book, one by one, since all at once take much memory.

    Raises:
        RenderError: a board is too large for its place.
    """
    return numbered(_pages(items, plan), plan)


def _pages(items: list[Item], plan: Plan) -> Iterator[Page]:
    for place, chunk in enumerate(_chunks(items, plan)):
        page = _puzzle_page(chunk, plan)
        page.heading = "" if place else _words(plan) or "Puzzles"
        yield page
        if plan.answers == "back":
            yield from answer_pages(chunk, plan)
    if plan.answers == "end":
        for place, page in enumerate(answer_pages(items, plan)):
            page.heading = "" if place else "Answers"
            yield page


def _chunks(items: list[Item], plan: Plan) -> Iterator[list[Item]]:
    """The puzzles of each page; a page has puzzles of which as many fit."""
    for number, group in groupby(items, lambda item: _per_page(item, plan)):
        same = list(group)
        for start in range(0, len(same), number):
            yield same[start : start + number]


def _per_page(item: Item, plan: Plan) -> int:
    if plan.per_page:
        return plan.per_page
    content = size_of(item.puzzle.board)
    for number in _PER_PAGE:
        box = _boxes(plan, number, content)
        if scale_in(box, content, _head(plan)) * CELL >= plan.type.least:
            return number
    return 1


def _head(plan: Plan) -> float:
    """How much stands above a board: its number and words, and its name on a line of its own."""
    return 1.6 * plan.type.number + plan.ids * _LEADING * plan.type.words


def _words(plan: Plan) -> str:
    """What a page of puzzles says of itself."""
    return "Solutions" if plan.solved else ""


def _boxes(plan: Plan, number: int, content: tuple[float, float]) -> Boxes:
    return boxes(room(plan, _words(plan)), number, _GAP, content, _head(plan))


def _puzzle_page(items: list[Item], plan: Plan) -> Page:
    sizes = [size_of(item.puzzle.board) for item in items]
    largest = max(width for width, _ in sizes), max(height for _, height in sizes)
    box = _boxes(plan, plan.per_page or _per_page(items[0], plan), largest)
    page = Page(numbers=[item.number for item in items])
    words = heading(plan, _words(plan))
    for place, (item, size) in enumerate(zip(items, sizes, strict=True)):
        scale = min(scale_in(box, size, _head(plan)), plan.type.most / CELL)
        if scale * CELL < _LEAST_CELL:
            raise RenderError(
                f"puzzle {item.number} is {item.puzzle.board.height}x{item.puzzle.board.width}: "
                "its cells would be too small to see; expected a larger page, or fewer on it"
            )
        x, y = box.corner(place)
        x += plan.paper.margin + (box.width - size[0] * scale) / 2
        y += plan.paper.margin + top(plan, _words(plan))
        y += (box.height - _head(plan) - size[1] * scale) / 2
        words += _caption(item, plan, (x, y), (size[0] * scale, box.width))
        board = item.solution if plan.solved and item.solution else item.puzzle.board
        picture = draw(View(item.puzzle, board, plan.symbols))
        page.placed.append(Placed(picture, x, y + _head(plan), scale))
    return finished(page, words, plan)


def caption_words(item: Item, symbols: Symbols) -> list[str]:
    """What is said above a puzzle beside its number and its name."""
    told = (item.level or "", wording.rules_words(item.puzzle, symbols), item.note)
    return [words for words in told if words]


def _caption(
    item: Item, plan: Plan, corner: tuple[float, float], widths: tuple[float, float]
) -> list[Shape]:
    """The number on the left and the words on the right, as wide as the board or its box; the name.

    Where there is too little room the name is cut; the rules never are, but become smaller.
    """
    type = plan.type
    number = str(item.number)
    taken = wording.width(number, type.number) + type.words
    words = ", ".join(caption_words(item, plan.symbols))
    needed = wording.width(words, type.words)
    wide = min(widths[1], max(widths[0], taken + needed))
    size = type.words * min(1.0, (wide - taken) / max(needed, 1.0))
    x, y = corner[0] + (widths[0] - wide) / 2, corner[1] + type.number
    shapes: list[Shape] = [Text(x, y, type.number, number, "start", bold=True)]
    if words:
        shapes.append(Text(x + wide, y, max(size, 1.0), words, "end", ink="grey"))
    if plan.ids and item.id:
        name = wording.shortened(item.id, type.words, widths[1])
        left = x + min(0.0, (wide - wording.width(name, type.words)) / 2)
        shapes.append(Text(left, y + _LEADING * type.words, type.words, name, "start", ink="grey"))
    return shapes
