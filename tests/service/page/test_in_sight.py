"""What a player needs is in sight and has the focus, on a zoomed board too."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.pages import CLUES, LINK, Go, Player, grid

if TYPE_CHECKING:
    from playwright.sync_api import CDPSession

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
    page.press("Explain")
    page.locator(".sheet-card").wait_for()
    forward = page.get_by_role("button", name="Next", exact=True)
    steps = 0
    while forward.is_enabled():
        forward.click()
        page.becomes(IN_SIGHT)
        steps += 1
    assert steps >= int(page.get_attribute("#step", "max"))
    assert "." not in page.cells()
    page.press("Close")
    page.becomes("[document.activeElement.id, scrollY]", ["more", 0])
    page.press("What if")
    page.press("Drop")
    page.focus_is("more")
    page.dialog("Help")
    page.focus_is("help-title")
    page.becomes("document.querySelector('#help').scrollTop", 0)


def test_a_win_scrolls_nothing_and_hides_no_cell(visit: Go) -> None:
    page = visit(**SMALL_PHONE).go(LINK)
    page.solve()
    card, last = page.box(".win"), page.box(page.cell(35))
    page.becomes("scrollY", 0)
    assert last["y"] + last["height"] <= card["y"]
    assert card["y"] + card["height"] <= 640


def test_the_rules_of_a_first_visit_stay_until_they_are_read(visit: Go) -> None:
    page = visit(viewport={"width": 360, "height": 740}).go()
    page.cell(page.cells().index(".")).click()
    page.count_is(".welcome li", 3)
    page.press("Got it")
    page.count_is(".welcome", 0)


def test_a_job_shows_no_puzzles_of_another(page: Player) -> None:
    for name, puzzles in (("one", [CLUES]), ("five", ["." * 15 + value for value in "01..1"])):
        text = "\n".join(f"{puzzle} {name}-{k}" for k, puzzle in enumerate(puzzles))
        page.start_job(f"{name}.line", text)
        page.locator("#results-rows tr", has_text=f"{name}-{len(puzzles) - 1}").wait_for()
        ids = page.locator("#results-rows td:first-child").all_text_contents
        page.is_so(ids, [f"{name}-{k}" for k in range(len(puzzles))])
    page.count_is(".job[data-state=done]", 2)
    for left in (1, 0):
        page.get_by_role("button", name="Remove").first.click()
        page.count_is(".job", left)


def test_undoing_a_restart_brings_back_the_time(visit: Go) -> None:
    here = visit()
    here.page.clock.install()
    page = here.go(LINK)
    page.cell(0).press("1")
    page.clock.run_for(600_000)
    page.press("Restart")
    page.message("^0:0", "#clock")
    for name in ("Undo", "Redo", "Undo"):
        page.press(name)
    # The clock of the page goes on between these lines.
    assert 9 <= int(page.inner_text("#clock").split(":")[0]) < 15


def test_keys_reach_the_board_after_a_click_on_a_button(page: Player) -> None:
    page.cell(0).press("1")
    page.press("Pencil")
    page.press("Pencil")
    page.keyboard.press("0")
    page.board_is("0" + CLUES[1:])
    page.locator("#pencil").press("Enter")
    page.locator("#pencil[aria-pressed=true]").wait_for()  # buttons keep their own keys


@pytest.mark.parametrize("size", [(360, 640), (740, 360), (1000, 720), (1366, 768)])
@pytest.mark.parametrize("side", [6, 30])
def test_a_board_is_seen_as_a_whole_beside_its_tools(visit: Go, size: tuple[int, int], side: int):
    page = visit(viewport={"width": size[0], "height": size[1]}).go(LINK)
    open_board(page, side)
    board, whole = page.locator("#board"), page.box("#board .frame")
    page.becomes("document.documentElement.scrollWidth", size[0])
    assert board.evaluate("board => board.scrollWidth - board.clientWidth") <= 1
    assert whole["x"] >= 0
    assert whole["y"] + whole["height"] <= size[1]
    room = min(size[0] - 40, size[1] - 210)
    assert max(whole["width"], whole["height"]) >= room, "it takes the room that there is"
    for tool in page.locator("#play .tools button").filter(visible=True).all():
        place = page.box(tool)
        assert place["x"] >= 0
        assert place["y"] + place["height"] <= size[1]
        is_aside = (
            place["x"] + place["width"] <= whole["x"] or place["x"] >= whole["x"] + whole["width"]
        )
        assert is_aside or place["y"] >= whole["y"] + whole["height"], "no tool covers a cell"


def test_unfinished_games_can_be_continued(page: Player) -> None:
    page.cell(0).press("1")
    page.paste(grid("." * 16))
    page.open_menu("new-menu")
    page.locator("#unfinished-games button", has_text="6 × 6").click()
    page.board_is("1" + CLUES[1:])
    page.open_menu("new-menu")
    page.locator("#unfinished").wait_for(state="hidden")  # the other game was not begun
    page.keyboard.press("Escape")
    page.press("Puzzle of the day")
    page.count_is("#board .cell", 100)
    page.go_back()
    page.board_is("1" + CLUES[1:])
    page.go_forward()
    page.count_is("#board .cell", 100)


@pytest.mark.parametrize("size", [(360, 640), (740, 360)])
def test_a_phone_has_eight_controls_around_the_board(visit: Go, size: tuple[int, int]) -> None:
    page = visit(viewport={"width": size[0], "height": size[1]}, has_touch=True).go(LINK)
    page.count_is("button >> visible=true", 8)
    tools = page.locator("fieldset button").filter(visible=True)
    widths = tools.evaluate_all("all => all.map(each => Math.round(each.offsetWidth))")
    assert max(widths) - min(widths) <= 1, "in even rows"
    last = page.box(page.cell(35))
    assert last["y"] + last["height"] <= size[1], "the whole board is in sight"
    page.press("More")
    page.get_by_role("tab", name="Batch").wait_for()
    page.focus_is("more")
    page.press("Restart")
    page.count_is("button >> visible=true", 8)  # it closes with what it is opened for
    page.focus_is("more")


def test_the_streak_is_on_the_button_of_today(visit: Go) -> None:
    here = visit()
    here.page.clock.set_fixed_time("2026-11-28T10:00:00Z")
    page = here.go()
    page.text_is("#streak", "")
    days = {f"2026-11-{day}": {"seconds": 60, "isOnTime": True} for day in (26, 27)}
    page.evaluate("days => localStorage.setItem('binairo:days', days)", json.dumps(days))
    page.press("Puzzle of the day")
    page.message("2026.11.28", "#title")
    page.text_is("#streak", "★ 2")
    page.keyboard.press("ArrowRight")
    page.becomes("document.activeElement.closest('#board') !== null")


def test_two_tabs_play_one_game(visit: Go) -> None:
    first = visit().go(LINK)
    second = Player(first.context.new_page())
    second.goto(first.url.split("#")[0] + LINK)
    second.board_is(CLUES)
    first.cell(0).press("1")
    second.board_is("1" + CLUES[1:])
    second.cell(1).press("0")
    first.board_is("10" + CLUES[2:])
    first.press("Undo")
    first.board_is("1" + CLUES[1:])


FACTOR = "[data-board=board] output"


def open_board(page: Player, side: int) -> None:
    page.paste(grid("." * side**2))
    page.count_is("#board .cell", side**2)


def assert_numbers_stay(page: Player, side: int) -> None:
    """At the far corner of the board, its numbers are at the edges, beside their lines."""
    page.locator("#board").evaluate("board => board.scrollTo(9e9, 9e9)")
    frame, last = page.box("#board"), page.box(f"#board .cell >> nth={side**2 - 1}")
    across, down = page.box("#board .numbers.across"), page.box("#board .numbers.down")
    assert across["y"] == pytest.approx(frame["y"], abs=1)
    assert down["x"] == pytest.approx(frame["x"], abs=1)
    numbers = [page.box(f"#board .numbers.{way} span:last-child") for way in ("across", "down")]
    middle = [numbers[0]["x"] + numbers[0]["width"] / 2, numbers[1]["y"] + numbers[1]["height"] / 2]
    assert last["x"] < middle[0] < last["x"] + last["width"]
    assert last["y"] < middle[1] < last["y"] + last["height"]


def test_buttons_and_keys_zoom(page: Player) -> None:
    open_board(page, 14)
    before = page.box("#board .cell")["width"]
    for _ in range(4):
        page.press("Zoom in")
    page.text_is(FACTOR, "244%")
    assert page.box("#board .cell")["width"] == pytest.approx(before * 2.44, rel=0.05)
    assert_numbers_stay(page, 14)
    page.cell(100).press("+")
    page.text_is(FACTOR, "305%")
    for _ in range(8):
        page.cell(100).press("-")
    page.text_is(FACTOR, "100%")  # not below the size that fits
    assert page.box("#board .cell")["width"] == pytest.approx(before)
    for _ in range(12):
        page.cell(100).press("+")
    page.text_is(FACTOR, "600%")
    page.keyboard.press("ArrowDown")
    last = page.evaluate("document.activeElement.getBoundingClientRect().top")
    assert last > page.box("#board .numbers.across")["y"], "the cell is not below the numbers"
    page.paste(grid("." * 16))
    page.text_is(FACTOR, "100%")


def test_the_wheel_zooms_at_the_pointer(page: Player) -> None:
    open_board(page, 14)
    for _ in range(4):
        page.press("Zoom in")
    frame = page.box("#board")
    point = [frame["x"] + frame["width"] / 3, frame["y"] + frame["height"] / 3]
    below = "([x, y]) => document.elementFromPoint(x, y).closest('.cell').index"
    cell_there = page.evaluate(below, point)
    page.mouse.move(*point)
    page.keyboard.down("Control")
    for _ in range(2):
        page.mouse.wheel(0, -120)
    page.keyboard.up("Control")
    page.text_is(FACTOR, "381%")
    page.is_so(lambda: page.evaluate(below, point), cell_there)
    page.becomes("window.visualViewport.scale", 1)  # the page is not zoomed


def touch(session: CDPSession, kind: str, *points: tuple[float, float]) -> None:
    given = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(points)]
    session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": given})


STILL = """async () => {
    const at = () => document.querySelector("#board").scrollLeft;
    const before = at();
    await new Promise((resolve) => setTimeout(resolve, 300));
    return at() === before;
}"""


def test_two_fingers_zoom_and_one_scrolls(visit: Go) -> None:
    page = visit(viewport={"width": 390, "height": 844}, has_touch=True).go(LINK)
    open_board(page, 14)
    assert page.box("#board .cell")["width"] >= 24
    session = page.context.new_cdp_session(page.page)
    frame = page.box("#board")
    x, y = frame["x"] + frame["width"] / 2, frame["y"] + frame["height"] / 2
    touch(session, "touchStart", (x - 40, y), (x + 40, y))
    for step in range(1, 9):
        touch(session, "touchMove", (x - 40 - 5 * step, y), (x + 40 + 5 * step, y))
    touch(session, "touchEnd")
    page.text_is(FACTOR, "200%")
    page.board_is("." * 196)  # fingers that zoom fill no cell
    assert_numbers_stay(page, 14)
    for step in range(12):
        touch(session, "touchMove" if step else "touchStart", (x + 10 * step, y))
    touch(session, "touchEnd")
    page.becomes("document.querySelector('#board').scrollLeft < 300")
    page.board_is("." * 196)  # a finger that scrolls fills no cell
    page.becomes(STILL)
    page.touchscreen.tap(x, y)
    page.is_so(lambda: page.cells().count("0"), 1)
    page.becomes("document.documentElement.scrollWidth", 390)
    page.paste(grid(CLUES))
    for _ in range(5):
        page.cell(30).press("+")
    page.hint()
    board, message = page.box("#board"), page.box("#message")
    for target in page.locator("#board .is-target").all():
        place = page.box(target)
        assert board["x"] <= place["x"] + 1
        assert place["x"] + place["width"] <= board["x"] + board["width"] + 1
        assert board["y"] <= place["y"]
        assert place["y"] + place["height"] <= message["y"] + 1
