"""The player's times."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from binairo_cp.formats import read_sources
from tests.support.pages import (
    CLUES,
    LINK,
    MULTIPLE,
    cell,
    cells,
    content,
    grid,
    hint,
    message,
    paste,
    press,
    solve,
    taken,
    until,
)
from tests.support.serving import Server

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.slow


def times(page: Page) -> list[dict[str, Any]]:
    """The records of the downloaded file."""
    press(page, "Statistics")
    download = taken(page, lambda: press(page, "Download"))
    assert download.suggested_filename == "binairo-times.ndjson"
    press(page, "Close")
    return [json.loads(line) for line in content(download).splitlines()]


def test_solving_times_are_exported(page: Page, server: Server, tmp_path: Path) -> None:
    press(page, "Statistics")
    message(page, "There are no times yet", "#times-count")
    assert page.locator("#times-save").is_disabled()
    press(page, "Close")
    message(page, "Expert", "#facts")
    hint(page)
    press(page, "Apply")
    cell(page, 0).press("0")
    press(page, "Check")
    message(page, "1 cell is wrong")
    page.reload()
    page.locator("#board .cell").first.wait_for()
    cell(page, 0).press("1")
    solve(page)
    press(page, "Hint")  # of a solved board: not counted
    message(page, "You solved this")
    grade = server.post("/v1/grade", puzzle=CLUES).json()["grade"]
    (record,) = times(page)
    began = record.pop("began")
    assert began.endswith("Z")
    assert 0 < record.pop("seconds") < 600
    assert record == {
        "height": 6,
        "width": 6,
        "clues": CLUES,
        "signs": [],
        "rules": "classic",
        "grade": {"level": grade["level"], "score": grade["score"]},
        "hints": 1,
        "checks": 1,
        "explained": False,
        "finished": True,
    }
    press(page, "Restart")
    press(page, "Explain")
    page.locator("#answer .card").wait_for()
    press(page, "Close")
    cell(page, 0).press("1")
    paste(page, grid(MULTIPLE))
    first, second = times(page)
    assert first["began"] == began
    assert (second["clues"], second["hints"], second["checks"]) == (CLUES, 0, 0)
    assert second["explained"]
    assert not second["finished"]
    # The file is a file of puzzles too.
    file = tmp_path / "times.ndjson"
    file.write_text(f"{json.dumps(first)}\n{json.dumps(second)}\n")
    assert [str(each.puzzle.board.cells) for each in read_sources([str(file)])] == [CLUES] * 2
    press(page, "Statistics")
    message(page, "2 attempts, 1 finished", "#times-count")
    press(page, "Delete all")
    press(page, "Delete")
    message(page, "There are no times yet", "#times-count")


def test_times_that_mean_nothing_are_not_kept(page: Page) -> None:
    """Of boards that a restart was undone for, and of boards from links."""
    cell(page, 0).press("1")
    press(page, "Restart")
    press(page, "Undo")
    solve(page)
    (record,) = times(page)
    assert not record["finished"], "the attempt before the restart"
    press(page, "Statistics")
    press(page, "Delete all")
    press(page, "Delete")
    press(page, "Close")
    page.evaluate(f"location.hash = '{LINK}&board=a010e0a11c0d11b0c10e'")
    until(page, "!location.hash")
    assert cells(page) == ".0" + CLUES[2:]
    press(page, "Statistics")
    message(page, "There are no times yet", "#times-count")


def test_a_time_that_linkedin_shares_is_kept(page: Page) -> None:
    paste(page, "Tango #275 | 1:25 and flawless")
    message(page, "1:25 is in the statistics")
    (record,) = times(page)
    assert (record["id"], record["clues"], record["seconds"]) == ("tango-275", CLUES, 85)
    assert record["finished"]
    paste(page, grid(MULTIPLE))
    press(page, "Paste or open…")
    page.fill("#paste-text", "Tango n° 275 | 1:25")
    press(page, "Open")
    message(page, "Open that puzzle first", "#paste-note")


def test_times_are_bounded(page: Page) -> None:
    """The latest are kept. Broken records are not exported."""
    page.evaluate(
        """() => {
            const record = {height: 1, width: 2, clues: "..", signs: [], rules: "unruly", seconds: 1};
            for (let n = 1; n <= 1_005; n += 1) {
                localStorage[`binairo:time:${n}`] = n === 1_005 ? "{" : JSON.stringify({...record, n});
            }
        }"""
    )
    assert [record["n"] for record in times(page)] == list(range(6, 1_005))
    page.evaluate("localStorage['binairo:time:500'] = JSON.stringify({clues: '.'.repeat(500_000)})")
    assert [record["n"] for record in times(page)] == list(range(501, 1_005))
