"""Where puzzles come from (texts, files, links, pictures) and go (print, exports, jobs)."""

from __future__ import annotations

import base64
import gzip
import io
import json
from collections.abc import Callable
from typing import TYPE_CHECKING

import pypdf
import pytest

from tests.formats.test_pictures import CLUES as DRAWN
from tests.formats.test_pictures import SIGNS, SKINS, drawn, saved, third_symbol, two_boards
from tests.support.pages import CLUES, FOREIGN, LINK, MULTIPLE, SOLUTION, Go, Player, content, grid
from tests.support.serving import Server

if TYPE_CHECKING:
    from playwright.sync_api import Locator


pytestmark = pytest.mark.slow


def test_puzzles_in_any_format_can_be_pasted(page: Player) -> None:
    for text in (
        grid(CLUES),
        FOREIGN.removeprefix("#puzzle="),
        "b10e0a11c0d11b0c10e",
        json.dumps({"height": 6, "width": 6, "clues": CLUES}),
        f"6x6:{CLUES} a-name",
        "<script>var task = 'b10e0a11c0d11b0c10e';</script>",
        f"https://example.org/embed?{LINK[1:]}",
    ):
        page.paste(grid(MULTIPLE))
        page.board_is(MULTIPLE)
        page.paste(text)
        page.board_is(CLUES)


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_file_with_several_puzzles_is_opened(page: Player, pack: Callable[..., bytes]) -> None:
    buffer = pack(f"6x6:{CLUES} first\n4x4:{MULTIPLE} second\n".encode())
    page.dialog("Paste or open…")
    page.set_input_files("#paste-file", {"name": "a", "mimeType": "", "buffer": buffer})
    page.message("2 puzzles opened")
    page.text_is("#title", "first")
    page.select_option("#several", index=1)
    page.board_is(MULTIPLE)
    page.text_is("#title", "second")


def test_a_link_carries_signs_and_rules(visit: Go) -> None:
    record = {
        "height": 4,
        "width": 4,
        "clues": "...0....0.....1.",
        "signs": [[0, 0, "R", "x"], [0, 1, "D", "="]],
        "rules": {"longest_run": 3, "balanced": True, "distinct_lines": False, "odd": "either"},
    }
    page = visit().go(LINK)
    page.paste(json.dumps(record))
    other = visit().go(page.share_link().split("/", 3)[3])
    other.label_is(0, "row 1, column 1: empty, opposite of the right one")
    other.label_is(1, "row 1, column 2: empty, equal to the lower one")
    other.dialog("Export")
    other.select_option("#export-to", "convert:ndjson")
    other.becomes("document.querySelector('#export-text').value.startsWith('{')")
    exported = json.loads(other.input_value("#export-text"))
    assert {name: exported[name] for name in record} == record


def test_share_links_can_be_pasted(page: Player) -> None:
    page.cell(0).click()
    page.share_link()
    page.check("#share-progress")
    page.is_so(lambda: "board=" in page.input_value("#share-link"))
    link = page.input_value("#share-link")
    page.press("Close")
    for words in ("{}", " {}\n", "Try this: <{}>"):
        page.paste(grid(MULTIPLE))
        page.board_is(MULTIPLE)
        page.paste(words.format(link))
        page.board_is("0" + CLUES[1:])
    page.paste(f"https://example.org/somewhere/{LINK}&board=1{CLUES[1:]}&seconds=7")
    page.board_is("1" + CLUES[1:])
    page.press("Undo")
    page.board_is("0" + CLUES[1:])
    page.paste(f"https://example.org/{LINK}&board={SOLUTION}&seconds=7")
    page.message("already full and correct")
    page.count_is(".win", 0)


def test_what_is_no_puzzle_is_refused(visit: Go) -> None:
    going = visit()
    page = going.go("#puzzle=6x6:b10&rules=classic")
    page.message("cells|code|ends")
    for text, said in (
        ("https://example.org/puzzles/7", "looks like a URL. Paste the puzzle itself"),
        ("https://www.puzzle-binairo.com/?e=MDo4LDc5Niw0MTU=", "only the number of a puzzle"),
    ):
        page.refused(text, said)
        page.press("Cancel")
    page.paste("\n".join(["." * 20] * 2))
    page.message("The rules allow no board of this size", "#facts")
    page.press("Check uniqueness")
    page.message("The rules allow no board of this size", "#answer")
    going.faults.clear()


TRANSFER = """data => {
    const transfer = new DataTransfer();
    const bytes = Uint8Array.from(atob(data), (each) => each.charCodeAt(0));
    transfer.items.add(new File([bytes], "a.png", { type: "image/png" }));
    return transfer;
}"""


def bring(page: Player, data: bytes, way: str) -> None:
    """Drop, paste or choose a picture, and wait until it is shown."""
    if way == "choose":
        page.dialog("Paste or open…")
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


def at(page: Player, row: int, column: int) -> Locator:
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
def test_a_picture_is_opened_with_its_signs_and_entries(page: Player, way: str) -> None:
    bring(page, entries(), way)
    page.message("1 is the symbol without a hole", "#picture [role=status]")
    page.count_is("#picture .edge:not(.none)", len(SIGNS))
    assert "entry" in str(at(page, 1, 2).get_attribute("aria-label"))
    assert page.barriers() == []
    page.press("Open")
    page.locator("#picture").wait_for(state="detached")
    page.board_is("10" + DRAWN[2:])
    page.count_is("#board .sign", len(SIGNS))
    page.press("Undo")
    page.board_is(DRAWN)


@pytest.mark.parametrize(("skin", "symbols", "game"), [
    ("sky", "sunmoon", "Tango"),
    ("circles", "circles", "Binairo"),
    ("digits", "digits", "Binairo"),
])  # fmt: skip
def test_a_puzzle_keeps_the_symbols_of_its_picture(
    page: Player, skin: str, symbols: str, game: str
) -> None:
    bring(page, saved(drawn(SKINS[skin], signs=SIGNS if game == "Tango" else [])), "drop")
    page.press("Open")
    page.message(f"{game} 6", "#title")
    for _ in range(2):
        page.locator(f"#board .symbol use.{symbols}").first.wait_for()
        page.reload()


def test_what_is_unsure_is_corrected_before_the_puzzle_opens(page: Player) -> None:
    """Also with the keyboard; a sign that was not read is added."""
    bring(page, saved(third_symbol()), "choose")
    page.message("places are not sure", "#picture [role=status]")
    page.count_is("#picture .unsure", 9)
    for index, value in enumerate(DRAWN):
        if value != "." or index == 1:
            row, column = divmod(index, 6)
            at(page, row + 1, column + 1).press("Delete" if value == "." else value)
    page.message("There are several solutions", "#picture [role=status]")
    page.count_is("#picture .unsure", 0)
    at(page, 6, 6).click()
    page.locator("#picture [aria-label='row 6, column 5, right: no sign']").click()
    at(page, 1, 1).focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("X")
    page.press("Open")
    page.board_is(DRAWN[:-1] + "0")
    page.count_is("#board .sign", len(SIGNS) + 2)


def test_boards_of_a_picture_are_chosen_and_symbols_swapped(page: Player) -> None:
    bring(page, saved(two_boards()), "choose")
    page.select_option("#picture select", index=1)
    page.press("Swap 0 and 1")
    page.press("Open")
    page.board_is(DRAWN.translate(str.maketrans("01", "10")))


def test_pictures_without_a_board_or_a_server_are_refused(visit: Go) -> None:
    going = visit()
    page = going.go(LINK)
    page.dialog("Paste or open…")
    for data, text in [
        (b"GIF", "can’t be opened"),
        (saved(drawn(SKINS["sky"], "." * 36, [])), "empty"),
    ]:
        file = {"name": "a.png", "mimeType": "image/png", "buffer": data}
        page.set_input_files("#paste-picture", file)
        page.message(text, "#paste-note")
    going.faults.clear()
    page.route("**/v1/**", lambda route: route.abort())
    page.set_input_files("#paste-picture", {**file, "buffer": entries()})
    page.message("read by the server. The server can't", "#paste-note")
    page.press("Cancel")
    page.board_is(CLUES)
    going.faults.clear()


def test_titles_may_have_accents(visit: Go) -> None:
    going = visit()
    page = going.go(LINK)
    page.dialog("Print")
    for form in ("png", "pdf"):
        page.select_option("#print-form", form)
        page.fill("#print-title-text", "Café, Łódź, Αθήνα, Київ")
        assert len(content(page.taken(lambda: page.click(PRINT)))) > 1_000
        page.fill("#print-title-text", "数独")
        page.click(PRINT)
        page.message("The font has no '数' for '数独'.* SVG and HTML use the fonts", "#print-note")
        assert "--" not in page.inner_text("#print")
    assert all("422" in fault for fault in going.faults)
    going.faults.clear()


PRINT = "#print [type=submit]"


def test_printing(page: Player) -> None:
    def made(form: str) -> bytes:
        page.select_option("#print-form", form)
        return content(page.taken(lambda: page.click(PRINT)))

    page.dialog("Print")
    page.check("#print-answer")
    assert len(pypdf.PdfReader(io.BytesIO(made("pdf"))).pages) == 2
    assert made("pdf-steps").startswith(b"%PDF-")
    page.locator("#print-answer:disabled").wait_for()  # the steps end with it
    page.select_option("#print-form", "pdf")
    page.select_option("#print-count", "4")
    page.uncheck("#print-answer")
    (only,) = pypdf.PdfReader(io.BytesIO(made("pdf"))).pages
    assert {"1", "2", "3", "4"} <= {*only.extract_text().split()}
    page.check("#print-answer")
    assert b"<svg" in made("svg")
    assert b"<html" in made("html-steps")
    page.press("Close")
    page.emulate_media(media="print")
    page.get_by_text("No row or column has three equal symbols").wait_for()
    page.locator("#board").wait_for()
    page.count_is("button >> visible=true", 0)


def test_exporting(page: Player) -> None:
    page.dialog("Export")
    for form, start in (
        ("convert:text", "..10"),
        ("convert:unruly", "6x6u:CafBAdEAcDaf"),
        ("convert:csv", ""),
        ("encode:opb", "* "),
        ("encode:dzn", ""),
    ):
        page.select_option("#export-to", form)
        download = content(page.taken(lambda: page.press("Download"))).decode()
        text = page.input_value("#export-text")
        assert text
        assert start in text
        assert download.startswith(text)


def test_batch_of_a_thousand_puzzles(page: Player, server: Server) -> None:
    made = [
        server.post("/v1/generate", size=6, grade="easy", count=100, seed=seed).json()["results"]
        for seed in range(10)
    ]
    lines = [f"6x6:{record['clues']} {record['id']}" for some in made for record in some]
    assert len(lines) == 1_000
    page.start_job("many.txt", "\n".join(lines))
    page.locator(".job[data-state=done]").wait_for(timeout=120_000)
    page.message("1,000 results · Easy 1,000", "#results-sum")
    page.message("1,000 unique", ".job")
    rows = page.locator("#results-rows tr").filter(has_text=", score ")
    page.is_so(rows.count, 100)
    download = page.taken(lambda: page.press("Download"))
    assert download.suggested_filename == "many-grade.ndjson"
    records = [json.loads(line) for line in content(download).splitlines()]
    assert [record["grade"]["level"] for record in records] == ["easy"] * 1_000
    page.get_by_role("button", name=f"Play {records[3]['id']}", exact=True).click()
    page.board_is(records[3]["clues"])
    page.open_tab("Batch")
    page.press("Remove")
    page.get_by_text("No jobs yet").wait_for()


def test_jobs_can_be_cancelled_and_survive_a_reload(page: Player) -> None:
    page.open_tab("Batch")
    page.select_option("#batch-verb", "fewest")
    page.start_job("hard.txt", "\n".join("." * 900 for _ in range(50)))
    page.locator(".job[data-state=running]").wait_for()
    page.reload()
    page.open_tab("Batch")
    page.locator(".job[data-state=running]").wait_for()
    page.press("Cancel")
    page.locator(".job[data-state=cancelled]").wait_for()
    page.press("Remove")
    page.get_by_text("No jobs yet").wait_for()
