"""Printing, exports, and files of puzzles as jobs."""

from __future__ import annotations

import io
import json
from itertools import groupby
from typing import TYPE_CHECKING

import pypdf
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
    until,
)
from tests.support.serving import Server

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.slow


def test_titles_may_have_accents(visit: Go) -> None:
    going = visit()
    page = going.go(LINK)
    press(page, "Print")
    download = page.locator("#print [type=submit]")
    for form in ("png", "pdf"):
        page.select_option("#print-form", form)
        page.fill("#print-title-text", "Café, Łódź, Αθήνα, Київ")
        assert len(content(taken(page, download.click))) > 1_000
        page.fill("#print-title-text", "数独")
        download.click()
        message(page, "The font has no '数' for '数独'.* SVG and HTML use the fonts", "#print-note")
        assert "--" not in page.inner_text("#print")
    assert all("422" in fault for fault in going.faults)
    going.faults.clear()


def test_printing(page: Page) -> None:
    press(page, "Print")
    page.check("#print-answer")
    pdf = taken(page, lambda: page.locator("#print [type=submit]").click())
    assert pdf.suggested_filename.endswith(".pdf")
    assert len(pypdf.PdfReader(io.BytesIO(content(pdf))).pages) == 2
    page.select_option("#print-form", "pdf-steps")
    assert page.locator("#print-answer").is_disabled(), "the steps end with it"
    steps = content(taken(page, lambda: page.locator("#print [type=submit]").click()))
    assert steps.startswith(b"%PDF-")
    page.select_option("#print-form", "pdf")
    page.select_option("#print-count", "4")
    page.uncheck("#print-answer")
    sheet = content(taken(page, lambda: page.locator("#print [type=submit]").click()))
    (only,) = pypdf.PdfReader(io.BytesIO(sheet)).pages
    assert {"1", "2", "3", "4"} <= {*only.extract_text().split()}
    page.check("#print-answer")
    page.select_option("#print-form", "svg")
    svg = content(taken(page, lambda: page.locator("#print [type=submit]").click()))
    assert b"<svg" in svg
    page.select_option("#print-form", "html-steps")
    html = content(taken(page, lambda: page.locator("#print [type=submit]").click()))
    assert b"<html" in html
    press(page, "Close")
    page.emulate_media(media="print")
    assert page.locator("#board").is_visible()
    assert page.get_by_text("No row or column has three equal symbols").is_visible()
    assert not page.get_by_role("button").filter(visible=True).count()


@pytest.mark.parametrize(
    ("form", "start"),
    [
        ("convert:text", "..10"),
        ("convert:unruly", "6x6u:CafBAdEAcDaf"),
        ("convert:csv", ""),
        ("encode:opb", "* "),
        ("encode:dzn", ""),
    ],
)
def test_exporting(page: Page, form: str, start: str) -> None:
    press(page, "Export")
    page.select_option("#export-to", form)
    until(page, "document.querySelector('#export-text').value.length > 0")
    text = page.input_value("#export-text")
    assert start in text
    download = taken(page, lambda: press(page, "Download"))
    assert content(download).decode().startswith(text)


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
