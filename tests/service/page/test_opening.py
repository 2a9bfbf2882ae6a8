"""Where puzzles come from: texts, files, links, the generator."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import pytest

from tests.support.pages import (
    CLUES,
    LINK,
    MULTIPLE,
    SOLUTION,
    Go,
    cell,
    cells,
    grid,
    message,
    paste,
    press,
    share_link,
    until,
)

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.slow


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


def test_the_puzzle_of_the_day_is_the_same_for_everyone(visit: Go) -> None:
    found = []
    for zone, hour in (("Pacific/Auckland", "21T11:10"), ("America/Los_Angeles", "23T07:50")):
        going = visit(timezone_id=zone)
        going.page.clock.set_fixed_time(f"2026-11-{hour}:00Z")
        page = going.go()
        press(page, "Puzzle of the day")
        message(page, "2026.11.22", "#title")  # with hyphens that do not break
        found.append(cells(page))
    assert found[0] == found[1]
    assert len(found[0]) == 100


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
    link = share_link(page)
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
    share_link(page)
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


def test_a_board_that_comes_finished_is_no_win(page: Page) -> None:
    paste(page, f"https://example.org/{LINK}&board={SOLUTION}&seconds=7")
    message(page, "already full and correct")
    assert not page.locator(".win").count()
    press(page, "Undo")
    assert cells(page) == CLUES


def test_a_size_without_boards_is_named_as_such(page: Page) -> None:
    paste(page, "\n".join(["." * 20] * 2))
    message(page, "The rules allow no board of this size", "#facts")
    press(page, "Check uniqueness")
    message(page, "The rules allow no board of this size", "#answer")
