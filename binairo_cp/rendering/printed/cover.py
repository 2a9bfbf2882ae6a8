"""The template of a cover: back, spine and front on one sheet, with trim and safe lines."""

from __future__ import annotations

from collections.abc import Iterator

from binairo_cp.rendering import text_layout
from binairo_cp.rendering.pages import Page
from binairo_cp.rendering.printed.spec import (
    BLEED,
    COVER_SAFE,
    INCH,
    SPINE_SAFE,
    SPINE_TEXT_PAGES,
    TRIMS,
    CoverSpec,
)
from binairo_cp.rendering.shapes import Picture, PlacedPicture, Rect, Segments, Shape, Text

_LINE = 0.5
_SIZE = 9.0
_TITLE_SIZE = 24.0


def cover(spec: CoverSpec, title: str, author: str) -> Page:
    """Return the sheet of the cover, to be put below a design and then hidden."""
    sheet = spec.sheet
    trim_width, height = TRIMS[spec.trim]
    spine_left = BLEED + trim_width
    front_left = spine_left + spec.spine
    shapes: list[Shape] = [
        Rect(BLEED, BLEED, sheet.width - 2 * BLEED, height, None, _LINE, "line"),
        Segments(tuple((x, 0.0, x, sheet.height) for x in (spine_left, front_left)), _LINE, "line"),
    ]
    for left in (BLEED, front_left):
        shapes.append(_safe(left, trim_width, height, COVER_SAFE))
    if spec.spine > 4 * SPINE_SAFE:
        shapes.append(_safe(spine_left, spec.spine, height, SPINE_SAFE))
    shapes += _words(spec, title, author, front_left)
    page = Page(trim=(BLEED, BLEED, sheet.width - BLEED, sheet.height - BLEED))
    page.placed.append(PlacedPicture(Picture(sheet.width, sheet.height, shapes), 0, 0))
    return page


def _safe(left: float, width: float, height: float, inset: float) -> Rect:
    """The line that text and pictures have to stay within."""
    return Rect(
        left + inset,
        BLEED + inset,
        width - 2 * inset,
        height - 2 * inset,
        None,
        _LINE,
        "faint",
    )


def _words(spec: CoverSpec, title: str, author: str, front_left: float) -> Iterator[Shape]:
    trim_width, height = TRIMS[spec.trim]
    room = trim_width - 4 * COVER_SAFE
    middle, y = front_left + trim_width / 2, BLEED + height * 0.3
    for line in text_layout.wrap(title, _TITLE_SIZE, room):
        yield Text(middle, y, _TITLE_SIZE, line, bold=True)
        y += 1.3 * _TITLE_SIZE
    for line in text_layout.wrap(author, _SIZE * 1.4, room):
        yield Text(middle, BLEED + height * 0.9, _SIZE * 1.4, line)
    may_have_text = spec.pages >= SPINE_TEXT_PAGES
    notes = (
        f"Back cover. Trim {trim_width / INCH:.3f} x {height / INCH:.3f} in.",
        f"Sheet {spec.sheet.width / INCH:.3f} x {spec.sheet.height / INCH:.3f} in.",
        f"Spine {spec.spine / INCH:.3f} in: {spec.pages} pages on {spec.stock} paper.",
        "The spine may have text." if may_have_text else "The spine is too thin for text.",
        f"Bleed {BLEED / INCH:.3f} in. Keep text within the inner lines.",
        "Remove these lines and notes before printing.",
    )
    for number, note in enumerate(notes):
        size = _SIZE * min(1.0, room / text_layout.text_width(note, _SIZE))
        yield Text(2 * BLEED + COVER_SAFE, BLEED + 40 + number * 14, size, note, "start")
