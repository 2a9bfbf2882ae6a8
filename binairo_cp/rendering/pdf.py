"""Pages as PDF, by reportlab: fonts are embedded, and the same pages are the same bytes."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable
from functools import singledispatch
from itertools import groupby
from typing import Any, NamedTuple

from binairo_cp.errors import RenderError
from binairo_cp.rendering.pages import Page
from binairo_cp.rendering.paper import Paper
from binairo_cp.rendering.shapes import (
    COLOURS,
    Circle,
    Ink,
    Lines,
    Placed,
    Polygon,
    Rect,
    Shape,
    Text,
    number,
)
from binairo_cp.rendering.typefaces import check_text, typeface
from binairo_cp.workers.extras import require_extra


class Fonts(NamedTuple):
    """The names by which reportlab knows two fonts."""

    regular: str
    bold: str


class Written(NamedTuple):
    """A text in a font, as PDF says it.

    Attributes:
        parts: names of parts of the font, each with codes in it.
        width: at size 1.
    """

    parts: tuple[tuple[str, str], ...]
    width: float


class Pen:
    """What paints on pages: reportlab's canvas, and the fonts."""

    def __init__(self, canvas: Any, fonts: Fonts) -> None:
        self.canvas = canvas
        self.fonts = fonts
        self._written: dict[tuple[str, str], Written] = {}

    def written(self, text: str, name: str) -> Written:
        """A text in a font.

        Raises:
            FontError: the font lacks a character.
        """
        if known := self._written.get((text, name)):
            return known
        from reportlab.pdfbase import pdfmetrics

        font = pdfmetrics.getFont(name)
        check_text(text, lambda each: ord(each) in font.face.charToGlyph)
        # Fonts are embedded in parts of 256 characters, which are made as text comes.
        document = self.canvas._doc
        parts = tuple(
            (font.getSubsetInternalName(part, document), codes.hex())
            for part, codes in font.splitString(text, document)
        )
        made = Written(parts, font.stringWidth(text, 1))
        self._written[text, name] = made
        return made


def paint(pages: Iterable[Page], paper: Paper, title: str, font: str | None = None) -> bytes:
    """Pages as a PDF document.

    Args:
        pages: what stands on them.
        paper: their size.
        title: of the document.
        font: a TrueType file for all text; None for the built-in font.

    Raises:
        RenderError: reportlab is missing, or can't use the font.
    """
    with require_extra("pdf", RenderError):
        from reportlab.pdfgen.canvas import Canvas

    fonts = _fonts(font)
    file = io.BytesIO()
    canvas = Canvas(
        file,
        pagesize=(paper.width, paper.height),
        invariant=1,
        pageCompression=1,
        initialFontName=fonts.regular,
    )
    canvas.setTitle(title)
    canvas.setCreator("binairo")
    canvas.setAuthor("")
    pen = Pen(canvas, fonts)
    for page in pages:
        if page.heading:
            # Two pages may be called the same; a place in the document has a name of its own.
            place = f"page {canvas.getPageNumber()}"
            canvas.bookmarkPage(place)
            canvas.addOutlineEntry(page.heading, place)
        canvas.setLineCap(1)
        for placed in page.placed:
            _paint_picture(pen, placed, paper.height)
        canvas.showPage()
    canvas.save()
    return file.getvalue()


def check(font: str | None) -> None:
    """Refuse what can't be painted with, before there is anything to paint.

    Raises:
        RenderError: reportlab is missing, or can't use the font.
    """
    _fonts(font)


def _fonts(font: str | None) -> Fonts:
    with require_extra("pdf", RenderError):
        from reportlab.pdfbase import pdfmetrics
        from reportlab.pdfbase.ttfonts import TTFError, TTFont

    names = []
    for name, file in typeface(font)._asdict().items():
        called = f"binairo-{name}"
        try:
            # A new one each time: it remembers the document it is used in.
            pdfmetrics.registerFont(TTFont(called, file, asciiReadable=1))
        except (TTFError, OSError) as error:
            raise RenderError(
                f"{file} can't be used as a font ({error}); expected a TrueType file (.ttf)"
            ) from error
        names.append(called)
    return Fonts(*names)


def _paint_picture(pen: Pen, placed: Placed, height: float) -> None:
    canvas, scale = pen.canvas, placed.scale
    canvas.saveState()
    # In PDF y goes up: shapes are painted with theirs negated, or text would stand on its head.
    canvas.transform(scale, 0, 0, scale, placed.x, height - placed.y)
    for style, shapes in groupby(placed.picture.shapes, _style):
        if isinstance(style, _TextStyle):
            _paint_text(pen, style, shapes)  # type: ignore[arg-type]  # their style says so
        else:
            _set(canvas, style)
            for shape in shapes:
                _paint(shape, canvas)
    canvas.restoreState()


class _TextStyle(NamedTuple):
    size: float
    bold: bool
    ink: Ink


class _Style(NamedTuple):
    fill: Ink | None
    stroke: float
    ink: Ink


def _style(shape: Shape) -> _TextStyle | _Style:
    if isinstance(shape, Text):
        return _TextStyle(shape.size, shape.bold, shape.ink)
    if isinstance(shape, Lines):
        return _Style(None, shape.width, shape.ink)
    if isinstance(shape, Polygon):
        return _Style(shape.fill, 0, "ink")
    return _Style(shape.fill, shape.stroke, shape.ink)


def _set(canvas: Any, style: _Style) -> None:
    if style.fill:
        _colour(canvas.setFillGray, canvas.setFillColorRGB, style.fill)
    if style.stroke:
        _colour(canvas.setStrokeGray, canvas.setStrokeColorRGB, style.ink)
        canvas.setLineWidth(style.stroke)


def _colour(grey: Callable[[float], Any], colour: Callable[..., Any], ink: Ink) -> None:
    """Grey is said as grey: a page without colours is then printed with black alone."""
    code = COLOURS[ink]
    red, green, blue = (int(code[k : k + 2], 16) / 255 for k in (1, 3, 5))
    if red == green == blue:
        grey(red)
    else:
        colour(red, green, blue)


def _paint_text(pen: Pen, style: _TextStyle, texts: Iterable[Text]) -> None:
    canvas = pen.canvas
    font = pen.fonts.bold if style.bold else pen.fonts.regular
    _colour(canvas.setFillGray, canvas.setFillColorRGB, style.ink)
    size, current = number(style.size), ""
    code = ["BT"]
    for text in texts:
        written = pen.written(text.text, font)
        x = text.x - _BACK[text.anchor] * written.width * style.size
        code.append(f"1 0 0 1 {number(x)} {number(-text.y)} Tm")
        for part, codes in written.parts:
            if part != current:
                code.append(f"{part} {size} Tf")
                current = part
            code.append(f"<{codes}> Tj")
    canvas.addLiteral(f"{' '.join(code)} ET")


_BACK = {"start": 0.0, "middle": 0.5, "end": 1.0}
"""How much of its width a text begins before its place."""


@singledispatch
def _paint(shape: Shape, canvas: Any) -> None:
    """Paint a shape, mostly in PDF's own words, which is quicker than by the library's."""
    raise TypeError(type(shape).__name__)


@_paint.register
def _(shape: Rect, canvas: Any) -> None:
    x, y, width, height = map(number, (shape.x, -shape.y - shape.height, shape.width, shape.height))
    how = ("B" if shape.stroke else "f") if shape.fill else "S"
    canvas.addLiteral(f"{x} {y} {width} {height} re {how}")


@_paint.register
def _(shape: Lines, canvas: Any) -> None:
    parts = (
        f"{number(x1)} {number(-y1)} m {number(x2)} {number(-y2)} l"
        for x1, y1, x2, y2 in shape.segments
    )
    canvas.addLiteral(f"{' '.join(parts)} S")


@_paint.register
def _(shape: Circle, canvas: Any) -> None:
    stroke, fill = bool(shape.stroke), bool(shape.fill)
    canvas.circle(shape.x, -shape.y, shape.radius, stroke=stroke, fill=fill)


@_paint.register
def _(shape: Polygon, canvas: Any) -> None:
    corners = [f"{number(x)} {number(-y)}" for x, y in shape.points]
    canvas.addLiteral(f"{corners[0]} m {' l '.join(corners[1:])} l h f")
