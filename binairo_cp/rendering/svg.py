"""Pictures as SVG, without scripts, style sheets or external resources."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from xml.sax.saxutils import escape

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
    decimal,
)

FONT = "'DejaVu Sans','Bitstream Vera Sans',Verdana,Arial,Helvetica,sans-serif"

Paint = Callable[[Ink], str]
"""Turns an ink into an SVG colour."""


def paint(picture: Picture, scale: float) -> str:
    """Return a picture as an SVG document."""
    start = '<?xml version="1.0" encoding="UTF-8"?>\n'
    return start + element(picture, COLOURS.__getitem__, scale)


def element(picture: Picture, paint: Paint, scale: float | None = None) -> str:
    """Return a picture as an SVG element of a size; without `scale` it fills its container."""
    content = "".join(_elements(picture.painted(), paint))
    width, height = decimal(picture.width), decimal(picture.height)
    size, title, description = "", escape_xml(picture.title), escape_xml(picture.description)
    if scale is not None:
        sides = decimal(picture.width * scale), decimal(picture.height * scale)
        size = ' width="{}" height="{}"'.format(*sides)
    start = f'<svg xmlns="http://www.w3.org/2000/svg"{size} viewBox="0 0 {width} {height}" '
    texts = f"<title>{title}</title>\n" * bool(title)
    texts += f"<desc>{description}</desc>\n" * bool(description)
    return f'{start}role="img">\n{texts}{content}</svg>\n'


def escape_xml(text: str) -> str:
    """Escape text for XML, and replace the characters that XML can't represent."""
    kept = (each if each.isprintable() or each in "\t\n" else "\ufffd" for each in text)
    return escape("".join(kept), {'"': "&quot;"})


def _elements(shapes: Iterable[Shape], paint: Paint) -> Iterator[str]:
    """Group consecutive shapes of the same style, which keeps files small."""
    for style, group in groupby(shapes, lambda shape: _style(shape, paint)):
        yield f"<g {style}>\n"
        for shape in group:
            yield _element(shape)
        yield "</g>\n"


def _style(shape: Shape, paint: Paint) -> str:
    if isinstance(shape, Text):
        weight = ' font-weight="bold"' * shape.bold
        return (
            f'font-family="{FONT}" font-size="{decimal(shape.size)}"{weight} '
            f'text-anchor="{shape.anchor}" fill="{paint(shape.ink)}"'
        )
    if isinstance(shape, Segments):
        return _stroke(shape.width, shape.ink, paint) + ' stroke-linecap="round"'
    fill = f'fill="{paint(shape.fill) if shape.fill else "none"}"'
    if isinstance(shape, Polygon) or not shape.stroke:
        return fill
    return f"{fill} {_stroke(shape.stroke, shape.ink, paint)}"


def _stroke(width: float, ink: Ink, paint: Paint) -> str:
    return f'stroke="{paint(ink)}" stroke-width="{decimal(width)}"'


def _element(shape: Shape) -> str:
    match shape:
        case Rect():
            x, y, width, height = map(decimal, shape[:4])
            return f'<rect x="{x}" y="{y}" width="{width}" height="{height}"/>\n'
        case Segments():
            lines = (f"M{x1} {y1}L{x2} {y2}" for x1, y1, x2, y2 in map(_decimals, shape.segments))
            return f'<path d="{"".join(lines)}"/>\n'
        case Circle():
            x, y, radius = map(decimal, shape[:3])
            return f'<circle cx="{x}" cy="{y}" r="{radius}"/>\n'
        case Polygon():
            points = " ".join(f"{x},{y}" for x, y in map(_decimals, shape.points))
            return f'<polygon points="{points}"/>\n'
        case Text():
            x, y = map(decimal, shape[:2])
            return f'<text x="{x}" y="{y}">{escape_xml(shape.text)}</text>\n'


def _decimals(lengths: Iterable[float]) -> Iterator[str]:
    return map(decimal, lengths)
