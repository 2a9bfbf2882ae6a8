"""Screen readers, keyboards, menus, dialogs, small windows, and every button in every state."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.support.pages import CLUES, FOREIGN, LINK, SOLUTION, Go, Player, grid

pytestmark = pytest.mark.slow

State = Callable[[Player], None]


def answered(command: str) -> State:
    def act(page: Player) -> None:
        page.press(command)
        page.locator("#answer .card").wait_for()

    return act


def dialog(command: str) -> State:
    return lambda page: page.dialog(command)


def menu(name: str) -> State:
    return lambda page: page.open_menu(name)


def what_if(page: Player) -> None:
    page.press("What if")
    page.cell(4).press("0")
    page.cell(5).press("0")


def broken_rules(page: Player) -> None:
    page.choose("marking", "live")
    page.choose("counts", value=True)
    for index in (0, 1, 4, 5):
        page.cell(index).press("0")


def zoomed(page: Player) -> None:
    for _ in range(5):
        page.press("Zoom in")
    page.locator("#board").evaluate("board => board.scrollBy(99, 99)")


def question(page: Player) -> None:
    page.solve()
    page.dialog("Statistics")
    page.press("Delete all")
    page.locator("#ask[open]").wait_for()


def analysed(page: Player) -> None:
    page.open_tab("Edit")
    page.locator("#live[aria-busy=false]").wait_for()


def two_solutions_differ(page: Player) -> None:
    analysed(page)
    page.get_by_text("Where two solutions differ").click()


def contradiction(page: Player) -> None:
    page.new_board(4)
    for index in (0, 1, 2):
        page.cell(index, "#edit-board").press("0")
    page.locator("#live[data-verdict=none]").wait_for()


def analysis_under_way(page: Player) -> None:
    analysed(page)
    page.locator("#live").evaluate("live => live.setAttribute('aria-busy', 'true')")


def editor_menu(page: Player) -> None:
    analysed(page)
    page.open_menu("board-menu")


def batch(page: Player) -> None:
    page.open_tab("Batch")
    page.get_by_text("No jobs yet").wait_for()


STATES: dict[str, State] = {
    "a hint": Player.hint,
    "the steps": answered("Explain"),
    "the grade": answered("Grade"),
    "redundant clues": answered("Find redundant clues"),
    "the verdict": answered("Check uniqueness"),
    "a what-if": what_if,
    "broken rules": broken_rules,
    "zoomed": zoomed,
    "won": Player.solve,
    "new": menu("new-menu"),
    "analysis": menu("analysis-menu"),
    "share": menu("share-menu"),
    **{f"dialog {name}": dialog(name) for name in ("Settings", "Help", "Share link", "Print")},
    **{f"dialog {name}": dialog(name) for name in ("Export", "Paste or open…", "Past days")},
    "no times": dialog("Statistics"),
    "a question about times": question,
    "an import error": lambda page: page.refused("0..1\n1..y\n....\n....", "not a cell"),
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


def barriers_by_look(page: Player, *, phone: bool) -> dict[str, list[str]]:
    """What axe finds in each look, in light only on a phone. Looks differ only in colours."""
    found = {}
    for name, look in LOOKS.items():
        if name == "light" or not phone:
            page.emulate_media(**look)
            found[name] = page.barriers(*([] if name == "light" else ["color-contrast"]))
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
def test_the_first_visit_and_the_board_of_other_sites_are_accessible(visit: Go, phone: bool):
    page = visit(**PHONE if phone else {}).go()
    page.locator(".welcome").wait_for()
    assert barriers_by_look(page, phone=phone) == {}
    page = visit(**PHONE if phone else {}).go(f"embed?{LINK[1:]}")
    for index in (0, 1, 4, 5):
        page.cell(index).press("0")
    assert barriers_by_look(page, phone=phone) == {}


def test_the_keyboard_alone_is_enough(page: Player) -> None:
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.getAttribute('role')") == "gridcell":
            break
    assert page.evaluate("document.activeElement.getAttribute('aria-label')").startswith("row 1, c")
    for name in ("Show step", "Apply"):
        page.keyboard.press("h")
        page.get_by_role("button", name=name).wait_for()
    page.keyboard.press("h")
    page.is_so(lambda: page.cells().count("."), CLUES.count(".") - 2)
    page.keyboard.press("Control+z")
    page.board_is(CLUES)
    page.keyboard.press("Control+y")
    page.keyboard.press("Control+Home")
    for key in ("Space", "Space", "Backspace"):
        page.keyboard.press(key)
    page.is_so(lambda: page.cells()[0], ".")
    for values in grid(SOLUTION).split():
        for value in values:
            page.keyboard.press(value)
            page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Home")
    page.message("Solved")
    page.count_is("#board [tabindex='0']", 1)  # one stop for Tab


FOCUS = "document.activeElement.innerText || document.activeElement.id"


def test_the_focus_returns_from_dialogs(page: Player) -> None:
    for opener, commands in {
        "Settings": ["Settings"],
        "Help": ["Help"],
        "Statistics": ["Statistics"],
        "Share": ["Share link", "Print", "Export"],
        "New puzzle": ["Paste or open…", "Past days"],
    }.items():
        for command in commands:
            page.dialog(command)
            page.becomes("document.activeElement.closest('dialog[open]') !== null")
            page.keyboard.press("Escape")
            page.count_is("dialog[open]", 0)
            page.becomes(f"({FOCUS}).startsWith('{opener}')")


def test_nothing_is_deleted_without_asking(page: Player) -> None:
    page.cell(0).press("1")
    page.dialog("Statistics")
    page.message("1 attempt, 0 finished", "#times-count")
    for answer in ("Cancel", "Escape"):
        page.press("Delete all")
        page.message("can’t be undone", "#ask")
        page.press(answer) if answer == "Cancel" else page.keyboard.press(answer)
        page.becomes(FOCUS, "Delete all")
        page.message("1 attempt, 0 finished", "#times-count")
    page.press("Delete all")
    page.press("Delete")
    page.message("There are no times yet", "#times-count")
    page.becomes(FOCUS, "Close")


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
    page.becomes(HIDDEN, [])
    for name in ("new", "analysis", "share"):
        page.open_menu(f"{name}-menu")
        page.becomes(HIDDEN, [])
        page.keyboard.press("Escape")
    for name in ("Settings", "Help", "Statistics", "Share link", "Print", "Export", "Past days"):
        page.dialog(name)
        page.becomes(HIDDEN, [])
        page.keyboard.press("Escape")
        page.count_is("dialog[open]", 0)
    page.press("Explain")
    page.locator("#answer .card").wait_for()
    page.becomes(HIDDEN, [])
    for tab in ("Edit", "Batch"):
        page.open_tab(tab)
        page.becomes(HIDDEN, [])


def server_gone(page: Player) -> None:
    page.route(re.compile("/v1/|/readyz"), lambda route: route.abort())


def no_board(page: Player, url: str) -> None:
    server_gone(page)
    page.goto(f"{url}/{FOREIGN}")
    page.message("can't be reached", "#waiting")


def begun_board(page: Player, url: str) -> None:
    page.goto(f"{url}/{LINK}")
    page.cell(0).click()
    page.edit_copy()
    page.open_tab("Play")


def full_board(page: Player, url: str) -> None:
    begun_board(page, url)
    page.paste(grid(SOLUTION))


def refused(page: Player, url: str) -> None:
    begun_board(page, url)
    page.refuse()


def left_alone(page: Player, url: str) -> None:
    begun_board(page, url)
    server_gone(page)


PRESS_ALL = """async (place) => {
    const pressed = new Set();
    const open = "dialog[open], .message:not(:empty), #answer .card";
    const settle = async (isOver) => {
        for (let wait = 0; wait < 5_000 && !isOver(); wait += 10) {
            const stops = [...document.querySelectorAll("button")].filter((each) => each.innerText === "Stop");
            for (const stop of [...stops, ...document.querySelectorAll("#ask[open] button")]) stop.click();
            await new Promise((resolve) => setTimeout(resolve, 10));
        }
    };
    const press = async (button) => {
        button.closest("[popover]:not(:popover-open)")?.showPopover();
        if (button.disabled || !button.checkVisibility() || button.role === "tab") return;
        button.click();
        pressed.add(button.id || button.innerText);
        await settle(() => !button.dataset.action || document.querySelector("dialog[open]"));
        await settle(() => !document.querySelector("button[aria-busy=true], #live[aria-busy=true]"));
    };
    for (const button of document.querySelectorAll(`${place} button`)) {
        document.querySelector(place.replace("#", "#tab-"))?.click();
        await press(button);
        for (const part of document.querySelectorAll(open)) {
            // What closes a dialog or an answer stands first in it.
            for (const inner of [...part.querySelectorAll("button")].reverse()) await press(inner);
        }
        for (const dialog of document.querySelectorAll("dialog[open]")) dialog.close();
        for (const menu of document.querySelectorAll("[popover]:popover-open")) menu.hidePopover();
    }
    return pressed.size;
}"""
"""Presses each button of a part, and each new one, such as those of a dialog; returns their number."""


@pytest.mark.parametrize("state", [no_board, begun_board, full_board, refused, left_alone])
def test_every_button_in_every_state(visit: Go, state: Callable[[Player, str], None]) -> None:
    going = visit()
    page = going.page
    page.add_init_script("window.print = () => {}")
    state(page, going.url)
    for tab, least in {"play": 9 if state is no_board else 24, "edit": 18, "batch": 1}.items():
        page.open_tab(tab)
        if state is no_board and tab == "play":
            page.count_is("fieldset.of-board button:enabled", 0)
        assert page.evaluate(PRESS_ALL, f"#{tab}") >= least
        said = page.inner_text("body")
        assert not re.search(r"undefined|\bNaN\b|\[object|TypeError|--[a-z]", said)
    assert page.evaluate(PRESS_ALL, "header")
    wrong = [fault for fault in going.faults if "Failed to load resource" not in fault]
    going.faults.clear()
    assert wrong == []
