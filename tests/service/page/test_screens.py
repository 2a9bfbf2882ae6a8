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
    press,
    until,
)

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("side", [10, 14])
def test_small_screens_are_supported(visit: Go, side: int) -> None:
    page = visit(viewport={"width": 360, "height": 740}, has_touch=True).go(LINK)
    new_puzzle(page, side, side)
    page.locator("#board .cell").nth(side * side - 1).wait_for()
    for name in ("Play", "Edit", "Batch"):
        page.get_by_role("tab", name=name).click()
        assert page.evaluate("document.documentElement.scrollWidth") == 360
    page.get_by_role("tab", name="Play").click()
    board = page.locator("#board")
    # Large boards scroll below their numbers, rather than have cells too small for a finger.
    assert board.evaluate("board => board.scrollWidth <= board.clientWidth") == (side < 14)
    box = cell(page, 0).bounding_box()
    assert box
    assert box["width"] >= 24
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


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_forced_colours_keep_grid_clues_and_hints(visit: Go, scheme: str) -> None:
    page = visit(forced_colors="active", color_scheme=scheme).go(LINK)
    page.mouse.move(0, 0)
    boxes = [cell(page, index).bounding_box() for index in (0, 1)]
    assert boxes[0]
    assert boxes[1]
    whole = pixels(page.locator("body"))
    middle = int(boxes[0]["y"] + boxes[0]["height"] / 2)
    edge = int(boxes[1]["x"])
    row = [whole.getpixel((x, middle)) for x in range(int(boxes[0]["x"]) + 5, edge + 5)]
    assert abs(max(row) - min(row)) > 150, "a line between two open cells"
    corners = [pixels(cell(page, index)).getpixel((8, 8)) for index in (0, 2)]
    assert abs(corners[0] - corners[1]) > 150, "a clue and an open cell"
    places = {"target": 20, "reason": 21}
    before = {name: pixels(cell(page, index)) for name, index in places.items()}
    hint(page)
    page.mouse.move(0, 0)
    for name, index in places.items():
        assert lit(page, name)[0] == index
        change = ImageChops.difference(before[name], pixels(cell(page, index)))
        assert sum(change.histogram()[150:]) > 100, f"{name}: something that stands out"
    press(page, "Explain")
    page.locator("#answer .chart text").first.wait_for()
    text = page.locator("#answer .chart text").first
    assert text.evaluate("text => getComputedStyle(text).fill") == text.evaluate(
        "() => getComputedStyle(document.body).color"
    )


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


def test_reduced_motion_is_respected(visit: Go) -> None:
    page = visit(reduced_motion="reduce").go(LINK)
    assert cell(page, 0).evaluate("cell => getComputedStyle(cell).transitionProperty") == "none"
