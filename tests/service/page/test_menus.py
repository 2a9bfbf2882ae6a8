"""Menus and dialogs: what they hide, where the focus goes, and what fits in a small window."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.pages import LINK, Go, cell, message, open_menu, open_tab, press

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.slow

FOCUS = "document.activeElement.innerText || document.activeElement.id"


@pytest.mark.parametrize(
    ("command", "opener"),
    [
        ("Settings", "Settings"),
        ("Help", "Help"),
        ("Statistics", "Statistics"),
        ("Share link", "Share"),
        ("Print", "Share"),
        ("Export", "Share"),
        ("Paste or open…", "New puzzle"),
        ("Past days", "New puzzle"),
    ],
)
def test_the_focus_returns_from_dialogs(page: Page, command: str, opener: str) -> None:
    press(page, command)
    page.locator("dialog[open]").wait_for()
    assert page.evaluate("document.activeElement.closest('dialog[open]') !== null")
    page.keyboard.press("Escape")
    assert page.locator("dialog[open]").count() == 0
    assert page.evaluate(FOCUS).startswith(opener)


def test_nothing_is_deleted_without_asking(page: Page) -> None:
    cell(page, 0).press("1")
    press(page, "Statistics")
    message(page, "1 attempt, 0 finished", "#times-count")
    for answer in ("Cancel", "Escape"):
        press(page, "Delete all")
        assert "can’t be undone" in page.inner_text("#ask")
        press(page, answer) if answer == "Cancel" else page.keyboard.press(answer)
        assert page.evaluate(FOCUS) == "Delete all"
        message(page, "1 attempt, 0 finished", "#times-count")
    press(page, "Delete all")
    press(page, "Delete")
    message(page, "There are no times yet", "#times-count")
    assert page.evaluate(FOCUS) == "Close"


HIDDEN = """async () => {
    const lost = [];
    const root = document.querySelector("dialog[open]") ?? document.querySelector(":popover-open") ?? document;
    for (const each of root.querySelectorAll("button, input, select, textarea, summary, .cell")) {
        if (!each.checkVisibility() || each.disabled) continue;
        each.scrollIntoView({ block: "center", inline: "center" });
        const { left, top, width, height } = each.getBoundingClientRect();
        const found = document.elementFromPoint(left + width / 2, top + height / 2);
        const isThere = found && (each.contains(found) || each.closest("label")?.contains(found));
        if (!isThere) lost.push(each.id || each.innerText || each.className);
    }
    const { scrollWidth } = document.documentElement;
    return scrollWidth > innerWidth ? [...lost, `width ${scrollWidth}`] : lost;
}"""
"""What can't be scrolled into view, or is covered."""


@pytest.mark.parametrize("size", [(640, 360), (320, 512), (320, 256)])
def test_everything_is_reachable_in_a_small_window(visit: Go, size: tuple[int, int]) -> None:
    """A window of 1280x720 has 640x360 pixels at 200 %, and 320x180 at 400 %."""
    width, height = size
    page = visit(viewport={"width": width, "height": height}).go(LINK)
    lost = {"Play": page.evaluate(HIDDEN)}
    for menu in ("new-menu", "analysis-menu", "share-menu"):
        open_menu(page, menu)
        lost[menu] = page.evaluate(HIDDEN)
        page.keyboard.press("Escape")
    for name in ("Settings", "Help", "Statistics", "Share link", "Print", "Export", "Past days"):
        press(page, name)
        page.locator("dialog[open]").wait_for()
        lost[name] = page.evaluate(HIDDEN)
        page.keyboard.press("Escape")
    press(page, "Explain")
    page.locator("#answer .card").wait_for()
    lost["Explain"] = page.evaluate(HIDDEN)
    for tab in ("Edit", "Batch"):
        open_tab(page, tab)
        lost[tab] = page.evaluate(HIDDEN)
    assert {name: found for name, found in lost.items() if found} == {}
