"""Documents as PDF: Typst lays out what Python describes as one JSON value.

Fonts are embedded, and the same document gives the same bytes.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain, groupby
from operator import itemgetter
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory
from typing import Any

from binairo_cp.deduction.styles import CHARACTERS
from binairo_cp.errors import RenderError
from binairo_cp.json_library import orjson
from binairo_cp.rendering.boards import View, draw
from binairo_cp.rendering.shapes import (
    CAP_HEIGHT,
    CELL,
    DIGIT_SIZE,
    SYMBOL_SIZE,
    Circle,
    Mark,
    Polygon,
    Rect,
    Segments,
    Shape,
    Text,
)
from binairo_cp.rendering.text_layout import BUILT_IN, check_text, typeface, unusable
from binairo_cp.workers.extras import require_extra

TEMPLATE = Path(__file__).parent / "templates" / "book.typ"
"""The template that comes with the package."""

_VERSION = "1.6"
_DIGITS = 3
"""Coordinates are rounded to thousandths of a unit."""

_MOST_FILES = 1_000
_PLACES = "(<puzzle>, <answer>).map(kind => query(kind).map(e => (e.value, e.location().page())))"
"""The Typst expression for the numbers of puzzles and of answers, with their pages."""

_PAGE = re.compile(rb"/Type/Page\b")

_OWN_FONT = ("digits", "letters")
"""These symbols are characters of any font. The built-in ones have the others, so that a board on a
page is a few texts."""


@dataclass(frozen=True, slots=True)
class Printed:
    """A document and the pages of its parts, from 1."""

    content: bytes
    pages: int
    puzzles: dict[int, int] = field(default_factory=dict)
    answers: dict[int, int] = field(default_factory=dict)


class Typesetter:
    """Typst with the fonts and the template of a document. Use `typesetter`."""

    def __init__(self, compiler: Any, families: dict[str, Any], glyphs: set[str]) -> None:
        self._compiler = compiler
        self._families = families
        self._glyphs = glyphs

    def typeset(self, document: Mapping[str, Any]) -> Printed:
        """Return a document as PDF.

        Args:
            document: what the template expects, without the fonts.

        Raises:
            FontError: the fonts have no glyph for a character of a text.
            RenderError: the template has a mistake, or something does not fit its page.
        """
        for text in _texts(document):
            check_text(text, self._glyphs.__contains__)
        import typst

        values = orjson.dumps({**document, **self._families}).decode()
        try:
            content = self._compiler.compile(
                format="pdf", sys_inputs={"data": values}, pdf_standards=_VERSION
            )
            found = orjson.loads(self._compiler.eval(_PLACES))
        except typst.TypstError as error:
            message: str = error.message
            if "assertion failed: " in message:
                raise RenderError(message.removeprefix("assertion failed: ")) from None
            place = re.search(r"\u250c\u2500 (\S+):(\d+):(\d+)", error.diagnostic or "")
            where = f"{place[1]}, line {place[2]}, column {place[3]}: " if place else ""
            raise RenderError(f"template {where}{message}") from None
        return Printed(bytes(content), len(_PAGE.findall(content)), *map(dict, found))


@contextmanager
def typesetter(font: str | None = None, template: str | None = None) -> Iterator[Typesetter]:
    """Load a font and a template. Signs that the font lacks are of the built-in one.

    Args:
        font: a TrueType file for all text; None for the built-in font.
        template: a Typst file, which can use files in its folder only; None for the usual one.

    Raises:
        RenderError: Typst is missing, or can't use the font or the template.
    """
    with require_extra("pdf", RenderError):
        import fontTools  # noqa: F401  # needed below
        import typst

    face = typeface(font)
    main = TEMPLATE if template is None else Path(template)
    if template is not None:
        _check_template(main)
    # Typst finds fonts in folders only, so these get one of their own.
    with TemporaryDirectory() as folder:
        regular, bold = (
            _widths(usual) | _widths(file) for file, usual in zip(face, BUILT_IN, strict=True)
        )
        for number, file in enumerate((*face, *BUILT_IN)):
            copyfile(file, Path(folder, f"{number}.ttf"))
        files = typst.Fonts(
            include_system_fonts=False, include_embedded_fonts=False, font_paths=[folder]
        )
        names = {Path(font.path or "").stem: font.family for font in files.fonts()}
        if "0" not in names or "1" not in names:
            raise unusable(face.bold if "0" in names else face.regular, "Typst can't read it")
        families: dict[str, Any] = {
            "regular": [*dict.fromkeys((names["0"], names["2"]))],
            "bold": [*dict.fromkeys((names["1"], names["3"]))],
            "symbols": names["2"],
            "widths": {
                character: [regular[character], bold[character]]
                for character in chain.from_iterable(chain.from_iterable(CHARACTERS.values()))
            },
        }
        # Packages are looked for in a folder that has none.
        compiler = typst.Compiler(
            str(main),
            root=str(main.parent),
            font_paths=files,
            package_path=folder,
            package_cache_path=folder,
        )
        yield Typesetter(compiler, families, regular.keys() & bold.keys())


def _check_template(main: Path) -> None:
    """Refuse a template that would use something outside of its folder."""
    if not main.is_file() or main.suffix != ".typ":
        raise RenderError(f"{main} is no template; expected a Typst file (.typ)")
    root = main.parent.resolve()
    files = (Path(at, name) for at, folders, names in os.walk(root) for name in (*folders, *names))
    for number, file in enumerate(files):
        if number >= _MOST_FILES:
            raise RenderError(
                f"{root} has more than {_MOST_FILES:,} files; expected a folder for the template"
            )
        if not file.resolve().is_relative_to(root):
            raise RenderError(f"{file} leads out of the template's folder; expected a copy")
        if file.suffix == ".typ" and (
            match := re.search(r'"(@\w[^"\s]*)', file.read_text("utf-8", "replace"))
        ):
            raise RenderError(
                f"{file} imports the package {match[1]}, but templates use their own files only; "
                "expected a copy of what it needs"
            )


def _texts(value: Any) -> Iterator[str]:
    """The texts in the values of a document; boards have theirs checked by their symbols."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            if name != "groups":
                yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)


@lru_cache(maxsize=16)
def _widths(file: str) -> dict[str, float]:
    """The characters of a font, with their widths as fractions of the text size."""
    from fontTools.ttLib import TTFont, TTLibError

    try:
        with open(file, "rb") as stream, TTFont(stream, lazy=True, fontNumber=0) as font:
            widths, em = font["hmtx"], font["head"].unitsPerEm
            return {chr(code): widths[name][0] / em for code, name in font.getBestCmap().items()}
    except (TTLibError, OSError, KeyError, AttributeError) as error:
        raise unusable(file, getattr(error, "strerror", None) or error) from error


def picture(view: View) -> dict[str, Any]:
    """A board as the template expects it: groups of consecutive shapes of one kind and style.

    `said` is what screen readers say in place of the picture: the rows of the board.
    """
    drawn, groups = draw(view), []
    for style, shapes in groupby(map(_drawn, drawn.shapes), itemgetter(0)):
        values = [value for _, values in shapes for value in values]
        groups.append([*style, _lines(values) if style[0] == "marks" else values])
    said = "; ".join(" ".join(row) for row in view.board.rows)
    return {"width": drawn.width, "height": drawn.height, "groups": groups, "said": said}


def _lines(marks: list[Any]) -> tuple[float, float, str]:
    """The centre of the first cell, and the values as lines of one text with spaces between."""
    left, top = min(mark.x for mark in marks), min(mark.y for mark in marks)
    names = CHARACTERS[marks[0].symbols]
    places = {
        (round((mark.y - top) / CELL), round((mark.x - left) / CELL)): names[int(mark.value)]
        for mark in marks
    }
    height, width = (max(place) + 1 for place in zip(*places, strict=True))
    rows = ("".join(places.get((y, x), " ") for x in range(width)) for y in range(height))
    return _rounded(left), _rounded(top), "\n".join(row.rstrip() for row in rows)


def _drawn(shape: Shape | Mark) -> tuple[tuple[str, tuple[object, ...]], Iterable[Any]]:
    """The kind and the style of a shape, and its values."""
    match shape:
        case Mark():
            is_own = shape.symbols in _OWN_FONT
            size = DIGIT_SIZE if is_own else SYMBOL_SIZE
            names = "".join(CHARACTERS[shape.symbols])
            style = (is_own, shape.bold and is_own, size, size * CAP_HEIGHT / 2, names)
            return ("marks", style), [shape]
        case Text(x, y, size, text, anchor, bold, ink):
            return ("text", (size, bold, ink, anchor)), [[_rounded(x), _rounded(y), text]]
        case Segments(segments):
            return ("lines", (shape.width, shape.ink)), [[*map(_rounded, one)] for one in segments]
        case Polygon(points):
            return ("polygon", (shape.fill,)), [points]
        case Circle(fill=fill, stroke=stroke, ink=ink):
            return ("circle", (fill, stroke, ink)), [[*map(_rounded, shape[:3])]]
        case Rect(fill=fill, stroke=stroke, ink=ink):
            return ("rect", (fill, stroke, ink)), [[*map(_rounded, shape[:4])]]


def _rounded(length: float) -> float:
    return round(length, _DIGITS)
