"""Pages: how they are to look, what stands on them, their heads and their numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from binairo_cp.rendering import wording
from binairo_cp.rendering.paper import MM, Paper
from binairo_cp.rendering.shapes import Lines, Picture, Placed, Shape, Text
from binairo_cp.rendering.symbols import Symbols

Answers = Literal["end", "back", "none"]


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


def numbered(pages: Iterator[Page], plan: Plan) -> Iterator[Page]:
    """Pages with their numbers."""
    for number, page in enumerate(pages, 1):
        page.placed.append(Placed(_foot(number, plan), 0, 0))
        yield page


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


def heading(plan: Plan, words: str) -> list[Shape]:
    """The title on the left of a page's head, what the page has on the right."""
    left, right = plan.paper.margin, plan.paper.width - plan.paper.margin
    size = plan.type.head
    y = plan.paper.margin + size
    wide = right - left
    shapes: list[Shape] = []
    words = wording.shortened(words, size, wide / 2 if plan.title else wide)
    if plan.title:
        title = wording.shortened(plan.title, size, wide - wording.width(words, size) - size)
        shapes.append(Text(left, y, size, title, "start", bold=True))
    if words:
        shapes.append(Text(right, y, size, words, "end"))
    if shapes:
        below = y + 0.55 * size
        shapes.append(Lines(((left, below, right, below),), 0.5, "faint"))
    return shapes


def _foot(number: int, plan: Plan) -> Picture:
    """The number of a page."""
    paper, size = plan.paper, plan.type.words
    text = Text(paper.width / 2, paper.height - paper.margin, size, str(number))
    return Picture(paper.width, paper.height, [text])


def finished(page: Page, words: list[Shape], plan: Plan) -> Page:
    """A page with its words."""
    page.placed.append(Placed(Picture(plan.paper.width, plan.paper.height, words), 0, 0))
    return page
