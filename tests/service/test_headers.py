"""Response fields; and clients behind addresses."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from fastapi import Response

from binairo_cp.service.clients import Caller, client_of_address
from binairo_cp.service.limits import Limits
from tests.support.in_process import in_process_app, send_request

if TYPE_CHECKING:
    import httpx


@pytest.fixture
def app(tmp_path: Path) -> Iterator[Any]:
    created = in_process_app(Limits(), tmp_path)
    yield created
    created.state.binairo.store.close()


def get(app: Any, path: str, **headers: str) -> httpx.Response:
    return send_request(app, "GET", path, headers=headers)


def test_every_response_has_the_version(app: Any) -> None:
    for path in ("/healthz", "/v1/limits", "/nowhere", "/v1/jobs/x"):
        assert get(app, path).headers["binairo-version"] == version("binairo-cp")


def test_responses_keep_their_own_fields_even_twice(app: Any) -> None:
    fields = [(b"link", b"</a>"), (b"link", b"</b>"), (b"cache-control", b"max-age=1")]

    def answer() -> Response:
        response = Response()
        response.raw_headers += fields
        return response

    app.add_api_route("/twice", answer)
    headers = get(app, "/twice").headers
    assert headers.get_list("link") == ["</a>", "</b>"]
    assert headers.get_list("cache-control") == ["max-age=1"]


def test_metrics_have_the_build_and_the_process(app: Any) -> None:
    text = app.state.binairo.metrics.text({}, is_full=False).decode()
    assert f'version="{version("binairo-cp")}"' in text
    assert "process_resident_memory_bytes" in text


@pytest.mark.parametrize(
    ("address", "client"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("x" * 1000, "x" * 64),
        ("", ""),
    ],
)
def test_clients_of_addresses(address: str, client: str) -> None:
    assert client_of_address(address) == client


def test_the_possible_cost_grows_with_size_solutions_and_time() -> None:
    small = Caller("a", body_bytes=100)
    assert small.possible_cost(5) < Caller("a", body_bytes=1_000).possible_cost(5) < 5
    assert small.possible_cost(5) < small.possible_cost(30)
    assert Caller("a", body_bytes=100, solutions=10**6).possible_cost(5) == 5
    assert Caller("a", body_bytes=0).possible_cost(0) > 0
