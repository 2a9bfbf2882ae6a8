"""What tests of the web page have in common: a puzzle, its parts on the page, and what users do."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.support.browsing import Visit

if TYPE_CHECKING:
    from playwright.sync_api import Download, Locator, Page

CLUES = "..10.....0.11...0....11..0...10....."
SOLUTION = "101010011001110100100110001011010101"
LINK = "#puzzle=6x6:b10e0a11c0d11b0c10e&rules=classic"
FOREIGN = "#puzzle=6x6u:CafBAdEAcDaf"
"""The same puzzle in a format that only the server reads."""
MULTIPLE = "1..0.......1...."
WRONG = "000............."

Go = Callable[..., Visit]


def cells(page: Page, board: str = "#board") -> str:
    found: list[str] = page.locator(f"{board} .cell").evaluate_all(
        "cells => cells.map(cell => cell.dataset.value)"
    )
    return "".join(found)


def cell(page: Page, index: int, board: str = "#board") -> Locator:
    return page.locator(f"{board} .cell").nth(index)


def box(page: Page, place: str) -> dict[str, float]:
    found = page.locator(place).first.bounding_box()
    assert found
    return dict(found)


def lit(page: Page, name: str, board: str = "#board") -> list[int]:
    found: list[int] = page.locator(f"{board} .cell").evaluate_all(
        "(cells, name) => cells.flatMap((cell, n) => cell.classList.contains(name) ? [n] : [])",
        f"is-{name}",
    )
    return found


def show_more(page: Page, wanted: Locator) -> None:
    """Show what a phone hides during a game, if it hides this."""
    more = page.locator("#more[aria-expanded=false]")
    hidden = page.locator(".extra, .top *, .zoom *").and_(wanted)
    if hidden.count() and not hidden.first.is_visible() and more.is_visible():
        more.click()


def open_tab(page: Page, name: str) -> None:
    tab = page.get_by_role("tab", name=name, include_hidden=True)
    show_more(page, tab)
    tab.click()


def open_menu(page: Page, menu: str) -> None:
    show_more(page, page.locator(f"[popovertarget={menu}]"))
    page.click(f"[popovertarget={menu}]")
    page.locator(f"#{menu}").wait_for()


def press(page: Page, name: str) -> None:
    """Press a button, if needed in a menu of the panel that is shown."""
    closed = page.locator("[role=tabpanel]:not([hidden]) [popover]:not(:popover-open)")
    inside = closed.filter(has=page.locator(f"button:text-is('{name}')"))
    if inside.count():
        open_menu(page, str(inside.first.get_attribute("id")))
    else:
        show_more(page, page.get_by_role("button", name=name, exact=True, include_hidden=True))
    page.get_by_role("button", name=name, exact=True).filter(visible=True).click()


def edit_copy(page: Page) -> None:
    """Open the puzzle that is played in the editor, which loads when it opens first."""
    press(page, "Edit a copy")
    page.locator("#edit:not([hidden])").wait_for()


def share_link(page: Page) -> str:
    """Open the dialog for sharing; return the link in it."""
    press(page, "Share link")
    page.locator("#share[open]").wait_for()
    return page.input_value("#share-link")


def hint(page: Page) -> None:
    """Ask for a hint up to its step, which the button then applies."""
    press(page, "Hint")
    press(page, "Show step")
    page.get_by_role("button", name="Apply").wait_for()


def new_puzzle(
    page: Page, height: int, width: int, rules: str = "classic", grade: str = "medium"
) -> None:
    """Generate a puzzle."""
    open_menu(page, "new-menu")
    page.check("#new-menu [name=size][value='']")
    page.fill("#new-rows", str(height))
    page.fill("#new-columns", str(width))
    page.check(f"#new-menu [name=rules][value='{rules}']")
    page.check(f"#new-menu [name=grade][value='{grade}']")
    press(page, "Generate")


def choose(page: Page, setting: str, value: str | bool) -> None:
    """Change a setting in its dialog: an option, or a checkbox."""
    press(page, "Settings")
    if isinstance(value, bool):
        page.set_checked(f"#{setting}", value)
    else:
        page.select_option(f"#{setting}", value)
    page.keyboard.press("Escape")


def message(page: Page, text: str, place: str = "#message") -> None:
    page.locator(place).filter(has_text=re.compile(text)).wait_for()


def paste(page: Page, text: str, rules: str = "") -> None:
    press(page, "Paste or open…")
    page.fill("#paste-text", text)
    page.select_option("#paste-rules", rules)
    press(page, "Open")
    page.locator("#paste").wait_for(state="hidden")


def grid(text: str) -> str:
    side = int(len(text) ** 0.5)
    return "\n".join(text[start : start + side] for start in range(0, len(text), side))


def taken(page: Page, act: Callable[[], None]) -> Download:
    with page.expect_download() as download:
        act()
    return download.value


def until(page: Page, script: str, argument: Any = None) -> None:
    """Wait for a condition. Playwright's own wait evaluates text, which the policy of the page forbids."""
    for _ in range(1_500):
        if page.evaluate(script, argument):
            return
        page.wait_for_timeout(20)
    raise AssertionError(script)


def content(download: Download) -> bytes:
    return Path(download.path()).read_bytes()


def solve(page: Page) -> None:
    """Fill the open cells with the keyboard."""
    for index, value in enumerate(SOLUTION):
        if cells(page)[index] == ".":
            cell(page, index).press(value)
    message(page, "Solved in")


def live(page: Page, verdict: str, count: str) -> None:
    page.locator("#live[aria-busy=false]").wait_for()
    assert page.inner_text("#live-verdict") == verdict
    assert page.inner_text("#live-count") == count


def new_board(page: Page, side: int) -> None:
    open_tab(page, "Edit")
    open_menu(page, "board-menu")
    page.fill("#edit-rows", str(side))
    page.fill("#edit-columns", str(side))
    press(page, "New board")


REFUSED = {
    "status": 503,
    "headers": {"Retry-After": "60", "Content-Type": "application/problem+json"},
    "body": '{"status": 503, "detail": "all workers are busy"}',
}


def refuse(page: Page, path: str = "**/v1/**") -> None:
    page.route(path, lambda route: route.fulfill(**REFUSED))


def barriers(page: Page, *rules: str) -> list[str]:
    """What axe finds on the page as it is now, with all rules or some."""
    from axe_playwright_python.sync_playwright import Axe

    # What is still fading in has another contrast than when it is there.
    until(page, "document.getAnimations().every(each => each.playState === 'finished')")
    options = {"resultTypes": ["violations"], **({"runOnly": rules} if rules else {})}
    found = Axe().run(page, options=options).response["violations"]
    return [f"{each['id']}: {each['nodes'][0]['html']}" for each in found]
