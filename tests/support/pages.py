"""A browser and a player for tests of the web page: Debian's Chromium, restricted to the server under test.

What a player sees is compared with `…_is`, which waits until it is so: most of what a button does
ends later than the click on it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.support import programs

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Download, Locator, Page

CLUES = "..10.....0.11...0....11..0...10....."
SOLUTION = "101010011001110100100110001011010101"
LINK = "#puzzle=6x6:b10e0a11c0d11b0c10e&rules=classic"
FOREIGN = "#puzzle=6x6u:CafBAdEAcDaf"
"""The same puzzle in a format that only the server reads."""
MULTIPLE = "1..0.......1...."
WRONG = "000............."

REFUSED = {
    "status": 503,
    "headers": {"Retry-After": "60", "Content-Type": "application/problem+json"},
    "body": '{"status": 503, "detail": "all workers are busy"}',
}
_ARGUMENTS = (
    "--no-sandbox", "--disable-background-networking", "--disable-component-update",
    "--disable-default-apps", "--disable-sync", "--no-first-run",
)  # fmt: skip


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


class Player:
    """A page as its player sees and uses it. All else is Playwright's."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def __getattr__(self, name: str) -> Any:
        return getattr(self.page, name)

    # What is there now

    def cells(self, board: str = "#board") -> str:
        found = self.locator(f"{board} .cell").evaluate_all("all => all.map(e => e.dataset.value)")
        return "".join(found)

    def cell(self, index: int, board: str = "#board") -> Locator:
        return self.page.locator(f"{board} .cell").nth(index)

    def box(self, place: str | Locator) -> dict[str, float]:
        where = self.page.locator(place).first if isinstance(place, str) else place
        found = where.bounding_box()
        assert found
        return dict(found)

    def lit(self, name: str, board: str = "#board") -> list[int]:
        found: list[int] = self.locator(f"{board} .cell").evaluate_all(
            "(cells, name) => cells.flatMap((cell, n) => cell.classList.contains(name) ? [n] : [])",
            f"is-{name}",
        )
        return found

    # What is there sooner or later

    def is_so(self, read: Callable[[], Any], expected: Any = True) -> None:
        """Wait until something that is read from the page has a value."""
        for _ in range(1_500):
            if (found := read()) == expected:
                return
            self.wait_for_timeout(20)
        assert found == expected

    def becomes(self, script: str, expected: Any = True) -> None:
        """Wait. Playwright's own wait evaluates text, which the policy of the page forbids."""
        self.is_so(lambda: self.evaluate(script), expected)

    def focus_is(self, id: str) -> None:
        self.becomes("document.activeElement.id", id)

    def board_is(self, expected: str, board: str = "#board") -> None:
        self.is_so(lambda: self.cells(board), expected)

    def lit_is(self, name: str, expected: list[int], board: str = "#board") -> None:
        self.is_so(lambda: self.lit(name, board), expected)

    def label_is(self, index: int, expected: str, board: str = "#board") -> None:
        label = self.cell(index, board)
        self.is_so(lambda: label.get_attribute("aria-label"), expected)

    def text_is(self, place: str, expected: str) -> None:
        self.is_so(lambda: self.inner_text(place), expected)

    def value_is(self, place: str, expected: str) -> None:
        self.is_so(lambda: self.input_value(place), expected)

    def count_is(self, place: str, expected: int) -> None:
        self.is_so(lambda: self.locator(place).count(), expected)

    def message(self, text: str, place: str = "#message") -> None:
        self.locator(place).filter(has_text=re.compile(text)).wait_for()

    def live(self, verdict: str, count: str) -> None:
        self.locator("#live[aria-busy=false]").wait_for()
        self.text_is("#live-verdict", verdict)
        self.text_is("#live-count", count)

    # What players do

    def show_more(self, wanted: Locator) -> None:
        """Show what a phone hides during a game, if it hides this."""
        more = self.locator("#more[aria-expanded=false]")
        hidden = self.locator(".extra, .top *, .zoom *").and_(wanted)
        if hidden.count() and not hidden.first.is_visible() and more.is_visible():
            more.click()

    def open_tab(self, name: str) -> None:
        """Open a tab, of which two load when they open first."""
        tab = self.get_by_role("tab", name=name, include_hidden=True)
        self.show_more(tab)
        tab.click()
        self.locator(f"#{name.lower()}:not([hidden])").wait_for()

    def open_menu(self, menu: str) -> None:
        self.show_more(self.locator(f"[popovertarget={menu}]"))
        self.click(f"[popovertarget={menu}]")
        self.locator(f"#{menu}").wait_for()

    def press(self, name: str) -> None:
        """Press a button, if needed in a menu of the panel that is shown."""
        closed = self.locator("[role=tabpanel]:not([hidden]) [popover]:not(:popover-open)")
        inside = closed.filter(has=self.locator(f"button:text-is('{name}')"))
        if inside.count():
            self.open_menu(str(inside.first.get_attribute("id")))
        else:
            self.show_more(self.get_by_role("button", name=name, exact=True, include_hidden=True))
        self.get_by_role("button", name=name, exact=True).filter(visible=True).click()

    def dialog(self, name: str) -> None:
        """Open a dialog, of which some load when they open first."""
        self.press(name)
        self.locator("dialog[open]").wait_for()

    def edit_copy(self) -> None:
        """Open the puzzle that is played in the editor, which loads when it opens first."""
        self.press("Edit a copy")
        self.locator("#edit:not([hidden]) .cell").first.wait_for()

    def share_link(self) -> str:
        self.dialog("Share link")
        return str(self.input_value("#share-link"))

    def hint(self) -> None:
        """Ask for a hint up to its step, which the button then applies."""
        self.press("Hint")
        self.press("Show step")
        self.get_by_role("button", name="Apply").wait_for()

    def new_puzzle(
        self, height: int, width: int, rules: str = "classic", grade: str = "medium"
    ) -> None:
        self.open_menu("new-menu")
        self.check("#new-menu [name=size][value='']")
        self.fill("#new-rows", str(height))
        self.fill("#new-columns", str(width))
        self.check(f"#new-menu [name=rules][value='{rules}']")
        self.check(f"#new-menu [name=grade][value='{grade}']")
        self.press("Generate")

    def choose(self, setting: str, value: str | bool) -> None:
        """Change a setting in its dialog: an option, or a checkbox."""
        self.dialog("Settings")
        if isinstance(value, bool):
            self.set_checked(f"#{setting}", value)
        else:
            self.select_option(f"#{setting}", value)
        self.keyboard.press("Escape")
        self.locator("#settings").wait_for(state="hidden")

    def paste(self, text: str, rules: str = "") -> None:
        self.dialog("Paste or open…")
        self.fill("#paste-text", text)
        self.select_option("#paste-rules", rules)
        self.press("Open")
        self.locator("#paste").wait_for(state="hidden")

    def refused(self, text: str, said: str) -> None:
        """Paste what the page does not take."""
        self.dialog("Paste or open…")
        self.fill("#paste-text", text)
        self.press("Open")
        self.message(said, "#paste-note")

    def taken(self, act: Callable[[], None]) -> Download:
        """The file that the player gets."""
        with self.page.expect_download() as download:
            act()
        return download.value

    def solve(self) -> None:
        for index, value in enumerate(SOLUTION):
            if self.cells()[index] == ".":
                self.cell(index).press(value)
        self.message("Solved in")

    def new_board(self, side: int) -> None:
        self.open_tab("Edit")
        self.open_menu("board-menu")
        self.fill("#edit-rows", str(side))
        self.fill("#edit-columns", str(side))
        self.press("New board")
        self.count_is("#edit-board .cell", side * side)

    def refuse(self, path: str = "**/v1/**") -> None:
        """Let the server be busy from now on."""
        self.route(path, lambda route: route.fulfill(**REFUSED))

    def start_job(self, name: str, text: str) -> None:
        """Start a job with the puzzles of a file."""
        self.open_tab("Batch")
        file = {"name": name, "mimeType": "text/plain", "buffer": text.encode()}
        self.set_input_files("#batch-file", file)
        self.press("Start")

    def at_rest(self) -> None:
        """Wait until nothing fades in or moves any more."""
        self.becomes("document.getAnimations().every(each => each.playState === 'finished')")

    def barriers(self, *rules: str) -> list[str]:
        """What axe finds on the page as it is now, with all rules or some."""
        from axe_playwright_python.sync_playwright import Axe

        # What is still fading in has another contrast than when it is there.
        self.at_rest()
        options = {"resultTypes": ["violations"], **({"runOnly": rules} if rules else {})}
        found = Axe().run(self.page, options=options).response["violations"]
        return [f"{each['id']}: {each['nodes'][0]['html']}" for each in found]


class Visit:
    """A browser page, and its faults: console errors, exceptions, requests to other hosts."""

    def __init__(self, browser: Browser, url: str, **options: Any) -> None:
        self.url = url
        self.faults: list[str] = []
        # Tests of the service worker allow it. To others, requests would be invisible.
        options = {"service_workers": "block", **options}
        self.context = browser.new_context(accept_downloads=True, **options)
        self.page = Player(self.context.new_page())
        self.page.set_default_timeout(30_000)
        self.page.on("console", self._note)
        self.page.on("pageerror", lambda error: self.faults.append(f"exception: {error.stack}"))
        self.page.on("request", lambda request: self._look(request.url))

    def _note(self, message: Any) -> None:
        is_blocked = "Service Worker registration blocked" in message.text
        if message.type in ("error", "warning") and not is_blocked:
            self.faults.append(f"{message.type}: {message.text}")

    def _look(self, url: str) -> None:
        if not url.startswith((self.url, "data:", "blob:")):
            self.faults.append(f"request to {url}")

    def go(self, fragment: str = "") -> Player:
        self.page.goto(f"{self.url}/{fragment}")
        self.page.cell(0).wait_for()
        return self.page

    def close(self) -> None:
        self.context.close()
        assert self.faults == [], self.faults


Go = Callable[..., Visit]


def grid(text: str) -> str:
    side = int(len(text) ** 0.5)
    return "\n".join(text[start : start + side] for start in range(0, len(text), side))


def content(download: Download) -> bytes:
    return Path(download.path()).read_bytes()
