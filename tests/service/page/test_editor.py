"""The editor and its analysis."""

from __future__ import annotations

import pytest

from tests.support.pages import SOLUTION, Player, grid
from tests.support.serving import Server

pytestmark = pytest.mark.slow


def test_undo_in_the_editor_survives_a_reload(page: Player) -> None:
    page.new_board(4)
    page.cell(0, "#edit-board").press("1")
    page.cell(0, "#edit-board").press("=")
    page.press("Clear")
    page.reload()
    page.open_tab("Edit")
    page.cell(0, "#edit-board").wait_for()
    page.press("Undo")
    page.board_is("1" + "." * 15, "#edit-board")
    page.count_is("#edit-board .sign", 1)
    page.press("Undo")
    page.press("Undo")
    page.board_is("." * 16, "#edit-board")
    page.press("Undo")
    page.count_is("#edit-board .cell", 36)  # the board before the new one


def test_the_editor_analyses_every_change(page: Player) -> None:
    page.new_board(4)
    page.live("Several solutions", "72")
    page.cell(0, "#edit-board").press("1")
    page.cell(3, "#edit-board").press("0")
    page.board_is("1..0" + "." * 12, "#edit-board")
    page.press("Make unique")
    page.message("the puzzle is unique", "#edit-message")
    page.live("Unique", "1")
    page.message("Beginner|Easy", "#live-grade")
    clues = page.cells("#edit-board")
    page.press("Undo")
    page.board_is("1..0" + "." * 12, "#edit-board")
    page.press("Redo")
    page.press("Play")
    page.board_is(clues)


def test_the_editor_adds_signs(page: Player) -> None:
    page.new_board(4)
    page.cell(0, "#edit-board").focus()
    for key in ("=", "X", "ArrowRight", "x"):
        page.keyboard.press(key)
    label = "row 1, column 1: empty, equal to the right one, opposite of the lower one"
    page.label_is(0, label, "#edit-board")
    page.count_is("#edit-board .sign", 3)
    page.keyboard.press("x")
    page.count_is("#edit-board .sign", 2)
    page.press("Signs")
    box = page.box(page.cell(5, "#edit-board"))
    before = page.cell(5, "#edit-board").get_attribute("aria-label")
    for more in (", equal to the right one", ", opposite of the right one", ""):
        page.mouse.click(box["x"] + box["width"] - 3, box["y"] + box["height"] / 2)
        page.label_is(5, before + more, "#edit-board")
    page.board_is("." * 16, "#edit-board")


def test_contradictions_are_shown_while_editing(page: Player) -> None:
    page.new_board(4)
    for index in (0, 1, 2):
        page.cell(index, "#edit-board").press("0")
    page.locator("#live[data-verdict=none]").wait_for()
    page.live("No solution", "0")
    page.lit_is("wrong", [0, 1, 2], "#edit-board")
    words = "These clues contradict each other: r1c1 = 0, r1c2 = 0 and r1c3 = 0"
    page.message(words, "#live-why")
    page.cell(0, "#edit-board").press("1")
    page.locator("#live[data-verdict=multiple]").wait_for()
    page.text_is("#live-why", "")


def test_the_fewest_clues(page: Player, server: Server) -> None:
    page.paste(grid(SOLUTION[:-4] + "...."))
    page.edit_copy()
    page.press("Fewest clues")
    page.message("of the clues are enough. This is the minimum.", "#edit-message")
    least = server.post("/v1/fewest", puzzle=SOLUTION[:-4] + "....").json()["fewest"]["at_most"]
    page.is_so(lambda: 36 - page.cells("#edit-board").count("."), least)
    page.live("Unique", "1")


def test_late_responses_are_dropped(page: Player) -> None:
    page.new_board(4)
    page.live("Several solutions", "72")
    page.evaluate(
        """() => {
            const usual = window.fetch;
            const late = '{"verdict": "unique", "count": 1, "complete": true}';
            const answer = () => new Response(late);
            window.fetch = (path, options) => path !== "v1/check" || window.heldAnswer
                ? usual(path, options)
                : new Promise((resolve) => { window.heldAnswer = () => resolve(answer()); });
        }"""
    )
    page.cell(0, "#edit-board").press("1")
    page.becomes("Boolean(window.heldAnswer)")
    page.cell(0, "#edit-board").press("Backspace")
    page.live("Several solutions", "72")
    page.evaluate("window.heldAnswer()")
    page.wait_for_timeout(300)
    page.live("Several solutions", "72")
