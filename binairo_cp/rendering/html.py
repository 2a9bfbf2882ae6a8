"""Solving steps as one self-contained HTML page, for phones, dark mode and print."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

from binairo_cp.deduction.styles import Style
from binairo_cp.rendering import svg
from binairo_cp.rendering.boards import draw
from binairo_cp.rendering.shapes import COLOURS, Ink
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


def page(puzzles: Iterable[PuzzlePanels], title: str, style: Style) -> Iterator[str]:
    """Yield the page in pieces."""
    heading = svg.escape_xml(title)
    yield '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
    yield f"<title>{heading}</title>\n<style>\n{_colours()}{_STYLE}</style>\n</head>\n<body>\n"
    yield f"<h1>{heading}</h1>\n"
    for item, panels in puzzles:
        # Cells of 2 rem on screens, and of 6 mm on paper, with two or three boards side by side.
        width = item.puzzle.board.width + 1
        sizes = f"--width: {min(40, max(17, 2 * width))}rem; --printed: {min(180, 6 * width)}mm"
        name = svg.escape_xml(name_of(item, Style("en", style.symbols)))
        yield f'<section style="{sizes}">\n<h2>{name}</h2>\n<ol>\n'
        for number, panel in enumerate(panels, 1):
            yield f'<li lang="{style.language}">\n<h3>{escape(panel_caption(number, panel))}</h3>\n'
            yield svg.element(draw(panel.view()), lambda ink: f"var(--{ink})")
            if panel.steps:
                yield "".join(f"<p>{escape(sentence)}</p>\n" for sentence in panel.sentences)
            yield "</li>\n"
        yield "</ol>\n</section>\n"
    yield "</body>\n</html>\n"


def _colours() -> str:
    light, dark = _variables(COLOURS), _variables(_DARK)
    return (
        f":root {{ color-scheme: light dark; {light} }}\n"
        f"@media screen and (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}\n"
    )


def _variables(colours: dict[Ink, str]) -> str:
    return " ".join(f"--{ink}: {colour};" for ink, colour in colours.items())
