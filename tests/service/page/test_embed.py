"""The board that other sites can embed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import httpx
import pytest

from binairo_cp.errors import ServiceError
from binairo_cp.service import page
from tests.support.pages import LINK, SOLUTION, Visit
from tests.support.serving import Server, serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser

PUZZLE = f"embed?{LINK[1:]}"
SITE = "https://example.org"


@pytest.mark.parametrize("text", ["example.org", "https://a.org/path", "https://a.org;x", "none"])
def test_embed_origins_are_origins(text: str) -> None:
    with pytest.raises(ServiceError, match=r"--embed-origins .*expected an origin"):
        page.parse_embed_origins([text])
    known = ["HTTPS://Example.org:8443", "*"]
    assert page.parse_embed_origins(known) == ("https://example.org:8443", "*")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("data"), "--embed-origins", SITE) as running:
        yield running


@pytest.fixture
def visit(browser: Browser, server: Server) -> Iterator[Visit]:
    visit = Visit(browser, server.url, viewport={"width": 360, "height": 420})
    yield visit
    visit.close()


@pytest.mark.slow
def test_an_embedded_board_is_played(visit: Visit) -> None:
    for path, framed in ((PUZZLE, SITE), ("", "'none'")):
        policy = httpx.get(f"{visit.url}/{path}").headers["content-security-policy"]
        assert f"frame-ancestors {framed}" in policy
    page = visit.go(PUZZLE)
    assert page.evaluate("document.documentElement.scrollHeight") <= 420
    assert page.get_attribute("#full", "href") == f"./{LINK}"
    page.cell(0).press("1")
    page.cell(1).press("1")
    page.get_by_text("Too many equal symbols (1) next to each other in row 1.").wait_for()
    page.count_is("#board .is-broken", 3)
    page.keyboard.press("Control+z")
    page.count_is("#board .is-broken", 0)
    for index, value in enumerate(SOLUTION):
        page.cell(index).press(value)
    page.get_by_text("Solved. Well done!").wait_for()
    page.cell(0).press("0")
    page.board_is(SOLUTION)


@pytest.mark.slow
def test_a_wrong_address_is_explained(visit: Visit) -> None:
    for query, message in (
        ("", "contains no puzzle"),
        ("?puzzle=x", "not in the form"),
        ("?puzzle=2x2:d&rules=sudoku", "not the name of rules"),
        ("?puzzle=2x2:d&signs=1.1Re", "beyond the board"),
    ):
        visit.page.goto(f"{visit.url}/embed{query}")
        visit.page.get_by_text(message).wait_for()
