"""Lay out solving steps on pages: panels side by side, each with a board and its sentences."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, groupby

from binairo_cp.deduction import driver
from binairo_cp.deduction.hints import closing_sentence
from binairo_cp.deduction.steps import Step
from binairo_cp.deduction.styles import USUAL, Style, Symbols
from binairo_cp.deduction.wording import Number
from binairo_cp.puzzle.board import OPEN, Board
from binairo_cp.puzzle.rules import Puzzle, violations
from binairo_cp.rendering import text_layout
from binairo_cp.rendering.boards import Highlights, View, draw, size_of
from binairo_cp.rendering.book import caption_words
from binairo_cp.rendering.items import Item
from binairo_cp.rendering.pages import (
    MM,
    BookPage,
    PageLayout,
    content_area,
    finish_page,
    header,
    header_height,
    number_pages,
)
from binairo_cp.rendering.shapes import CELL, PlacedPicture, Shape, Text
from binairo_cp.solving.backends import Budget, Meter

_MAX_CELLS = 400_000
"""If the panels of single steps would have more cells in total, each panel shows a round."""


@dataclass(frozen=True, slots=True)
class Panel:
    """A board and the steps that follow from it.

    Attributes:
        puzzle: the puzzle.
        board: the board before the steps.
        steps: the steps; empty on the last panel.
        end: the sentence on the last panel.
        style: how sentences are written.
        intro: a text before the sentences, on pages.
    """

    puzzle: Puzzle
    board: Board
    steps: list[Step]
    end: str = ""
    style: Style = USUAL
    intro: str = ""

    @property
    def sentences(self) -> list[str]:
        """The reasons of the steps, as sentences; those of a single step with its chain."""
        if len(self.steps) == 1:
            return [line.strip() for line in str(self.steps[0]).splitlines()]
        return [step.sentence for step in self.steps] or [self.end]

    @property
    def technique(self) -> str:
        """The name of the technique of the first step; empty on the last panel."""
        return self.steps[0].name if self.steps else ""

    def view(self, name: str = "") -> View:
        """Return the board with the steps highlighted."""
        highlights = Highlights.of(self.steps) if self.steps else None
        _, symbols, coordinates = self.style
        return View(self.puzzle, self.board, symbols, highlights, name, coordinates)


def hint(puzzle: Puzzle, seconds: float | None, style: Style = USUAL) -> Panel:
    """Return the panel of the next step.

    Raises:
        Contradictory: the clues contradict the rules.
        BudgetExceeded: the time ran out.
    """
    rounds = driver.rounds(puzzle, check_clock=Meter(Budget(seconds)).check_clock)
    steps = [step.in_style(style) for step in next(rounds, [])[:1]]
    return Panel(puzzle, puzzle.board, steps, _closing_sentence(puzzle.board, style), style)


def path(puzzle: Puzzle, seconds: float | None, style: Style = USUAL) -> list[Panel]:
    """Return the panels of all steps, or of all rounds if there are too many steps, and a last one.

    Raises:
        Contradictory: the clues contradict the rules.
        BudgetExceeded: the time ran out.
    """
    found = driver.rounds(puzzle, check_clock=Meter(Budget(seconds)).check_clock)
    rounds = [[step.in_style(style) for step in steps] for steps in found]
    steps = [[step] for step in chain.from_iterable(rounds)]
    too_many = len(steps) * len(puzzle.board.cells) > _MAX_CELLS
    panels = list(_panels(puzzle, rounds if too_many else steps, style))
    for violation in violations(puzzle, panels[-1].board):
        raise driver.Contradictory(violation.message)
    return panels


def _panels(puzzle: Puzzle, parts: list[list[Step]], style: Style) -> Iterator[Panel]:
    board = puzzle.board
    for steps in parts:
        yield Panel(puzzle, board, steps, style=style)
        cells = list(board.cells)
        for step in steps:
            for cell, value in step.values.items():
                cells[board.place(cell)] = value
        board = Board(board.height, board.width, "".join(cells))
    yield Panel(puzzle, board, [], _closing_sentence(board, style), style)


def _closing_sentence(board: Board, style: Style) -> str:
    left = board.cells.count(OPEN)
    return closing_sentence("cells left" if left else "solved", style, left=Number(left))


_GAP = 7 * MM
_MIN_CELL, _MAX_CELL = 5.5 * MM, 8 * MM
_MAX_COLUMNS, _MAX_CAPTIONED_COLUMNS = 3, 2
_LARGE_PRINT = 1.5
"""The factor for the size of cells in large print."""
_LEADING = 1.3
_MAX_BOARD_HEIGHT, _BOARD_HEIGHT_OF_TWO = 0.7, 0.25
"""The largest height of a board, as a fraction of the page; the rest is for text. The second one
leaves space for another row."""

PuzzlePanels = tuple[Item, list[Panel]]
"""A puzzle and the panels that show its steps."""


@dataclass(frozen=True, slots=True)
class _PanelGroup:
    """Panels that share pages.

    Attributes:
        header_text: the text in the page header.
        columns: how many are side by side.
        panels: the panels with their captions.
        board_height: the largest height of a board, as a fraction of the page.
    """

    header_text: str
    columns: int
    panels: list[tuple[str, Panel]]
    board_height: float = _MAX_BOARD_HEIGHT


def pages(puzzles: list[PuzzlePanels], layout: PageLayout) -> Iterator[BookPage]:
    """Return the pages with the panels of puzzles.

    The steps of a puzzle start on a new page. Single hints share pages with others of similar size.
    """
    if all(len(panels) == 1 for _, panels in puzzles):
        groups = [
            _PanelGroup("", columns, [(_hint_caption(item, p[0]), p[0]) for item, p in group])
            for columns, group in groupby(puzzles, lambda each: _columns(each[0], layout))
        ]
    else:
        groups = [_group(item, panels, layout) for item, panels in puzzles]
    return number_pages((page for group in groups for page in _pages(group, layout)), layout)


def captioned_pages(
    title: str, panels: list[tuple[str, Panel]], layout: PageLayout
) -> Iterator[BookPage]:
    """Yield pages of panels with captions, below a title, without page numbers.

    The boards are small enough for two rows on a page. Two in a row leave room for sentences.
    """
    columns = min((_fitting_columns(panel.board, layout) for _, panel in panels), default=1)
    columns = min(columns, _MAX_CAPTIONED_COLUMNS)
    yield from _pages(_PanelGroup(title, columns, panels, _BOARD_HEIGHT_OF_TWO), layout)


def _group(item: Item, panels: list[Panel], layout: PageLayout) -> _PanelGroup:
    captioned = [(panel_caption(number, panel), panel) for number, panel in enumerate(panels, 1)]
    return _PanelGroup(name_of(item, layout.style.symbols), _columns(item, layout), captioned)


def name_of(item: Item, symbols: Symbols) -> str:
    """Return a puzzle's number, name, grade, unusual rules and note."""
    name = f"{item.number}. {item.id}" if item.id else str(item.number)
    return ", ".join([name, *caption_words(item, symbols)])


def panel_caption(number: int, panel: Panel) -> str:
    """Return the caption above a panel."""
    return f"{number}. {panel.technique}" if panel.technique else panel.end


def _hint_caption(item: Item, panel: Panel) -> str:
    name = f"{item.number}. {item.id}" if item.id else f"{item.number}."
    return f"{name}: {panel.technique}" if panel.technique else name


def _columns(item: Item, layout: PageLayout) -> int:
    return _fitting_columns(item.puzzle.board, layout)


def _fitting_columns(board: Board, layout: PageLayout) -> int:
    """The number of panels side by side: as many as fit with cells large enough to read."""
    min_cell = _MIN_CELL * (_LARGE_PRINT if layout.large else 1)
    width = size_of(board, numbered=True)[0]
    fitting = (
        n for n in range(1, _MAX_COLUMNS + 1) if _column_width(layout, n) / width * CELL >= min_cell
    )
    return max(fitting, default=1)


def _column_width(layout: PageLayout, columns: int) -> float:
    return (layout.paper.content_size[0] - _GAP * (columns - 1)) / columns


@dataclass(frozen=True, slots=True)
class _PanelLayout:
    """A panel with its measures in points."""

    panel: Panel
    caption: str
    lines: list[str]
    scale: float
    board_height: float
    height: float


def _lay_out(caption: str, panel: Panel, layout: PageLayout, group: _PanelGroup) -> _PanelLayout:
    max_cell = _MAX_CELL * (_LARGE_PRINT if layout.large else 1)
    width, page_height = _column_width(layout, group.columns), content_area(layout, "x")[1]
    size = layout.sizes.caption
    board_width, board_height = size_of(panel.board, numbered=panel.view().is_labelled)
    scale = min(
        width / board_width, max_cell / CELL, page_height * group.board_height / board_height
    )
    sentences = [panel.intro] if panel.intro else []
    sentences += panel.sentences if panel.steps else []
    lines = [line for each in sentences for line in text_layout.wrap(each, size, width)]
    caption_height = _caption_height(layout)
    text_height = page_height - caption_height - board_height * scale
    max_lines = max(1, int(text_height / size / _LEADING) - 1)
    if len(lines) > max_lines:
        lines = [*lines[: max_lines - 1], "\u2026"]
    height = caption_height + board_height * scale + (len(lines) + 0.5) * size * _LEADING
    caption = text_layout.shorten(caption, size, width)
    return _PanelLayout(panel, caption, lines, scale, board_height * scale, height)


def _caption_height(layout: PageLayout) -> float:
    return 1.7 * layout.sizes.caption


def _pages(group: _PanelGroup, layout: PageLayout) -> Iterator[BookPage]:
    """Rows of panels; a row that does not fit starts a new page."""
    panels = [_lay_out(caption, panel, layout, group) for caption, panel in group.panels]
    text = group.header_text
    page, shapes, y = BookPage(heading=text), header(layout, text), 0.0
    for start in range(0, len(panels), group.columns):
        row = panels[start : start + group.columns]
        row_height = max(panel.height for panel in row)
        if y and y + row_height > content_area(layout, text)[1]:
            yield finish_page(page, shapes, layout)
            page, shapes, y = BookPage(), header(layout, text), 0.0
        for column, panel in enumerate(row):
            left = layout.paper.margin + column * (_column_width(layout, group.columns) + _GAP)
            top = layout.paper.margin + header_height(layout, text) + y
            shapes += _place(panel, page, layout, (left, top))
        y += row_height + _GAP
    yield finish_page(page, shapes, layout)


def _place(
    panel: _PanelLayout, page: BookPage, layout: PageLayout, corner: tuple[float, float]
) -> Iterator[Shape]:
    """Place the board of a panel on a page, and yield its text."""
    (x, y), size = corner, layout.sizes.caption
    yield Text(x, y + size, size, panel.caption, "start", bold=True)
    y += _caption_height(layout)
    page.placed.append(PlacedPicture(draw(panel.panel.view()), x, y, panel.scale))
    y += panel.board_height + 0.3 * size
    for number, line in enumerate(panel.lines, 1):
        yield Text(x, y + number * size * _LEADING, size, line, "start")
