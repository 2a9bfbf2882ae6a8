"""The page in a real browser, with a real server."""

from __future__ import annotations

import gzip
import io
import json
import re
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from PIL import Image, ImageChops

from binairo_cp import Board, Puzzle
from binairo_cp.formats import read_sources
from binairo_cp.puzzle import rules
from binairo_cp.service import keys
from tests.support.browsing import Visit, chromium
from tests.support.serving import Server, serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Download, Locator, Page, Route

CLUES = "..10.....0.11...0....11..0...10....."
SOLUTION = "101010011001110100100110001011010101"
LINK = "#puzzle=6x6:b10e0a11c0d11b0c10e&rules=classic"
FOREIGN = "#puzzle=6x6u:CafBAdEAcDaf"
"""The same puzzle in a format that only the server reads."""
MULTIPLE = "1..0.......1...."
WRONG = "000............."

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("data")) as running:
        yield running


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as running:
        yield running


Go = Callable[..., Visit]


@pytest.fixture
def visit(server: Server, browser: Browser) -> Iterator[Go]:
    """Opens pages; each must end without a console error or a request to another host."""
    visits: list[Visit] = []

    def begin(**options: Any) -> Visit:
        visits.append(Visit(browser, server.url, **options))
        return visits[-1]

    yield begin
    for each in visits:
        each.close()


@pytest.fixture
def page(visit: Go) -> Page:
    """A page with a 6x6 puzzle, opened with its link."""
    return visit().go(LINK)


def cells(page: Page, board: str = "#board") -> str:
    found: list[str] = page.locator(f"{board} .cell").evaluate_all(
        "cells => cells.map(cell => cell.dataset.value)"
    )
    return "".join(found)


def cell(page: Page, index: int, board: str = "#board") -> Locator:
    return page.locator(f"{board} .cell").nth(index)


def lit(page: Page, name: str, board: str = "#board") -> list[int]:
    found: list[int] = page.locator(f"{board} .cell").evaluate_all(
        "(cells, name) => cells.flatMap((cell, n) => cell.classList.contains(name) ? [n] : [])",
        f"is-{name}",
    )
    return found


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).filter(visible=True).click()


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


# Playing


def test_a_puzzle_is_played_to_the_end(page: Page) -> None:
    for index, value in enumerate(SOLUTION):
        if CLUES[index] == ".":
            cell(page, index).click(click_count=1)
            if value == "1":
                cell(page, index).click()
    message(page, "Solved in 0:")
    assert cells(page) == SOLUTION
    cell(page, 0).click()
    assert cells(page) == SOLUTION, "what is solved stays"


def test_clicks_cycle_both_ways_and_clues_stay(page: Page) -> None:
    seen = []
    for button in ("left", "left", "left", "right", "right", "right"):
        cell(page, 0).click(button=button)  # type: ignore[arg-type]
        seen.append(cells(page)[0])
    assert seen == ["0", "1", ".", "1", "0", "."]
    cell(page, 2).click()
    assert cells(page)[2] == CLUES[2]


def test_a_drag_fills_with_the_symbol_of_the_first_cell(page: Page) -> None:
    first, last = cell(page, 13).bounding_box(), cell(page, 15).bounding_box()
    assert first
    assert last
    page.mouse.move(first["x"] + 9, first["y"] + 9)
    page.mouse.down()
    page.mouse.move(last["x"] + 9, last["y"] + 9, steps=12)
    page.mouse.up()
    assert cells(page)[12:18] == "1" + "000" + "0."
    press(page, "Undo")
    assert cells(page) == CLUES, "a drag is one thing to take back"
    press(page, "Redo")
    assert cells(page)[13:16] == "000"


def test_pencil_marks_are_not_values(page: Page) -> None:
    press(page, "Pencil")
    cell(page, 0).click()
    press(page, "Pencil")
    cell(page, 1).click(modifiers=["Shift"])
    cell(page, 1).press("Shift+Digit1")
    assert cells(page) == CLUES
    assert cell(page, 0).get_attribute("aria-label") == "row 1, column 1: empty, pencil 0"
    assert cell(page, 1).get_attribute("aria-label") == "row 1, column 2: empty, pencil 0 and 1"
    page.keyboard.press("1")
    assert cell(page, 1).get_attribute("aria-label") == "row 1, column 2: 1"


def test_hints_lead_to_the_solution(page: Page, server: Server) -> None:
    steps = 0
    while "Solved" not in page.inner_text("#message"):
        board = cells(page)
        press(page, "Hint")
        page.get_by_role("button", name="Apply").wait_for()
        step = server.post("/v1/hint", puzzle=CLUES, board=board, coordinates="none").json()[
            "steps"
        ][0]
        assert step["sentence"] in page.inner_text("#message")
        assert lit(page, "target") == [row * 6 + column for row, column in step["cells"]]
        assert set(lit(page, "reason")) == {row * 6 + column for row, column in step["reason"]}
        press(page, "Apply")
        steps += 1
        if "." not in cells(page):
            message(page, "Solved")
    assert steps >= 5
    assert cells(page) == SOLUTION


def test_broken_rules_are_marked_at_once_if_wanted(page: Page) -> None:
    choose(page, "marking", "live")
    for index in (0, 1, 4, 5):
        cell(page, index).click()
    message(page, "Too many of 0 in row 1")
    assert lit(page, "broken") == [0, 1, 3, 4, 5]
    assert "breaks a rule" in str(cell(page, 0).get_attribute("aria-label"))
    press(page, "Undo")
    press(page, "Undo")
    press(page, "Undo")
    assert lit(page, "broken") == []
    choose(page, "marking", "never")
    assert page.locator("#check").is_hidden()


def test_counts_and_finished_lines(page: Page) -> None:
    assert page.locator(".counts b").count() == 0
    choose(page, "counts", value=True)
    first = page.locator("#board .counts.right span").first
    assert first.locator("b").all_inner_texts() == ["1", "1"]
    cell(page, 0).press("l")
    message(page, "Row 1: 1 × 0, 1 × 1, 4 open. Column 1: 1 × 0, 1 × 1, 4 open.")
    assert lit(page, "done") == []
    for index in (0, 1, 4, 5):
        cell(page, index).press(SOLUTION[index])
    assert lit(page, "done") == [*range(6)]
    assert first.locator("b").all_inner_texts() == ["3", "3"]
    page.reload()
    assert first.locator("b").all_inner_texts() == ["3", "3"]


def test_what_if_is_kept_or_dropped(page: Page) -> None:
    cell(page, 0).press("1")
    press(page, "What if")
    cell(page, 1).press("0")
    page.keyboard.press("w")
    cell(page, 4).press("1")
    assert page.inner_text("#whatif-text") == "What if 2: 1 cell"
    assert lit(page, "whatif") == [4]
    press(page, "Drop")
    assert cells(page) == "10" + CLUES[2:]
    page.reload()
    page.locator("#whatif-bar").wait_for()
    assert lit(page, "whatif") == [1]
    cell(page, 1).press("d")
    assert cells(page) == "1" + CLUES[1:]
    assert page.locator("#whatif-bar").is_hidden()
    press(page, "Undo")
    press(page, "What if")
    cell(page, 4).press("1")
    press(page, "Keep")
    assert cells(page)[:5] == "10101"
    assert lit(page, "whatif") == []


def test_keys_are_shown_once_and_on_request(visit: Go) -> None:
    page = visit().go(LINK)
    cell(page, 0).focus()
    page.keyboard.press("ArrowRight")
    message(page, "all keys")
    page.keyboard.press("?")
    assert page.locator("#help").is_visible()
    page.keyboard.press("Escape")
    page.reload()
    page.locator("#board .cell").first.wait_for()
    cell(page, 0).focus()
    page.keyboard.press("ArrowRight")
    assert "keys" not in page.inner_text("#message")


def test_a_finger_fills_by_dragging(visit: Go) -> None:
    page = visit(viewport={"width": 390, "height": 844}, has_touch=True).go(LINK)
    session = page.context.new_cdp_session(page)
    first, last = cell(page, 13).bounding_box(), cell(page, 15).bounding_box()
    assert first
    assert last
    for step in range(8):
        x = first["x"] + 20 + step * (last["x"] - first["x"]) / 7
        point = {"x": x, "y": first["y"] + 20}
        kind = "touchMove" if step else "touchStart"
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [point]})
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    assert cells(page)[12:18] == "1" + "000" + "0."
    press(page, "Undo")
    assert cells(page) == CLUES


def test_links_and_pages_of_other_sites_are_pasted(page: Page) -> None:
    paste(page, "<script>var task = 'b10e0a11c0d11b0c10e';</script>")
    assert cells(page) == CLUES
    paste(page, "https://example.org/embed?puzzle=4x4:0o&rules=classic")
    assert cells(page) == "0" + "." * 15
    paste(page, "🔴⬜⬜🔵\n⬜🔴⬜⬜\n⬜⬜⬜⬜\n⬜⬜⬜⬜")
    assert cells(page) == "1..0.1.........."
    press(page, "Paste or open…")
    page.fill("#paste-text", "https://www.puzzle-binairo.com/?e=MDo4LDc5Niw0MTU=")
    press(page, "Open")
    message(page, "only the number of a puzzle", "#paste-note")


def test_mistakes_are_shown_only_on_request(page: Page) -> None:
    for index in (0, 1):
        cell(page, index).click()
    assert lit(page, "wrong") == []
    press(page, "Check")
    message(page, "1 cell is wrong")
    assert lit(page, "wrong") == [0], "r1c1 is 1, r1c2 is 0"
    cell(page, 0).click()
    assert lit(page, "wrong") == []
    press(page, "Check")
    message(page, "No mistakes so far")


def test_a_wrong_full_board_is_not_won(page: Page) -> None:
    cell(page, 0).focus()
    for index, value in enumerate(SOLUTION):
        page.keyboard.press(value if index else "0")
        page.keyboard.press("ArrowRight")
        if index % 6 == 5:
            page.keyboard.press("ArrowDown")
            page.keyboard.press("Home")
    message(page, "not correct")
    press(page, "Hint")
    message(page, "1 cell is wrong")


def test_progress_and_time_survive_a_reload(visit: Go) -> None:
    page = visit().go(LINK)
    cell(page, 0).click()
    cell(page, 1).click(modifiers=["Shift"])
    page.reload()
    page.locator("#board .cell").first.wait_for()
    assert cells(page) == "0" + CLUES[1:]
    assert "pencil 0" in str(cell(page, 1).get_attribute("aria-label"))
    assert page.url.endswith("/")


def test_undo_and_redo_survive_a_reload(page: Page) -> None:
    boards = [cells(page)]
    for index in (0, 1, 4):
        cell(page, index).click()
        boards.append(cells(page))
    cell(page, 5).click(modifiers=["Shift"])
    page.keyboard.press("Control+z")
    press(page, "Restart")
    press(page, "Undo")
    page.reload()
    page.locator("#board .cell").first.wait_for()
    assert cells(page) == boards[-1]
    press(page, "Redo")
    assert cells(page) == CLUES
    press(page, "Undo")
    for board in reversed(boards[:-1]):
        press(page, "Undo")
        assert cells(page) == board
    assert page.locator("#undo").is_disabled()
    for board in boards[1:]:
        press(page, "Redo")
        assert cells(page) == board


def test_undo_in_the_editor_survives_a_reload(page: Page) -> None:
    new_board(page, 4)
    cell(page, 0, "#edit-board").press("1")
    cell(page, 0, "#edit-board").press("=")
    press(page, "Clear")
    page.reload()
    page.get_by_role("tab", name="Edit").click()
    press(page, "Undo")
    assert cells(page, "#edit-board") == "1" + "." * 15
    assert page.locator("#edit-board .sign").count() == 1
    press(page, "Undo")
    press(page, "Undo")
    assert cells(page, "#edit-board") == "." * 16
    press(page, "Undo")
    assert len(cells(page, "#edit-board")) == 36, "the board before the new one"


def test_long_histories_need_little_storage(page: Page) -> None:
    """A hundred histories fit into a few megabytes. The latest changes are kept."""
    paste(page, "\n".join(["." * 30] * 30))
    kept = page.evaluate(
        """async () => {
            const { History } = await import("./static/history.js");
            const history = new History(".".repeat(10_000));
            for (let at = 0; at < 900; at += 1) {
                history.push(history.state.slice(0, at) + "1" + history.state.slice(at + 1));
            }
            const text = JSON.stringify(history.serialize((state) => state));
            const again = History.restore(JSON.parse(text), (state) => state);
            const isSame = again.past.every((state, n) =>
                state === history.past[history.past.length - again.past.length + n]);
            return [text.length, again.past.length, isSame && again.state === history.state];
        }"""
    )
    assert kept[0] < 40_000
    assert kept[1] >= 50
    assert kept[2]


def test_broken_storage_does_no_harm(visit: Go) -> None:
    page = visit().go(LINK)
    cell(page, 0).click()
    page.add_init_script(
        'for (const name of Object.keys(localStorage)) localStorage[name] = \'{"now":"x"}\';'
    )
    page.reload()
    page.locator("#board .cell").nth(35).wait_for()
    assert page.locator("#edit-board .cell").count() == 36


def test_each_puzzle_has_its_own_progress(page: Page) -> None:
    cell(page, 0).click()
    paste(page, grid(MULTIPLE))
    assert cells(page) == MULTIPLE
    paste(page, grid(CLUES))
    assert cells(page) == "0" + CLUES[1:]


def test_the_clock_stops_while_the_page_is_hidden(visit: Go) -> None:
    going = visit()
    began = time.monotonic()
    going.page.clock.install(time=0)
    page = going.go(LINK)
    page.clock.run_for(65_000)
    # It goes by whole ticks, of which some may pass before or after, and on between these lines.
    minutes, seconds = map(int, page.inner_text("#clock").split(":"))
    assert 60 <= 60 * minutes + seconds <= 70 + time.monotonic() - began
    page.evaluate("Object.defineProperty(document, 'hidden', {get: () => true})")
    shown = page.inner_text("#clock")
    page.clock.run_for(65_000)
    assert page.inner_text("#clock") == shown


def test_the_keyboard_alone_is_enough(visit: Go) -> None:
    page = visit().go(LINK)
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.getAttribute('role')") == "gridcell":
            break
    assert page.evaluate("document.activeElement.getAttribute('aria-label')").startswith("row 1, c")
    page.keyboard.press("h")
    page.get_by_role("button", name="Apply").wait_for()
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


# Solving times


def solve(page: Page) -> None:
    """Fill the open cells with the keyboard."""
    for index, value in enumerate(SOLUTION):
        if cells(page)[index] == ".":
            cell(page, index).press(value)
    message(page, "Solved in")


def times(page: Page) -> list[dict[str, Any]]:
    """The records of the downloaded file."""
    press(page, "Statistics")
    download = taken(page, lambda: press(page, "Download"))
    assert download.suggested_filename == "binairo-times.ndjson"
    press(page, "Close")
    return [json.loads(line) for line in content(download).splitlines()]


def test_solving_times_are_exported(page: Page, server: Server, tmp_path: Path) -> None:
    press(page, "Statistics")
    message(page, "There are no times yet", "#times-count")
    assert page.locator("#times-save").is_disabled()
    press(page, "Close")
    message(page, "score", "#facts")
    press(page, "Hint")
    press(page, "Apply")
    cell(page, 0).press("0")
    press(page, "Check")
    message(page, "1 cell is wrong")
    page.reload()
    page.locator("#board .cell").first.wait_for()
    cell(page, 0).press("1")
    solve(page)
    press(page, "Hint")  # of a solved board: not counted
    message(page, "You solved this")
    grade = server.post("/v1/grade", puzzle=CLUES).json()["grade"]
    (record,) = times(page)
    began = record.pop("began")
    assert began.endswith("Z")
    assert 0 < record.pop("seconds") < 600
    assert record == {
        "height": 6,
        "width": 6,
        "clues": CLUES,
        "signs": [],
        "rules": "classic",
        "grade": {"level": grade["level"], "score": grade["score"]},
        "hints": 1,
        "checks": 1,
        "explained": False,
        "finished": True,
    }
    press(page, "Restart")
    press(page, "Explain")
    page.locator("#answer .card").wait_for()
    press(page, "Close")
    cell(page, 0).press("1")
    paste(page, grid(MULTIPLE))
    first, second = times(page)
    assert first["began"] == began
    assert (second["clues"], second["hints"], second["checks"]) == (CLUES, 0, 0)
    assert second["explained"]
    assert not second["finished"]
    # The file is a file of puzzles too.
    file = tmp_path / "times.ndjson"
    file.write_text(f"{json.dumps(first)}\n{json.dumps(second)}\n")
    assert [str(each.puzzle.board.cells) for each in read_sources([str(file)])] == [CLUES] * 2
    press(page, "Statistics")
    message(page, "2 attempts, 1 finished", "#times-count")
    press(page, "Delete all")
    message(page, "There are no times yet", "#times-count")


def test_times_that_mean_nothing_are_not_kept(page: Page) -> None:
    """Of boards that a restart was undone for, and of boards from links."""
    cell(page, 0).press("1")
    press(page, "Restart")
    press(page, "Undo")
    solve(page)
    (record,) = times(page)
    assert not record["finished"], "the attempt before the restart"
    press(page, "Statistics")
    press(page, "Delete all")
    press(page, "Close")
    page.evaluate(f"location.hash = '{LINK}&board=a010e0a11c0d11b0c10e'")
    until(page, "!location.hash")
    assert cells(page) == ".0" + CLUES[2:]
    press(page, "Statistics")
    message(page, "There are no times yet", "#times-count")


def test_times_are_bounded(page: Page) -> None:
    """The latest are kept. Broken records are not exported."""
    page.evaluate(
        """() => {
            const record = {height: 1, width: 2, clues: "..", signs: [], rules: "unruly", seconds: 1};
            for (let n = 1; n <= 1_005; n += 1) {
                localStorage[`binairo:time:${n}`] = n === 1_005 ? "{" : JSON.stringify({...record, n});
            }
        }"""
    )
    assert [record["n"] for record in times(page)] == list(range(6, 1_005))
    page.evaluate("localStorage['binairo:time:500'] = JSON.stringify({clues: '.'.repeat(500_000)})")
    assert [record["n"] for record in times(page)] == list(range(501, 1_005))


# Where puzzles come from


@pytest.mark.parametrize(
    "text",
    [
        grid(CLUES),
        "6x6u:CafBAdEAcDaf",
        "b10e0a11c0d11b0c10e",
        json.dumps({"height": 6, "width": 6, "clues": CLUES}),
        f"6x6:{CLUES} a-name",
    ],
)
def test_puzzles_in_any_format_can_be_pasted(page: Page, text: str) -> None:
    paste(page, grid(MULTIPLE))
    paste(page, text)
    assert cells(page) == CLUES


def test_errors_in_pasted_text_have_a_position(visit: Go) -> None:
    going = visit()
    page = going.go(LINK)
    press(page, "Paste or open…")
    page.fill("#paste-text", "0..1\n1..x\n....\n....")
    press(page, "Open")
    message(page, "Line 2, column 4: 'x' is not a cell", "#paste-note")
    press(page, "Cancel")
    assert cells(page) == CLUES
    assert all("422" in fault for fault in going.faults)
    going.faults.clear()


@pytest.mark.parametrize("is_packed", [False, True])
def test_a_file_with_several_puzzles_is_opened(page: Page, is_packed: bool) -> None:
    text = f"6x6:{CLUES} first\n4x4:{MULTIPLE} second\n".encode()
    buffer = gzip.compress(text) if is_packed else text
    press(page, "Paste or open…")
    page.set_input_files("#paste-file", {"name": "a", "mimeType": "", "buffer": buffer})
    message(page, "2 puzzles opened")
    assert page.inner_text("#title") == "first"
    page.select_option("#several", index=1)
    assert cells(page) == MULTIPLE
    assert page.inner_text("#title") == "second"


def test_files_can_be_dropped(page: Page) -> None:
    transfer = page.evaluate_handle(
        """text => {
            const transfer = new DataTransfer();
            transfer.items.add(new File([text], "puzzle.txt"));
            return transfer;
        }""",
        grid(MULTIPLE),
    )
    page.dispatch_event("#board", "drop", {"dataTransfer": transfer})
    page.locator("#board .cell").nth(16).wait_for(state="detached")
    assert cells(page) == MULTIPLE


def test_puzzles_are_generated(page: Page, server: Server) -> None:
    page.fill("#new-rows", "6")
    page.fill("#new-columns", "8")
    page.select_option("#new-rules", "tango")
    page.select_option("#new-grade", "easy")
    press(page, "Generate")
    message(page, r"Easy, score \d", "#facts")
    assert page.locator("#board [role=row]").count() == 6
    assert page.locator("#board .cell").count() == 48
    assert page.locator("#board .sign").count() > 0
    first = cells(page)
    press(page, "Generate")
    page.wait_for_timeout(100)
    while cells(page) == first:
        page.wait_for_timeout(20)


def test_the_puzzle_of_the_day_is_the_same_for_everyone(visit: Go) -> None:
    found = []
    for zone, hour in (("Pacific/Auckland", "21T11:10"), ("America/Los_Angeles", "23T07:50")):
        going = visit(timezone_id=zone)
        going.page.clock.set_fixed_time(f"2026-11-{hour}:00Z")
        page = going.go()
        press(page, "Puzzle of the day")
        message(page, "2026-11-22", "#title")
        found.append(cells(page))
    assert found[0] == found[1]
    assert len(found[0]) == 100


def test_a_link_carries_the_puzzle_and_the_game(visit: Go) -> None:
    page = visit().go(LINK)
    cell(page, 0).click()
    press(page, "Share link")
    bare = page.input_value("#share-link")
    page.check("#share-progress")
    whole = page.input_value("#share-link")
    for link, board in ((bare, CLUES), (whole, "0" + CLUES[1:])):
        other = visit().go(link.split("/", 3)[3])
        assert cells(other) == board


def test_a_link_carries_signs_and_rules(visit: Go) -> None:
    record = {
        "height": 4,
        "width": 4,
        "clues": "...0....0.....1.",
        "signs": [[0, 0, "R", "x"], [0, 1, "D", "="]],
        "rules": {"longest_run": 3, "balanced": True, "distinct_lines": False, "odd": "either"},
    }
    page = visit().go(LINK)
    paste(page, json.dumps(record))
    press(page, "Share link")
    link = page.input_value("#share-link")
    press(page, "Close")
    other = visit().go(link.split("/", 3)[3])
    labels = [cell(other, index).get_attribute("aria-label") for index in (0, 1)]
    assert labels == [
        "row 1, column 1: empty, opposite of the right one",
        "row 1, column 2: empty, equal to the lower one",
    ]
    press(other, "Export")
    other.select_option("#export-to", "convert:ndjson")
    until(other, "document.querySelector('#export-text').value.startsWith('{')")
    exported = json.loads(other.input_value("#export-text"))
    assert {name: exported[name] for name in record} == record


@pytest.mark.parametrize("words", ["{}", " {}\n", "Try this: <{}>"])
def test_share_links_can_be_pasted(page: Page, words: str) -> None:
    cell(page, 0).click()
    press(page, "Share link")
    page.check("#share-progress")
    link = page.input_value("#share-link")
    press(page, "Close")
    paste(page, grid(MULTIPLE))
    paste(page, words.format(link))
    assert cells(page) == "0" + CLUES[1:]


def test_the_board_of_a_link_can_be_undone(page: Page) -> None:
    cell(page, 0).click()
    mine, board = cells(page), f"1{CLUES[1:]}"
    paste(page, f"https://example.org/somewhere/{LINK}&board={board}&seconds=7")
    assert cells(page) == board
    press(page, "Undo")
    assert cells(page) == mine


def test_other_urls_are_refused(page: Page) -> None:
    press(page, "Paste or open…")
    page.fill("#paste-text", "https://example.org/puzzles/7")
    press(page, "Open")
    message(page, "looks like a URL. Paste the puzzle itself", "#paste-note")


def test_broken_links_are_reported(visit: Go) -> None:
    going = visit()
    page = going.go("#puzzle=6x6:b10&rules=classic")
    message(page, "cells|code|ends")
    going.faults.clear()


# Questions


def test_explanations_go_step_by_step(page: Page, server: Server) -> None:
    steps = server.post("/v1/explain", puzzle=CLUES).json()["steps"]
    press(page, "Explain")
    page.locator("#step").wait_for()
    assert page.locator(".chart .bar").count() == steps[-1]["round"]
    for number in (1, len(steps) // 2, len(steps)):
        page.locator("#step").fill(str(number))
        step = steps[number - 1]
        assert step["sentence"] in page.inner_text("#answer")
        assert lit(page, "target") == [row * 6 + column for row, column in step["cells"]]
        known = sum(len(each["cells"]) for each in steps[:number])
        assert cells(page).count(".") == CLUES.count(".") - known
    assert cells(page) == SOLUTION
    page.locator("#step").press("Home")
    press(page, "Next")
    assert "Step 1 of" in page.inner_text("#answer")
    cell(page, 0).click()
    press(page, "Close")
    assert cells(page) == CLUES, "the game is as it was"


def test_contradictions_are_played_part_by_part(page: Page, server: Server) -> None:
    steps = server.post("/v1/explain", puzzle=CLUES).json()["steps"]
    number = next(n for n, step in enumerate(steps, 1) if "chain" in step)
    chain = steps[number - 1]["chain"]
    press(page, "Explain")
    page.locator("#step").fill(str(number - 1))
    before = cells(page)
    tried = chain["cell"][0] * 6 + chain["cell"][1]
    press(page, "Next")
    assert lit(page, "tried") == [tried]
    assert cells(page)[tried] == chain["value"]
    supposed = 1
    for part, step in enumerate(chain["steps"], 1):
        press(page, "Next")
        assert step["sentence"] in page.inner_text("#answer [aria-live]")
        places = sorted(row * 6 + column for row, column in step["cells"])
        assert lit(page, "target") == places
        assert {cell(page, k).locator(".number").inner_text() for k in places} == {str(part)}
        assert len(lit(page, "supposed")) == supposed
        supposed += len(places)
    press(page, "Next")
    assert lit(page, "wrong") == sorted(
        row * 6 + column for row, column in chain["broken"]["cells"]
    )
    assert chain["broken"]["sentence"] in page.inner_text("#answer [aria-current]")
    press(page, "Next")
    assert f"Step {number} of {len(steps)}\n" in page.inner_text("#answer")
    assert lit(page, "target") == [tried]
    assert cells(page)[tried] != chain["value"]
    for _ in range(len(chain["steps"]) + 3):
        press(page, "Back")
    assert cells(page) == before


def test_the_chain_of_a_hint_is_played(page: Page, server: Server) -> None:
    steps = server.post("/v1/explain", puzzle=CLUES).json()["steps"]
    begun = list(CLUES)
    for step in steps:
        if "chain" in step:
            break
        for (row, column), value in zip(step["cells"], step["values"], strict=True):
            begun[row * 6 + column] = value
    paste(page, grid("".join(begun)))
    press(page, "Hint")
    press(page, "Show why")
    assert lit(page, "tried")
    for _ in range(len(step["chain"]["steps"]) + 2):
        press(page, "Next")
    press(page, "Apply")
    assert cells(page).count(".") == begun.count(".") - 1


def test_explanations_may_start_from_the_board(page: Page, server: Server) -> None:
    cell(page, 0).click()
    press(page, "Explain")
    press(page, "From my board")
    message(page, "r1c1 is wrong", "#answer")
    assert lit(page, "wrong") == [0]
    cell(page, 0).click()
    press(page, "Explain")
    press(page, "From my board")
    message(page, "Step 0 of", "#answer")
    board = cells(page)
    assert board == "1" + CLUES[1:]
    steps = server.post("/v1/explain", puzzle=CLUES, board=board).json()["steps"]
    assert page.locator("#step").get_attribute("max") == str(len(steps))


def test_two_solutions_are_shown_side_by_side(page: Page) -> None:
    paste(page, grid(MULTIPLE))
    press(page, "Check uniqueness")
    page.locator("#answer .pair").wait_for()
    first, second = (cells(page, f"#answer figure:nth-child({number})") for number in (1, 2))
    differing = [place for place in range(16) if first[place] != second[place]]
    assert differing
    for number, board in ((1, first), (2, second)):
        assert rules.violations(Puzzle(Board(4, 4, MULTIPLE)), Board(4, 4, board)) == []
        assert lit(page, "differs", f"#answer figure:nth-child({number})") == differing


def test_unique_and_unsolvable_puzzles(page: Page) -> None:
    press(page, "Check uniqueness")
    message(page, "Exactly one solution", "#answer")
    paste(page, grid(WRONG))
    press(page, "Check uniqueness")
    message(page, "No solution", "#answer")
    assert lit(page, "wrong") == [0, 1, 2]


def test_the_grade_has_a_profile(page: Page, server: Server) -> None:
    press(page, "Grade")
    grade = server.post("/v1/grade", puzzle=CLUES).json()["grade"]
    score = f"Expert, score {round(grade['score']):,}"
    message(page, score, "#answer")
    message(page, score, "#facts")
    assert page.locator(".chart .bar").count() == grade["rounds"]
    rows = page.locator("#answer tr").all_inner_texts()
    assert len(rows) == len(grade["placed"])
    label = str(page.locator(".chart").get_attribute("aria-label"))
    assert f"{grade['rounds']} rounds, with {grade['narrowest']} to" in label


def test_redundant_clues(page: Page, server: Server) -> None:
    more = CLUES[:-1] + SOLUTION[-1]
    paste(page, grid(more))
    press(page, "Find redundant clues")
    message(page, "clues can be removed", "#answer")
    needs = server.post("/v1/clues", puzzle=more).json()["needs"]
    assert lit(page, "spare") == [row * 6 + column for row, column in needs["spare"]]
    press(page, "Play with these")
    assert cells(page) == needs["irreducible"]
    paste(page, grid(MULTIPLE))
    press(page, "Find redundant clues")
    message(page, "r3c1 = 1", "#answer")


# Taking along


def test_titles_may_have_accents(visit: Go) -> None:
    going = visit()
    page = going.go(LINK)
    press(page, "Print")
    download = page.locator("#print [type=submit]")
    for form in ("png", "pdf"):
        page.select_option("#print-form", form)
        page.fill("#print-title-text", "Café, Łódź, Αθήνα, Київ")
        assert len(content(taken(page, download.click))) > 1_000
        page.fill("#print-title-text", "数独")
        download.click()
        message(page, "The font has no '数' for '数独'. SVG and HTML use the fonts", "#print-note")
        assert "--" not in page.inner_text("#print")
    assert all("422" in fault for fault in going.faults)
    going.faults.clear()


def test_printing(page: Page) -> None:
    press(page, "Print")
    page.check("#print-answer")
    pdf = taken(page, lambda: page.locator("#print [type=submit]").click())
    assert pdf.suggested_filename.endswith(".pdf")
    assert content(pdf).startswith(b"%PDF-")
    page.select_option("#print-form", "svg")
    svg = content(taken(page, lambda: page.locator("#print [type=submit]").click()))
    assert b"<svg" in svg
    page.select_option("#print-form", "html-steps")
    html = content(taken(page, lambda: page.locator("#print [type=submit]").click()))
    assert b"<html" in html
    press(page, "Close")
    page.emulate_media(media="print")
    assert page.locator("#board").is_visible()
    assert not page.get_by_role("button").filter(visible=True).count()


@pytest.mark.parametrize(
    ("form", "start"),
    [
        ("convert:text", "..10"),
        ("convert:unruly", "6x6u:CafBAdEAcDaf"),
        ("convert:csv", ""),
        ("encode:opb", "* "),
        ("encode:dzn", ""),
    ],
)
def test_exporting(page: Page, form: str, start: str) -> None:
    press(page, "Export")
    page.select_option("#export-to", form)
    until(page, "document.querySelector('#export-text').value.length > 0")
    text = page.input_value("#export-text")
    assert start in text
    download = taken(page, lambda: press(page, "Download"))
    assert content(download).decode().startswith(text)


def test_exporting_does_not_show_an_earlier_format(page: Page) -> None:
    # The text of the first format is read only after that of the second is shown.
    page.evaluate("""() => {
        const read = Blob.prototype.text;
        let first = true;
        Blob.prototype.text = async function () {
            const isHeld = first;
            first = false;
            if (isHeld) await new Promise((resolve) => { window.release = resolve; });
            const text = await read.call(this);
            if (isHeld) window.wasReleased = true;
            return text;
        };
    }""")
    press(page, "Export")
    until(page, "Boolean(window.release)")
    page.select_option("#export-to", "convert:unruly")
    until(page, "document.querySelector('#export-text').value.startsWith('6x6u:')")
    page.evaluate("window.release()")
    until(page, "Boolean(window.wasReleased)")
    assert page.input_value("#export-text").startswith("6x6u:")


def test_exporting_cnf(page: Page, server: Server) -> None:
    press(page, "Export")
    for is_unique in (False, True):
        page.select_option("#export-to", "encode:dimacs")
        page.set_checked("#export-unique", is_unique)
        body = {"puzzle": CLUES, **({"unique": "auto"} if is_unique else {})}
        header = re.findall(r"p cnf \d+ \d+", server.post("/v1/encode", **body).text)
        until(
            page,
            "header => document.querySelector('#export-text').value.includes(header)",
            header[0],
        )


def test_certificates_are_valid(page: Page, server: Server) -> None:
    zipped = content(taken(page, lambda: press(page, "Certificate")))
    message(page, "one solution")
    body = server.http.post(
        "/v1/verify", content=zipped, headers={"Content-Type": "application/zip"}
    ).json()
    assert (body["valid"], body["claim"], body["clues"]) == (True, "unique", CLUES)


# The workshop


def live(page: Page, verdict: str, count: str) -> None:
    page.locator("#live[aria-busy=false]").wait_for()
    assert page.inner_text("#live-verdict") == verdict
    assert page.inner_text("#live-count") == count


def new_board(page: Page, side: int) -> None:
    page.get_by_role("tab", name="Edit").click()
    page.fill("#edit-rows", str(side))
    page.fill("#edit-columns", str(side))
    press(page, "New board")


def test_the_editor_analyses_every_change(page: Page) -> None:
    new_board(page, 4)
    live(page, "Several solutions", "72")
    cell(page, 0, "#edit-board").focus()
    for key in ("1", "ArrowRight", "ArrowRight", "ArrowRight", "0"):
        page.keyboard.press(key)
    assert cells(page, "#edit-board") == "1..0" + "." * 12
    page.locator("#live[aria-busy=true]").wait_for()
    page.locator("#live[aria-busy=false]").wait_for()
    press(page, "Make unique")
    message(page, "the puzzle is unique", "#edit-message")
    live(page, "Unique", "1")
    assert re.fullmatch(r".+, score [\d,]+", page.inner_text("#live-grade"))
    clues = cells(page, "#edit-board")
    press(page, "Undo")
    assert cells(page, "#edit-board") == "1..0" + "." * 12
    press(page, "Redo")
    press(page, "Play")
    assert cells(page) == clues


def test_the_editor_adds_signs(page: Page) -> None:
    new_board(page, 4)
    cell(page, 0, "#edit-board").focus()
    page.keyboard.press("=")
    page.keyboard.press("X")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("x")
    label = "row 1, column 1: empty, equal to the right one, opposite of the lower one"
    assert cell(page, 0, "#edit-board").get_attribute("aria-label") == label
    assert page.locator("#edit-board .sign").count() == 3
    page.keyboard.press("x")
    assert page.locator("#edit-board .sign").count() == 2
    press(page, "Signs")
    box = cell(page, 5, "#edit-board").bounding_box()
    assert box
    for relation in ("equal to", "opposite of", None):
        page.mouse.click(box["x"] + box["width"] - 3, box["y"] + box["height"] / 2)
        label = str(cell(page, 5, "#edit-board").get_attribute("aria-label"))
        assert (f"{relation} the right one" in label) is bool(relation)
    assert cells(page, "#edit-board") == "." * 16


def test_contradictions_are_shown_while_editing(page: Page) -> None:
    new_board(page, 4)
    cell(page, 0, "#edit-board").focus()
    for key in ("0", "ArrowRight", "0", "ArrowRight", "0"):
        page.keyboard.press(key)
    page.locator("#live[data-verdict=none]").wait_for()
    live(page, "No solution", "0")
    assert lit(page, "wrong", "#edit-board") == [0, 1, 2]
    words = "These clues contradict each other: r1c1 = 0, r1c2 = 0 and r1c3 = 0"
    message(page, words, "#live-why")
    cell(page, 0, "#edit-board").press("1")
    page.locator("#live[data-verdict=multiple]").wait_for()
    assert page.inner_text("#live-why") == ""


def test_the_fewest_clues(page: Page, server: Server) -> None:
    paste(page, grid(SOLUTION[:-4] + "...."))
    press(page, "Edit a copy")
    press(page, "Fewest clues")
    message(page, "of the clues are enough; this is the minimum", "#edit-message")
    least = server.post("/v1/fewest", puzzle=SOLUTION[:-4] + "....").json()["fewest"]["at_most"]
    assert 36 - cells(page, "#edit-board").count(".") == least
    live(page, "Unique", "1")


def test_late_responses_are_dropped(page: Page) -> None:
    new_board(page, 4)
    live(page, "Several solutions", "72")
    page.evaluate(
        """() => {
            const usual = window.fetch;
            const late = 'event: check\\ndata: {"verdict": "unique", "count": 1, "complete": true}\\n\\n';
            const answer = () => new Response(late);
            window.fetch = (path, options) => path !== "v1/analysis" || window.heldAnswer
                ? usual(path, options)
                : new Promise((resolve) => { window.heldAnswer = () => resolve(answer()); });
        }"""
    )
    cell(page, 0, "#edit-board").press("1")
    until(page, "Boolean(window.heldAnswer)")
    cell(page, 0, "#edit-board").press("Backspace")
    live(page, "Several solutions", "72")
    page.evaluate("window.heldAnswer()")
    page.wait_for_timeout(300)
    live(page, "Several solutions", "72")


# Batches


@pytest.fixture(scope="module")
def thousand(server: Server) -> bytes:
    made = [
        server.post("/v1/generate", size=6, grade="easy", count=100, seed=seed).json()["results"]
        for seed in range(10)
    ]
    lines = [f"6x6:{record['clues']} {record['id']}" for some in made for record in some]
    assert len(lines) == 1_000
    return "\n".join(lines).encode()


def numbers(page: Page, place: str) -> int:
    titles = page.locator(f"{place} .bar title").all_text_contents()
    return sum(int(title.rpartition(": ")[2]) for title in titles)


def test_batch_of_a_thousand_puzzles(page: Page, thousand: bytes) -> None:
    page.get_by_role("tab", name="Batch").click()
    page.set_input_files(
        "#batch-file", {"name": "many.txt", "mimeType": "text/plain", "buffer": thousand}
    )
    press(page, "Start")
    page.locator(".job[data-state=done]").wait_for(timeout=120_000)
    message(page, "1,000 results", "#results-sum")
    assert "1,000 unique" in page.inner_text(".job")
    assert numbers(page, "#results-grades") == 1_000
    assert numbers(page, "#results-clues") == 1_000
    assert page.locator("#results-rows tr", has_text=", score ").count() == 100
    download = taken(page, lambda: press(page, "Download"))
    assert download.suggested_filename == "many-grade.ndjson"
    records = [json.loads(line) for line in content(download).splitlines()]
    levels = {
        level: len(list(some)) for level, some in groupby(r["grade"]["level"] for r in records)
    }
    assert levels == {"easy": 1_000}
    page.get_by_role("button", name=f"Play {records[3]['id']}", exact=True).click()
    assert cells(page) == records[3]["clues"]
    page.get_by_role("tab", name="Batch").click()
    press(page, "Remove")
    page.get_by_text("No jobs yet").wait_for()


def test_jobs_can_be_cancelled_and_survive_a_reload(visit: Go) -> None:
    page = visit().go(LINK)
    page.get_by_role("tab", name="Batch").click()
    hard = "\n".join("." * 900 for _ in range(50)).encode()
    page.select_option("#batch-verb", "fewest")
    page.set_input_files("#batch-file", {"name": "hard.txt", "mimeType": "", "buffer": hard})
    press(page, "Start")
    page.locator(".job[data-state=running]").wait_for()
    page.reload()
    page.get_by_role("tab", name="Batch").click()
    page.locator(".job[data-state=running]").wait_for()
    press(page, "Cancel")
    page.locator(".job[data-state=cancelled]").wait_for()
    press(page, "Remove")
    page.get_by_text("No jobs yet").wait_for()


# For everybody


@pytest.mark.parametrize("side", [10, 14])
def test_small_screens_are_supported(visit: Go, side: int) -> None:
    page = visit(viewport={"width": 360, "height": 740}, has_touch=True).go(LINK)
    page.fill("#new-rows", str(side))
    page.fill("#new-columns", str(side))
    press(page, "Generate")
    page.locator("#board .cell").nth(side * side - 1).wait_for()
    for name in ("Play", "Edit", "Batch"):
        page.get_by_role("tab", name=name).click()
        assert page.evaluate("document.documentElement.scrollWidth") == 360
    page.get_by_role("tab", name="Play").click()
    board = page.locator("#board")
    # Large boards scroll below their numbers, rather than have cells too small for a finger.
    assert board.evaluate("board => board.scrollWidth <= board.clientWidth") == (side < 14)
    box = cell(page, 0).bounding_box()
    assert box
    assert box["width"] >= 24
    board.evaluate("board => board.scrollBy(50, 0)")
    numbers = page.locator("#board .numbers.down").bounding_box()
    assert numbers
    assert numbers["x"] >= 0
    board.evaluate("board => board.scrollTo(0, 0)")
    empty = cells(page).index(".")
    cell(page, empty).tap()
    assert cells(page)[empty] == "0"
    press(page, "Explain")
    page.locator("#step").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") == 360


def background(page: Page) -> int:
    """The brightness of the page, from 0 to 255."""
    colour = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    return int(re.findall(r"\d+", colour)[0])


def test_the_dark_theme(visit: Go) -> None:
    page = visit(color_scheme="dark").go(LINK)
    assert background(page) < 60
    choose(page, "theme", "light")
    assert background(page) > 200
    page.reload()
    page.locator("#board .cell").first.wait_for()
    assert background(page) > 200
    choose(page, "theme", "auto")
    assert background(page) < 60


def test_the_choice_of_symbols_is_stored(page: Page) -> None:
    for name in ("circles", "sunmoon"):
        choose(page, "symbols", name)
        assert page.locator("#board .clue use:visible").first.get_attribute("class") == name
        assert page.locator("#legend").is_visible()
    page.reload()
    page.locator("#board .cell").first.wait_for()
    assert page.input_value("#symbols") == "sunmoon"


def test_hints_in_another_language(page: Page, server: Server) -> None:
    press(page, "Hint")
    page.get_by_role("button", name="Apply").wait_for()
    # A hint that is shown is asked for again.
    page.select_option("#language", "de")
    page.select_option("#coordinates", "a1")
    style = {"language": "de", "coordinates": "a1"}
    (step,) = server.post("/v1/hint", puzzle=CLUES, **style).json()["steps"]
    page.locator("#message", has_text=step["sentence"]).wait_for()
    assert page.locator("#message p").get_attribute("lang") == "de"
    assert page.locator("#board .numbers.across").inner_text().split() == list("ABCDEF")
    press(page, "Explain")
    page.locator("#answer .card").wait_for()
    press(page, "Next")
    assert page.inner_text("#answer .sentence") == f"{step['name']}: {step['sentence']}"
    page.reload()
    page.locator("#board .cell").first.wait_for()
    assert page.input_value("#language") == "de"
    assert page.locator("#board .numbers.across").inner_text().split() == list("ABCDEF")


def test_smallest_explanations_list_their_rules(page: Page, server: Server) -> None:
    press(page, "Hint")
    page.get_by_role("button", name="Apply").wait_for()
    assert page.locator(".support").count() == 0
    # A hint that is shown is asked for again.
    page.select_option("#steps", "best")
    page.locator("#message .support").wait_for()
    (step,) = server.post("/v1/hint", puzzle=CLUES, best=True, coordinates="none").json()["steps"]
    # Screen readers get the cell too.
    assert page.inner_text("#message p:first-child").startswith(step["sentence"])
    assert_rules(page, "#message", step)
    page.reload()
    page.locator("#board .cell").first.wait_for()
    assert page.input_value("#steps") == "best"
    press(page, "Explain")
    page.locator("#answer .card").wait_for()
    assert page.locator("#answer .support, #answer .chart").count() == 0, "no step yet"
    steps = server.post("/v1/explain", puzzle=CLUES, best=True).json()["steps"]
    for number, each in enumerate(steps, 1):
        page.fill("#step", str(number))
        assert page.inner_text("#answer .sentence").endswith(each["sentence"])
        assert_rules(page, "#answer", each)
    page.select_option("#language", "de")
    page.locator("#answer .sentence[lang=de]").wait_for()
    page.fill("#step", "1")
    assert page.locator("#answer .support").get_attribute("lang") == "de"
    assert page.inner_text("#answer .support p").startswith("Größe")
    page.select_option("#steps", "easiest")
    page.locator("#answer .chart").wait_for()


def assert_rules(page: Page, place: str, step: dict[str, Any]) -> None:
    """The size of a smallest explanation, and its rules."""
    support = step["support"]
    assert page.inner_text(f"{place} .support p") == support["sentence"]
    rules = [rule["sentence"] for rule in support["constraints"]]
    assert page.locator(f"{place} .support li").all_inner_texts() == rules


def test_the_lines_and_neighbours_of_a_step_are_marked(page: Page, server: Server) -> None:
    steps = server.post("/v1/explain", puzzle=CLUES).json()["steps"]
    press(page, "Explain")
    page.locator("#answer .card").wait_for()
    for number, step in enumerate(steps, 1):
        page.fill("#step", str(number))
        direction, line = step.get("line", "row 0").split()
        places = range(36) if int(line) else ()
        expected = [k for k in places if (k // 6, k % 6)[direction == "column"] == int(line) - 1]
        assert set(expected) <= set(lit(page, direction))
        spans = [
            row * 6 + column
            for (top, left), (bottom, right) in step.get("spans", [])
            for row in range(top, bottom + 1)
            for column in range(left, right + 1)
        ]
        assert lit(page, "span") == sorted(spans)
    assert any("line" in step for step in steps)


def test_tango_has_suns_and_moons(page: Page) -> None:
    tango = "#puzzle=4x4:c0d0e1a&signs=0.0Rx_0.1De&rules=tango"
    paste(page, f"http://example.org/{tango}")
    assert page.inner_text("#title") == "Tango 4 × 4"
    assert page.inner_text("#legend") == "A sun is 0, a moon is 1."
    assert page.locator("#board .clue use").first.get_attribute("class") == "sunmoon"
    labels = [cell(page, index).get_attribute("aria-label") for index in (3, 14)]
    assert labels == ["row 1, column 4: clue sun", "row 4, column 3: clue moon"]
    cell(page, 2).press("1")
    cell(page, 5).press("Shift+Digit0")
    assert cell(page, 2).get_attribute("aria-label") == "row 1, column 3: moon"
    assert str(cell(page, 5).get_attribute("aria-label")).endswith("pencil sun")
    press(page, "Edit a copy")
    assert page.locator("#edit-board .clue use").first.get_attribute("class") == "sunmoon"
    page.select_option("#edit-rules", "classic")
    assert page.locator("#edit-board .clue use").first.get_attribute("class") == "digits"
    page.get_by_role("tab", name="Play").click()
    choose(page, "symbols", "digits")
    assert cell(page, 3).get_attribute("aria-label") == "row 1, column 4: clue 0"
    choose(page, "symbols", "circles")
    assert cell(page, 3).get_attribute("aria-label") == "row 1, column 4: clue open circle"


def test_tango_is_generated_as_tango(page: Page) -> None:
    page.fill("#new-rows", "4")
    page.fill("#new-columns", "4")
    page.select_option("#new-rules", "tango")
    page.select_option("#new-grade", "any")
    press(page, "Generate")
    message(page, "Tango 4 × 4", "#title")
    assert page.locator("#board .clue use").first.get_attribute("class") == "sunmoon"
    page.reload()
    message(page, "Tango 4 × 4", "#title")


def pixels(place: Locator) -> Image.Image:
    return Image.open(io.BytesIO(place.screenshot())).convert("L")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_forced_colours_keep_grid_clues_and_hints(visit: Go, scheme: str) -> None:
    page = visit(forced_colors="active", color_scheme=scheme).go(LINK)
    page.mouse.move(0, 0)
    boxes = [cell(page, index).bounding_box() for index in (0, 1)]
    assert boxes[0]
    assert boxes[1]
    whole = pixels(page.locator("body"))
    middle = int(boxes[0]["y"] + boxes[0]["height"] / 2)
    edge = int(boxes[1]["x"])
    row = [whole.getpixel((x, middle)) for x in range(int(boxes[0]["x"]) + 5, edge + 5)]
    assert abs(max(row) - min(row)) > 150, "a line between two open cells"
    corners = [pixels(cell(page, index)).getpixel((8, 8)) for index in (0, 2)]
    assert abs(corners[0] - corners[1]) > 150, "a clue and an open cell"
    places = {"target": 20, "reason": 21}
    before = {name: pixels(cell(page, index)) for name, index in places.items()}
    press(page, "Hint")
    page.get_by_role("button", name="Apply").wait_for()
    page.mouse.move(0, 0)
    for name, index in places.items():
        assert lit(page, name)[0] == index
        change = ImageChops.difference(before[name], pixels(cell(page, index)))
        assert sum(change.histogram()[150:]) > 100, f"{name}: something that stands out"
    press(page, "Explain")
    page.locator("#answer .chart text").first.wait_for()
    text = page.locator("#answer .chart text").first
    assert text.evaluate("text => getComputedStyle(text).fill") == text.evaluate(
        "() => getComputedStyle(document.body).color"
    )


def test_reduced_motion_is_respected(visit: Go) -> None:
    page = visit(reduced_motion="reduce").go(LINK)
    assert cell(page, 0).evaluate("cell => getComputedStyle(cell).transitionProperty") == "none"


def grave(page: Page) -> list[str]:
    from axe_playwright_python.sync_playwright import Axe

    # What is still fading in has another contrast than when it is there.
    until(page, "document.getAnimations().every(each => each.playState === 'finished')")
    found = Axe().run(page).response["violations"]
    return [
        f"{each['id']}: {each['nodes'][0]['html']}"
        for each in found
        if each["impact"] in ("serious", "critical")
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_is_accessible(visit: Go, scheme: str) -> None:
    page = visit(color_scheme=scheme).go(LINK)
    press(page, "Hint")
    page.get_by_role("button", name="Apply").wait_for()
    assert grave(page) == []
    for question in ("Explain", "Grade", "Find redundant clues", "Check uniqueness"):
        press(page, question)
        page.locator("#answer .card").wait_for()
        assert grave(page) == []
    for dialog in ("Share link", "Print", "Export", "Help", "Settings"):
        press(page, dialog)
        assert grave(page) == []
        page.locator("dialog[open]").get_by_role("button", name="Close").click()
    page.get_by_role("tab", name="Edit").click()
    page.locator("#live[aria-busy=false]").wait_for()
    page.get_by_text("Where two solutions differ").click()
    assert grave(page) == []
    page.get_by_role("tab", name="Batch").click()
    page.get_by_text("No jobs yet").wait_for()
    assert grave(page) == []


def test_cells_have_labels(page: Page) -> None:
    assert page.get_by_role("grid").get_attribute("aria-rowcount") == "6"
    assert page.get_by_role("row").filter(visible=True).count() == 6
    assert cell(page, 2).get_attribute("aria-label") == "row 1, column 3: clue 1"
    assert cell(page, 0).get_attribute("aria-label") == "row 1, column 1: empty"
    assert page.locator("#message").get_attribute("aria-live") == "polite"


@pytest.fixture
def keyed(browser: Browser, tmp_path: Path) -> Iterator[tuple[Page, str]]:
    """A page of a server that requires a key, not loaded yet, and a key."""
    key, line = keys.new("somebody")
    (tmp_path / "keys.txt").write_text(line)
    with serving(tmp_path / "data", "--api-keys", str(tmp_path / "keys.txt")) as server:
        visit = Visit(browser, server.url, base_url=server.url)
        yield visit.page, key
        assert all("401" in fault for fault in visit.faults)
        visit.faults.clear()
        visit.close()


def test_the_page_asks_for_a_key(keyed: tuple[Page, str]) -> None:
    page, key = keyed
    page.goto(f"/{LINK}")
    page.fill("#key-text", key)
    press(page, "Use key")
    page.locator("#board .cell").first.wait_for()
    press(page, "Hint")
    page.get_by_role("button", name="Apply").wait_for()


def test_concurrent_requests_ask_for_the_key_once(keyed: tuple[Page, str]) -> None:
    """Two requests are refused at once, and one after the key was entered."""
    page, key = keyed
    late: list[Route] = []
    page.route("**/v1/count", lambda route: route.continue_() if late else late.append(route))
    page.goto("/")
    page.evaluate(
        """async () => {
            const { onKeyNeeded, send } = await import("./static/api.js");
            window.asked = 0;
            onKeyNeeded(() => new Promise((resolve) => {
                window.asked += 1;
                window.enter = resolve;
            }));
            const options = { method: "POST", body: '{"puzzle":"1x2:01"}',
                headers: { "Content-Type": "application/json" } };
            const paths = ["v1/check", "v1/solve", "v1/count"];
            window.answers = Promise.all(paths.map((path) => send(path, options)));
        }"""
    )
    until(page, "window.asked > 0")
    page.evaluate("key => window.enter(key)", key)
    for _ in range(500):
        if late:
            break
        page.wait_for_timeout(20)
    late[0].fulfill(status=401)
    statuses = page.evaluate("async () => (await window.answers).map(({ status }) => status)")
    assert statuses == [200, 200, 200]
    assert page.evaluate("window.asked") == 1


# A server that starts, is busy, is unreachable, or is below a path


REFUSED = {
    "status": 503,
    "headers": {"Retry-After": "60", "Content-Type": "application/problem+json"},
    "body": '{"status": 503, "detail": "all workers are busy"}',
}


def refuse(page: Page, path: str = "**/v1/**") -> None:
    page.route(path, lambda route: route.fulfill(**REFUSED))


def test_the_page_waits_while_the_server_starts(visit: Go) -> None:
    going = visit()
    page = going.page
    refuse(page, "**/readyz")
    early: list[str] = []
    page.on("request", lambda request: early.append(request.url) if "/v1/" in request.url else None)
    page.goto(f"{going.url}/{FOREIGN}")
    message(page, "The server is starting", "#waiting")
    page.get_by_role("tab", name="Edit").click()
    page.reload()
    message(page, "The server is starting", "#waiting")
    assert early == []
    assert page.locator("#board .cell").count() == 0
    page.unroute("**/readyz")
    page.locator("#board .cell").first.wait_for()
    assert cells(page) == CLUES
    assert page.inner_text("#waiting") == ""
    assert all("503" in fault for fault in going.faults)
    going.faults.clear()


def test_the_first_puzzle_is_retried(visit: Go) -> None:
    going = visit()
    page = going.page
    refuse(page)
    page.goto(f"{going.url}/{FOREIGN}")
    message(page, "All workers are busy. Trying again…")
    page.unroute("**/v1/**")
    page.locator("#board .cell").first.wait_for()
    assert page.inner_text("#message") == ""
    assert cells(page) == CLUES
    going.faults.clear()


def test_it_works_behind_a_path_prefix(visit: Go) -> None:
    going = visit()
    page = going.page
    prefix = f"{going.url}/games/binairo/"
    elsewhere: list[str] = []

    def forward(route: Route) -> None:
        url = route.request.url
        if not url.startswith(prefix):
            elsewhere.append(url)
        route.fulfill(response=route.fetch(url=url.replace(prefix, f"{going.url}/")))

    page.route(lambda url: url.startswith(going.url), forward)
    page.goto(f"{prefix}{LINK}")
    page.locator("#board .cell").first.wait_for()
    press(page, "Hint")
    page.get_by_role("button", name="Apply").wait_for()
    press(page, "Share link")
    link = page.input_value("#share-link")
    assert link.startswith(f"{prefix}#puzzle=")
    press(page, "Close")
    press(page, "Print")
    assert taken(page, lambda: page.locator("#print [type=submit]").click())
    press(page, "Close")
    page.get_by_role("tab", name="Batch").click()
    page.set_input_files(
        "#batch-file", {"name": "a", "mimeType": "", "buffer": grid(CLUES).encode()}
    )
    press(page, "Start")
    page.locator(".job[data-state=done]").wait_for()
    press(page, "Show a: grade")
    page.get_by_role("button", name="Play 1", exact=True).wait_for()
    press(page, "Remove")
    page.get_by_text("No jobs yet").wait_for()
    assert elsewhere == []


# Every button


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
    press(page, "Edit a copy")
    page.get_by_role("tab", name="Play").click()


def begun_board(page: Page, url: str) -> None:
    page.goto(f"{url}/{LINK}")
    page.locator("#board .cell").first.wait_for()
    for index in (0, 1):
        cell(page, index).click()
    press(page, "Edit a copy")
    page.get_by_role("tab", name="Play").click()


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
    if not is_waiting:
        until(page, f"!({BUSY})")


NEW = ("dialog[open]", ".message:not(:empty)", "#answer .card")
"""The parts of the page that contain buttons."""


def press_all(page: Page, place: str, is_waiting: bool, tab: str = "") -> int:
    """Press each button of a part, and each new button, such as those of a dialog."""
    pressed = 0
    is_new = place in NEW
    buttons = page.query_selector_all(f"{place} button")
    # What closes a dialog or an answer stands first in it.
    for button in reversed(buttons) if is_new else buttons:
        if tab and not is_new:
            page.get_by_role("tab", name=tab).click()
        is_there = button.is_visible() and button.is_enabled()
        if not is_there or button.get_attribute("role") == "tab":
            continue
        button.click()
        pressed += 1
        settle(page, is_waiting)
        if not is_new:
            for new in NEW:
                pressed += press_all(page, new, is_waiting)
            page.evaluate("document.querySelectorAll('dialog[open]').forEach(each => each.close())")
    return pressed


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
    expected = {"play": 12 if has_board else 3, "edit": 9, "batch": 1}
    for tab, least in expected.items():
        page.get_by_role("tab", name=tab).click()
        for name in ("Control+z", "Control+y"):
            page.keyboard.press(name)
        assert press_all(page, f"#{tab}", is_waiting, tab) >= least
        page.get_by_role("tab", name=tab).click()
        said = page.inner_text("body")
        assert not re.search(r"undefined|\bNaN\b|\[object|TypeError|--[a-z]", said)
        if page.locator("#board .cell").count() == 0:
            of_board = page.locator("fieldset.of-board button")
            assert all(button.is_disabled() for button in of_board.all())
    assert press_all(page, "header", is_waiting)
    wrong = [fault for fault in going.faults if "Failed to load resource" not in fault]
    going.faults.clear()
    assert wrong == []
