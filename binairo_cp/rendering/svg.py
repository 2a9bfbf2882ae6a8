"""Pictures as SVG, and solving steps as one HTML page of them, without external resources."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from html import escape as escape_html
from itertools import groupby
from xml.sax.saxutils import escape

from binairo_cp.deduction.styles import Style
from binairo_cp.rendering.boards import draw
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
from binairo_cp.rendering.sheet import PuzzlePanels, name_of, panel_caption

_DARK: dict[Ink, str] = {
    "ink": "#f2f2f2",
    "paper": "#1b1b1d",
    "shade": "#3d3d42",
    "grey": "#b5b5b5",
    "faint": "#6d6d72",
    "filled": "#8a6400",
    "reason": "#1d4468",
    "line": "#7db7ee",
    "supposed": "#4f3a6b",
    "broken": "#9c3328",
}

_STYLE = """\
body { margin: 1rem auto; max-width: 70rem; padding: 0 1rem; line-height: 1.4;
  font-family: system-ui, sans-serif; background: var(--paper); color: var(--ink); }
ol { list-style: none; margin: 0; padding: 0; display: grid; gap: 1.5rem;
  grid-template-columns: repeat(auto-fill, minmax(min(100%, var(--width)), 1fr)); }
li { break-inside: avoid; }
li svg { width: 100%; max-width: var(--width); height: auto; display: block; }
h2 { break-after: avoid; }
h3 { font-size: 1rem; margin: 0 0 .4rem; }
p { margin: .4rem 0 0; }
@media print {
  body { margin: 0; max-width: none; font-size: 9pt; }
  ol { grid-template-columns: repeat(auto-fill, minmax(min(100%, var(--printed)), 1fr)); }
  li svg { max-width: var(--printed); }
  section + section { break-before: page; }
}
"""

FONT = "'DejaVu Sans','Bitstream Vera Sans',Verdana,Arial,Helvetica,sans-serif"

Paint = Callable[[Ink], str]
"""Turns an ink into an SVG colour."""


def paint(picture: Picture, scale: float) -> str:
    """Return a picture as an SVG document."""
    start = '<?xml version="1.0" encoding="UTF-8"?>\n'
    return start + element(picture, COLOURS.__getitem__, scale)


def element(picture: Picture, paint: Paint, scale: float | None = None) -> str:
    """Return a picture as an SVG element of a size; without `scale` it fills its container."""
    # Consecutive shapes of the same style are grouped, which keeps files small.
    groups = groupby(picture.painted(), lambda shape: _style(shape, paint))
    content = "".join(
        f"<g {style}>\n{''.join(map(_element, shapes))}</g>\n" for style, shapes in groups
    )
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
    kept = (char if char.isprintable() or char in "\t\n" else "\ufffd" for char in text)
    return escape("".join(kept), {'"': "&quot;"})


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
            lines = ("M{} {}L{} {}".format(*map(decimal, line)) for line in shape.segments)
            return f'<path d="{"".join(lines)}"/>\n'
        case Circle():
            x, y, radius = map(decimal, shape[:3])
            return f'<circle cx="{x}" cy="{y}" r="{radius}"/>\n'
        case Polygon():
            points = " ".join(",".join(map(decimal, point)) for point in shape.points)
            return f'<polygon points="{points}"/>\n'
        case Text():
            x, y = map(decimal, shape[:2])
            return f'<text x="{x}" y="{y}">{escape_xml(shape.text)}</text>\n'


def page(puzzles: Iterable[PuzzlePanels], title: str, style: Style) -> Iterator[str]:
    """Yield the page in pieces."""
    heading, light, dark = escape_xml(title), _variables(COLOURS), _variables(_DARK)
    colours = (
        f":root {{ color-scheme: light dark; {light} }}\n"
        f"@media screen and (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}\n"
    )
    yield '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
    yield f"<title>{heading}</title>\n<style>\n{colours}{_STYLE}</style>\n</head>\n<body>\n"
    yield f"<h1>{heading}</h1>\n"
    for item, panels in puzzles:
        # Cells of 2 rem on screens, and of 6 mm on paper, with two or three boards side by side.
        width = item.puzzle.board.width + 1
        sizes = f"--width: {min(40, max(17, 2 * width))}rem; --printed: {min(180, 6 * width)}mm"
        name = escape_xml(name_of(item, Style("en", style.symbols)))
        yield f'<section style="{sizes}">\n<h2>{name}</h2>\n<ol>\n'
        for number, panel in enumerate(panels, 1):
            caption = escape_html(panel_caption(number, panel))
            yield f'<li lang="{style.language}">\n<h3>{caption}</h3>\n'
            yield element(draw(panel.view()), lambda ink: f"var(--{ink})")
            if panel.steps:
                yield "".join(f"<p>{escape_html(sentence)}</p>\n" for sentence in panel.sentences)
            yield "</li>\n"
        yield "</ol>\n</section>\n"
    yield "</body>\n</html>\n"


def _variables(colours: dict[Ink, str]) -> str:
    return " ".join(f"--{ink}: {colour};" for ink, colour in colours.items())
