"""Pictures as SVG: text of our own, without scripts, styles or anything from outside."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import singledispatch
from itertools import groupby
from xml.sax.saxutils import escape

from binairo_cp.rendering.shapes import (
    COLOURS,
    Circle,
    Ink,
    Lines,
    Picture,
    Polygon,
    Rect,
    Shape,
    Text,
    number,
)

FONT = "'DejaVu Sans','Bitstream Vera Sans',Verdana,Arial,Helvetica,sans-serif"

Paint = Callable[[Ink], str]
"""How an ink is said."""


def paint(picture: Picture, scale: float) -> str:
    """A picture as an SVG document.

    Args:
        picture: the picture.
        scale: how many pixels a unit has, for those who show it as it is.
    """
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + element(picture, COLOURS.__getitem__, scale)


def element(picture: Picture, paint: Paint, scale: float | None = None) -> str:
    """A picture as an SVG element; without a scale it is as wide as its place."""
    width, height = number(picture.width), number(picture.height)
    size = ""
    if scale is not None:
        size = f' width="{number(picture.width * scale)}" height="{number(picture.height * scale)}"'
    return "".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg"{size} viewBox="0 0 {width} {height}" '
            f'role="img">\n',
            f"<title>{written(picture.title)}</title>\n" * bool(picture.title),
            f"<desc>{written(picture.description)}</desc>\n" * bool(picture.description),
            *_elements(picture.shapes, paint),
            "</svg>\n",
        )
    )


def written(text: str) -> str:
    """Text within XML: escaped, and without the characters that XML has no way to say."""
    return escape("".join(each if _in_xml(each) else "\ufffd" for each in text), {'"': "&quot;"})


def _in_xml(character: str) -> bool:
    return character.isprintable() or character in "\t\n"


def _elements(shapes: list[Shape], paint: Paint) -> Iterator[str]:
    """Shapes of one style that follow each other share a group, so that files are small."""
    for style, group in groupby(shapes, lambda shape: _style(shape, paint)):
        yield f"<g {style}>\n"
        for shape in group:
            yield _element(shape)
        yield "</g>\n"


def _style(shape: Shape, paint: Paint) -> str:
    if isinstance(shape, Text):
        weight = ' font-weight="bold"' * shape.bold
        return (
            f'font-family="{FONT}" font-size="{number(shape.size)}"{weight} '
            f'text-anchor="{shape.anchor}" fill="{paint(shape.ink)}"'
        )
    if isinstance(shape, Lines):
        return _stroke(shape.width, shape.ink, paint) + ' stroke-linecap="round"'
    fill = f'fill="{paint(shape.fill) if shape.fill else "none"}"'
    if isinstance(shape, Polygon) or not shape.stroke:
        return fill
    return f"{fill} {_stroke(shape.stroke, shape.ink, paint)}"


def _stroke(width: float, ink: Ink, paint: Paint) -> str:
    return f'stroke="{paint(ink)}" stroke-width="{number(width)}"'


@singledispatch
def _element(shape: Shape) -> str:
    raise TypeError(type(shape).__name__)


@_element.register
def _(shape: Rect) -> str:
    x, y, width, height = map(number, shape[:4])
    return f'<rect x="{x}" y="{y}" width="{width}" height="{height}"/>\n'


@_element.register
def _(shape: Lines) -> str:
    steps = (
        f"M{number(x1)} {number(y1)}L{number(x2)} {number(y2)}" for x1, y1, x2, y2 in shape.segments
    )
    return f'<path d="{"".join(steps)}"/>\n'


@_element.register
def _(shape: Circle) -> str:
    x, y, radius = map(number, shape[:3])
    return f'<circle cx="{x}" cy="{y}" r="{radius}"/>\n'


@_element.register
def _(shape: Polygon) -> str:
    points = " ".join(f"{number(x)},{number(y)}" for x, y in shape.points)
    return f'<polygon points="{points}"/>\n'


@_element.register
def _(shape: Text) -> str:
    return f'<text x="{number(shape.x)}" y="{number(shape.y)}">{written(shape.text)}</text>\n'
