"""A server that requires a key, starts, is busy, is unreachable, or is below a path."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from binairo_cp.service import clients
from tests.support.browsing import Visit
from tests.support.pages import (
    CLUES,
    FOREIGN,
    LINK,
    Go,
    cells,
    grid,
    hint,
    message,
    new_puzzle,
    open_tab,
    press,
    refuse,
    share_link,
    taken,
)
from tests.support.serving import serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Route

pytestmark = pytest.mark.slow


@pytest.fixture
def keyed(browser: Browser, tmp_path: Path) -> Iterator[tuple[Page, str]]:
    """A page of a server that requires a key, not loaded yet, and a key."""
    key, line = clients.new_key("somebody")
    (tmp_path / "keys.txt").write_text(line)
    with serving(tmp_path / "data", "--api-keys", str(tmp_path / "keys.txt")) as server:
        visit = Visit(browser, server.url, base_url=server.url)
        yield visit.page, key
        assert all("401" in fault for fault in visit.faults)
        visit.faults.clear()
        visit.close()


def test_the_page_asks_for_a_key(keyed: tuple[Page, str]) -> None:
    page, key = keyed
    page.goto(f"/{LINK}")
    page.fill("#key-text", key)
    press(page, "Use key")
    page.locator("#board .cell").first.wait_for()
    hint(page)


# A server that starts, is busy, is unreachable, or is below a path


def test_the_page_waits_while_the_server_starts(visit: Go) -> None:
    going = visit()
    page = going.page
    refuse(page, "**/readyz")
    early: list[str] = []
    page.on("request", lambda request: early.append(request.url) if "/v1/" in request.url else None)
    page.goto(f"{going.url}/{FOREIGN}")
    message(page, "The server is starting", "#waiting")
    open_tab(page, "Edit")
    page.reload()
    message(page, "The server is starting", "#waiting")
    assert early == []
    assert page.locator("#board .cell").count() == 0
    page.unroute("**/readyz")
    page.locator("#board .cell").first.wait_for()
    assert cells(page) == CLUES
    assert page.inner_text("#waiting") == ""
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
    page.locator("#board .cell").first.wait_for()
    hint(page)
    link = share_link(page)
    assert link.startswith(f"{prefix}#puzzle=")
    press(page, "Close")
    press(page, "Print")
    assert taken(page, lambda: page.locator("#print [type=submit]").click())
    press(page, "Close")
    open_tab(page, "Batch")
    page.set_input_files(
        "#batch-file", {"name": "a", "mimeType": "", "buffer": grid(CLUES).encode()}
    )
    press(page, "Start")
    page.locator(".job[data-state=done]").wait_for()
    press(page, "Show a: Grade")
    page.get_by_role("button", name="Play 1", exact=True).wait_for()
    press(page, "Remove")
    page.get_by_text("No jobs yet").wait_for()
    assert elsewhere == []


def test_a_slow_server_is_not_waited_for(visit: Go) -> None:
    """What the page knows by itself is there after some seconds: hints, checks, puzzles."""
    going = visit()
    page = going.page
    page.route("**/v1/**", lambda route: None)
    going.go()
    press(page, "Got it")
    hint(page)
    page.get_by_role("button", name="Apply").click()
    press(page, "Check")
    message(page, "No mistakes so far")
    new_puzzle(page, 8, 8)
    message(page, "8 × 8", "#title")
    message(page, "Medium", "#facts")
