"""Pages as PDF, typeset by Typst. Fonts are embedded, and the same pages give the same bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import groupby
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import orjson

from binairo_cp.errors import RenderError
from binairo_cp.rendering.pages import BookPage, Paper
from binairo_cp.rendering.shapes import (
    COLOURS,
    Circle,
    Ink,
    Picture,
    Polygon,
    Rect,
    Segments,
    Shape,
    Text,
)
from binairo_cp.rendering.text_layout import BUILT_IN, Typeface, check_text, typeface
from binairo_cp.workers.extras import require_extra

_TEMPLATE = Path(__file__).parent / "templates" / "pages.typ"
_DIGITS = 3
"""Coordinates are rounded to thousandths of a unit."""

_BACK = {"start": 0.0, "middle": 0.5, "end": 1.0}
"""How far left of its x a text starts, as a fraction of its width."""


@dataclass(frozen=True, slots=True)
class Document:
    """What a PDF document says about itself, and how it looks.

    Attributes:
        title: its title.
        author: who wrote it.
        subject: what it is about.
        language: the code of its language.
        colours: the inks; those of the painters by default.
        version: the version of PDF.
    """

    title: str
    author: str = ""
    subject: str = ""
    language: str = "en"
    colours: Mapping[Ink, str] | None = None
    version: str = "1.4"


class _Fonts(NamedTuple):
    """Fonts that Typst has loaded.

    Attributes:
        compiler: makes a compiler of the template that has these fonts.
        regular: families; the first one that has a character is used for it.
        bold: the same for bold text.
        widths: the characters of all families and their widths at size 1, for normal and bold text.
    """

    compiler: Callable[..., Any]
    regular: list[str]
    bold: list[str]
    widths: tuple[dict[str, float], dict[str, float]]


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
        FontError: the font has no glyph for a character.
        RenderError: Typst is missing, or can't use the font.
    """
    colours = {**COLOURS, **(document.colours or {})}
    with _loaded(typeface(font)) as fonts:
        values = {
            "title": document.title,
            "author": document.author,
            "subject": document.subject,
            "language": document.language,
            "regular": fonts.regular,
            "bold": fonts.bold,
            "colours": {ink: [*bytes.fromhex(colour[1:])] for ink, colour in colours.items()},
            "width": paper.width,
            "height": paper.height,
            "pages": [_page(page, paper, fonts) for page in pages],
        }
        compiler = fonts.compiler(sys_inputs={"data": orjson.dumps(values).decode()})
        # Tags would describe a page of pictures as a page without content.
        content = compiler.compile(format="pdf", pdf_standards=document.version, pdf_tags=False)
        return bytes(content)


def check_font(font: str | Typeface | None) -> None:
    """Check that Typst and the font can be used, before the puzzles are solved.

    Raises:
        RenderError: Typst is missing, or can't use the font.
    """
    with _loaded(typeface(font)):
        pass


@contextmanager
def _loaded(face: Typeface) -> Iterator[_Fonts]:
    """Load a font. Signs that it lacks, such as suns and moons, are of the built-in one."""
    with require_extra("pdf", RenderError):
        import fontTools  # noqa: F401  # needed below
        import typst

    # Typst finds fonts in folders only, so these get one of their own.
    with TemporaryDirectory() as folder:
        known = [_widths(file) for file in (*face, *BUILT_IN)]
        for number, file in enumerate((*face, *BUILT_IN)):
            copyfile(file, Path(folder, f"{number}.ttf"))
        files = typst.Fonts(
            include_system_fonts=False, include_embedded_fonts=False, font_paths=[folder]
        )
        names = {Path(each.path or "").stem: each.family for each in files.fonts()}
        if "0" not in names or "1" not in names:
            raise _unusable(face.bold if "0" in names else face.regular, "Typst can't read it")
        yield _Fonts(
            partial(typst.Compiler, _TEMPLATE, root=_TEMPLATE.parent, font_paths=files),
            [*dict.fromkeys((names["0"], names["2"]))],
            [*dict.fromkeys((names["1"], names["3"]))],
            (known[2] | known[0], known[3] | known[1]),
        )


@lru_cache(maxsize=16)
def _widths(file: str) -> dict[str, float]:
    """The characters of a font and their widths at size 1."""
    from fontTools.ttLib import TTFont, TTLibError

    try:
        with open(file, "rb") as stream, TTFont(stream, lazy=True, fontNumber=0) as font:
            em, widths = font["head"].unitsPerEm, font["hmtx"].metrics
            return {chr(code): widths[glyph][0] / em for code, glyph in font.getBestCmap().items()}
    except (TTLibError, OSError, KeyError, AttributeError) as error:
        raise _unusable(file, getattr(error, "strerror", None) or error) from error


def _unusable(file: str, reason: object) -> RenderError:
    return RenderError(
        f"{file} can't be used as a font ({reason}); expected a TrueType file (.ttf)"
    )


def _page(page: BookPage, paper: Paper, fonts: _Fonts) -> dict[str, object]:
    """A page as the template expects it."""
    left, bottom, right, top = page.trim or (0, 0, paper.width, paper.height)
    corner_x, corner_y = page.corner
    return {
        "heading": page.heading,
        "depth": page.depth,
        "bleed": [left, paper.height - top, paper.width - right, bottom],
        "pictures": [
            [corner_x + placed.x, corner_y + placed.y, placed.scale, _groups(placed.picture, fonts)]
            for placed in page.placed
        ],
    }


def _groups(picture: Picture, fonts: _Fonts) -> list[list[object]]:
    """Consecutive shapes of the same kind and style, as (kind, style, shapes)."""
    return [
        [*style, [values for shape in shapes for values in _values(shape, fonts)]]
        for style, shapes in groupby(picture.shapes, _style)
    ]


def _style(shape: Shape) -> tuple[str, tuple[object, ...]]:
    match shape:
        case Text():
            return "text", (shape.size, shape.bold, shape.ink)
        case Segments():
            return "lines", (shape.width, shape.ink)
        case Polygon():
            return "polygon", (shape.fill,)
        case Circle():
            return "circle", (shape.fill, shape.stroke, shape.ink)
        case Rect():
            return "rect", (shape.fill, shape.stroke, shape.ink)


def _values(shape: Shape, fonts: _Fonts) -> Iterator[object]:
    match shape:
        case Text():
            widths = fonts.widths[shape.bold]
            check_text(shape.text, widths.__contains__)
            width = shape.size * sum(map(widths.__getitem__, shape.text))
            yield [_rounded(shape.x - _BACK[shape.anchor] * width), _rounded(shape.y), shape.text]
        case Segments():
            yield from ([*map(_rounded, segment)] for segment in shape.segments)
        case Polygon():
            yield shape.points
        case Circle():
            yield [*map(_rounded, shape[:3])]
        case Rect():
            yield [*map(_rounded, shape[:4])]


def _rounded(length: float) -> float:
    return round(length, _DIGITS)
