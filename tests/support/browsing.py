"""A browser for tests: Debian's Chromium, restricted to the server under test."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from tests.support import programs

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

_ARGUMENTS = (
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-sync",
    "--no-first-run",
)


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start the browser, or skip the test if it is not installed."""
    # The same engine without a window and its own pages: a page opens in a quarter of the time.
    path = programs.find("chromium-headless-shell") or programs.needed("chromium")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        assert "BINAIRO_NEEDS_SOLVERS" not in os.environ, "playwright is not installed"
        pytest.skip("playwright is not installed")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(_ARGUMENTS))
        yield browser
        browser.close()


class Visit:
    """A browser page that records errors.

    Attributes:
        page: the page.
        faults: console errors (including violations of the content security policy), exceptions,
            and requests to other hosts.
    """

    def __init__(self, browser: Browser, url: str, **options: Any) -> None:
        self.url = url
        self.faults: list[str] = []
        # Tests of the service worker allow it. To others, requests would be invisible.
        options = {"service_workers": "block", **options}
        self.context = browser.new_context(accept_downloads=True, **options)
        self.page: Page = self.context.new_page()
        self.page.set_default_timeout(30_000)
        self.page.on("console", self._note)
        self.page.on("pageerror", lambda error: self.faults.append(f"exception: {error}"))
        self.page.on("request", lambda request: self._look(request.url))

    def _note(self, message: Any) -> None:
        is_blocked = "Service Worker registration blocked" in message.text
        if message.type in ("error", "warning") and not is_blocked:
            self.faults.append(f"{message.type}: {message.text}")

    def _look(self, url: str) -> None:
        if not url.startswith((self.url, "data:", "blob:")):
            self.faults.append(f"request to {url}")

    def go(self, fragment: str = "") -> Page:
        """Open the page and wait for a puzzle."""
        self.page.goto(f"{self.url}/{fragment}")
        self.page.locator("#board .cell").first.wait_for()
        return self.page

    def close(self) -> None:
        self.context.close()
        assert self.faults == [], self.faults
