"""Puzzles from pictures: dropped, pasted or chosen, read by the server, and corrected by the user."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

import pytest

from tests.formats.test_pictures import CLUES, SIGNS, SKINS, drawn, saved, third_symbol, two_boards
from tests.support.pages import LINK, Go, barriers, cells, message, press

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

pytestmark = pytest.mark.slow

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
    board = drawn(SKINS["digits"], "10" + CLUES[2:])
    for index, value in enumerate(CLUES):
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
    assert cells(page) == "10" + CLUES[2:]
    assert page.locator("#board .sign").count() == len(SIGNS)
    press(page, "Undo")
    assert cells(page) == CLUES


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
    for index, value in enumerate(CLUES):
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
    assert cells(page) == CLUES[:-1] + "0"
    assert page.locator("#board .sign").count() == len(SIGNS) + 2


def test_boards_of_a_picture_are_chosen_and_symbols_swapped(page: Page) -> None:
    bring(page, saved(two_boards()), "choose")
    page.select_option("#picture select", index=1)
    press(page, "Swap 0 and 1")
    press(page, "Open")
    assert cells(page) == CLUES.translate(str.maketrans("01", "10"))


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
