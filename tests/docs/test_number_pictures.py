"""The pictures of docs/numbers.md and the record puzzles of the page come from the kept data."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import binairo_cp as bn
from docs import number_pictures


@pytest.fixture
def records(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    monkeypatch.setattr(number_pictures, "RECORDS", tmp_path / "records.json")
    number_pictures.write_records()
    return (tmp_path / "records.json").read_text()


def test_the_record_puzzles_of_the_page(records: str) -> None:
    page = Path(bn.__file__).parent / "service/static/records.json"
    assert page.read_text() == records
    found = json.loads(records)
    assert len(found) == 6
    for record in found:
        assert bn.check(record["clues"]).verdict == "unique"


def test_no_clue_of_the_irreducible_records_is_redundant(records: str) -> None:
    found = [each for each in json.loads(records) if "none redundant" in each["id"]]
    assert len(found) == 2
    for record in found:
        cells = record["clues"]
        for place, cell in enumerate(cells):
            if cell != ".":
                fewer = cells[:place] + "." + cells[place + 1 :]
                assert bn.check(fewer).verdict == "multiple"


def test_the_pictures_are_those_of_the_files(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    kept = number_pictures.NUMBERS
    for name in number_pictures.EXTREMES:
        (tmp_path / f"{name}.line").write_text((kept / f"{name}.line").read_text())
    monkeypatch.setattr(number_pictures, "NUMBERS", tmp_path)
    number_pictures.draw_puzzles()
    for name in number_pictures.EXTREMES:
        assert (tmp_path / f"{name}.svg").read_bytes() == (kept / f"{name}.svg").read_bytes()


def test_the_minima_of_6x6() -> None:
    assert number_pictures.minima(6) == [(5, 21), (6, 12), (7, 235), (8, 53)]
