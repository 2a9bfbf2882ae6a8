"""A printed book: what its pages show, as the values that templates lay out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import count, groupby
from typing import Any, Literal, NamedTuple

from binairo_cp.deduction.grading import Grade
from binairo_cp.deduction.styles import Style
from binairo_cp.deduction.techniques import LEVELS
from binairo_cp.errors import RenderError
from binairo_cp.formats.results import Level
from binairo_cp.rendering import documents, texts
from binairo_cp.rendering.documents import document, puzzle_values
from binairo_cp.rendering.pages import LARGE, NORMAL, PrintSpec
from binairo_cp.rendering.pdf import Printed, Typesetter
from binairo_cp.rendering.sheet import Item

Order = Literal["strict", "flexible"]

_MOST_ROUNDS = 6
_BROKEN = "#c0c0c0"
"""Cells that break a rule, without colour: most books are printed with black alone."""


class GradedItem(NamedTuple):
    """A puzzle to print, with its grade."""

    item: Item
    grade: Grade


class Section(NamedTuple):
    """The puzzles of one level, in the order of the book."""

    level: Level
    items: list[Item]


@dataclass(frozen=True, slots=True)
class BookContent:
    """What a book contains.

    Attributes:
        subject: what it is about, for the properties of the file.
        style: its language, its symbols, and how cells are named.
        sections: the puzzles by level, numbered.
        options: choices about the layout, as templates expect them.
        isbn: its number; empty for none.
    """

    title: str
    author: str
    subject: str
    style: Style
    sections: list[Section]
    options: dict[str, Any] = field(default_factory=dict)
    imprint: list[str] = field(default_factory=list)
    isbn: str = ""

    @property
    def items(self) -> list[Item]:
        """All puzzles, in order."""
        return [item for section in self.sections for item in section.items]


def sections(puzzles: list[GradedItem], order: Order) -> Iterator[Section]:
    """Yield the puzzles of each level, the easiest first, and number them.

    Within a level they are ordered by score, or, if the order is ``flexible``, by size first.
    """

    def place(graded: GradedItem) -> tuple[int, int, float, str]:
        cells = len(graded.item.puzzle.board.cells) if order == "flexible" else 0
        return LEVELS.index(graded.grade.level), cells, graded.grade.score, graded.item.id

    numbers = count(1)
    for level, group in groupby(sorted(puzzles, key=place), lambda graded: graded.grade.level):
        items = (graded.item for graded in group)
        yield Section(level, [replace(item, number=next(numbers), level=level) for item in items])


def print_book(content: BookContent, spec: PrintSpec, setter: Typesetter) -> Printed:
    """Typeset a book.

    The number of pages sets the inside margin, which sets what fits on a page. Pages are laid out
    until both agree, or until a book that is just at a limit has the larger margin.

    Raises:
        RenderError: a board does not fit its page.
    """
    values = _values(content)
    pages = 1
    for _ in range(_MOST_ROUNDS):
        printed = setter.typeset({**values, "page": spec.page(pages)})
        if spec.inside(printed.pages) <= spec.inside(pages):
            return printed
        pages = printed.pages
    raise RenderError("the pages of this book can't be numbered; expected another page size")


def _values(content: BookContent) -> dict[str, Any]:
    style, items, is_plain = content.style, content.items, content.options["plain"]
    said = texts.all_said(style.language)
    rules = {item.puzzle.rules for item in items}
    # The page of rules does not say which symbol is the one that occurs once more.
    differ = len(rules) > 1 or any(rule.odd != "either" for rule in rules)

    def range_of(some: list[Item]) -> str:
        if not some:
            return ""
        first, last = some[0].number, some[-1].number
        return said["puzzles" if first != last else "puzzle"].format(first=first, last=last)

    def values_of(item: Item) -> dict[str, Any]:
        # The page and its head say the level.
        words = item.words(style, names_rules=is_plain or differ, names_level=False)
        return puzzle_values(item, words, style)

    puzzles = (item.puzzle for item in items)
    signed = any(item.puzzle.signs for item in items)
    return document(
        "book",
        content.title,
        language=style.language,
        sizes=LARGE if content.options["large"] else NORMAL,
        colours={"broken": _BROKEN},
        said=said,
        options=content.options,
        author=content.author,
        subject=content.subject,
        head=content.title,
        range=range_of(items),
        imprint=content.imprint,
        isbn=content.isbn,
        rules=[] if is_plain else [*documents.paragraphs(puzzles, said, style, differ=differ)],
        pictures=[] if is_plain else documents.solved_example(style, signed=signed),
        sections=[
            {
                "title": texts.capitalised(texts.said(texts.LEVELS[section.level], style.language)),
                "note": range_of(section.items),
                "puzzles": [values_of(item) for item in section.items],
            }
            for section in content.sections
        ],
    )
