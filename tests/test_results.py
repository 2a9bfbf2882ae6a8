"""Files of results: as tables, put together, compared."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.test_cli import call


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Records of all kinds of verdicts."""
    path = tmp_path_factory.mktemp("results") / "r.ndjson"
    call(
        "check",
        "instances/classic/06x06-hard.txt",
        "instances/edge",
        "--output",
        "ndjson",
        "--out",
        str(path),
        "-q",
    )
    return path


def test_a_table_holds_the_records(checked: Path, tmp_path: Path) -> None:
    table, back = tmp_path / "r.parquet", tmp_path / "back.ndjson"
    assert call("merge", str(checked), "--out", str(table))[0] == 0
    assert call("merge", str(table), "--out", str(back))[0] == 0
    assert [json.loads(line) for line in back.open()] == [
        json.loads(line) for line in checked.open()
    ]
