"""Small and large screens, themes, high contrast."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING

import pytest
from PIL import Image, ImageChops

from tests.support.pages import (
    LINK,
    Go,
    barriers,
    cell,
    cells,
    choose,
    hint,
    lit,
    new_puzzle,
    open_tab,
    press,
    until,
)

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

pytestmark = pytest.mark.slow


def test_small_screens_are_supported(visit: Go) -> None:
    page = visit(viewport={"width": 360, "height": 740}, has_touch=True).go(LINK)
    new_puzzle(page, 14, 14)
    page.locator("#board .cell").nth(195).wait_for()
    for name in ("Play", "Edit", "Batch"):
        open_tab(page, name)
        assert page.evaluate("document.documentElement.scrollWidth") == 360
    open_tab(page, "Play")
    board = page.locator("#board")
    # A large board scrolls below its numbers when it is zoomed.
    cell(page, 0).press("+")
    board.evaluate("board => board.scrollBy(50, 0)")
    numbers = page.locator("#board .numbers.down").bounding_box()
    assert numbers
    assert numbers["x"] >= 0
    board.evaluate("board => board.scrollTo(0, 0)")
    empty = cells(page).index(".")
    cell(page, empty).tap()
    assert cells(page)[empty] == "0"
    page.locator("#undo").tap()
    press(page, "Explain")
    page.locator("#step").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") == 360


def background(page: Page) -> int:
    """The brightness of the page, from 0 to 255."""
    colour = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    return int(re.findall(r"\d+", colour)[0])


def test_the_dark_theme(visit: Go) -> None:
    page = visit(color_scheme="dark").go(LINK)
    assert background(page) < 60
    choose(page, "theme", "light")
    assert background(page) > 200
    page.reload()
    page.locator("#board .cell").first.wait_for()
    assert background(page) > 200
    choose(page, "theme", "auto")
    assert background(page) < 60


def pixels(place: Locator) -> Image.Image:
    return Image.open(io.BytesIO(place.screenshot())).convert("L")


def test_electronic_paper_has_no_colours_and_keeps_hints(visit: Go) -> None:
    page = visit(color_scheme="dark").go(LINK)
    choose(page, "theme", "eink")
    until(page, "Boolean(document.querySelector('#eink-style')?.sheet)")
    before = pixels(cell(page, 20))
    hint(page)
    page.mouse.move(0, 0)
    assert lit(page, "target")[0] == 20
    change = ImageChops.difference(before, pixels(cell(page, 20)))
    assert sum(change.histogram()[150:]) > 100, "something that stands out"
    assert barriers(page) == []
    place = page.locator("#play .columns").screenshot()
    red, green, blue = Image.open(io.BytesIO(place)).convert("RGB").split()
    for other in (green, blue):
        assert ImageChops.difference(red, other).getextrema()[1] < 40  # the edges of letters
    choose(page, "theme", "auto")
    assert background(page) < 60
