"""What players do with a finger, in windows of many kinds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.support.pages import (
    CLUES,
    LINK,
    SOLUTION,
    Go,
    cell,
    cells,
    content,
    grid,
    share_link,
    taken,
)

if TYPE_CHECKING:
    from playwright.sync_api import Page

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


def choose(page: Page, menu: str, name: str) -> None:
    """Tap a button of a menu."""
    page.locator(f"[popovertarget={menu}]").tap()
    page.locator(f"#{menu} button:text-is('{name}')").tap()


def test_a_puzzle_is_pasted_printed_and_shared_by_touch(visit: Go) -> None:
    opened = visit(has_touch=True, **WINDOWS["portrait"])
    page = opened.go()
    choose(page, "new-menu", "Paste or open…")
    page.locator("#paste-text").fill(grid(CLUES))
    page.locator("#paste [type=submit]").tap()
    page.locator("#paste").wait_for(state="hidden")
    assert cells(page) == CLUES
    choose(page, "share-menu", "Print")
    pdf = taken(page, lambda: page.locator("#print [type=submit]").tap())
    assert content(pdf).startswith(b"%PDF-")
    page.locator("#print .close-dialog").tap()
    choose(page, "share-menu", "Share link")
    page.locator("#share[open]").wait_for()
    assert "#puzzle=6x6%3Ab10e0a11c0d11b0c10e" in page.input_value("#share-link")
