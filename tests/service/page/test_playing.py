"""Playing on the page in a real browser, with a real server, and the times of the player."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from binairo_cp.formats import read_sources
from tests.support.pages import (
    CLUES,
    LINK,
    MULTIPLE,
    SOLUTION,
    Go,
    cell,
    cells,
    choose,
    content,
    grid,
    hint,
    lit,
    message,
    new_puzzle,
    open_tab,
    paste,
    press,
    solve,
    taken,
    until,
)
from tests.support.serving import Server

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.slow


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
        hint(page)
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


def test_broken_rules_are_marked_at_once(page: Page) -> None:
    for index in (0, 1, 4, 5):
        cell(page, index).click()
    message(
        page, r"Too many equal symbols \(0\) next to each other in row 1. 1 other rule is broken"
    )
    assert lit(page, "broken") == [0, 1, 3, 4, 5]
    assert lit(page, "done") == [], "a full line that is wrong is not finished"
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
    dimmed = "([done]) => getComputedStyle(done.querySelector('.symbol')).opacity"
    assert page.locator("#board .is-done").evaluate_all(dimmed) == "0.55"
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


def swipe(page: Page, first: int, last: int, rest: int) -> None:
    """Move a finger from a cell to another one, after a rest in milliseconds."""
    session = page.context.new_cdp_session(page)
    begin, end = cell(page, first).bounding_box(), cell(page, last).bounding_box()
    assert begin
    assert end
    for step in range(9):
        point = {axis: begin[axis] + 20 + step / 8 * (end[axis] - begin[axis]) for axis in "xy"}
        kind = "touchMove" if step else "touchStart"
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [point]})
        page.wait_for_timeout(16 if step else rest)
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def test_a_finger_scrolls_and_fills_after_a_rest(visit: Go) -> None:
    page = visit(viewport={"width": 390, "height": 480}, has_touch=True).go(LINK)
    cell(page, 0).press("+")
    swipe(page, 12, 0, rest=0)
    until(page, "scrollY + document.querySelector('#board').scrollTop > 20")
    assert cells(page) == CLUES
    cell(page, 0).press("-")
    swipe(page, 13, 15, rest=600)
    assert cells(page)[12:18] == "1" + "000" + "0."
    page.touchscreen.tap(*middle(page, 17))
    assert cells(page)[12:18] == "1" + "000" + "00", "the tap after it counts"
    press(page, "Undo")
    press(page, "Undo")
    assert cells(page) == CLUES


def test_a_hint_names_its_place_first_and_clears_mistakes(page: Page) -> None:
    press(page, "Hint")
    message(page, r"Look at row \d. Technique: \w+")
    assert lit(page, "target") == []
    for index in (0, 1):
        cell(page, index).press("1" if SOLUTION[index] == "0" else "0")
    press(page, "Hint")
    press(page, "Clear it")
    press(page, "Hint")
    press(page, "Clear it")
    assert cells(page) == CLUES


def test_generating_can_be_cancelled_and_has_other_choices(page: Page) -> None:
    page.route("**/v1/generate", lambda route: None)
    new_puzzle(page, 64, 64)
    message(page, "Generating 64 × 64")
    clock = page.inner_text("#clock")
    page.wait_for_timeout(1_300)
    assert page.inner_text("#clock") == clock
    press(page, "Cancel")
    page.locator("#message:empty").wait_for(state="attached")
    assert cells(page) == CLUES
    page.unroute_all()
    nothing = {"json": {"results": [], "note": "1,000 tries"}}
    page.route("**/v1/generate", lambda route: route.fulfill(**nothing))
    new_puzzle(page, 4, 4)
    message(page, "No puzzle 4 × 4 of level medium")
    page.unroute_all()
    press(page, "Any level")
    message(page, "4 × 4", "#title")


def middle(page: Page, index: int) -> tuple[float, float]:
    box = cell(page, index).bounding_box()
    assert box
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


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
    open_tab(page, "Edit")
    page.locator("#edit-board .cell").nth(35).wait_for()


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


def test_a_part_that_is_not_there_is_named(visit: Go) -> None:
    going = visit()
    page = going.go(LINK)
    page.route(re.compile(r"/edit(-\w+)?\.js$"), lambda route: route.abort())
    press(page, "Edit a copy")
    message(page, "can’t be loaded")
    page.unroute_all()
    press(page, "Edit a copy")
    page.locator("#edit-board .cell").first.wait_for()
    going.faults.clear()


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
    message(page, "Expert", "#facts")
    hint(page)
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
    press(page, "Delete")
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
    press(page, "Delete")
    press(page, "Close")
    page.evaluate(f"location.hash = '{LINK}&board=a010e0a11c0d11b0c10e'")
    until(page, "!location.hash")
    assert cells(page) == ".0" + CLUES[2:]
    press(page, "Statistics")
    message(page, "There are no times yet", "#times-count")


def test_a_time_that_linkedin_shares_is_kept(page: Page) -> None:
    paste(page, "Tango #275 | 1:25 and flawless")
    message(page, "1:25 is in the statistics")
    (record,) = times(page)
    assert (record["id"], record["clues"], record["seconds"]) == ("tango-275", CLUES, 85)
    assert record["finished"]
    paste(page, grid(MULTIPLE))
    press(page, "Paste or open…")
    page.fill("#paste-text", "Tango n° 275 | 1:25")
    press(page, "Open")
    message(page, "Open that puzzle first", "#paste-note")


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
