"""What a player needs is in sight and has the focus, on a zoomed board too."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.pages import (
    CLUES,
    LINK,
    SOLUTION,
    Go,
    box,
    cell,
    cells,
    grid,
    hint,
    message,
    open_menu,
    open_tab,
    paste,
    press,
    solve,
    until,
)

if TYPE_CHECKING:
    from playwright.sync_api import CDPSession, Page

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
    press(page, "Close")
    assert page.evaluate("[document.activeElement.id, scrollY]") == ["more", 0]
    press(page, "What if")
    press(page, "Drop")
    assert page.evaluate("document.activeElement.id") == "more"


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


@pytest.mark.parametrize("size", [(360, 640), (390, 844), (740, 360), (1000, 720), (1366, 768)])
@pytest.mark.parametrize("side", [6, 20, 30])
def test_a_board_is_seen_as_a_whole_beside_its_tools(
    visit: Go, size: tuple[int, int], side: int
) -> None:
    page = visit(viewport={"width": size[0], "height": size[1]}).go(LINK)
    paste(page, grid(CLUES if side == 6 else "." * side**2))
    page.locator("#board .cell").nth(side**2 - 1).wait_for()
    board, whole = page.locator("#board"), box(page, "#board .frame")
    assert page.evaluate("document.documentElement.scrollWidth") == size[0]
    assert board.evaluate("board => board.scrollWidth - board.clientWidth") <= 1
    assert whole["x"] >= 0
    assert whole["y"] + whole["height"] <= size[1]
    room = min(size[0] - 40, size[1] - 210)
    assert max(whole["width"], whole["height"]) >= room, "it takes the room that there is"
    for tool in page.locator("#play .tools button").filter(visible=True).all():
        place = tool.bounding_box()
        assert place
        assert place["x"] >= 0
        assert place["y"] + place["height"] <= size[1]
        is_aside = (
            place["x"] + place["width"] <= whole["x"] or place["x"] >= whole["x"] + whole["width"]
        )
        assert is_aside or place["y"] >= whole["y"] + whole["height"], "no tool covers a cell"
    cell(page, 0).press("+")
    cell(page, 0).press("+")
    assert page.inner_text("[data-board=board] output") == "156%"
    assert board.evaluate("board => board.scrollWidth > board.clientWidth")
    cell(page, 0).press("-")
    cell(page, 0).press("-")
    cell(page, 0).press("-")
    assert box(page, "#board .frame") == whole, "not below the size that fits"
    cell(page, 0).press("+")
    paste(page, grid("." * 16))
    assert page.inner_text("[data-board=board] output") == "100%"


def test_unfinished_games_can_be_continued(page: Page) -> None:
    cell(page, 0).press("1")
    paste(page, grid("." * 16))
    open_menu(page, "new-menu")
    page.locator("#unfinished-games button", has_text="6 × 6").click()
    assert cells(page) == "1" + CLUES[1:]
    open_menu(page, "new-menu")
    assert not page.locator("#unfinished").is_visible(), "the other game was not begun"
    page.keyboard.press("Escape")
    press(page, "Puzzle of the day")
    page.locator("#board .cell").nth(99).wait_for()
    page.go_back()
    until(page, "document.querySelectorAll('#board .cell').length === 36")
    assert cells(page) == "1" + CLUES[1:]
    page.go_forward()
    page.locator("#board .cell").nth(99).wait_for()


@pytest.mark.parametrize("size", [(360, 640), (740, 360)])
def test_a_phone_has_eight_controls_around_the_board(visit: Go, size: tuple[int, int]) -> None:
    page = visit(viewport={"width": size[0], "height": size[1]}, has_touch=True).go(LINK)
    shown = page.locator("button").filter(visible=True)
    assert shown.count() == 8
    tools = shown.locator("xpath=self::*[ancestor::fieldset]")
    widths = tools.evaluate_all("all => all.map(each => Math.round(each.offsetWidth))")
    assert max(widths) - min(widths) <= 1, "in even rows"
    last = cell(page, 35).bounding_box()
    assert last
    assert last["y"] + last["height"] <= size[1], "the whole board is in sight"
    press(page, "More")
    assert page.get_by_role("tab", name="Batch").is_visible()
    assert page.evaluate("document.activeElement.id") == "more"
    press(page, "Restart")
    assert shown.count() == 8, "it closes with what it is opened for"
    assert page.evaluate("document.activeElement.id") == "more"


def test_a_win_scrolls_nothing_and_hides_no_cell(visit: Go) -> None:
    page = visit(**SMALL_PHONE).go(LINK)
    solve(page)
    card = page.locator(".win").bounding_box()
    last = cell(page, 35).bounding_box()
    assert card
    assert last
    assert page.evaluate("scrollY") == 0
    assert last["y"] + last["height"] <= card["y"]
    assert card["y"] + card["height"] <= 640


def test_the_streak_is_on_the_button_of_today(visit: Go) -> None:
    here = visit()
    here.page.clock.set_fixed_time("2026-11-28T10:00:00Z")
    page = here.go()
    assert page.inner_text("#streak") == ""
    days = {f"2026-11-{day}": {"seconds": 60, "isOnTime": True} for day in (26, 27)}
    page.evaluate("days => localStorage.setItem('binairo:days', days)", json.dumps(days))
    press(page, "Puzzle of the day")
    message(page, "2026.11.28", "#title")
    assert page.inner_text("#streak") == "★ 2"
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.closest('#board') !== null")


def test_two_tabs_play_one_game(visit: Go) -> None:
    first = visit().go(LINK)
    second = first.context.new_page()
    second.goto(first.url.split("#")[0] + LINK)
    second.locator("#board .cell").first.wait_for()
    cell(first, 0).press("1")
    until(second, "document.querySelector('#board .cell').dataset.value === '1'")
    cell(second, 1).press("0")
    until(first, "document.querySelectorAll('#board .cell')[1].dataset.value === '0'")
    press(first, "Undo")
    assert cells(first) == "1" + CLUES[1:]


def test_a_full_storage_is_said_once(page: Page) -> None:
    page.evaluate(
        "() => { Storage.prototype.setItem = () => { throw new DOMException('full'); }; }"
    )
    cell(page, 0).press("1")
    message(page, "stores no more")
    cell(page, 1).press("0")
    assert page.inner_text("#message") == ""


def test_the_solution_is_shown_and_the_game_goes_on(page: Page) -> None:
    cell(page, 0).press("1")
    press(page, "Show solution")
    message(page, "exactly one solution", "#answer")
    assert cells(page) == SOLUTION
    press(page, "Close")
    assert cells(page) == "1" + CLUES[1:]


def test_clues_and_targets_stand_out_in_the_dark(visit: Go) -> None:
    page = visit(color_scheme="dark").go(LINK)
    hint(page)
    until(page, "document.getAnimations().every(each => each.playState === 'finished')")

    def light(place: str) -> float:
        colour = page.locator(place).first.evaluate(
            "cell => getComputedStyle(cell).backgroundColor"
        )
        return sum(float(each) for each in re.findall(r"[\d.]+", colour)[:3])

    plain = ":not(.is-reason, .is-target, :hover)"
    clue, target = light(f"#board .clue{plain}"), light("#board .is-target")
    assert clue > 2 * light(f"#board .cell:not(.clue){plain}")
    assert target > 2 * clue


PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True}


def open_board(page: Page, side: int) -> None:
    paste(page, grid("." * side**2))
    page.locator("#board .cell").nth(side**2 - 1).wait_for()


def factor(page: Page) -> str:
    return page.inner_text("[data-board=board] output")


def assert_numbers_stay(page: Page, side: int) -> None:
    """At the far corner of the board, its numbers are at the edges, beside their lines."""
    page.locator("#board").evaluate("board => board.scrollTo(9e9, 9e9)")
    frame, last = box(page, "#board"), box(page, f"#board .cell >> nth={side**2 - 1}")
    across, down = box(page, "#board .numbers.across"), box(page, "#board .numbers.down")
    assert across["y"] == pytest.approx(frame["y"], abs=1)
    assert down["x"] == pytest.approx(frame["x"], abs=1)
    numbers = [box(page, f"#board .numbers.{way} span:last-child") for way in ("across", "down")]
    middle = [numbers[0]["x"] + numbers[0]["width"] / 2, numbers[1]["y"] + numbers[1]["height"] / 2]
    assert last["x"] < middle[0] < last["x"] + last["width"]
    assert last["y"] < middle[1] < last["y"] + last["height"]


def test_buttons_and_keys_zoom(page: Page) -> None:
    open_board(page, 14)
    before = box(page, "#board .cell")["width"]
    for _ in range(4):
        press(page, "Zoom in")
    assert factor(page) == "244%"
    assert box(page, "#board .cell")["width"] == pytest.approx(before * 2.44, rel=0.05)
    assert_numbers_stay(page, 14)
    cell(page, 100).press("+")
    assert factor(page) == "305%"
    for _ in range(8):
        cell(page, 100).press("-")
    assert factor(page) == "100%", "not below the size that fits"
    assert box(page, "#board .cell")["width"] == pytest.approx(before)
    for _ in range(12):
        cell(page, 100).press("+")
    assert factor(page) == "600%"
    page.keyboard.press("ArrowDown")
    last = page.evaluate("document.activeElement.getBoundingClientRect().top")
    assert last > box(page, "#board .numbers.across")["y"], "the cell is not below the numbers"


def test_the_wheel_zooms_at_the_pointer(page: Page) -> None:
    open_board(page, 14)
    for _ in range(4):
        press(page, "Zoom in")
    frame = box(page, "#board")
    point = [frame["x"] + frame["width"] / 3, frame["y"] + frame["height"] / 3]
    below = "([x, y]) => document.elementFromPoint(x, y).closest('.cell').index"
    cell_there = page.evaluate(below, point)
    page.mouse.move(*point)
    page.keyboard.down("Control")
    for _ in range(2):
        page.mouse.wheel(0, -120)
    page.keyboard.up("Control")
    until(page, "document.querySelector('[data-board=board] output').value === '381%'")
    assert page.evaluate(below, point) == cell_there
    assert page.evaluate("window.visualViewport.scale") == 1, "the page is not zoomed"


def touch(session: CDPSession, kind: str, *points: tuple[float, float]) -> None:
    given = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(points)]
    session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": given})


def at_rest(page: Page) -> None:
    """Wait until the board no longer scrolls."""
    seen: list[float] = []
    while len(seen) < 5 or len(set(seen[-5:])) > 1:
        seen.append(page.evaluate("document.querySelector('#board').scrollLeft"))
        page.wait_for_timeout(100)


def test_two_fingers_zoom_and_one_scrolls(visit: Go) -> None:
    page = visit(**PHONE).go(LINK)
    open_board(page, 14)
    assert box(page, "#board .cell")["width"] >= 24
    session = page.context.new_cdp_session(page)
    frame = box(page, "#board")
    x, y = frame["x"] + frame["width"] / 2, frame["y"] + frame["height"] / 2
    touch(session, "touchStart", (x - 40, y), (x + 40, y))
    for step in range(1, 9):
        touch(session, "touchMove", (x - 40 - 5 * step, y), (x + 40 + 5 * step, y))
    touch(session, "touchEnd")
    assert factor(page) == "200%"
    assert cells(page) == "." * 196, "fingers that zoom fill no cell"
    assert_numbers_stay(page, 14)
    for step in range(12):
        touch(session, "touchMove" if step else "touchStart", (x + 10 * step, y))
    touch(session, "touchEnd")
    until(page, "document.querySelector('#board').scrollLeft < 300")
    assert cells(page) == "." * 196, "a finger that scrolls fills no cell"
    at_rest(page)
    page.touchscreen.tap(x, y)
    assert cells(page).count("0") == 1
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    paste(page, grid(CLUES))
    for _ in range(5):
        cell(page, 30).press("+")
    hint(page)
    board, message = box(page, "#board"), box(page, "#message")
    for target in page.locator("#board .is-target").all():
        place = target.bounding_box()
        assert place
        assert board["x"] <= place["x"] + 1
        assert place["x"] + place["width"] <= board["x"] + board["width"] + 1
        assert board["y"] <= place["y"]
        assert place["y"] + place["height"] <= message["y"] + 1
