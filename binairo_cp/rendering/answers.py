"""Answers: solved boards, smaller than the puzzles, on pages of their own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from binairo_cp.rendering import wording
from binairo_cp.rendering.boards import View, draw, size_of
from binairo_cp.rendering.items import Item
from binairo_cp.rendering.pages import Page, Plan, Type, finished, heading, room, top
from binairo_cp.rendering.shapes import CELL, Picture, Placed, Text


def answer_pages(items: list[Item], plan: Plan) -> Iterator[Page]:
    """Answers in shelves: as many side by side as fit, then the next ones below."""
    type = plan.type
    space = room(plan, "Answers")
    head, gap = 1.5 * type.answer, 2 * type.answer
    page, words, y = Page(), heading(plan, "Answers"), 0.0
    for shelf in _shelves(items, type, space, head, gap):
        tallest = max(board.height for board in shelf) + head
        if y and y + tallest > space[1]:
            yield finished(page, words, plan)
            page, words, y = Page(), heading(plan, "Answers"), 0.0
        for answer in shelf:
            left = plan.paper.margin + answer.x
            upper = plan.paper.margin + top(plan, "Answers") + y
            shown = _answer_words(answer.item)
            words.append(Text(left, upper + type.answer, type.answer, shown, "start", bold=True))
            page.answers.append(answer.item.number)
            page.placed.append(Placed(answer.picture(plan), left, upper + head, answer.scale))
        y += tallest + gap
    if page.placed:
        yield finished(page, words, plan)


def _answer_words(item: Item) -> str:
    return f"{item.number}  {item.note}" if item.note else str(item.number)


@dataclass
class _Answer:
    """An answer on a shelf, in points; x is from the margin."""

    item: Item
    scale: float
    width: float
    height: float
    x: float = 0.0

    def picture(self, plan: Plan) -> Picture:
        item = self.item
        return draw(View(item.puzzle, item.solution or item.puzzle.board, plan.symbols))


def _shelves(
    items: list[Item], type: Type, space: tuple[float, float], head: float, gap: float
) -> Iterator[list[_Answer]]:
    """Answers side by side; those of a full shelf spread over the width, the last one likewise."""
    shelf: list[_Answer] = []
    spread = gap
    for item in items:
        size = size_of(item.puzzle.board)
        scale = min(type.answer_cell / CELL, space[0] / size[0], (space[1] - head) / size[1])
        head_width = wording.width(_answer_words(item), type.answer)
        answer = _Answer(item, scale, max(size[0] * scale, head_width), size[1] * scale)
        used = sum(each.width + gap for each in shelf)
        if shelf and used + answer.width > space[0]:
            taken = sum(each.width for each in shelf)
            spread = (space[0] - taken) / max(1, len(shelf) - 1)
            yield _placed(shelf, spread)
            shelf = []
        shelf.append(answer)
    if shelf:
        taken = sum(each.width for each in shelf)
        fits = taken + spread * (len(shelf) - 1) <= space[0]
        yield _placed(shelf, spread if fits else gap)


def _placed(shelf: list[_Answer], gap: float) -> list[_Answer]:
    x = 0.0
    for answer in shelf:
        answer.x = x
        x += answer.width + gap
    return shelf
