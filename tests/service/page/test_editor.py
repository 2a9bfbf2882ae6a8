"""The editor and its analysis."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.pages import (
    SOLUTION,
    cell,
    cells,
    edit_copy,
    grid,
    lit,
    live,
    message,
    new_board,
    open_tab,
    paste,
    press,
    until,
)
from tests.support.serving import Server

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.slow


def test_undo_in_the_editor_survives_a_reload(page: Page) -> None:
    new_board(page, 4)
    cell(page, 0, "#edit-board").press("1")
    cell(page, 0, "#edit-board").press("=")
    press(page, "Clear")
    page.reload()
    open_tab(page, "Edit")
    # The module of the editor is loaded when its tab is opened first, and Play has an Undo too.
    cell(page, 0, "#edit-board").wait_for()
    press(page, "Undo")
    assert cells(page, "#edit-board") == "1" + "." * 15
    assert page.locator("#edit-board .sign").count() == 1
    press(page, "Undo")
    press(page, "Undo")
    assert cells(page, "#edit-board") == "." * 16
    press(page, "Undo")
    assert len(cells(page, "#edit-board")) == 36, "the board before the new one"


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
    assert page.inner_text("#live-grade") in {"Beginner", "Easy"}
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
    edit_copy(page)
    press(page, "Fewest clues")
    message(page, "of the clues are enough. This is the minimum.", "#edit-message")
    least = server.post("/v1/fewest", puzzle=SOLUTION[:-4] + "....").json()["fewest"]["at_most"]
    assert 36 - cells(page, "#edit-board").count(".") == least
    live(page, "Unique", "1")


def test_late_responses_are_dropped(page: Page) -> None:
    new_board(page, 4)
    live(page, "Several solutions", "72")
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
    cell(page, 0, "#edit-board").press("1")
    until(page, "Boolean(window.heldAnswer)")
    cell(page, 0, "#edit-board").press("Backspace")
    live(page, "Several solutions", "72")
    page.evaluate("window.heldAnswer()")
    page.wait_for_timeout(300)
    live(page, "Several solutions", "72")
