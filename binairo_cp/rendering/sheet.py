"""Steps on pages: panels side by side, each with its board and its sentences."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from binairo_cp.rendering import wording
from binairo_cp.rendering.boards import draw, size_of
from binairo_cp.rendering.book import caption_words
from binairo_cp.rendering.items import Item
from binairo_cp.rendering.pages import Page, Plan, finished, heading, numbered, room, top
from binairo_cp.rendering.panels import Panel
from binairo_cp.rendering.paper import MM
from binairo_cp.rendering.shapes import CELL, Placed, Shape, Text
from binairo_cp.rendering.symbols import LEGENDS, Symbols

_GAP = 7 * MM
_LEAST_CELL, _MOST_CELL = 4.5 * MM, 7.5 * MM
_MOST_COLUMNS = 3
_LARGER = 1.5
"""Cells are larger by that in large print."""
_LEADING = 1.3
_OF_HEIGHT = 0.7
"""A board takes this part of a page's height at most; the rest is for words."""

Worked = tuple[Item, list[Panel]]
"""A puzzle and what is shown of its solving."""


@dataclass(frozen=True, slots=True)
class _Group:
    """Panels that share pages: what stands at their head, and how many are side by side."""

    words: str
    columns: int
    panels: list[tuple[str, Panel]]


def pages(worked: list[Worked], plan: Plan) -> Iterator[Page]:
    """The pages: the steps of a puzzle begin a page, single hints of like sizes share pages."""
    if all(len(panels) == 1 for _, panels in worked):
        groups = [
            _Group(LEGENDS[plan.symbols], columns, [(_named(item, p[0]), p[0]) for item, p in same])
            for columns, same in groupby(worked, lambda each: _columns(each[0], plan))
        ]
    else:
        groups = [_group(item, panels, plan) for item, panels in worked]
    return numbered((page for group in groups for page in _pages(group, plan)), plan)


def _group(item: Item, panels: list[Panel], plan: Plan) -> _Group:
    numbered = [(panel_head(number, panel), panel) for number, panel in enumerate(panels, 1)]
    words = [name_of(item, plan.symbols), LEGENDS[plan.symbols]]
    return _Group("; ".join(filter(None, words)), _columns(item, plan), numbered)


def name_of(item: Item, symbols: Symbols) -> str:
    """A puzzle in words: its number, its name, what is said of it."""
    name = f"{item.number}. {item.id}" if item.id else str(item.number)
    return ", ".join([name, *caption_words(item, symbols)])


def panel_head(number: int, panel: Panel) -> str:
    """What stands above a panel."""
    return f"{number}. {panel.technique}" if panel.technique else panel.end


def _named(item: Item, panel: Panel) -> str:
    name = f"{item.number}. {item.id}" if item.id else f"{item.number}."
    return f"{name}: {panel.technique}" if panel.technique else name


def _columns(item: Item, plan: Plan) -> int:
    """How many panels stand side by side: as many as leave cells large enough."""
    least = _LEAST_CELL * (_LARGER if plan.large else 1)
    width = size_of(item.puzzle.board, numbered=True)[0]
    fitting = (n for n in range(1, _MOST_COLUMNS + 1) if _width(plan, n) / width * CELL >= least)
    return max(fitting, default=1)


def _width(plan: Plan, columns: int) -> float:
    return (plan.paper.room[0] - _GAP * (columns - 1)) / columns


@dataclass(frozen=True, slots=True)
class _Laid:
    """A panel with its sizes, in points."""

    panel: Panel
    head: str
    lines: list[str]
    scale: float
    board_height: float
    height: float


def _laid(head: str, panel: Panel, plan: Plan, columns: int) -> _Laid:
    most = _MOST_CELL * (_LARGER if plan.large else 1)
    width, high, size = _width(plan, columns), room(plan, "x")[1], plan.type.words
    wide, tall = size_of(panel.board, numbered=bool(panel.steps))
    scale = min(width / wide, most / CELL, high * _OF_HEIGHT / tall)
    said = panel.sentences if panel.steps else []
    lines = [line for each in said for line in wording.wrapped(each, size, width)]
    above = _above(plan)
    fit = max(1, int((high - above - tall * scale) / size / _LEADING) - 1)
    if len(lines) > fit:
        lines = [*lines[: fit - 1], "\u2026"]
    height = above + tall * scale + (len(lines) + 0.5) * size * _LEADING
    head = wording.shortened(head, size, width)
    return _Laid(panel, head, lines, scale, tall * scale, height)


def _above(plan: Plan) -> float:
    return 1.7 * plan.type.words


def _pages(group: _Group, plan: Plan) -> Iterator[Page]:
    """Rows of panels; a row that does not fit begins a page."""
    laid = [_laid(head, panel, plan, group.columns) for head, panel in group.panels]
    words = group.words
    page, shapes, y = Page(heading=words), heading(plan, words), 0.0
    for start in range(0, len(laid), group.columns):
        row = laid[start : start + group.columns]
        tallest = max(each.height for each in row)
        if y and y + tallest > room(plan, words)[1]:
            yield finished(page, shapes, plan)
            page, shapes, y = Page(), heading(plan, words), 0.0
        for column, each in enumerate(row):
            x = plan.paper.margin + column * (_width(plan, group.columns) + _GAP)
            shapes += _put(each, page, plan, (x, plan.paper.margin + top(plan, words) + y))
        y += tallest + _GAP
    yield finished(page, shapes, plan)


def _put(laid: _Laid, page: Page, plan: Plan, corner: tuple[float, float]) -> Iterator[Shape]:
    """Place the board of a panel; yields its words."""
    (x, y), size = corner, plan.type.words
    yield Text(x, y + size, size, laid.head, "start", bold=True)
    y += _above(plan)
    page.placed.append(Placed(draw(laid.panel.view(plan.symbols)), x, y, laid.scale))
    y += laid.board_height + 0.3 * size
    for number, line in enumerate(laid.lines, 1):
        yield Text(x, y + number * size * _LEADING, size, line, "start")
