"""Playing on the page in a real browser, with a real server, and the times of the player."""

import json
import re
import time
from pathlib import Path
from typing import Any

import pytest

from binairo_cp.formats import read_sources
from tests.support.pages import CLUES, LINK, MULTIPLE, SOLUTION, Go, Player, content, grid
from tests.support.serving import Server

pytestmark = pytest.mark.slow


def test_clicks_drags_and_pencil_marks(page: Player) -> None:
    for button, expected in zip(["left"] * 3 + ["right"] * 3, "01.10.", strict=True):
        page.cell(0).click(button=button)  # type: ignore[arg-type]
        page.board_is(expected + CLUES[1:])
    page.cell(2).click()
    page.board_is(CLUES)  # a clue stays
    first, last = page.box(page.cell(13)), page.box(page.cell(15))
    page.mouse.move(first["x"] + 9, first["y"] + 9)
    page.mouse.down()
    page.mouse.move(last["x"] + 9, last["y"] + 9, steps=12)
    page.mouse.up()
    page.board_is(CLUES[:13] + "000" + CLUES[16:])
    page.press("Undo")
    page.board_is(CLUES)  # a drag is one thing to take back
    page.press("Redo")
    page.board_is(CLUES[:13] + "000" + CLUES[16:])
    page.press("Undo")
    page.press("Pencil")
    page.cell(0).click()
    page.press("Pencil")
    page.cell(1).click(modifiers=["Shift"])
    page.cell(1).press("Shift+Digit1")
    page.label_is(0, "row 1, column 1: empty, pencil 0")
    page.label_is(1, "row 1, column 2: empty, pencil 0 and 1")
    page.board_is(CLUES)
    page.keyboard.press("1")
    page.label_is(1, "row 1, column 2: 1")


def test_hints_and_mistakes(page: Player, server: Server) -> None:
    page.press("Hint")
    page.message(r"Look at row \d. Technique: \w+")
    page.lit_is("target", [])
    page.press("Show step")
    options = {"puzzle": CLUES, "board": CLUES, "coordinates": "none"}
    (step,) = server.post("/v1/hint", **options).json()["steps"]
    page.message(re.escape(step["sentence"]))
    page.lit_is("target", [row * 6 + column for row, column in step["cells"]])
    page.lit_is("reason", sorted(row * 6 + column for row, column in step["reason"]))
    page.press("Apply")
    page.is_so(lambda: page.cells().count("."), CLUES.count(".") - len(step["cells"]))
    page.press("Undo")
    for index in (0, 1):
        page.cell(index).press("1" if SOLUTION[index] == "0" else "0")
    for _ in range(2):
        page.press("Hint")
        page.press("Clear it")
    page.board_is(CLUES)
    for index, value in enumerate(SOLUTION):
        if CLUES[index] == ".":
            page.cell(index).press(value if index else "0")
    page.message("not correct")
    page.press("Hint")
    page.message("1 cell is wrong")


def test_broken_rules_are_marked_at_once(page: Player) -> None:
    for index in (0, 1, 4, 5):
        page.cell(index).click()
    page.message(
        r"Too many equal symbols \(0\) next to each other in row 1. 1 other rule is broken"
    )
    page.lit_is("broken", [0, 1, 3, 4, 5])
    page.lit_is("done", [])  # a full line that is wrong is not finished
    assert "breaks a rule" in str(page.cell(0).get_attribute("aria-label"))
    for _ in range(3):
        page.press("Undo")
    page.lit_is("broken", [])
    page.choose("marking", "never")
    page.locator("#check").wait_for(state="hidden")


def test_counts_and_finished_lines(page: Player) -> None:
    first = page.locator("#board .counts.right span").first.locator("b")
    page.count_is(".counts b", 0)
    page.choose("counts", value=True)
    page.is_so(first.all_inner_texts, ["1", "1"])
    page.cell(0).press("l")
    page.message("Row 1: 1 × 0, 1 × 1, 4 open. Column 1: 1 × 0, 1 × 1, 4 open.")
    page.lit_is("done", [])
    for index in (0, 1, 4, 5):
        page.cell(index).press(SOLUTION[index])
    page.lit_is("done", [*range(6)])
    page.is_so(first.all_inner_texts, ["3", "3"])
    symbol = page.locator("#board .is-done .symbol").first
    page.is_so(lambda: symbol.evaluate("all => getComputedStyle(all).opacity"), "0.55")
    page.reload()
    page.is_so(first.all_inner_texts, ["3", "3"])


def test_what_if_is_kept_or_dropped(page: Player) -> None:
    page.cell(0).press("1")
    page.press("What if")
    page.cell(1).press("0")
    page.keyboard.press("w")
    page.cell(4).press("1")
    page.text_is("#whatif-text", "What if 2: 1 cell")
    page.lit_is("whatif", [4])
    page.press("Drop")
    page.board_is("10" + CLUES[2:])
    page.reload()
    page.locator("#whatif-bar").wait_for()
    page.lit_is("whatif", [1])
    page.cell(1).press("d")
    page.board_is("1" + CLUES[1:])
    page.locator("#whatif-bar").wait_for(state="hidden")
    page.press("Undo")
    page.press("What if")
    page.cell(4).press("1")
    page.press("Keep")
    page.board_is("10101" + CLUES[5:])
    page.lit_is("whatif", [])


def swipe(page: Player, first: int, last: int, rest: int) -> None:
    """Move a finger from a cell to another one, after a rest in milliseconds."""
    session = page.context.new_cdp_session(page.page)
    begin, end = page.box(page.cell(first)), page.box(page.cell(last))
    for step in range(9):
        point = {axis: begin[axis] + 20 + step / 8 * (end[axis] - begin[axis]) for axis in "xy"}
        kind = "touchMove" if step else "touchStart"
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [point]})
        page.wait_for_timeout(16 if step else rest)
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def test_a_finger_scrolls_and_fills_after_a_rest(visit: Go) -> None:
    page = visit(viewport={"width": 390, "height": 480}, has_touch=True).go(LINK)
    page.cell(0).press("+")
    swipe(page, 12, 0, rest=0)
    page.becomes("scrollY + document.querySelector('#board').scrollTop > 20")
    page.board_is(CLUES)
    page.cell(0).press("-")
    swipe(page, 13, 15, rest=600)
    page.board_is(CLUES[:13] + "000" + CLUES[16:])
    page.cell(17).tap()
    page.board_is(CLUES[:13] + "00000" + CLUES[18:])  # the tap after it counts
    page.press("Undo")
    page.press("Undo")
    page.board_is(CLUES)


def test_generating_can_be_cancelled_and_has_other_choices(page: Player) -> None:
    page.route("**/v1/generate", lambda route: None)
    page.new_puzzle(64, 64)
    page.message("Generating 64 × 64")
    clock = page.inner_text("#clock")
    page.wait_for_timeout(1_300)
    page.text_is("#clock", clock)
    page.press("Cancel")
    page.locator("#message:empty").wait_for(state="attached")
    page.board_is(CLUES)
    page.unroute_all()
    nothing = {"json": {"results": [], "note": "1,000 tries"}}
    page.route("**/v1/generate", lambda route: route.fulfill(**nothing))
    page.new_puzzle(4, 4)
    page.message("No puzzle 4 × 4 of level medium")
    page.unroute_all()
    page.press("Any level")
    page.message("4 × 4", "#title")


def test_undo_and_redo_survive_a_reload(page: Player) -> None:
    boards = [CLUES]
    for index in (0, 1, 4):
        page.cell(index).click()
        boards.append(boards[-1][:index] + "0" + boards[-1][index + 1 :])
        page.board_is(boards[-1])
    page.cell(5).click(modifiers=["Shift"])
    page.keyboard.press("Control+z")
    page.press("Restart")
    page.press("Undo")
    page.reload()
    page.board_is(boards[-1])
    page.press("Redo")
    page.board_is(CLUES)
    page.press("Undo")
    for board in reversed(boards[:-1]):
        page.press("Undo")
        page.board_is(board)
    page.locator("#undo:disabled").wait_for()
    for board in boards[1:]:
        page.press("Redo")
        page.board_is(board)


def test_long_histories_need_little_storage(page: Player) -> None:
    """A hundred histories fit into a few megabytes. The latest changes are kept."""
    size, number, is_same = page.evaluate(
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
    assert size < 40_000
    assert number >= 50
    assert is_same


def test_full_and_broken_storage_do_no_harm(page: Player) -> None:
    page.cell(0).press("0")
    page.evaluate(
        "() => { Storage.prototype.setItem = () => { throw new DOMException('full'); }; }"
    )
    page.cell(0).press("1")
    page.message("stores no more")
    page.cell(1).press("0")
    page.text_is("#message", "")
    page.add_init_script(
        'for (const name of Object.keys(localStorage)) localStorage[name] = \'{"now":"x"}\';'
    )
    page.reload()
    page.cell(35).wait_for()
    page.open_tab("Edit")
    page.cell(35, "#edit-board").wait_for()


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
    page.text_is("#clock", shown)


def test_a_part_that_is_not_there_is_named(visit: Go) -> None:
    going = visit()
    page = going.go(LINK)
    page.route(re.compile(r"/edit(-\w+)?\.js$"), lambda route: route.abort())
    page.press("Edit a copy")
    page.message("can’t be loaded")
    page.unroute_all()
    page.edit_copy()
    going.faults.clear()


def times(page: Player) -> list[dict[str, Any]]:
    """The records of the downloaded file."""
    page.dialog("Statistics")
    download = page.taken(lambda: page.press("Download"))
    assert download.suggested_filename == "binairo-times.ndjson"
    page.press("Close")
    return [json.loads(line) for line in content(download).splitlines()]


def delete_times(page: Player) -> None:
    page.dialog("Statistics")
    page.press("Delete all")
    page.press("Delete")
    page.message("There are no times yet", "#times-count")
    page.press("Close")


def test_solving_times_are_exported(page: Player, server: Server, tmp_path: Path) -> None:
    page.dialog("Statistics")
    page.message("There are no times yet", "#times-count")
    page.locator("#times-save:disabled").wait_for()
    page.press("Close")
    page.message("Expert", "#facts")
    page.hint()
    page.press("Apply")
    page.cell(0).press("0")
    page.press("Check")
    page.message("1 cell is wrong")
    page.reload()
    page.cell(0).press("1")
    page.solve()
    page.press("Hint")  # of a solved board: not counted
    page.message("You solved this")
    grade = server.post("/v1/grade", puzzle=CLUES).json()["grade"]
    (record,) = times(page)
    began = record.pop("began")
    assert began.endswith("Z")
    assert record.pop("seconds") > 0
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
    page.press("Restart")
    page.press("Explain")
    page.locator("#answer .card").wait_for()
    page.press("Close")
    page.cell(0).press("1")
    page.paste(grid(MULTIPLE))
    first, second = times(page)
    assert first["began"] == began
    assert (second["clues"], second["hints"], second["checks"]) == (CLUES, 0, 0)
    assert second["explained"]
    assert not second["finished"]
    # The file is a file of puzzles too.
    file = tmp_path / "times.ndjson"
    file.write_text(f"{json.dumps(first)}\n{json.dumps(second)}\n")
    assert [str(each.puzzle.board.cells) for each in read_sources([str(file)])] == [CLUES] * 2
    page.dialog("Statistics")
    page.message("2 attempts, 1 finished", "#times-count")
    page.press("Close")
    delete_times(page)


def test_times_that_mean_nothing_are_not_kept(page: Player) -> None:
    """Of boards that a restart was undone for, and of boards from links."""
    page.cell(0).press("1")
    page.press("Restart")
    page.press("Undo")
    page.solve()
    (record,) = times(page)
    assert not record["finished"], "the attempt before the restart"
    delete_times(page)
    page.evaluate(f"location.hash = '{LINK}&board=a010e0a11c0d11b0c10e'")
    page.becomes("location.hash", "")
    page.board_is(".0" + CLUES[2:])
    page.dialog("Statistics")
    page.message("There are no times yet", "#times-count")
    page.press("Close")
    page.paste("Tango #275 | 1:25 and flawless")
    page.message("1:25 is in the statistics")
    (record,) = times(page)
    assert (record["id"], record["clues"], record["seconds"]) == ("tango-275", CLUES, 85)
    assert record["finished"]
    page.paste(grid(MULTIPLE))
    page.refused("Tango n° 275 | 1:25", "Open that puzzle first")


def test_times_are_bounded(page: Player) -> None:
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
