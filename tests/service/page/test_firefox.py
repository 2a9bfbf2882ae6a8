"""The page in Firefox: another engine, so other faults."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support import programs
from tests.support.pages import CLUES, LINK, SOLUTION
from tests.support.serving import Server

pytestmark = [
    pytest.mark.slow,
    pytest.mark.nightly,
    # The driver of Firefox uses what Python and its other dependencies will remove.
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@contextmanager
def firefox(folder: Path) -> Iterator[Any]:
    """Start the browser with its log in a folder, or skip the test if it is not installed."""
    path = programs.needed("firefox-esr")
    try:
        from marionette_driver.marionette import Marionette
    except ImportError:
        assert "BINAIRO_NEEDS_SOLVERS" not in os.environ, "marionette_driver is not installed"
        pytest.skip("marionette_driver is not installed")
    browser = Marionette(
        bin=path, headless=True, port=0, gecko_log=str(folder / "firefox.log"), startup_timeout=300
    )
    try:
        browser.start_session()
        yield browser
    finally:
        browser.cleanup()
        browser.instance.profile.cleanup()


class Visitor:
    """What a player does in Firefox."""

    def __init__(self, browser: Any, url: str) -> None:
        self.browser = browser
        browser.timeout.implicit = 30  # seconds to wait for an element
        browser.navigate(f"{url}/{LINK}")
        self.find("#board .cell")

    def find(self, selector: str) -> Any:
        return self.browser.find_element("css selector", selector)

    def run(self, script: str) -> Any:
        return self.browser.execute_script(f"return {script}", sandbox=None)

    def until(self, script: str) -> None:
        from marionette_driver import Wait

        Wait(self.browser, 60).until(lambda _: self.run(script))

    def cells(self) -> str:
        found = self.run("[...document.querySelectorAll('#board .cell')].map(e => e.dataset.value)")
        return "".join(found)

    def keys(self, *keys: str) -> None:
        for key in keys:
            self.browser.get_active_element().send_keys(key)


def test_a_puzzle_is_played_in_firefox(server: Server, tmp_path: Path) -> None:
    with firefox(tmp_path) as browser:
        play(Visitor(browser, server.url))


def play(visitor: Visitor) -> None:
    assert visitor.cells() == CLUES
    # A menu, below its button.
    visitor.find("[popovertarget=analysis-menu]").click()
    menu, opener = (
        visitor.run(f"document.querySelector('{each}').getBoundingClientRect().toJSON()")
        for each in ("#analysis-menu", "[popovertarget=analysis-menu]")
    )
    assert 0 <= menu["top"] - opener["bottom"] < 20
    visitor.find("#explain").click()
    visitor.until("document.activeElement.innerText === 'Step by step'")
    visitor.find("#answer .close").click()
    visitor.until("document.activeElement.getAttribute('popovertarget') === 'analysis-menu'")
    # A hint.
    for word in ("Show step", "Apply", "Hint"):
        visitor.find("#hint").click()
        visitor.until(f"document.querySelector('#hint').innerText.includes('{word}')")
    assert visitor.cells() != CLUES
    # A dialog.
    visitor.find("#show-settings").click()
    visitor.until("document.querySelector('#settings').open")
    visitor.keys("\ue00c")  # Escape
    visitor.until("document.activeElement.id === 'show-settings'")
    # The keyboard, with zoom.
    visitor.run("document.querySelector('#board .cell').focus()")
    visitor.keys("+", "+")
    assert visitor.run("document.querySelector('[data-board=board] output').value") == "156%"
    for index, value in enumerate(SOLUTION):
        visitor.run(f"document.querySelectorAll('#board .cell')[{index}].focus()")
        if CLUES[index] == ".":
            visitor.keys(value)
    visitor.find(".win")
    assert visitor.cells() == SOLUTION
    # The editor and its analysis.
    visitor.find("#tab-edit").click()
    visitor.until("document.querySelector('#live-count').innerText === '4,140'")
