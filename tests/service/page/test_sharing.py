"""Printing, exports, and files of puzzles as jobs."""

from __future__ import annotations

import io
import json

import pypdf
import pytest

from tests.support.pages import LINK, Go, Player, content
from tests.support.serving import Server

pytestmark = pytest.mark.slow


def test_titles_may_have_accents(visit: Go) -> None:
    going = visit()
    page = going.go(LINK)
    page.dialog("Print")
    for form in ("png", "pdf"):
        page.select_option("#print-form", form)
        page.fill("#print-title-text", "Café, Łódź, Αθήνα, Київ")
        assert len(content(page.taken(lambda: page.click(PRINT)))) > 1_000
        page.fill("#print-title-text", "数独")
        page.click(PRINT)
        page.message("The font has no '数' for '数独'.* SVG and HTML use the fonts", "#print-note")
        assert "--" not in page.inner_text("#print")
    assert all("422" in fault for fault in going.faults)
    going.faults.clear()


PRINT = "#print [type=submit]"


def test_printing(page: Player) -> None:
    def made(form: str) -> bytes:
        page.select_option("#print-form", form)
        return content(page.taken(lambda: page.click(PRINT)))

    page.dialog("Print")
    page.check("#print-answer")
    assert len(pypdf.PdfReader(io.BytesIO(made("pdf"))).pages) == 2
    assert made("pdf-steps").startswith(b"%PDF-")
    page.locator("#print-answer:disabled").wait_for()  # the steps end with it
    page.select_option("#print-form", "pdf")
    page.select_option("#print-count", "4")
    page.uncheck("#print-answer")
    (only,) = pypdf.PdfReader(io.BytesIO(made("pdf"))).pages
    assert {"1", "2", "3", "4"} <= {*only.extract_text().split()}
    page.check("#print-answer")
    assert b"<svg" in made("svg")
    assert b"<html" in made("html-steps")
    page.press("Close")
    page.emulate_media(media="print")
    page.get_by_text("No row or column has three equal symbols").wait_for()
    page.locator("#board").wait_for()
    page.count_is("button >> visible=true", 0)


def test_exporting(page: Player) -> None:
    page.dialog("Export")
    for form, start in (
        ("convert:text", "..10"),
        ("convert:unruly", "6x6u:CafBAdEAcDaf"),
        ("convert:csv", ""),
        ("encode:opb", "* "),
        ("encode:dzn", ""),
    ):
        page.select_option("#export-to", form)
        download = content(page.taken(lambda: page.press("Download"))).decode()
        text = page.input_value("#export-text")
        assert text
        assert start in text
        assert download.startswith(text)


def test_batch_of_a_thousand_puzzles(page: Player, server: Server) -> None:
    made = [
        server.post("/v1/generate", size=6, grade="easy", count=100, seed=seed).json()["results"]
        for seed in range(10)
    ]
    lines = [f"6x6:{record['clues']} {record['id']}" for some in made for record in some]
    assert len(lines) == 1_000
    page.start_job("many.txt", "\n".join(lines))
    page.locator(".job[data-state=done]").wait_for(timeout=120_000)
    page.message("1,000 results · Easy 1,000", "#results-sum")
    page.message("1,000 unique", ".job")
    rows = page.locator("#results-rows tr").filter(has_text=", score ")
    page.is_so(rows.count, 100)
    download = page.taken(lambda: page.press("Download"))
    assert download.suggested_filename == "many-grade.ndjson"
    records = [json.loads(line) for line in content(download).splitlines()]
    assert [record["grade"]["level"] for record in records] == ["easy"] * 1_000
    page.get_by_role("button", name=f"Play {records[3]['id']}", exact=True).click()
    page.board_is(records[3]["clues"])
    page.open_tab("Batch")
    page.press("Remove")
    page.get_by_text("No jobs yet").wait_for()


def test_jobs_can_be_cancelled_and_survive_a_reload(page: Player) -> None:
    page.open_tab("Batch")
    page.select_option("#batch-verb", "fewest")
    page.start_job("hard.txt", "\n".join("." * 900 for _ in range(50)))
    page.locator(".job[data-state=running]").wait_for()
    page.reload()
    page.open_tab("Batch")
    page.locator(".job[data-state=running]").wait_for()
    page.press("Cancel")
    page.locator(".job[data-state=cancelled]").wait_for()
    page.press("Remove")
    page.get_by_text("No jobs yet").wait_for()
