"""Where puzzles come from: texts, files, links, pictures, the generator."""

from __future__ import annotations

import base64
import gzip
import json
from typing import TYPE_CHECKING

import pytest

from tests.formats.test_pictures import CLUES as DRAWN
from tests.formats.test_pictures import SIGNS, SKINS, drawn, saved, third_symbol, two_boards
from tests.support.pages import (
    CLUES,
    LINK,
    MULTIPLE,
    SOLUTION,
    Go,
    barriers,
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
    from playwright.sync_api import Locator, Page

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    "text",
    [
        grid(CLUES),
        "6x6u:CafBAdEAcDaf",
        "b10e0a11c0d11b0c10e",
        json.dumps({"height": 6, "width": 6, "clues": CLUES}),
        f"6x6:{CLUES} a-name",
        "<script>var task = 'b10e0a11c0d11b0c10e';</script>",
        f"https://example.org/embed?{LINK[1:]}",
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


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("https://example.org/puzzles/7", "looks like a URL. Paste the puzzle itself"),
        ("https://www.puzzle-binairo.com/?e=MDo4LDc5Niw0MTU=", "only the number of a puzzle"),
    ],
)
def test_other_urls_are_refused(page: Page, text: str, said: str) -> None:
    press(page, "Paste or open…")
    page.fill("#paste-text", text)
    press(page, "Open")
    message(page, said, "#paste-note")


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


TRANSFER = """data => {
    const transfer = new DataTransfer();
    const bytes = Uint8Array.from(atob(data), (each) => each.charCodeAt(0));
    transfer.items.add(new File([bytes], "a.png", { type: "image/png" }));
    return transfer;
}"""


def bring(page: Page, data: bytes, way: str) -> None:
    """Drop, paste or choose a picture, and wait until it is shown."""
    if way == "choose":
        press(page, "Paste or open…")
        file = {"name": "a.png", "mimeType": "image/png", "buffer": data}
        page.set_input_files("#paste-picture", file)
    else:
        transfer = page.evaluate_handle(TRANSFER, base64.b64encode(data).decode())
        name = "dataTransfer" if way == "drop" else "clipboardData"
        if way == "drop":
            page.dispatch_event("#board", "drop", {name: transfer})
        else:
            page.evaluate(
                "transfer => document.dispatchEvent("
                "new ClipboardEvent('paste', { clipboardData: transfer }))",
                transfer,
            )
    page.locator("#picture .read button").first.wait_for()


def at(page: Page, row: int, column: int) -> Locator:
    return page.locator(f"#picture [aria-label^='row {row}, column {column}:']")


def entries() -> bytes:
    """A picture with shaded clues, and an entry of the player in r1c2."""
    board = drawn(SKINS["digits"], "10" + DRAWN[2:])
    for index, value in enumerate(DRAWN):
        if value != ".":
            x, y = 53 + index % 6 * 72, 87 + index // 6 * 72
            inner = board.crop((x + 3, y + 3, x + 70, y + 70)).convert("L")
            shaded = inner.point(lambda light: min(light, 225))
            board.paste(shaded.convert("RGB"), (x + 3, y + 3))
    return saved(board)


@pytest.mark.parametrize("way", ["drop", "paste", "choose"])
def test_a_picture_is_opened_with_its_signs_and_entries(page: Page, way: str) -> None:
    bring(page, entries(), way)
    message(page, "1 is the symbol without a hole", "#picture [role=status]")
    assert page.locator("#picture .edge:not(.none)").count() == len(SIGNS)
    assert "entry" in str(at(page, 1, 2).get_attribute("aria-label"))
    assert barriers(page) == []
    press(page, "Open")
    page.locator("#picture").wait_for(state="detached")
    assert cells(page) == "10" + DRAWN[2:]
    assert page.locator("#board .sign").count() == len(SIGNS)
    press(page, "Undo")
    assert cells(page) == DRAWN


@pytest.mark.parametrize(
    ("skin", "symbols", "game"),
    [
        ("sky", "sunmoon", "Tango"),
        ("circles", "circles", "Binairo"),
        ("digits", "digits", "Binairo"),
    ],
)
def test_a_puzzle_keeps_the_symbols_of_its_picture(
    page: Page, skin: str, symbols: str, game: str
) -> None:
    bring(page, saved(drawn(SKINS[skin], signs=SIGNS if game == "Tango" else [])), "drop")
    press(page, "Open")
    message(page, f"{game} 6", "#title")
    for _ in range(2):
        assert page.locator("#board .symbol use").first.get_attribute("class") == symbols
        page.reload()
        page.locator("#board .symbol").first.wait_for()


def test_what_is_unsure_is_corrected_before_the_puzzle_opens(page: Page) -> None:
    """Also with the keyboard; a sign that was not read is added."""
    bring(page, saved(third_symbol()), "choose")
    message(page, "places are not sure", "#picture [role=status]")
    assert page.locator("#picture .unsure").count() == 9
    for index, value in enumerate(DRAWN):
        if value != "." or index == 1:
            row, column = divmod(index, 6)
            at(page, row + 1, column + 1).press("Delete" if value == "." else value)
    message(page, "There are several solutions", "#picture [role=status]")
    assert page.locator("#picture .unsure").count() == 0
    at(page, 6, 6).click()
    page.locator("#picture [aria-label='row 6, column 5, right: no sign']").click()
    at(page, 1, 1).focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("X")
    press(page, "Open")
    assert cells(page) == DRAWN[:-1] + "0"
    assert page.locator("#board .sign").count() == len(SIGNS) + 2


def test_boards_of_a_picture_are_chosen_and_symbols_swapped(page: Page) -> None:
    bring(page, saved(two_boards()), "choose")
    page.select_option("#picture select", index=1)
    press(page, "Swap 0 and 1")
    press(page, "Open")
    assert cells(page) == DRAWN.translate(str.maketrans("01", "10"))


def test_pictures_without_a_board_or_a_server_are_refused(visit: Go) -> None:
    going = visit()
    page = going.go(LINK)
    before = cells(page)
    press(page, "Paste or open…")
    for data, text in [
        (b"GIF", "can’t be opened"),
        (saved(drawn(SKINS["sky"], "." * 36, [])), "empty"),
    ]:
        file = {"name": "a.png", "mimeType": "image/png", "buffer": data}
        page.set_input_files("#paste-picture", file)
        message(page, text, "#paste-note")
    going.faults.clear()
    page.route("**/v1/**", lambda route: route.abort())
    page.set_input_files("#paste-picture", {**file, "buffer": entries()})
    message(page, "read by the server. The server can't", "#paste-note")
    press(page, "Cancel")
    assert cells(page) == before
    going.faults.clear()
