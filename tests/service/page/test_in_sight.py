"""What a player needs is in sight and has the focus."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.support.pages import (
    CLUES,
    LINK,
    Go,
    cell,
    cells,
    grid,
    open_menu,
    open_tab,
    paste,
    press,
    until,
)

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.slow

SMALL_PHONE: dict[str, Any] = {"viewport": {"width": 360, "height": 640}, "has_touch": True}
IN_SIGHT = """() => {
    const sheet = document.querySelector(".sheet-card"), sentence = sheet.querySelector(".sentence");
    const top = sheet.getBoundingClientRect().top;
    const isSeen = (place, bottom) => {
        const { top, bottom: end } = place.getBoundingClientRect();
        return top >= 0 && end <= bottom;
    };
    return isSeen(sentence, innerHeight)
        && [...document.querySelectorAll("#board .cell:is(.is-target, .is-tried)")].every((cell) => isSeen(cell, top));
}"""


def test_every_step_of_an_explanation_is_in_sight_on_a_small_phone(visit: Go) -> None:
    page = visit(**SMALL_PHONE).go(LINK)
    open_menu(page, "analysis-menu")
    page.click("#explain")
    page.locator(".sheet-card").wait_for()
    forward = page.get_by_role("button", name="Next", exact=True)
    steps = 0
    while forward.is_enabled():
        forward.click()
        assert page.evaluate(IN_SIGHT), page.inner_text(".sheet-card .sentence")
        steps += 1
    assert steps >= int(str(page.get_attribute("#step", "max")))
    assert "." not in cells(page)


def test_the_help_begins_with_the_rules(visit: Go) -> None:
    page = visit(**SMALL_PHONE).go(LINK)
    press(page, "Help")
    assert page.evaluate("document.activeElement.id") == "help-title"
    assert page.evaluate("document.querySelector('#help').scrollTop") == 0


def test_the_rules_of_a_first_visit_stay_until_they_are_read(visit: Go) -> None:
    page = visit(viewport={"width": 360, "height": 740}).go()
    cell(page, cells(page).index(".")).click()
    assert page.locator(".welcome li").count() == 3
    press(page, "Got it")
    assert not page.locator(".welcome").count()


def test_a_job_shows_no_puzzles_of_another(page: Page) -> None:
    open_tab(page, "Batch")
    for name, puzzles in (("one", [CLUES]), ("five", ["." * 15 + value for value in "01..1"])):
        text = "\n".join(f"{puzzle} {name}-{k}" for k, puzzle in enumerate(puzzles))
        file = {"name": f"{name}.line", "mimeType": "text/plain", "buffer": text.encode()}
        page.set_input_files("#batch-file", file)
        press(page, "Start")
        page.locator("#results-rows tr", has_text=f"{name}-{len(puzzles) - 1}").wait_for()
        ids = page.locator("#results-rows td:first-child").all_text_contents()
        assert ids == [f"{name}-{k}" for k in range(len(puzzles))]
        page.locator(".job[data-state=done]").first.wait_for()
    for left in (1, 0):
        page.get_by_role("button", name="Remove").first.click()
        until(page, f"document.querySelectorAll('.job').length === {left}")


def test_undoing_a_restart_brings_back_the_time(visit: Go) -> None:
    here = visit()
    here.page.clock.install()
    page = here.go(LINK)
    cell(page, 0).press("1")
    for _ in range(40):
        page.clock.run_for(1_000)
    press(page, "Restart")
    assert page.inner_text("#clock") == "0:00"
    press(page, "Undo")
    assert page.inner_text("#clock") >= "0:30"
    press(page, "Redo")
    press(page, "Undo")
    assert page.inner_text("#clock") < "1:00"


def test_keys_reach_the_board_after_a_click_on_a_button(page: Page) -> None:
    open_cell = CLUES.index(".")
    cell(page, open_cell).press("1")
    press(page, "Pencil")
    press(page, "Pencil")
    page.keyboard.press("0")
    assert cells(page)[open_cell] == "0"
    page.locator("#pencil").press("Enter")
    assert page.get_attribute("#pencil", "aria-pressed") == "true", "buttons keep their own keys"


def test_a_large_board_can_be_seen_as_a_whole(visit: Go) -> None:
    page = visit(viewport={"width": 360, "height": 740}).go(LINK)
    paste(page, grid("." * 400))
    page.locator("#board .cell").nth(399).wait_for()
    for _ in range(12):
        press(page, "Zoom out")
    board = "document.querySelector('#board')"
    assert page.evaluate(f"{board}.scrollWidth <= {board}.clientWidth + 1")
    assert page.evaluate(f"{board}.scrollHeight <= {board}.clientHeight + 1")
    paste(page, grid(CLUES))
    assert page.inner_text("[data-board=board] output") == "100%"


def test_unfinished_games_can_be_continued(page: Page) -> None:
    cell(page, 0).press("1")
    paste(page, grid("." * 16))
    open_menu(page, "new-menu")
    page.locator("#unfinished-games button", has_text="6 × 6").click()
    assert cells(page) == "1" + CLUES[1:]
    open_menu(page, "new-menu")
    assert not page.locator("#unfinished").is_visible(), "the other game was not begun"
