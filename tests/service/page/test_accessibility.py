"""Screen readers and keyboards."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.pages import (
    CLUES,
    LINK,
    SOLUTION,
    Go,
    barriers,
    cell,
    cells,
    choose,
    grid,
    hint,
    message,
    new_board,
    open_menu,
    open_tab,
    press,
    solve,
)

if TYPE_CHECKING:
    from playwright.sync_api import Page

State = Callable[["Page"], None]

pytestmark = pytest.mark.slow


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
