"""Files of puzzles as jobs."""

from __future__ import annotations

import json
from itertools import groupby
from typing import TYPE_CHECKING

import pytest

from tests.support.pages import (
    LINK,
    Go,
    cells,
    content,
    message,
    open_tab,
    press,
    taken,
)
from tests.support.serving import Server

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def thousand(server: Server) -> bytes:
    made = [
        server.post("/v1/generate", size=6, grade="easy", count=100, seed=seed).json()["results"]
        for seed in range(10)
    ]
    lines = [f"6x6:{record['clues']} {record['id']}" for some in made for record in some]
    assert len(lines) == 1_000
    return "\n".join(lines).encode()


def test_batch_of_a_thousand_puzzles(page: Page, thousand: bytes) -> None:
    open_tab(page, "Batch")
    page.set_input_files(
        "#batch-file", {"name": "many.txt", "mimeType": "text/plain", "buffer": thousand}
    )
    press(page, "Start")
    page.locator(".job[data-state=done]").wait_for(timeout=120_000)
    message(page, "1,000 results · Easy 1,000", "#results-sum")
    assert "1,000 unique" in page.inner_text(".job")
    assert page.locator("#results-rows tr", has_text=", score ").count() == 100
    download = taken(page, lambda: press(page, "Download"))
    assert download.suggested_filename == "many-grade.ndjson"
    records = [json.loads(line) for line in content(download).splitlines()]
    levels = {
        level: len(list(some)) for level, some in groupby(r["grade"]["level"] for r in records)
    }
    assert levels == {"easy": 1_000}
    page.get_by_role("button", name=f"Play {records[3]['id']}", exact=True).click()
    assert cells(page) == records[3]["clues"]
    open_tab(page, "Batch")
    press(page, "Remove")
    page.get_by_text("No jobs yet").wait_for()


def test_jobs_can_be_cancelled_and_survive_a_reload(visit: Go) -> None:
    page = visit().go(LINK)
    open_tab(page, "Batch")
    hard = "\n".join("." * 900 for _ in range(50)).encode()
    page.select_option("#batch-verb", "fewest")
    page.set_input_files("#batch-file", {"name": "hard.txt", "mimeType": "", "buffer": hard})
    press(page, "Start")
    page.locator(".job[data-state=running]").wait_for()
    page.reload()
    open_tab(page, "Batch")
    page.locator(".job[data-state=running]").wait_for()
    press(page, "Cancel")
    page.locator(".job[data-state=cancelled]").wait_for()
    press(page, "Remove")
    page.get_by_text("No jobs yet").wait_for()
