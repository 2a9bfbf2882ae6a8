"""The board that other sites can embed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import httpx
import pytest

from binairo_cp.errors import ServiceError
from binairo_cp.service import page
from tests.support.browsing import Visit
from tests.support.serving import Server, serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PUZZLE = "embed?puzzle=6x6:b10e0a11c0d11b0c10e&rules=classic"
SOLUTION = "101010011001110100100110001011010101"
SITE = "https://example.org"


@pytest.mark.parametrize("text", ["example.org", "https://a.org/path", "https://a.org;x", "none"])
def test_embed_origins_are_origins(text: str) -> None:
    with pytest.raises(ServiceError, match=r"--embed-origins .*expected an origin"):
        page.parse_embed_origins([text])
    assert page.parse_embed_origins(["HTTPS://Example.org:8443", "*"]) == (
        "https://example.org:8443",
        "*",
    )


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("data"), "--embed-origins", SITE) as running:
        yield running


@pytest.fixture
def visit(browser: Browser, server: Server) -> Iterator[Visit]:
    visit = Visit(browser, server.url, viewport={"width": 360, "height": 420})
    yield visit
    visit.close()


def _cells(page: Page) -> str:
    values: list[str] = page.locator("#board .cell").evaluate_all(
        "cells => cells.map(cell => cell.dataset.value)"
    )
    return "".join(values)


@pytest.mark.slow
def test_only_the_board_may_be_framed(server: Server) -> None:
    policy = httpx.get(server.url + f"/{PUZZLE}").headers["content-security-policy"]
    assert f"frame-ancestors {SITE}" in policy
    assert (
        "frame-ancestors 'none'" in httpx.get(server.url + "/").headers["content-security-policy"]
    )


@pytest.mark.slow
def test_an_embedded_board_is_played(visit: Visit) -> None:
    page = visit.go(PUZZLE)
    assert page.evaluate("document.documentElement.scrollHeight") <= 420
    full = page.locator("#full").get_attribute("href")
    assert full == "./#" + PUZZLE.partition("?")[2]
    first = page.locator("#board .cell").first
    first.focus()
    page.keyboard.press("1")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("1")
    page.get_by_text("Too many equal symbols (1) next to each other in row 1.").wait_for()
    assert page.locator("#board .is-broken").count() == 3
    page.keyboard.press("Control+z")
    assert page.locator("#board .is-broken").count() == 0
    for index, value in enumerate(SOLUTION):
        page.locator("#board .cell").nth(index).press(value)
    page.get_by_text("Solved. Well done!").wait_for()
    page.locator("#board .cell").first.press("0")
    assert _cells(page) == SOLUTION


@pytest.mark.slow
@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("", "contains no puzzle"),
        ("?puzzle=x", "not in the form"),
        ("?puzzle=2x2:d&rules=sudoku", "not the name of rules"),
        ("?puzzle=2x2:d&signs=1.1Re", "beyond the board"),
    ],
)
def test_a_wrong_address_is_explained(visit: Visit, query: str, message: str) -> None:
    visit.page.goto(f"{visit.url}/embed{query}")
    visit.page.get_by_text(message).wait_for()
