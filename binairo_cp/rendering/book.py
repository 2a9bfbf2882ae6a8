"""A book: puzzles on pages, numbered, and their answers, smaller, apart from them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby
from typing import Literal

from binairo_cp.errors import RenderError
from binairo_cp.rendering import wording
from binairo_cp.rendering.boards import View, draw, size_of
from binairo_cp.rendering.items import Item
from binairo_cp.rendering.paper import MM, Boxes, Paper, boxes, scale_in
from binairo_cp.rendering.shapes import CELL, Lines, Picture, Placed, Shape, Text
from binairo_cp.rendering.symbols import Symbols

Answers = Literal["end", "back", "none"]

_LEAST_CELL = 0.3 * MM
_GAP = 8 * MM
_PER_PAGE = (12, 9, 8, 6, 4, 3, 2, 1)


@dataclass(frozen=True, slots=True)
class Type:
    """Sizes of text and of cells, in points.

    Attributes:
        number: the text of a puzzle's number.
        words: the text beside it.
        head: the text at the head of a page.
        answer: the text above an answer.
        least: how small a cell may be, where nobody says how many puzzles a page has.
        most: how large a cell is at most.
        answer_cell: a cell of an answer.
    """

    number: float
    words: float
    head: float
    answer: float
    least: float
    most: float
    answer_cell: float


COMMON = Type(11, 8.5, 10, 7.5, 8 * MM, 13 * MM, 3.1 * MM)
LARGE = Type(18, 14, 15, 12, 11 * MM, 20 * MM, 5 * MM)


@dataclass(frozen=True, slots=True)
class Plan:
    """How a book is made.

    Attributes:
        paper: its sheets.
        per_page: how many puzzles a page has; None for what fits well.
        answers: on the last pages, on the page behind that of the puzzle, or not at all.
        title: at the head of each page.
        symbols: how values are drawn.
        large: large print.
        solved: the puzzles are shown with their solutions.
        ids: the puzzles' names are shown.
    """

    paper: Paper
    per_page: int | None = None
    answers: Answers = "end"
    title: str = ""
    symbols: Symbols = "digits"
    large: bool = False
    solved: bool = False
    ids: bool = False

    @property
    def type(self) -> Type:
        return LARGE if self.large else COMMON


@dataclass
class Page:
    """What stands on a page.

    Attributes:
        placed: pictures, in points from its upper left corner.
        numbers: of the puzzles that stand on it.
        answers: of the puzzles whose answers do.
        heading: what begins here, for the list of contents.
    """

    placed: list[Placed] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    answers: list[int] = field(default_factory=list)
    heading: str = ""


def pages(items: list[Item], plan: Plan) -> Iterator[Page]:
    """The pages of a book, one by one, since all at once take much memory.

    Raises:
        RenderError: a board is too large for its place.
    """
    return numbered(_pages(items, plan), plan)


def numbered(pages: Iterator[Page], plan: Plan) -> Iterator[Page]:
    """Pages with their numbers."""
    for number, page in enumerate(pages, 1):
        page.placed.append(Placed(foot(number, plan), 0, 0))
        yield page


def _pages(items: list[Item], plan: Plan) -> Iterator[Page]:
    for place, chunk in enumerate(_chunks(items, plan)):
        page = _puzzle_page(chunk, plan)
        page.heading = "" if place else "Puzzles"
        yield page
        if plan.answers == "back":
            yield from _answer_pages(chunk, plan)
    if plan.answers == "end":
        for place, page in enumerate(_answer_pages(items, plan)):
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
    """What stands above a board."""
    return 1.6 * plan.type.number


def _words(plan: Plan) -> str:
    """What a page of puzzles says of itself."""
    return "Solutions" if plan.solved else ""


def top(plan: Plan, words: str) -> float:
    """How much of a page its head takes."""
    return 2.4 * plan.type.head if plan.title or words else 0.0


def bottom(plan: Plan) -> float:
    """How much of a page its number takes."""
    return 2.2 * plan.type.words


def room(plan: Plan, words: str) -> tuple[float, float]:
    """What is left between margins, head and page number."""
    width, height = plan.paper.room
    return width, height - top(plan, words) - bottom(plan)


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
    page.placed.append(Placed(Picture(plan.paper.width, plan.paper.height, words), 0, 0))
    return page


def caption_words(item: Item) -> list[str]:
    """What is said above a puzzle beside its number and its name."""
    told = (item.level or "", wording.rules_words(item.puzzle), item.note)
    return [words for words in told if words]


def _caption(
    item: Item, plan: Plan, corner: tuple[float, float], widths: tuple[float, float]
) -> list[Shape]:
    """The number on the left and the words on the right, as wide as the board or its box.

    Where there is too little room the name is cut; the rules never are, but become smaller.
    """
    type = plan.type
    number = str(item.number)
    taken = wording.width(number, type.number) + type.words
    words = ", ".join(caption_words(item))
    if plan.ids and item.id:
        end = f", {words}" if words else ""
        left = widths[1] - taken - wording.width(end, type.words)
        words = wording.shortened(item.id, type.words, left) + end
    needed = wording.width(words, type.words)
    wide = min(widths[1], max(widths[0], taken + needed))
    size = type.words * min(1.0, (wide - taken) / max(needed, 1.0))
    x, y = corner[0] + (widths[0] - wide) / 2, corner[1] + type.number
    shapes: list[Shape] = [Text(x, y, type.number, number, "start", bold=True)]
    if words:
        shapes.append(Text(x + wide, y, max(size, 1.0), words, "end", ink="grey"))
    return shapes


def heading(plan: Plan, words: str) -> list[Shape]:
    """The title on the left of a page's head, what the page has on the right."""
    left, right = plan.paper.margin, plan.paper.width - plan.paper.margin
    size = plan.type.head
    y = plan.paper.margin + size
    shapes: list[Shape] = []
    if plan.title:
        wide = right - left - wording.width(words, size) - size
        title = wording.shortened(plan.title, size, wide)
        shapes.append(Text(left, y, size, title, "start", bold=True))
    if words:
        shapes.append(Text(right, y, size, words, "end"))
    if shapes:
        below = y + 0.55 * size
        shapes.append(Lines(((left, below, right, below),), 0.5, "faint"))
    return shapes


def foot(number: int, plan: Plan) -> Picture:
    """The number of a page."""
    paper, size = plan.paper, plan.type.words
    text = Text(paper.width / 2, paper.height - paper.margin, size, str(number))
    return Picture(paper.width, paper.height, [text])


def _answer_pages(items: list[Item], plan: Plan) -> Iterator[Page]:
    """Answers in shelves: as many side by side as fit, then the next ones below."""
    type = plan.type
    space = room(plan, "Answers")
    head, gap = 1.5 * type.answer, 2 * type.answer
    page, words, y = Page(), heading(plan, "Answers"), 0.0
    for shelf in _shelves(items, type, space, head, gap):
        tallest = max(board.height for board in shelf) + head
        if y and y + tallest > space[1]:
            yield _answer_page(page, words, plan)
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
        yield _answer_page(page, words, plan)


def _answer_page(page: Page, words: list[Shape], plan: Plan) -> Page:
    page.placed.append(Placed(Picture(plan.paper.width, plan.paper.height, words), 0, 0))
    return page


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
