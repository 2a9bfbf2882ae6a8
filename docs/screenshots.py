"""Take the picture of the web page for the docs: ``make screenshots``."""

from __future__ import annotations

import io
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from PIL import Image

from binairo_cp.service.static_site import write_site
from tests.support.pages import LINK, Visit, chromium
from tests.support.serving import hosted

if TYPE_CHECKING:
    from playwright.sync_api import Browser

PICTURE = Path(__file__).parent / "boards" / "page.png"
SIZE = {"width": 1000, "height": 720}
_COLOURS = 64


def page_with_hint(browser: Browser) -> Image.Image:
    """The page with a hint, as a picture of few colours."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        write_site(folder, {})
        url = stack.enter_context(hosted(folder))
        visit = Visit(browser, url, viewport=SIZE, color_scheme="light", reduced_motion="reduce")
        page = visit.go(LINK)
        page.message("clues", "#facts")
        page.hint()
        page.mouse.move(0, 0)
        taken = Image.open(io.BytesIO(page.screenshot()))
        visit.close()
    return taken.convert("RGB").quantize(_COLOURS, dither=Image.Dither.NONE)


if __name__ == "__main__":
    with chromium() as running:
        page_with_hint(running).save(PICTURE, optimize=True)
