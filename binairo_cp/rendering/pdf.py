"""Pages as PDF, with reportlab. Fonts are embedded, and the same pages give the same bytes."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import singledispatch
from itertools import groupby
from typing import Any, NamedTuple

from binairo_cp.errors import RenderError
from binairo_cp.rendering.pages import BookPage, Paper
from binairo_cp.rendering.shapes import (
    COLOURS,
    Circle,
    Ink,
    PlacedPicture,
    Polygon,
    Rect,
    Segments,
    Shape,
    Text,
    decimal,
)
from binairo_cp.rendering.text_layout import Typeface, check_text, typeface
from binairo_cp.workers.extras import require_extra


class Fonts(NamedTuple):
    """The names under which two fonts are registered with reportlab."""

    regular: str
    bold: str


class EncodedText(NamedTuple):
    """A text encoded for PDF in a font.

    Attributes:
        parts: pairs of the name of a subset of the font and the hexadecimal codes in it.
        width: at size 1.
    """

    parts: tuple[tuple[str, str], ...]
    width: float


class Pen:
    """Reportlab's canvas with its fonts and a cache of encoded texts."""

    def __init__(self, canvas: Any, fonts: Fonts, colours: Mapping[Ink, str]) -> None:
        self.canvas = canvas
        self.fonts = fonts
        self.colours = colours
        self._encoded: dict[tuple[str, str], EncodedText] = {}

    def encode(self, text: str, name: str) -> EncodedText:
        """Return a text encoded in a font.

        Raises:
            FontError: the font has no glyph for a character.
        """
        if cached := self._encoded.get((text, name)):
            return cached
        from reportlab.pdfbase import pdfmetrics

        font = pdfmetrics.getFont(name)
        check_text(text, lambda each: ord(each) in font.face.charToGlyph)
        # Reportlab embeds fonts in subsets of 256 characters, and fills them as text is encoded.
        document = self.canvas._doc
        parts = tuple(
            (font.getSubsetInternalName(part, document), codes.hex())
            for part, codes in font.splitString(text, document)
        )
        encoded = EncodedText(parts, font.stringWidth(text, 1))
        self._encoded[text, name] = encoded
        return encoded


@dataclass(frozen=True, slots=True)
class Document:
    """What a PDF document says about itself, and how it looks.

    Attributes:
        title: its title.
        author: who wrote it.
        subject: what it is about.
        language: the code of its language; empty if it does not say.
        colours: the inks; those of the painters by default.
        version: the version of PDF.
    """

    title: str
    author: str = ""
    subject: str = ""
    language: str = ""
    colours: Mapping[Ink, str] | None = None
    version: tuple[int, int] = (1, 4)


def paint(
    pages: Iterable[BookPage],
    paper: Paper,
    document: Document,
    font: str | Typeface | None = None,
) -> bytes:
    """Return pages as a PDF document.

    Args:
        pages: the pages.
        paper: the size of the pages.
        document: its title and other properties.
        font: a TrueType file for all text, or the files of a font; None for the built-in font.

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
        pdfVersion=document.version,
        lang=document.language or None,
    )
    canvas.setTitle(document.title)
    canvas.setCreator("binairo")
    canvas.setAuthor(document.author)
    canvas.setSubject(document.subject)
    pen = Pen(canvas, fonts, {**COLOURS, **(document.colours or {})})
    for page in pages:
        if page.heading:
            # Headings may repeat, but bookmark names must be unique.
            bookmark = f"page {canvas.getPageNumber()}"
            canvas.bookmarkPage(bookmark)
            canvas.addOutlineEntry(page.heading, bookmark, level=page.depth)
        if page.trim:
            # Reportlab keeps the boxes for the pages that follow.
            canvas.setTrimBox(page.trim)
            canvas.setBleedBox((0, 0, paper.width, paper.height))
        canvas.setLineCap(1)
        for placed in page.placed:
            _paint_picture(pen, placed, page.corner, paper.height)
        canvas.showPage()
    canvas.save()
    return file.getvalue()


def check_font(font: str | Typeface | None) -> None:
    """Check that reportlab and the font can be used, before the puzzles are solved.

    Raises:
        RenderError: reportlab is missing, or can't use the font.
    """
    _fonts(font)


def _fonts(font: str | Typeface | None) -> Fonts:
    with require_extra("pdf", RenderError):
        from reportlab.pdfbase import pdfmetrics
        from reportlab.pdfbase.ttfonts import TTFError, TTFont

    names = []
    for name, file in typeface(font)._asdict().items():
        font_name = f"binairo-{name}"
        try:
            # A TTFont keeps state of the document it is used in, so each document needs a new one.
            pdfmetrics.registerFont(TTFont(font_name, file, asciiReadable=1))
        except (TTFError, OSError) as error:
            raise RenderError(
                f"{file} can't be used as a font ({error}); expected a TrueType file (.ttf)"
            ) from error
        names.append(font_name)
    return Fonts(*names)


def _paint_picture(
    pen: Pen, placed: PlacedPicture, corner: tuple[float, float], height: float
) -> None:
    canvas, scale = pen.canvas, placed.scale
    x, y = corner[0] + placed.x, corner[1] + placed.y
    canvas.saveState()
    # The y axis of PDF points up. Shapes are painted with y negated: flipping the axis would also
    # flip text.
    canvas.transform(scale, 0, 0, scale, x, height - y)
    for style, shapes in groupby(placed.picture.shapes, _style):
        if isinstance(style, _TextStyle):
            _paint_text(pen, style, shapes)  # type: ignore[arg-type]  # their style says so
        else:
            _set(pen, style)
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
    if isinstance(shape, Segments):
        return _Style(None, shape.width, shape.ink)
    if isinstance(shape, Polygon):
        return _Style(shape.fill, 0, "ink")
    return _Style(shape.fill, shape.stroke, shape.ink)


def _set(pen: Pen, style: _Style) -> None:
    if style.fill:
        _colour(pen, style.fill)
    if style.stroke:
        _colour(pen, style.ink, stroked=True)
        pen.canvas.setLineWidth(style.stroke)


def _colour(pen: Pen, ink: Ink, *, stroked: bool = False) -> None:
    """Set a colour; greys use the grey colour space, so that printers use only black for them."""
    code = pen.colours[ink]
    red, green, blue = (int(code[k : k + 2], 16) / 255 for k in (1, 3, 5))
    canvas = pen.canvas
    if red == green == blue:
        (canvas.setStrokeGray if stroked else canvas.setFillGray)(red)
    else:
        (canvas.setStrokeColorRGB if stroked else canvas.setFillColorRGB)(red, green, blue)


def _paint_text(pen: Pen, style: _TextStyle, texts: Iterable[Text]) -> None:
    canvas = pen.canvas
    font = pen.fonts.bold if style.bold else pen.fonts.regular
    _colour(pen, style.ink)
    size, current = decimal(style.size), ""
    code = ["BT"]
    for text in texts:
        encoded = pen.encode(text.text, font)
        x = text.x - _BACK[text.anchor] * encoded.width * style.size
        code.append(f"1 0 0 1 {decimal(x)} {decimal(-text.y)} Tm")
        for part, codes in encoded.parts:
            if part != current:
                code.append(f"{part} {size} Tf")
                current = part
            code.append(f"<{codes}> Tj")
    canvas.addLiteral(f"{' '.join(code)} ET")


_BACK = {"start": 0.0, "middle": 0.5, "end": 1.0}
"""How far left of its x a text starts, as a fraction of its width."""


@singledispatch
def _paint(shape: Shape, canvas: Any) -> None:
    """Paint a shape, mostly with raw PDF operators, which is faster than reportlab's methods."""
    raise TypeError(type(shape).__name__)


@_paint.register
def _(shape: Rect, canvas: Any) -> None:
    x, y, width, height = map(
        decimal, (shape.x, -shape.y - shape.height, shape.width, shape.height)
    )
    operator = ("B" if shape.stroke else "f") if shape.fill else "S"
    canvas.addLiteral(f"{x} {y} {width} {height} re {operator}")


@_paint.register
def _(shape: Segments, canvas: Any) -> None:
    parts = (
        f"{decimal(x1)} {decimal(-y1)} m {decimal(x2)} {decimal(-y2)} l"
        for x1, y1, x2, y2 in shape.segments
    )
    canvas.addLiteral(f"{' '.join(parts)} S")


@_paint.register
def _(shape: Circle, canvas: Any) -> None:
    stroke, fill = bool(shape.stroke), bool(shape.fill)
    canvas.circle(shape.x, -shape.y, shape.radius, stroke=stroke, fill=fill)


@_paint.register
def _(shape: Polygon, canvas: Any) -> None:
    corners = [f"{decimal(x)} {decimal(-y)}" for x, y in shape.points]
    canvas.addLiteral(f"{corners[0]} m {' l '.join(corners[1:])} l h f")
