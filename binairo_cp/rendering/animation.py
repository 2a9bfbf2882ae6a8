"""Steps as a moving picture: a frame for each step, as GIF or as SVG."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from binairo_cp.errors import RenderError
from binairo_cp.rendering import png, svg
from binairo_cp.rendering.boards import Highlights, figure
from binairo_cp.rendering.shapes import COLOURS, Picture, Rect
from binairo_cp.rendering.sheet import Panel, panel_caption

if TYPE_CHECKING:
    from PIL.Image import Image

MOST_FRAMES = 400
_MOST_PIXELS = 60_000_000
"""Of all frames of a GIF."""

_SECONDS, _LAST_SECONDS = 3, 6
_COLOURS = 64
_MOST_SENTENCES = 3


def frames(panels: list[Panel], name: str = "") -> list[Picture]:
    """Return pictures of one size, in which the board keeps its place.

    Raises:
        RenderError: there are too many.
    """
    if len(panels) > MOST_FRAMES:
        raise RenderError(f"{len(panels)} frames; expected at most {MOST_FRAMES}")
    pictures = []
    for number, panel in enumerate(panels, 1):
        view = panel.view(name)
        if view.highlights is None:
            view = replace(view, highlights=Highlights({}, frozenset(), frozenset()))
        # A chain is drawn; its sentences would make all frames as high as a page.
        sentences = [step.sentence for step in panel.steps[:_MOST_SENTENCES]]
        pictures.append(figure(view, panel_caption(number, panel), sentences))
    height = max(picture.height for picture in pictures)
    for picture in pictures:
        picture.height = height
        picture.shapes.insert(0, Rect(0, 0, picture.width, height, "paper"))
    return pictures


def moving_svg(pictures: list[Picture], scale: float) -> str:
    """Return an SVG that shows one picture after the other, without scripts."""
    total = _SECONDS * (len(pictures) - 1) + _LAST_SECONDS
    parts = []
    for number, picture in enumerate(pictures):
        start, end = (_SECONDS * k / total for k in (number, number + 1))
        is_first, is_last = number == 0, number == len(pictures) - 1
        times = [0.0] * (not is_first) + [start] + [end] * (not is_last)
        seen = ["hidden"] * (not is_first) + ["visible"] + ["hidden"] * (not is_last)
        # Programs that don't move pictures show the last one.
        parts.append(
            f'<g visibility="{"visible" if is_last else "hidden"}">\n'
            f'<animate attributeName="visibility" calcMode="discrete" dur="{total}s" '
            f'repeatCount="indefinite" values="{";".join(seen)}" '
            f'keyTimes="{";".join(f"{time:.6f}" for time in times)}"/>\n'
            f"{svg.content(picture, COLOURS.__getitem__)}</g>\n"
        )
    return svg.document(pictures[0], "".join(parts), scale)


def gif(
    pictures: list[Picture], cell: int | None, font: str | None, check_clock: Callable[[], None]
) -> bytes:
    """Return a GIF that shows one picture after the other, again and again.

    Args:
        pictures: of one size.
        cell: pixels per cell; None for the default, or fewer if the frames would be too large.
        font: a TrueType file; None for the built-in font.
        check_clock: called for each frame; it may raise an error.

    Raises:
        RenderError: Pillow is missing, or the frames would be too large.
    """

    def painted() -> Iterator[Image]:
        for picture in pictures:
            check_clock()
            image = png.image(picture, cell, font, most=_MOST_PIXELS // len(pictures))
            yield image.convert("RGB").quantize(_COLOURS)

    first, *others = painted()
    file = io.BytesIO()
    times = [_SECONDS * 1000] * len(others) + [_LAST_SECONDS * 1000]
    first.save(file, "gif", save_all=True, append_images=others, duration=times, loop=0)
    return file.getvalue()
