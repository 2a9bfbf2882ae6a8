"""Every button in every state of the page."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from tests.support.pages import (
    FOREIGN,
    LINK,
    SOLUTION,
    Go,
    cell,
    edit_copy,
    grid,
    message,
    open_tab,
    paste,
    refuse,
    until,
)

if TYPE_CHECKING:
    from playwright.sync_api import ElementHandle, Page

pytestmark = pytest.mark.slow


def no_board_starting(page: Page, url: str) -> None:
    refuse(page, "**/readyz")
    page.goto(f"{url}/{FOREIGN}")
    message(page, "The server is starting", "#waiting")


def no_board_refused(page: Page, url: str) -> None:
    refuse(page)
    page.goto(f"{url}/{FOREIGN}")
    message(page, "Trying again")


def no_board_gone(page: Page, url: str) -> None:
    page.route(re.compile("/v1/|/readyz"), lambda route: route.abort())
    page.goto(f"{url}/{FOREIGN}")
    message(page, "can't be reached", "#waiting")


def opened(page: Page, url: str, text: str) -> None:
    page.goto(f"{url}/{LINK}")
    page.locator("#board .cell").first.wait_for()
    paste(page, text)


def empty_board(page: Page, url: str) -> None:
    opened(page, url, grid("." * 16))


def full_board(page: Page, url: str) -> None:
    opened(page, url, grid(SOLUTION))
    edit_copy(page)
    open_tab(page, "Play")


def begun_board(page: Page, url: str) -> None:
    page.goto(f"{url}/{LINK}")
    page.locator("#board .cell").first.wait_for()
    for index in (0, 1):
        cell(page, index).click()
    edit_copy(page)
    open_tab(page, "Play")


def server_refuses(page: Page, url: str) -> None:
    begun_board(page, url)
    refuse(page)


def server_gone(page: Page, url: str) -> None:
    begun_board(page, url)
    page.route(re.compile("/v1/|/readyz"), lambda route: route.abort())


BUSY = "document.querySelector('button[aria-busy=true], #live[aria-busy=true]')"


def settle(page: Page, is_waiting: bool) -> None:
    """Wait until the work started by a button ends, unless the page waits for the server."""
    # Imported here, because the quick tests run without playwright.
    from playwright.sync_api import TimeoutError as ButtonGone

    page.wait_for_timeout(30)
    stop = page.get_by_role("button", name="Stop")
    if stop.is_visible():
        # The work may end by itself before the click.
        with suppress(ButtonGone):
            stop.click(timeout=2_000)
    refusal = page.locator("#ask[open] button").first
    if refusal.is_visible():
        refusal.click()
    if not is_waiting:
        until(page, f"!({BUSY})")


CLOSE_ALL = """() => {
    for (const dialog of document.querySelectorAll("dialog[open]")) dialog.close();
    for (const menu of document.querySelectorAll("[popover]:popover-open")) menu.hidePopover();
}"""
NEW = ("dialog[open]", ".message:not(:empty)", "#answer .card")
"""The parts of the page that contain buttons."""


def reveal(page: Page, button: ElementHandle) -> None:
    """Open the menu of a button."""
    menu = button.evaluate("button => button.closest('[popover]:not(:popover-open)')?.id")
    opener = page.locator(f"[popovertarget={menu}]")
    if menu and opener.is_visible():
        opener.click()


def press_all(page: Page, place: str, is_waiting: bool, tab: str = "") -> int:
    """Press each button of a part, and each new button, such as those of a dialog."""
    pressed = 0
    is_new = place in NEW
    buttons = page.query_selector_all(f"{place} button")
    # What closes a dialog or an answer stands first in it.
    for button in reversed(buttons) if is_new else buttons:
        if tab and not is_new:
            open_tab(page, tab)
        reveal(page, button)
        is_there = button.is_visible() and button.is_enabled()
        if not is_there or button.get_attribute("role") == "tab":
            continue
        button.click()
        pressed += 1
        settle(page, is_waiting)
        if not is_new:
            for new in NEW:
                pressed += press_all(page, new, is_waiting)
            page.evaluate(CLOSE_ALL)
    return pressed


@pytest.mark.rotating
@pytest.mark.parametrize(
    "state",
    [
        no_board_starting,
        no_board_refused,
        no_board_gone,
        empty_board,
        full_board,
        begun_board,
        server_refuses,
        server_gone,
    ],
)
def test_every_button_in_every_state(visit: Go, state: Callable[[Page, str], None]) -> None:
    going = visit()
    page = going.page
    page.add_init_script("window.print = () => {}")
    state(page, going.url)
    is_waiting = state is no_board_starting
    has_board = page.locator("#board .cell").count() > 0
    expected = {"play": 24 if has_board else 9, "edit": 18, "batch": 1}
    for tab, least in expected.items():
        open_tab(page, tab)
        for name in ("Control+z", "Control+y"):
            page.keyboard.press(name)
        assert press_all(page, f"#{tab}", is_waiting, tab) >= least
        open_tab(page, tab)
        said = page.inner_text("body")
        assert not re.search(r"undefined|\bNaN\b|\[object|TypeError|--[a-z]", said)
        if page.locator("#board .cell").count() == 0:
            of_board = page.locator("fieldset.of-board button")
            assert all(button.is_disabled() for button in of_board.all())
    assert press_all(page, "header", is_waiting)
    wrong = [fault for fault in going.faults if "Failed to load resource" not in fault]
    going.faults.clear()
    assert wrong == []
