"""The service through real HTTP: what is asked, what is answered."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from binairo_cp.schema import ResultRecord
from tests.serving import Server, serving
from tests.test_cli import KNOWN, MULTIPLE, NONE, UNIQUE


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("data")) as running:
        yield running


def test_it_lives_and_is_ready(server: Server) -> None:
    assert server.http.get("/healthz").json() == {"status": "ok"}
    assert server.http.get("/readyz").json() == {"status": "ready"}


@pytest.mark.parametrize(
    ("cells", "verdict"), [(UNIQUE, "unique"), (MULTIPLE, "multiple"), (NONE, "none")]
)
def test_check_tells_the_record_of_the_batch(server: Server, cells: str, verdict: str) -> None:
    told = server.post("/v1/check", puzzle=cells).json()
    assert told.pop("limits") == {"time_limit": 5.0, "side": 100}
    record = ResultRecord.model_validate(told)
    assert (record.verdict, record.clues, record.backend) == (verdict, cells, "bitboard")
    assert record.model_dump(exclude_none=True, mode="json") == told
    if verdict == "unique":
        assert record.solution == KNOWN
