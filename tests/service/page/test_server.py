"""A server that requires a key, starts, is busy, is unreachable, or is below a path."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from binairo_cp.service import clients
from tests.support.pages import CLUES, FOREIGN, LINK, Go, Visit, grid
from tests.support.serving import serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Route

pytestmark = pytest.mark.slow


def test_the_page_asks_for_a_key(browser: Browser, tmp_path: Path) -> None:
    key, line = clients.new_key("somebody")
    (tmp_path / "keys.txt").write_text(line)
    with serving(tmp_path / "data", "--api-keys", str(tmp_path / "keys.txt")) as server:
        visit = Visit(browser, server.url)
        page = visit.page
        page.goto(f"{server.url}/{LINK}")
        page.fill("#key-text", key)
        page.press("Use key")
        page.cell(0).wait_for()
        page.hint()
        assert all("401" in fault for fault in visit.faults)
        visit.faults.clear()
        visit.close()


def test_the_page_waits_while_the_server_starts(visit: Go) -> None:
    going = visit()
    page = going.page
    page.refuse("**/readyz")
    early: list[str] = []
    page.on("request", lambda request: early.append(request.url) if "/v1/" in request.url else None)
    page.goto(f"{going.url}/{FOREIGN}")
    page.message("The server is starting", "#waiting")
    page.open_tab("Edit")
    page.reload()
    page.message("The server is starting", "#waiting")
    assert early == []
    page.count_is("#board .cell", 0)
    page.unroute("**/readyz")
    page.board_is(CLUES)
    page.text_is("#waiting", "")
    assert all("503" in fault for fault in going.faults)
    going.faults.clear()


def test_it_works_behind_a_path_prefix(visit: Go) -> None:
    going = visit()
    page = going.page
    prefix = f"{going.url}/games/binairo/"
    elsewhere: list[str] = []

    def forward(route: Route) -> None:
        url = route.request.url
        if not url.startswith(prefix):
            elsewhere.append(url)
        route.fulfill(response=route.fetch(url=url.replace(prefix, f"{going.url}/")))

    page.route(lambda url: url.startswith(going.url), forward)
    page.goto(f"{prefix}{LINK}")
    page.hint()
    assert page.share_link().startswith(f"{prefix}#puzzle=")
    page.press("Close")
    page.dialog("Print")
    assert page.taken(lambda: page.click("#print [type=submit]"))
    page.press("Close")
    page.start_job("a", grid(CLUES))
    page.locator(".job[data-state=done]").wait_for()
    page.press("Show a: Grade")
    page.get_by_role("button", name="Play 1", exact=True).wait_for()
    page.press("Remove")
    page.get_by_text("No jobs yet").wait_for()
    assert elsewhere == []


def test_a_slow_server_is_not_waited_for(visit: Go) -> None:
    """What the page knows by itself is there after some seconds: hints, checks, puzzles."""
    going = visit()
    page = going.page
    page.route("**/v1/**", lambda route: None)
    going.go()
    page.press("Got it")
    page.hint()
    page.press("Apply")
    page.press("Check")
    page.message("No mistakes so far")
    page.new_puzzle(8, 8)
    page.message("8 × 8", "#title")
    page.message("Medium", "#facts")
