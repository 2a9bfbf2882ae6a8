"""The server of the tests: one for each test process, since it takes seconds to start."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.client import Client
from tests.support.serving import Server, serving

# Small limits, which tests can reach; and a long one, for requests that tests interrupt.
_OPTIONS = (*("--jobs-waiting", "2", "--body", "64", "--upload", "1", "--time-limit", "3600"),)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A running server. Tests leave it as they found it: no requests, no running jobs."""
    with serving(tmp_path_factory.mktemp("data"), *_OPTIONS) as running:
        yield running


@pytest.fixture
def client(server: Server) -> Iterator[Client]:
    with Client(server.url) as each:
        yield each
