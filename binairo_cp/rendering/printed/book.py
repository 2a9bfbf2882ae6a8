"""A printed book: its parts in order, page numbers, and references between pages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from binairo_cp.errors import RenderError
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.rendering import sheet
from binairo_cp.rendering.boards import View, draw
from binairo_cp.rendering.book import puzzle_page
from binairo_cp.rendering.items import Item
from binairo_cp.rendering.pages import BookPage, PageLayout
from binairo_cp.rendering.printed import front
from binairo_cp.rendering.printed.puzzles import Section, answer_pages, are_alike, chunks
from binairo_cp.rendering.printed.spec import OUTSIDE, PrintSpec
from binairo_cp.rendering.printed.template import Design
from binairo_cp.rendering.shapes import NAMES, Picture, PlacedPicture, Rect, Text
from binairo_cp.rendering.sheet import Panel

_MOST_ROUNDS = 12
_EXAMPLE_STEPS = 3
_TAB_WIDTH = OUTSIDE / 2


@dataclass(frozen=True, slots=True)
class BookContent:
    """What a book contains.

    Attributes:
        title: its title.
        author: who wrote it.
        sections: the puzzles by level, numbered.
        example: a puzzle for the worked example; None for no example.
        techniques: a real step of each technique, with the number of its puzzle.
        notes: how many pages for notes.
        plain: only puzzles and answers.
    """

    title: str
    author: str
    sections: list[Section]
    example: Puzzle | None = None
    techniques: list[tuple[int, Panel]] = field(default_factory=list)
    notes: int = 0
    plain: bool = False

    @property
    def items(self) -> list[Item]:
        """All puzzles, in order."""
        return [item for section in self.sections for item in section.items]


@dataclass
class References:
    """The pages that others refer to, from 1.

    Attributes:
        puzzles: the page of each puzzle, by its number.
        answers: the page of each answer.
        headings: the page of each part, by its title.
        pages: the number of pages.
    """

    puzzles: dict[int, int] = field(default_factory=dict)
    answers: dict[int, int] = field(default_factory=dict)
    headings: dict[str, int] = field(default_factory=dict)
    pages: int = 0


@dataclass(frozen=True, slots=True)
class _Part:
    """Pages that stay together.

    Attributes:
        pages: the pages.
        on_right: start on a page on the right.
        numbered: whether its pages show their numbers.
    """

    pages: list[BookPage]
    on_right: bool = True
    numbered: bool = True


def lay_out(
    content: BookContent,
    spec: PrintSpec,
    template: Design,
    layout: PageLayout,
    check_clock: Callable[[], None] = lambda: None,
) -> tuple[list[BookPage], References]:
    """Return the pages of a book, and where everything is.

    The number of pages sets the inside margin, which sets what fits on a page. Pages are laid out
    until both agree and all references are right.

    Args:
        content: what the book contains.
        spec: how the pages are cut.
        template: the look.
        layout: the layout of pages; its paper is replaced.
        check_clock: called for each part; it may raise an error.

    Raises:
        RenderError: a board does not fit its page.
    """
    known = References()
    for attempt in range(_MOST_ROUNDS):
        # A book that is just at the limit of a margin must not go back and forth.
        pages_for_margin = max(known.pages, 1)
        used = replace(layout, paper=spec.content(pages_for_margin))
        parts = []
        for part in _Layouter(content, spec, template, used, known).parts():
            check_clock()
            parts.append(part)
        pages = list(_bound(parts, spec, used, pages_for_margin))
        found = _references(pages)
        if found == known:
            return pages, found
        if attempt >= _MOST_ROUNDS // 2:
            found.pages = max(found.pages, known.pages)
            if _agree(found, known):
                return pages, _references(pages)
        known = found
    raise RenderError("the pages of this book can't be numbered; expected another page size")


def _capitalised(text: str) -> str:
    return text[:1].upper() + text[1:]


def _agree(found: References, known: References) -> bool:
    """Whether two sets of references agree in all but the number of pages."""
    return (found.puzzles, found.answers, found.headings) == (
        known.puzzles,
        known.answers,
        known.headings,
    )


def _references(pages: list[BookPage]) -> References:
    found = References(pages=len(pages))
    for number, page in enumerate(pages, 1):
        found.puzzles.update(dict.fromkeys(page.numbers, number))
        found.answers.update(dict.fromkeys(page.answers, number))
        if page.heading:
            found.headings.setdefault(page.heading, number)
    return found


def _bound(
    parts: list[_Part], spec: PrintSpec, layout: PageLayout, pages_for_margin: int
) -> Iterator[BookPage]:
    """The pages in order, with blank pages, page numbers, and their places on the paper."""
    bound: list[tuple[BookPage, bool]] = []
    for part in parts:
        if part.on_right and len(bound) % 2:
            bound.append((BookPage(), False))
        bound += [(page, part.numbered) for page in part.pages]
    # IngramSpark wants the last page blank.
    if spec.printer == "ingramspark":
        bound.append((BookPage(), False))
    # A leaf has two sides.
    if len(bound) % 2:
        bound.append((BookPage(), False))
    for number, (page, numbered) in enumerate(bound, 1):
        page.corner = spec.corner(number, pages_for_margin)
        page.trim = spec.trim_box(number)
        if numbered:
            page.placed.append(PlacedPicture(_page_number(number, layout), 0, 0))
        yield page


def _page_number(number: int, layout: PageLayout) -> Picture:
    """The page number, at the outer edge."""
    paper, size = layout.paper, layout.sizes.caption
    if number % 2:
        text = Text(paper.width, paper.height - 0.2 * size, size, str(number), "end")
    else:
        text = Text(0, paper.height - 0.2 * size, size, str(number), "start")
    return Picture(paper.width, paper.height, [text])


@dataclass(frozen=True, slots=True)
class _Layouter:
    """Lays out the parts of a book, with the references that are known so far."""

    content: BookContent
    spec: PrintSpec
    template: Design
    layout: PageLayout
    known: References

    def parts(self) -> Iterator[_Part]:
        """The parts of the book, in order."""
        content, texts = self.content, self.template.texts
        if not content.plain:
            yield from self._front()
        for section in content.sections:
            if not content.plain:
                yield _Part([self._section_page(section)], numbered=False)
            yield _Part(list(self._puzzles(section)), on_right=False)
        layout = replace(
            self.layout,
            section=texts.answers,
            puzzle_places=self._places(texts.puzzle_on, self.known.puzzles),
        )
        answers = list(answer_pages(content.items, layout))
        answers[0].heading = texts.answers
        yield _Part(answers, on_right=not content.plain)
        if content.notes:
            pages = [front.notes_page(texts.notes, self.layout) for _ in range(content.notes)]
            pages[0].heading = texts.notes
            yield _Part(pages, on_right=False)

    def _front(self) -> Iterator[_Part]:
        content, texts, layout = self.content, self.template.texts, self.layout
        yield _Part(
            [front.title_page(content.title, self._range(content.items), content.author, layout)],
            numbered=False,
        )
        titles = [texts.grade(section.level) for section in content.sections]
        notes = [self._range(section.items) for section in content.sections]
        first = [texts.rules]
        first += [texts.example] if content.example else []
        first += [texts.techniques] if content.techniques else []
        rows = [(title, "") for title in first] + list(zip(titles, notes, strict=True))
        rows += [(texts.answers, "")] + ([(texts.notes, "")] if content.notes else [])
        numbered = [(name, note, self.known.headings.get(name, 0)) for name, note in rows]
        yield _Part(list(front.contents_pages(texts.contents, numbered, layout)))
        rules = list(front.text_pages(texts.rules, list(self._rules()), layout, self._picture()))
        yield _Part(rules, on_right=False)
        if content.example:
            captioned = self._example(content.example)
            pages = list(sheet.captioned_pages(texts.example, captioned, layout))
            yield _Part(pages, on_right=False)
        if content.techniques:
            panels_ = [
                (
                    _capitalised(panel.technique),
                    replace(
                        panel,
                        intro=f"{texts.description(panel.steps[0].technique)} "
                        f"{texts.from_puzzle.format(number=number)}",
                    ),
                )
                for number, panel in content.techniques
            ]
            pages = list(sheet.captioned_pages(texts.techniques, panels_, layout))
            yield _Part(pages, on_right=False)

    @property
    def _rules_differ(self) -> bool:
        rules = {item.puzzle.rules for item in self.content.items}
        # The page of rules does not say which symbol is the one that occurs once more.
        return len(rules) > 1 or any(each.odd != "either" for each in rules)

    def _picture(self) -> list[Picture]:
        """The example puzzle and its solution, below the rules."""
        puzzle = self.content.example
        if puzzle is None:
            return []
        solved = sheet.path(puzzle, None)[-1].board
        symbols = self.layout.style.symbols
        return [draw(View(puzzle, board, symbols)) for board in (puzzle.board, solved)]

    def _example(self, puzzle: Puzzle) -> list[tuple[str, Panel]]:
        """The first step of each technique that solves a puzzle, and its solution."""
        *steps, last = sheet.path(puzzle, None, self.layout.style)
        numbered = enumerate(steps, 1)
        first = {panel.technique: (k, panel) for k, panel in reversed([*numbered])}
        shown = sorted(first.values(), key=lambda each: each[0])[:_EXAMPLE_STEPS]
        captioned = [(f"{k}. {_capitalised(panel.technique)}", panel) for k, panel in shown]
        return [*captioned, (self.template.texts.solution, last)]

    def _rules(self) -> Iterator[str]:
        """The paragraphs of the rules that hold for the puzzles of the book."""
        texts = self.template.texts
        zeros, ones = NAMES[self.layout.style.symbols]
        puzzles = [item.puzzle for item in self.content.items]
        boards = [puzzle.board for puzzle in puzzles]
        paragraphs = [texts.goal, texts.runs, texts.balance]
        if any(board.height % 2 or board.width % 2 for board in boards):
            paragraphs.append(texts.odd)
        if any(puzzle.rules.distinct_lines for puzzle in puzzles):
            paragraphs.append(texts.distinct)
        if any(puzzle.signs for puzzle in puzzles):
            paragraphs.append(texts.signs)
        paragraphs.append(texts.unique)
        if self._rules_differ:
            paragraphs.append(texts.differ)
        return (text.format(zeros=zeros, ones=ones) for text in paragraphs if text)

    def _range(self, items: list[Item]) -> str:
        texts, first, last = self.template.texts, items[0].number, items[-1].number
        text = texts.puzzles if first != last else texts.puzzle
        return text.format(first=first, last=last)

    def _section_page(self, section: Section) -> BookPage:
        layout, spec = self.layout, self.spec
        # Section pages are on the right, so their outer edge is too.
        right = layout.paper.width + OUTSIDE + spec.edge
        tab_left = right - spec.edge - _TAB_WIDTH
        share = self.content.sections.index(section) / max(1, len(self.content.sections))
        height = layout.paper.height / max(6, len(self.content.sections))
        tab = Rect(tab_left, share * layout.paper.height, right - tab_left, height, "shade")
        title = self.template.texts.grade(section.level)
        # Nothing may touch the edge of a page that has no bleed.
        tabs = [tab] if spec.bleed else []
        return front.section_page(title, self._range(section.items), layout, tabs)

    def _puzzles(self, section: Section) -> Iterator[BookPage]:
        texts = self.template.texts
        title = texts.grade(section.level)
        layout = replace(
            self.layout,
            section=title,
            # The page of rules is enough if they are the same for all puzzles.
            names_rules=self.content.plain or self._rules_differ,
            answer_places=self._places(texts.answer_on, self.known.answers),
        )
        before: list[Item] = []
        boxes = 0
        for number, chunk in enumerate(chunks(section.items, layout)):
            drawn = [replace(item, level=None) for item in chunk]
            # Boards of one size are as large on a page with fewer of them as on the page before.
            boxes = max(len(chunk), boxes if are_alike([*before, *chunk]) else 0)
            before = chunk
            page = puzzle_page(drawn, layout, boxes)
            if self.content.plain and not number:
                page.heading = title
            yield page

    def _places(self, text: str, pages: dict[int, int]) -> dict[int, str]:
        """The references to pages; those that are not known yet are about as wide."""
        return {
            item.number: text.format(page=pages.get(item.number, 100))
            for item in self.content.items
        }
