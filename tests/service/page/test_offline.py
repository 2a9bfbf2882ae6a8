"""First visits, days without a server, updates; servers that start, are busy or need a key."""

from __future__ import annotations

import gzip
import shutil
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import uvicorn
from fastapi import FastAPI

import binairo_cp as bn
from binairo_cp.service import clients
from binairo_cp.service import page as served
from tests.support.pages import CLUES, FOREIGN, LINK, Go, Player, Visit, grid
from tests.support.serving import serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Request, Route


pytestmark = pytest.mark.slow

MAX_REQUESTS = 12
MAX_BYTES = 46 * 1024
WITHOUT_SERVER = "ERR_CONNECTION_REFUSED"


def finish(page: Player, *, with_hints: bool = False) -> None:
    """Solve the puzzle with hints or, which is faster, with the keyboard."""
    page.cell(0).wait_for()
    solution = bn.solve(page.cells()).solution
    for index, value in enumerate(solution.cells):
        if with_hints and "." in page.cells():
            page.hint()
            page.press("Apply")
        elif not with_hints and page.cells()[index] == ".":
            page.cell(index).press(value)
    page.locator(".win").wait_for()


def kept(page: Player) -> None:
    """Wait until the service worker has all files."""
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    page.becomes("navigator.serviceWorker.controller !== null")


def test_the_first_view_is_small(browser: Browser, tmp_path: Path) -> None:
    built = served.BUILT / served.SOURCES
    if not built.exists():
        pytest.skip("the page is not built: make page needs npm")
    assert built.read_text() == served.digest(served._FOLDER), "run make page"
    with serving(tmp_path) as server:
        visit = Visit(browser, server.url)
        requests: list[Request] = []
        whole: list[Request] = []
        visit.page.on("request", lambda request: requests.append(request))
        # Not those whose body the page does not read.
        visit.page.on("requestfinished", lambda request: whole.append(request))
        page = visit.go()
        page.message("Easy$", "#facts")
        # Compressed, as a proxy in front of the server sends them.
        bodies = {each.url: each.response().body() for each in whole}  # type: ignore[union-attr]
        sizes = {url: len(gzip.compress(body)) for url, body in bodies.items()}
        assert any(url.endswith("/app.js") for url in sizes)
        assert len(requests) <= MAX_REQUESTS, sizes
        assert sum(sizes.values()) <= MAX_BYTES, sizes
        visit.close()


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.nightly)])
def test_a_first_visit_and_days_without_the_server(browser: Browser, tmp_path: Path, scheme: str):
    with serving(tmp_path) as server:
        visit = Visit(
            browser,
            server.url,
            service_workers="allow",
            viewport={"width": 390, "height": 844},
            color_scheme=scheme,
        )
        page = visit.page
        page.clock.set_fixed_time("2026-11-23T10:00:00Z")
        page = visit.go()
        page.count_is("#board .cell", 36)
        page.count_is(".welcome li", 3)
        assert page.barriers() == []
        page.press("Got it")
        page.count_is(".welcome", 0)
        page.message("Easy", "#facts")
        kept(page)
        urls = page.evaluate(
            """async () => {
                const [name] = await caches.keys();
                return (await (await caches.open(name)).keys()).map(({ url }) => url);
            }"""
        )
        assert not [url for url in urls if "/v1/" in url or "readyz" in url]
    # The server has stopped.
    page.reload()
    page.message("can't be reached", "#waiting")
    finish(page, with_hints=True)
    page.message("Easy", "#facts")
    assert page.barriers() == []
    before = page.cells()
    page.press("Next puzzle")
    page.locator(".win").wait_for(state="detached")
    page.message("Easy", "#facts")
    page.is_so(lambda: page.cells() != before)
    page.count_is("#board .cell", 36)
    for day, streak in (
        ("2026-11-23", "1 day,"),
        ("2026-11-24", "2 days,"),
        ("2026-11-26", "1 day,"),
    ):
        page.clock.set_fixed_time(f"{day}T11:00:00Z")
        page.goto(f"{server.url}/#daily")
        page.message(day.replace("-", "."), "#title")  # with hyphens that do not break
        finish(page)
        page.message(f"Streak\n?{streak}", ".win")
    page.dialog("Past days")
    page.count_is("#days .solved", 3)
    page.locator("#days [data-date='2026-11-27']:disabled").wait_for()
    assert page.barriers() == []
    page.clock.set_fixed_time("2026-11-26T12:00:00Z")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    page.message("2026.11.25", "#title")
    finish(page)
    page.message("Streak\n?1 day, longest 2", ".win")
    page.dialog("Statistics")
    page.message("4 puzzles of the day solved", "#times-streak")
    page.count_is("#times tbody tr", 4)
    assert page.barriers() == []
    page.press("Close")
    page.new_puzzle(12, 12, grade="hard")
    page.message("12 × 12", "#title")
    page.message("Hard", "#facts")
    page.new_puzzle(12, 9, grade="hard")
    page.message("The server can't be reached.*sizes 6, 8, 10, 12 and 14")
    page.evaluate("location.hash = '#daily=2031-01-01'")
    page.message("no puzzle of this day")
    page.press("Fewest and most clues")
    page.message(r"\d+ puzzles opened")
    assert [fault for fault in visit.faults if WITHOUT_SERVER not in fault] == []
    visit.faults.clear()
    visit.close()


def test_winning_shows_the_best_time_and_shares(browser: Browser, tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        visit = Visit(browser, server.url, permissions=["clipboard-read", "clipboard-write"])
        page = visit.go()
        page.message("Easy$", "#facts")
        for _ in range(2):
            solution = server.post("/v1/check", puzzle=page.cells()).json()["solution"]
            for index, value in enumerate(solution):
                if page.cells()[index] == ".":
                    page.cell(index).press(value)
            page.message("[Bb]est time", ".win")
            page.press("Share result")
            page.message("Copied", ".win [role=status]")
            copied = page.evaluate("navigator.clipboard.readText()")
            assert "solved in" in copied
            assert f"{server.url}/#puzzle=6x6" in copied
            page.press("Next puzzle")
            page.locator(".win").wait_for(state="detached")
            page.becomes("document.activeElement.role", "gridcell")
            page.message("Easy$", "#facts")
        visit.close()


@contextmanager
def only_the_page(folder: Path) -> Iterator[tuple[str, Callable[[], None]]]:
    """Serve the page of a folder, without the API: its address, and what reads the folder again."""
    apps: list[FastAPI] = []

    def renew() -> None:
        apps.append(FastAPI())
        served.install(apps[-1], folder)

    async def newest(scope: Any, receive: Any, send: Any) -> None:
        await apps[-1](scope, receive, send)

    renew()
    options: Any = {"log_level": "error", "timeout_graceful_shutdown": 1}
    server = uvicorn.Server(uvicorn.Config(newest, lifespan="off", **options))
    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=server.run, args=([listening],))
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}", renew
        finally:
            server.should_exit = True
            thread.join()


def test_a_new_version_replaces_the_old_one(browser: Browser, tmp_path: Path) -> None:
    """The new version is not built, so that a browser loads its modules one by one."""
    folder = tmp_path / "static"
    shutil.copytree(served._FOLDER, folder)
    with only_the_page(folder) as (url, renew):
        visit = Visit(browser, url, service_workers="allow")
        page = visit.go()
        kept(page)
        before = page.evaluate("caches.keys()")
        index = folder / "index.html"
        index.write_text(index.read_text().replace("Binairo puzzles (", "Newer puzzles ("))
        with (folder / "app.js").open("a") as file:
            file.write("\n")
        renew()
        page.reload()
        assert "Newer" in page.content()
        page.becomes("navigator.serviceWorker.ready.then(({ waiting }) => waiting !== null)")
        page.close()
        page = Player(visit.context.new_page())
        page.goto(url)
        page.is_so(lambda: [key in before for key in page.evaluate("caches.keys()")], [False])
        kept(page)
    page.reload()
    assert "Newer" in page.content()
    page.cell(0).wait_for()
    visit.faults.clear()
    visit.close()


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
