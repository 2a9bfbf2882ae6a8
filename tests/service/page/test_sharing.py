"""Printing and exports."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING

import pypdf
import pytest

from tests.support.pages import (
    CLUES,
    LINK,
    Go,
    content,
    message,
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


def test_exporting_does_not_show_an_earlier_format(page: Page) -> None:
    # The text of the first format is read only after that of the second is shown.
    page.evaluate("""() => {
        const read = Blob.prototype.text;
        let first = true;
        Blob.prototype.text = async function () {
            const isHeld = first;
            first = false;
            if (isHeld) await new Promise((resolve) => { window.release = resolve; });
            const text = await read.call(this);
            if (isHeld) window.wasReleased = true;
            return text;
        };
    }""")
    press(page, "Export")
    until(page, "Boolean(window.release)")
    page.select_option("#export-to", "convert:unruly")
    until(page, "document.querySelector('#export-text').value.startsWith('6x6u:')")
    page.evaluate("window.release()")
    until(page, "Boolean(window.wasReleased)")
    assert page.input_value("#export-text").startswith("6x6u:")


def test_exporting_cnf(page: Page, server: Server) -> None:
    press(page, "Export")
    for is_unique in (False, True):
        page.select_option("#export-to", "encode:dimacs")
        page.set_checked("#export-unique", is_unique)
        body = {"puzzle": CLUES, **({"unique": "auto"} if is_unique else {})}
        header = re.findall(r"p cnf \d+ \d+", server.post("/v1/encode", **body).text)
        until(
            page,
            "header => document.querySelector('#export-text').value.includes(header)",
            header[0],
        )
