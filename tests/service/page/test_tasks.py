"""What players do with a finger, in windows of many kinds."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.pages import CLUES, LINK, SOLUTION, Go, cell, cells, share_link

pytestmark = pytest.mark.slow

WINDOWS = {
    "portrait": {"viewport": {"width": 390, "height": 844}},
    "landscape": {"viewport": {"width": 844, "height": 390}},
    "desktop": {"viewport": {"width": 1280, "height": 800}},
    "zoomed to 200 %": {"viewport": {"width": 640, "height": 400}, "device_scale_factor": 2},
    "forced colours": {"viewport": {"width": 390, "height": 844}, "forced_colors": "active"},
}


@pytest.mark.parametrize("window", WINDOWS)
def test_a_puzzle_is_played_by_touch(visit: Go, window: str) -> None:
    options: dict[str, Any] = WINDOWS[window]
    page = visit(has_touch=True, **options).go(LINK)
    height = options["viewport"]["height"]
    box = page.locator("#hint").bounding_box()
    assert box
    assert box["y"] + box["height"] <= height, "the tools are in sight"
    cell(page, 1).tap()
    assert cells(page) == CLUES[0] + "0" + CLUES[2:]
    page.locator("#undo").tap()
    assert cells(page) == CLUES
    for text in ("Show step", "Apply", "Hint"):
        page.locator("#hint").tap()
        page.locator("#hint", has_text=text).wait_for()
    assert cells(page).count(".") < CLUES.count(".")
    for index, value in enumerate(SOLUTION):
        while cells(page)[index] != value:
            cell(page, index).tap()
    page.locator(".win", has_text="Solved in").wait_for()
    message = page.locator("#message").bounding_box()
    assert message
    assert message["height"] <= 1, "one box says that it is solved"
    assert "#puzzle=6x6" in share_link(page)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
