"""A printed book: what its pages show, as the values that templates lay out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, Literal

from binairo_cp.deduction.grading import Grade
from binairo_cp.deduction.styles import Style
from binairo_cp.deduction.techniques import LEVELS
from binairo_cp.errors import RenderError
from binairo_cp.rendering import documents
from binairo_cp.rendering.book_look import Design
from binairo_cp.rendering.documents import document, puzzle_values
from binairo_cp.rendering.pages import PrintSpec
from binairo_cp.rendering.pdf import Printed, Typesetter
from binairo_cp.rendering.sheet import Item

Order = Literal["strict", "flexible"]

_MOST_ROUNDS = 6


@dataclass(frozen=True, slots=True)
class GradedItem:
    """A puzzle to print, with its grade."""

    item: Item
    grade: Grade


@dataclass(frozen=True, slots=True)
class Section:
    """The puzzles of one level, in the order of the book."""

    level: str
    puzzles: list[GradedItem]

    @property
    def items(self) -> list[Item]:
        """The puzzles without their grades."""
        return [puzzle.item for puzzle in self.puzzles]


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


def sections(puzzles: list[GradedItem], order: Order) -> Iterator[tuple[str, list[GradedItem]]]:
    """Yield the puzzles of each level, the easiest first.

    Args:
        puzzles: the puzzles.
        order: within a level, by score (``strict``), or by size and then by score (``flexible``).
    """

    def place(graded: GradedItem) -> tuple[int, int, float, str]:
        cells = len(graded.item.puzzle.board.cells) if order == "flexible" else 0
        return LEVELS.index(graded.grade.level), cells, graded.grade.score, graded.item.id

    for level, group in groupby(sorted(puzzles, key=place), lambda graded: graded.grade.level):
        yield level, list(group)


def print_book(
    content: BookContent, spec: PrintSpec, design: Design, setter: Typesetter
) -> Printed:
    """Typeset a book.

    The number of pages sets the inside margin, which sets what fits on a page. Pages are laid out
    until both agree, or until a book that is just at a limit has the larger margin.

    Raises:
        RenderError: a board does not fit its page.
    """
    values = _Writer(content, design).values()
    pages = 1
    for _ in range(_MOST_ROUNDS):
        printed = setter.typeset({**values, "page": spec.page(pages)})
        if spec.inside(printed.pages) <= spec.inside(pages):
            return printed
        pages = printed.pages
    raise RenderError("the pages of this book can't be numbered; expected another page size")


@dataclass(frozen=True, slots=True)
class _Writer:
    """Writes down what a book contains."""

    content: BookContent
    design: Design

    def values(self) -> dict[str, Any]:
        """The document."""
        content, language = self.content, self.content.style.language
        is_plain = content.options["plain"]
        names_rules = is_plain or self._rules_differ
        return document(
            "book",
            content.title,
            language=language,
            sizes=self.design.type_sizes(large=content.options["large"]),
            colours=self.design.inks,
            said=self._said,
            options=content.options,
            author=content.author,
            subject=content.subject,
            head=content.title,
            range=self._range(content.items),
            imprint=content.imprint,
            isbn=content.isbn,
            rules=[] if is_plain else list(self._rules()),
            pictures=[] if is_plain else self._pictures(),
            sections=[
                {
                    "title": self.design.texts.grade(section.level, language),
                    "note": self._range(section.items),
                    "puzzles": [
                        # The page and its head say the level.
                        puzzle_values(
                            item,
                            item.words(content.style, names_rules=names_rules, names_level=False),
                            content.style,
                        )
                        for item in section.items
                    ],
                }
                for section in content.sections
            ],
        )

    @property
    def _said(self) -> dict[str, str]:
        return self.design.said(self.content.style.language)

    @property
    def _rules_differ(self) -> bool:
        rules = {item.puzzle.rules for item in self.content.items}
        # The page of rules does not say which symbol is the one that occurs once more.
        return len(rules) > 1 or any(rule.odd != "either" for rule in rules)

    def _rules(self) -> Iterator[dict[str, Any]]:
        puzzles = (item.puzzle for item in self.content.items)
        style = self.content.style
        return documents.paragraphs(puzzles, self._said, style, differ=self._rules_differ)

    def _pictures(self) -> list[dict[str, Any]]:
        """A puzzle and its solution, below the rules."""
        signed = any(item.puzzle.signs for item in self.content.items)
        return documents.solved_example(self.content.style, signed=signed)

    def _range(self, items: list[Item]) -> str:
        if not items:
            return ""
        first, last = items[0].number, items[-1].number
        text = self._said["puzzles" if first != last else "puzzle"]
        return text.format(first=first, last=last)
