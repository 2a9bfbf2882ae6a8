"""The page as a game: the first visit, without a server, on several days, and after an update."""

from __future__ import annotations

import gzip
import shutil
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import uvicorn
from fastapi import FastAPI

import binairo_cp as bn
from binairo_cp.service import page as served
from tests.support.browsing import Visit
from tests.support.pages import barriers, cell, cells, hint, message, new_puzzle, press, until
from tests.support.serving import serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Request

pytestmark = pytest.mark.slow

MAX_REQUESTS = 12
MAX_BYTES = 46 * 1024
WITHOUT_SERVER = "ERR_CONNECTION_REFUSED"


def finish(page: Page, *, with_hints: bool = False) -> None:
    """Solve the puzzle with hints or, which is faster, with the keyboard."""
    page.locator("#board .cell").first.wait_for()
    solution = bn.solve(cells(page)).solution
    assert solution
    for index, value in enumerate(solution.cells):
        if with_hints and "." in cells(page):
            hint(page)
            press(page, "Apply")
        elif not with_hints and cells(page)[index] == ".":
            cell(page, index).press(value)
    page.locator(".win").wait_for()


def kept(page: Page) -> None:
    """Wait until the service worker has all files."""
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    until(page, "navigator.serviceWorker.controller !== null")


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
        message(page, "Easy$", "#facts")
        # Compressed, as a proxy in front of the server sends them.
        bodies = {each.url: each.response().body() for each in whole}  # type: ignore[union-attr]
        sizes = {url: len(gzip.compress(body)) for url, body in bodies.items()}
        assert any(url.endswith("/app.js") for url in sizes)
        assert len(requests) <= MAX_REQUESTS, sizes
        assert sum(sizes.values()) <= MAX_BYTES, sizes
        visit.close()


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.nightly)])
def test_a_first_visit_and_days_without_the_server(
    browser: Browser, tmp_path: Path, scheme: str
) -> None:
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
        assert len(cells(page)) == 36
        assert page.locator(".welcome li").count() == 3
        assert barriers(page) == []
        press(page, "Got it")
        assert page.locator(".welcome").count() == 0
        message(page, "Easy", "#facts")
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
    message(page, "can't be reached", "#waiting")
    finish(page, with_hints=True)
    message(page, "Easy", "#facts")
    assert barriers(page) == []
    before = cells(page)
    press(page, "Next puzzle")
    page.locator(".win").wait_for(state="detached")
    message(page, "Easy", "#facts")
    assert len(cells(page)) == 36
    assert cells(page) != before
    for day, streak in (
        ("2026-11-23", "1 day,"),
        ("2026-11-24", "2 days,"),
        ("2026-11-26", "1 day,"),
    ):
        page.clock.set_fixed_time(f"{day}T11:00:00Z")
        page.goto(f"{server.url}/#daily")
        message(page, day.replace("-", "."), "#title")  # with hyphens that do not break
        finish(page)
        message(page, f"Streak\n?{streak}", ".win")
    press(page, "Past days")
    solved = page.locator("#days .solved")
    assert solved.count() == 3
    assert page.locator("#days [data-date='2026-11-27']").is_disabled()
    assert barriers(page) == []
    page.clock.set_fixed_time("2026-11-26T12:00:00Z")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    message(page, "2026.11.25", "#title")
    finish(page)
    message(page, "Streak\n?1 day, longest 2", ".win")
    press(page, "Statistics")
    message(page, "4 puzzles of the day solved", "#times-streak")
    assert page.locator("#times tbody tr").count() == 4
    assert barriers(page) == []
    press(page, "Close")
    generates_without_the_server(page)
    press(page, "Fewest and most clues")
    message(page, r"\d+ puzzles opened")
    assert [fault for fault in visit.faults if WITHOUT_SERVER not in fault] == []
    visit.faults.clear()
    visit.close()


def generates_without_the_server(page: Page) -> None:
    new_puzzle(page, 12, 12, grade="hard")
    message(page, "12 × 12", "#title")
    message(page, "Hard", "#facts")
    new_puzzle(page, 12, 9, grade="hard")
    message(page, "The server can't be reached.*sizes 6, 8, 10, 12 and 14")
    page.evaluate("location.hash = '#daily=2031-01-01'")
    message(page, "no puzzle of this day")


def test_winning_shows_the_best_time_and_shares(browser: Browser, tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        visit = Visit(browser, server.url, permissions=["clipboard-read", "clipboard-write"])
        page = visit.go()
        message(page, "Easy$", "#facts")
        for _ in range(2):
            solution = server.post("/v1/check", puzzle=cells(page)).json()["solution"]
            for index, value in enumerate(solution):
                if cells(page)[index] == ".":
                    page.locator("#board .cell").nth(index).press(value)
            message(page, "[Bb]est time", ".win")
            press(page, "Share result")
            message(page, "Copied", ".win [role=status]")
            copied = page.evaluate("navigator.clipboard.readText()")
            assert "solved in" in copied
            assert f"{server.url}/#puzzle=6x6" in copied
            press(page, "Next puzzle")
            page.locator(".win").wait_for(state="detached")
            assert page.evaluate("document.activeElement.getAttribute('role')") == "gridcell"
            message(page, "Easy$", "#facts")
        visit.close()


@contextmanager
def only_the_page(folder: Path, port: int) -> Iterator[None]:
    """Serve the page of a folder, without the API."""
    app = FastAPI()
    served.install(app, folder)
    server = uvicorn.Server(
        uvicorn.Config(app, port=port, log_level="error", timeout_graceful_shutdown=1)
    )
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started and thread.is_alive():
        time.sleep(0.02)
    try:
        yield
    finally:
        server.should_exit = True
        thread.join()


def test_a_new_version_replaces_the_old_one(browser: Browser, tmp_path: Path) -> None:
    """The new version is not built, so that a browser loads its modules one by one."""
    folder = tmp_path / "static"
    shutil.copytree(served._FOLDER, folder)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    visit = Visit(browser, f"http://127.0.0.1:{port}", service_workers="allow")
    with only_the_page(folder, port):
        page = visit.go()
        kept(page)
        before = page.evaluate("caches.keys()")
    index = folder / "index.html"
    index.write_text(index.read_text().replace("Binairo puzzles (", "Newer puzzles ("))
    with (folder / "app.js").open("a") as file:
        file.write("\n")
    with only_the_page(folder, port):
        page.reload()
        assert "Newer" in page.content()
        until(page, "navigator.serviceWorker.ready.then(({ waiting }) => waiting !== null)")
        page.close()
        page = visit.page = visit.context.new_page()
        page.goto(visit.url)
        names: list[Any] = []
        for _ in range(500):
            names = page.evaluate("caches.keys()")
            if len(names) == 1 and names != before:
                break
            page.wait_for_timeout(20)
        assert len(names) == 1
        assert names != before
        kept(page)
    page.reload()
    assert "Newer" in page.content()
    page.locator("#board .cell").first.wait_for()
    visit.faults.clear()
    visit.close()
