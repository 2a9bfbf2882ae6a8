"""The page as a site without our server: `binairo page`, below a path of a host for files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import binairo_cp as bn
from tests.service.page.test_logic import FORMATS
from tests.service.page.test_offline import finish, kept
from tests.service.page.test_stock import unpack
from tests.support.command_line import call
from tests.support.pages import CLUES, FOREIGN, LINK, SOLUTION, Player, Visit, content, grid
from tests.support.serving import hosted

if TYPE_CHECKING:
    from playwright.sync_api import Browser

NEEDS_SERVER = "This needs a server, and this site has none"


def test_the_same_seed_gives_the_same_site(tmp_path: Path) -> None:
    def site(name: str, *options: str) -> dict[str, bytes]:
        folder = tmp_path / name
        assert call("page", "--out", str(folder), *options)[0] == 0
        files = (path for path in folder.rglob("*") if path.is_file())
        return {str(path.relative_to(folder)): path.read_bytes() for path in files}

    options = ("--days", "7", "--per-level", "2", "--seed")
    one = site("one", *options, "a")
    assert one == site("again", *options, "a")
    assert one != site("other", *options, "b")
    puzzles = {Path(name).name: text for name, text in one.items() if "json" in name}
    daily, small = json.loads(puzzles["daily.json"]), json.loads(puzzles["stock-6.json"])
    assert [len(codes) for codes in daily.values()] == [1, 2, 2, 1, 1]
    for level, (code, _) in small.items():
        assert bn.grade(unpack(code)).level == level


@pytest.mark.slow
def test_the_site_plays_below_a_path(browser: Browser, tmp_path: Path) -> None:
    site = tmp_path / "user" / "binairo"
    assert call("page", "--out", str(site), "--days", "7", "--per-level", "2")[0] == 0
    with hosted(tmp_path) as host:
        visit = Visit(browser, f"{host}/user/binairo", service_workers="allow")
        paths: list[str] = []
        visit.page.on("response", lambda reply: paths.append(f"{reply.status} {reply.url}"))
        page = visit.go()
        page.message("Easy", "#facts")
        assert page.barriers() == []
        finish(page, with_hints=True)
        page.evaluate("location.hash = '#daily'")
        page.message("Puzzle of", "#title")
        finish(page)
        _imports_and_exports(page)
        _analyses(page)
        _offers_only_what_it_does(page)
        page.dialog("Settings")
        page.keyboard.press("Escape")
        kept(page)
        assert not [
            each for each in paths if each[:3] != "200" or "/v1/" in each or "readyz" in each
        ]
        page.text_is("#waiting", "")
    # The host has stopped.
    page.goto(f"{visit.url}/{LINK}")
    page.hint()
    page.board_is(CLUES)
    visit.faults = [each for each in visit.faults if "ERR_CONNECTION_REFUSED" not in each]
    visit.close()


def _imports_and_exports(page: Player) -> None:
    page.paste(grid(CLUES))
    page.board_is(CLUES)
    link = page.share_link()
    assert "/user/binairo/embed.html?puzzle=6x6" in page.input_value("#share-embed")
    page.locator("#share-embed").wait_for()
    page.keyboard.press("Escape")
    page.dialog("Export")
    for to in FORMATS:
        page.select_option("#export-to", f"convert:{to}")
        entry = content(page.taken(lambda: page.click("#export-save"))).decode()
        assert entry == bn.convert(CLUES, to=to)  # type: ignore[call-overload]
    page.count_is("#export-to option", len(FORMATS))
    page.keyboard.press("Escape")
    page.paste("b10l named")
    page.message("named", "#title")
    page.paste(link)
    page.board_is(CLUES)


def _analyses(page: Player) -> None:
    """The page knows the first steps, the clues and the solution of a puzzle that is expert."""
    for name, text in (
        ("Explain", "no further step without a server"),
        ("Grade", "no further step without a server"),
        ("Check uniqueness", "exactly one solution"),
        ("Find redundant clues", "No clue can be removed"),
        ("Show solution", "exactly one solution"),
    ):
        page.press(name)
        page.message(text, "#answer")
    page.board_is(SOLUTION)
    page.press("Close")
    page.board_is(CLUES)
    page.press("Edit a copy")
    page.live("Unique", "1")
    page.open_tab("Play")
    assert page.barriers() == []


def _offers_only_what_it_does(page: Player) -> None:
    page.locator("#tab-batch").wait_for(state="hidden")
    page.open_menu("new-menu")
    offered = page.locator("#new-menu label:visible").all_inner_texts()
    assert offered == [
        *["6", "8", "10", "12", "14", "Beginner", "Easy", "Medium", "Hard", "Expert"]
    ]
    page.check("#new-menu [name=size][value='12']")
    page.check("#new-menu [name=grade][value='hard']")
    page.press("Generate")
    page.message("12 × 12", "#title")
    page.message("Hard", "#facts")
    page.evaluate(f"location.hash = '{FOREIGN}'")
    page.message(NEEDS_SERVER)
