"""The order of the puzzles in a printed book, its sections, and the puzzles of each page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from math import ceil
from typing import Literal

from binairo_cp.deduction.grading import Grade
from binairo_cp.deduction.techniques import LEVELS
from binairo_cp.rendering.book import comfortable_number
from binairo_cp.rendering.items import Item
from binairo_cp.rendering.pages import PageLayout

Order = Literal["strict", "flexible"]


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

    Boards of different sizes share a page if each of them allows so many. The last two pages share
    their puzzles evenly if the last one would be less than half full.
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
    if len(pages) > 1 and 2 * len(pages[-1]) < len(pages[-2]):
        last = [*pages[-2], *pages[-1]]
        half = ceil(len(last) / 2)
        pages[-2:] = [last[:half], last[half:]]
    return pages
