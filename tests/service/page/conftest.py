"""The server and the browser of the tests of the page: one each for a test process."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.pages import LINK, Go, Visit, chromium
from tests.support.serving import Server, serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@pytest.fixture(scope="package")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("data")) as running:
        yield running


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    with chromium() as running:
        yield running


@pytest.fixture
def visit(server: Server, browser: Browser) -> Iterator[Go]:
    """Opens pages; each must end without a console error or a request to another host."""
    visits: list[Visit] = []

    def begin(**options: Any) -> Visit:
        visits.append(Visit(browser, server.url, **options))
        return visits[-1]

    yield begin
    for each in visits:
        each.close()


@pytest.fixture
def page(visit: Go) -> Page:
    """A page with a 6x6 puzzle, opened with its link."""
    return visit().go(LINK)
