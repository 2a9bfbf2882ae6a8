"""A printed book: what its pages show, as the values that templates lay out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, Literal

from binairo_cp.deduction import driver
from binairo_cp.deduction.grading import Grade
from binairo_cp.deduction.styles import Style
from binairo_cp.deduction.techniques import LEVELS
from binairo_cp.deduction.wording import technique_name
from binairo_cp.errors import RenderError
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.rendering import sheet, texts
from binairo_cp.rendering.boards import View, draw
from binairo_cp.rendering.book_look import Design
from binairo_cp.rendering.documents import document, panel_values, puzzle_values
from binairo_cp.rendering.pdf import Printed, Typesetter, picture
from binairo_cp.rendering.print_spec import PrintSpec
from binairo_cp.rendering.sheet import Item, Panel

Order = Literal["strict", "flexible"]

_MOST_ROUNDS = 6
_EXAMPLE_STEPS = 3


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
        return [each.item for each in self.puzzles]


@dataclass(frozen=True, slots=True)
class BookContent:
    """What a book contains.

    Attributes:
        subject: what it is about, for the properties of the file.
        style: its language, its symbols, and how cells are named.
        sections: the puzzles by level, numbered.
        example: a puzzle for the worked example; None for no example.
        techniques: a real step of each technique, with the number of its puzzle.
        options: choices about the layout, as templates expect them.
        isbn: its number; empty for none.
    """

    title: str
    author: str
    subject: str
    style: Style
    sections: list[Section]
    example: Puzzle | None = None
    techniques: list[tuple[int, Panel]] = field(default_factory=list)
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

    def place(each: GradedItem) -> tuple[int, int, float, str]:
        cells = len(each.item.puzzle.board.cells) if order == "flexible" else 0
        return LEVELS.index(each.grade.level), cells, each.grade.score, each.item.id

    for level, group in groupby(sorted(puzzles, key=place), lambda each: each.grade.level):
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
            pictures=self._pictures(),
            example=self._example(),
            techniques=list(self._techniques()),
            index=[] if is_plain else self._index(),
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
        return len(rules) > 1 or any(each.odd != "either" for each in rules)

    def _pictures(self) -> list[dict[str, Any]]:
        """The example puzzle and its solution, below the rules."""
        puzzle = self.content.example
        if puzzle is None:
            return []
        solved = sheet.path(puzzle, None)[-1].board
        symbols = self.content.style.symbols
        return [picture(draw(View(puzzle, board, symbols))) for board in (puzzle.board, solved)]

    def _example(self) -> list[dict[str, Any]]:
        """The first step of each technique that solves the example, and its solution."""
        if self.content.example is None:
            return []
        *steps, last = sheet.path(self.content.example, None, self.content.style, local=True)
        numbered = enumerate(steps, 1)
        first = {panel.technique: (k, panel) for k, panel in reversed([*numbered])}
        shown = sorted(first.values(), key=lambda each: each[0])[:_EXAMPLE_STEPS]
        panels = [panel_values(f"{k}. {texts.capitalised(p.technique)}", p) for k, p in shown]
        return [*panels, panel_values(self._said["solution"], last)]

    def _techniques(self) -> Iterator[dict[str, Any]]:
        language = self.content.style.language
        space = "" if language == "ja" else " "
        for number, panel in self.content.techniques:
            technique = panel.steps[0].technique
            what = self.design.texts.description(technique, language)
            where = self._said["from_puzzle"].format(number=number)
            yield panel_values(texts.capitalised(panel.technique), panel, f"{what}{space}{where}")

    def _index(self) -> list[tuple[str, list[int]]]:
        """The techniques and the puzzles that need them, the easiest technique first."""
        needed: dict[str, list[int]] = {each.name: [] for each in driver.TECHNIQUES}
        for section in self.content.sections:
            for each in section.puzzles:
                for technique in each.grade.placed:
                    needed[technique].append(each.item.number)
        language = self.content.style.language
        return [
            (texts.capitalised(technique_name(name, language)), numbers)
            for name, numbers in needed.items()
            if numbers
        ]

    def _rules(self) -> Iterator[str]:
        """The paragraphs of the rules that hold for the puzzles of the book."""
        said = self._said
        zeros, ones = texts.symbol_names(self.content.style)
        puzzles = [item.puzzle for item in self.content.items]
        boards = [puzzle.board for puzzle in puzzles]
        names = ["goal", "runs", "balance"]
        if any(board.height % 2 or board.width % 2 for board in boards):
            names.append("odd")
        if any(puzzle.rules.distinct_lines for puzzle in puzzles):
            names.append("distinct")
        if any(puzzle.signs for puzzle in puzzles):
            names.append("signs")
        names.append("unique")
        if self._rules_differ:
            names.append("differ")
        return (said[name].format(zeros=zeros, ones=ones) for name in names if said[name])

    def _range(self, items: list[Item]) -> str:
        first, last = items[0].number, items[-1].number
        text = self._said["puzzles" if first != last else "puzzle"]
        return text.format(first=first, last=last)
