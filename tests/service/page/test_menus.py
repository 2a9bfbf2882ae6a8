"""Menus and dialogs: what they hide, where the focus goes, and what fits in a small window."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.pages import LINK, Go, cell, hint, message, open_menu, press, solve

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.slow

FOCUS = "document.activeElement.innerText || document.activeElement.id"
MAIN = """() => {
    const main = getComputedStyle(document.documentElement).getPropertyValue("--accent");
    const probe = document.body.appendChild(document.createElement("i"));
    probe.style.backgroundColor = "var(--accent)";
    const colour = getComputedStyle(probe).backgroundColor;
    probe.remove();
    return [...document.querySelectorAll("button")]
        .filter(each => each.checkVisibility() && getComputedStyle(each).backgroundColor === colour)
        .map(each => each.innerText);
}"""
"""The texts of the buttons that look like the main one."""


def main_buttons(page: Page) -> list[str]:
    found: list[str] = page.evaluate(MAIN)
    return found


def test_there_is_one_main_action(page: Page) -> None:
    assert main_buttons(page) == ["Hint"]
    hint(page)
    assert main_buttons(page) == ["Apply"]
    press(page, "Apply")
    assert main_buttons(page) == ["Hint"]
    solve(page)
    page.locator(".win").wait_for()
    assert main_buttons(page) == ["Next puzzle"]
    page.get_by_role("tab", name="Edit").click()
    # The module of the editor is loaded when its tab is opened first.
    page.get_by_role("button", name="Play", exact=True).wait_for()
    assert main_buttons(page) == ["Play"]


def test_a_menu_opens_and_closes_with_the_keyboard(page: Page) -> None:
    page.get_by_role("button", name="Analysis").focus()
    page.keyboard.press("Enter")
    assert page.locator("#analysis-menu").is_visible()
    page.keyboard.press("Tab")
    assert page.evaluate(FOCUS) == "Explain"
    page.keyboard.press("Escape")
    assert page.locator("#analysis-menu").is_hidden()
    assert page.evaluate(FOCUS).startswith("Analysis")
    open_menu(page, "share-menu")
    open_menu(page, "new-menu")
    assert page.locator("#share-menu").is_hidden(), "one menu at a time"
    page.mouse.click(5, 700)
    assert page.locator("#new-menu").is_hidden()


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


def test_the_focus_follows_answers(page: Page) -> None:
    press(page, "Explain")
    page.locator("#answer .card").wait_for()
    assert page.evaluate(FOCUS) == "Step by step"
    press(page, "Close")
    assert page.evaluate(FOCUS).startswith("Analysis")
    hint(page)
    page.get_by_role("button", name="Apply").press("Enter")
    assert page.evaluate(FOCUS) == "Hint"


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
        page.get_by_role("tab", name=tab).click()
        lost[tab] = page.evaluate(HIDDEN)
    assert {name: found for name, found in lost.items() if found} == {}
