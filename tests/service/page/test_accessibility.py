"""Screen readers, keyboards, menus, dialogs, small windows, and every button in every state."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.pages import (
    CLUES,
    FOREIGN,
    LINK,
    SOLUTION,
    Go,
    barriers,
    cell,
    cells,
    choose,
    edit_copy,
    grid,
    hint,
    message,
    new_board,
    open_menu,
    open_tab,
    paste,
    press,
    refuse,
    solve,
    until,
)

if TYPE_CHECKING:
    from playwright.sync_api import ElementHandle, Page

pytestmark = pytest.mark.slow

State = Callable[["Page"], None]


def hint_shown(page: Page) -> None:
    hint(page)


def answered(command: str) -> State:
    def act(page: Page) -> None:
        press(page, command)
        page.locator("#answer .card").wait_for()

    return act


def dialog(command: str) -> State:
    def act(page: Page) -> None:
        press(page, command)
        page.locator("dialog[open]").wait_for()

    return act


def menu(name: str) -> State:
    return lambda page: open_menu(page, name)


def what_if(page: Page) -> None:
    press(page, "What if")
    cell(page, 4).press("0")
    cell(page, 5).press("0")


def broken_rules(page: Page) -> None:
    choose(page, "marking", "live")
    choose(page, "counts", value=True)
    for index in (0, 1, 4, 5):
        cell(page, index).press("0")


def zoomed(page: Page) -> None:
    for _ in range(5):
        press(page, "Zoom in")
    page.locator("#board").evaluate("board => board.scrollBy(99, 99)")


def won(page: Page) -> None:
    solve(page)
    page.locator(".win").wait_for()


def statistics_with_times(page: Page) -> None:
    won(page)
    dialog("Statistics")(page)


def question(page: Page) -> None:
    statistics_with_times(page)
    press(page, "Delete all")


def import_error(page: Page) -> None:
    press(page, "Paste or open…")
    page.fill("#paste-text", "0..1\n1..y\n....\n....")
    press(page, "Open")
    message(page, "not a cell", "#paste-note")


def two_solutions_differ(page: Page) -> None:
    open_tab(page, "Edit")
    page.locator("#live[aria-busy=false]").wait_for()
    page.get_by_text("Where two solutions differ").click()


def contradiction(page: Page) -> None:
    new_board(page, 4)
    for index in (0, 1, 2):
        cell(page, index, "#edit-board").press("0")
    page.locator("#live[data-verdict=none]").wait_for()


def analysis_under_way(page: Page) -> None:
    open_tab(page, "Edit")
    live = page.locator("#live[aria-busy=false]")
    live.wait_for()
    live.evaluate("live => live.setAttribute('aria-busy', 'true')")


def editor_menu(page: Page) -> None:
    open_tab(page, "Edit")
    page.locator("#live[aria-busy=false]").wait_for()
    open_menu(page, "board-menu")


def batch(page: Page) -> None:
    open_tab(page, "Batch")
    page.get_by_text("No jobs yet").wait_for()


STATES: dict[str, State] = {
    "a hint": hint_shown,
    "the steps": answered("Explain"),
    "the grade": answered("Grade"),
    "redundant clues": answered("Find redundant clues"),
    "the verdict": answered("Check uniqueness"),
    "a what-if": what_if,
    "broken rules": broken_rules,
    "zoomed": zoomed,
    "won": won,
    "new": menu("new-menu"),
    "analysis": menu("analysis-menu"),
    "share": menu("share-menu"),
    **{f"dialog {name}": dialog(name) for name in ("Settings", "Help", "Share link", "Print")},
    **{f"dialog {name}": dialog(name) for name in ("Export", "Paste or open…", "Past days")},
    "no times": dialog("Statistics"),
    "times": statistics_with_times,
    "a question": question,
    "an import error": import_error,
    "two solutions": two_solutions_differ,
    "a contradiction": contradiction,
    "an analysis under way": analysis_under_way,
    "the board of the editor": editor_menu,
    "batch": batch,
}
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
LOOKS: dict[str, dict[str, Any]] = {
    "light": {"color_scheme": "light"},
    "dark": {"color_scheme": "dark"},
    "forced colours": {"color_scheme": "light", "forced_colors": "active"},
}


def barriers_by_look(page: Page, *, phone: bool) -> dict[str, list[str]]:
    """What axe finds in each look, in light only on a phone. Looks differ only in colours."""
    found = {}
    for name, look in LOOKS.items():
        if name == "light" or not phone:
            page.emulate_media(**look)
            found[name] = barriers(page, *([] if name == "light" else ["color-contrast"]))
    return {name: faults for name, faults in found.items() if faults}


@pytest.mark.rotating
@pytest.mark.parametrize("phone", [False, True], ids=["desktop", "phone"])
@pytest.mark.parametrize("state", STATES)
def test_every_state_is_accessible(visit: Go, state: str, phone: bool) -> None:
    going = visit(**PHONE if phone else {})
    STATES[state](going.go(LINK))
    assert barriers_by_look(going.page, phone=phone) == {}
    going.faults = [each for each in going.faults if "422" not in each]


@pytest.mark.parametrize("phone", [False, True], ids=["desktop", "phone"])
def test_the_first_visit_and_the_board_of_other_sites_are_accessible(
    visit: Go, phone: bool
) -> None:
    page = visit(**PHONE if phone else {}).go()
    page.locator(".welcome").wait_for()
    assert barriers_by_look(page, phone=phone) == {}
    page = visit(**PHONE if phone else {}).go(f"embed?{LINK[1:]}")
    for index in (0, 1, 4, 5):
        cell(page, index).press("0")
    assert barriers_by_look(page, phone=phone) == {}


def test_the_keyboard_alone_is_enough(visit: Go) -> None:
    page = visit().go(LINK)
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.getAttribute('role')") == "gridcell":
            break
    assert page.evaluate("document.activeElement.getAttribute('aria-label')").startswith("row 1, c")
    for name in ("Show step", "Apply"):
        page.keyboard.press("h")
        page.get_by_role("button", name=name).wait_for()
    page.keyboard.press("h")
    assert sum(a != b for a, b in zip(cells(page), CLUES, strict=True)) == 2
    page.keyboard.press("Control+z")
    assert cells(page) == CLUES
    page.keyboard.press("Control+y")
    page.keyboard.press("Control+Home")
    for key in ("Space", "Space", "Backspace"):
        page.keyboard.press(key)
    assert cells(page)[0] == "."
    for row, values in enumerate(grid(SOLUTION).split()):
        for value in values:
            page.keyboard.press(value)
            page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Home")
        assert row < 6
    message(page, "Solved")
    assert page.locator("#board [tabindex='0']").count() == 1, "one stop for Tab"


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
