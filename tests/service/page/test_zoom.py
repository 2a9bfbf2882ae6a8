"""The zoom of the board: keys, buttons, the wheel and two fingers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.support.pages import CLUES, LINK, Go, box, cell, cells, grid, hint, paste, press, until

if TYPE_CHECKING:
    from playwright.sync_api import CDPSession, Page

pytestmark = pytest.mark.slow

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


@pytest.mark.parametrize("size", [(2560, 1440), (1024, 600)])
def test_the_board_grows_with_the_window(visit: Go, size: tuple[int, int]) -> None:
    """The board takes most of the height, and board and tools are seen without scrolling."""
    width, height = size
    page = visit(viewport={"width": width, "height": height}).go(LINK)
    open_board(page, 10)
    frame, tools = box(page, "#board .grid"), box(page, "#play .tools")
    assert frame["height"] > 0.55 * height
    assert tools["y"] + tools["height"] <= height
    assert page.evaluate("document.documentElement.scrollWidth") == width
