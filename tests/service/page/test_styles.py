"""Symbols, languages and the names of cells."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.pages import (
    CLUES,
    cell,
    choose,
    edit_copy,
    message,
    new_puzzle,
    open_menu,
    open_tab,
    paste,
    press,
)
from tests.support.serving import Server

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.slow


def test_hints_in_another_language(page: Page, server: Server) -> None:
    page.click("#show-settings")
    page.select_option("#language", "de")
    page.locator("html[lang=de] #board .cell").first.wait_for()
    for text in ("Tipp", "Zeigen"):
        page.locator("#hint", has_text=text).click()
    page.click("#show-settings")
    # A hint that is shown is asked for again.
    page.select_option("#coordinates", "a1")
    page.keyboard.press("Escape")
    style = {"language": "de", "coordinates": "a1"}
    (step,) = server.post("/v1/hint", puzzle=CLUES, **style).json()["steps"]
    page.locator("#message", has_text=step["sentence"]).wait_for()
    assert page.locator("#message p").get_attribute("lang") == "de"
    assert page.locator("#board .numbers.across").inner_text().split() == list("ABCDEF")
    press(page, "Erklären")
    page.locator("#answer .card").wait_for()
    assert page.inner_text("#answer .sentence") == f"{step['name']}: {step['sentence']}"
    page.reload()
    page.locator("#board .cell").first.wait_for()
    assert page.input_value("#language") == "de"
    assert page.locator("#board .numbers.across").inner_text().split() == list("ABCDEF")


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
    edit_copy(page)
    assert page.locator("#edit-board .clue use").first.get_attribute("class") == "sunmoon"
    open_menu(page, "board-menu")
    page.select_option("#edit-rules", "classic")
    page.keyboard.press("Escape")
    assert page.locator("#edit-board .clue use").first.get_attribute("class") == "digits"
    open_tab(page, "Play")
    choose(page, "symbols", "digits")
    assert cell(page, 3).get_attribute("aria-label") == "row 1, column 4: clue 0"
    choose(page, "symbols", "circles")
    assert cell(page, 3).get_attribute("aria-label") == "row 1, column 4: clue open circle"


def test_tango_is_generated_as_tango(page: Page) -> None:
    new_puzzle(page, 4, 4, "tango", "any")
    message(page, "Tango 4 × 4", "#title")
    assert page.locator("#board .clue use").first.get_attribute("class") == "sunmoon"
    page.reload()
    message(page, "Tango 4 × 4", "#title")
