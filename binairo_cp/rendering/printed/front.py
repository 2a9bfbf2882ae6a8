"""Pages of text in a printed book: title, contents, rules, section pages, notes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from binairo_cp.rendering import text_layout
from binairo_cp.rendering.pages import MM, BookPage, PageLayout, content_area, finish_page
from binairo_cp.rendering.shapes import CELL, Picture, PlacedPicture, Rect, Segments, Shape, Text

_LEADING = 1.45
_TITLE, _HEADING, _BODY = 3.0, 1.8, 1.1
"""Sizes, as multiples of the size of page headers."""
_LINE_GAP = 8 * MM


def title_page(title: str, subtitle: str, author: str, layout: PageLayout) -> BookPage:
    """The title page: the title in the upper half, the author below."""
    width, height = layout.paper.content_size
    size = _TITLE * layout.sizes.header
    lines = list(text_layout.wrap(title, size, width))
    while len(lines) > 1 and (len(lines) > 4 or lines_break_words(title, lines)) and size > 12:
        size *= 0.9
        lines = list(text_layout.wrap(title, size, width))
    shapes: list[Shape] = []
    y = height * 0.28
    for line in lines:
        y += 1.25 * size
        shapes.append(Text(width / 2, y, size, line, bold=True))
    size = 1.4 * layout.sizes.header
    y += 1.5 * size
    for line in text_layout.wrap(subtitle, size, width):
        y += 1.3 * size
        shapes.append(Text(width / 2, y, size, line, ink="grey"))
    y = height * 0.9
    for line in text_layout.wrap(author, size, width):
        shapes.append(Text(width / 2, y, size, line))
        y += 1.3 * size
    return finish_page(BookPage(), shapes, layout)


def lines_break_words(text: str, lines: Sequence[str]) -> bool:
    """Whether wrapping had to cut a word."""
    return " ".join(lines) != " ".join(text.split())


def heading(text: str, layout: PageLayout) -> tuple[list[Shape], float]:
    """The heading at the top of a page, and the height that it takes."""
    width, size = layout.paper.content_size[0], _HEADING * layout.sizes.header
    shapes: list[Shape] = []
    y = 0.0
    for line in text_layout.wrap(text, size, width):
        y += 1.2 * size
        shapes.append(Text(0, y, size, line, "start", bold=True))
    return shapes, y + 0.9 * size


def text_pages(
    title: str, paragraphs: Sequence[str], layout: PageLayout, pictures: Sequence[Picture] = ()
) -> Iterator[BookPage]:
    """Pages of numbered paragraphs below a heading, and pictures side by side below them."""
    width, height = content_area(layout, "")
    size = _BODY * layout.sizes.header
    shapes, y = heading(title, layout)
    page = BookPage(heading=title)
    indent = 2 * size
    for number, paragraph in enumerate(paragraphs, 1):
        for place, line in enumerate(text_layout.wrap(paragraph, size, width - indent)):
            if y + size > height:
                yield finish_page(page, shapes, layout)
                page, shapes, y = BookPage(), [], 0.0
            y += size * _LEADING
            if not place:
                shapes.append(Text(0, y, size, f"{number}.", "start", bold=True))
            shapes.append(Text(indent, y, size, line, "start"))
        y += 0.6 * size
    y += 2 * size
    if pictures:
        gap = 3 * size
        room = (width - gap * (len(pictures) - 1)) / len(pictures)
        scale = min(room / max(each.width for each in pictures), layout.sizes.max_cell / CELL)
        tallest = scale * max(each.height for each in pictures)
        if y + tallest > height:
            yield finish_page(page, shapes, layout)
            page, shapes, y = BookPage(), [], 0.0
        for place, picture in enumerate(pictures):
            page.placed.append(PlacedPicture(picture, place * (room + gap), y, scale))
    yield finish_page(page, shapes, layout)


def contents_pages(
    title: str, rows: Sequence[tuple[str, str, int]], layout: PageLayout
) -> Iterator[BookPage]:
    """The table of contents.

    Args:
        title: its heading.
        rows: for each section its title, a note, and its page.
        layout: the layout of the book.
    """
    width, height = content_area(layout, "")
    size = _BODY * layout.sizes.header
    shapes, y = heading(title, layout)
    page = BookPage(heading=title)
    for name, note, number in rows:
        if y + 2 * size > height:
            yield finish_page(page, shapes, layout)
            page, shapes, y = BookPage(), [], 0.0
        y += 2 * size
        note_width = text_layout.text_width(note, size)
        name = text_layout.shorten(name, size, max(size, width - note_width - 6 * size))
        shapes += [
            Text(0, y, size, name, "start", bold=True),
            Text(width, y, size, str(number), "end"),
            Text(width - 4 * size, y, size, note, "end", ink="grey"),
            Segments(((0, y + 0.5 * size, width, y + 0.5 * size),), 0.3, "faint"),
        ]
    yield finish_page(page, shapes, layout)


def section_page(title: str, note: str, layout: PageLayout, tabs: Sequence[Rect]) -> BookPage:
    """The page that opens a section, with tabs at its outer edge."""
    width, height = layout.paper.content_size
    size = _TITLE * layout.sizes.header
    size *= min(1.0, width / max(text_layout.text_width(title, size), 1.0))
    y = height * 0.36
    shapes: list[Shape] = [
        *tabs,
        Text(width / 2, y, size, title, bold=True),
        Segments(((width * 0.3, y + 0.7 * size, width * 0.7, y + 0.7 * size),), 0.75, "faint"),
    ]
    note_size = 1.2 * layout.sizes.header
    shapes.append(Text(width / 2, y + 1.9 * size, note_size, note, ink="grey"))
    return finish_page(BookPage(heading=title), shapes, layout)


def notes_page(title: str, layout: PageLayout) -> BookPage:
    """A page of lines to write on."""
    width, height = content_area(layout, "")
    shapes, y = heading(title, layout)
    lines = []
    while y + _LINE_GAP <= height:
        y += _LINE_GAP
        lines.append((0.0, y, width, y))
    shapes.append(Segments(tuple(lines), 0.4, "faint"))
    return finish_page(BookPage(), shapes, layout)
