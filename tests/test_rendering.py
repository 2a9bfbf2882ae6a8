from __future__ import annotations

import io
from pathlib import Path

import pypdf

from tests.test_cli import call

PUZZLES = "instances/classic/06x06-hard.txt"


def test_a_book_has_a_page_of_puzzles_and_one_of_answers(tmp_path: Path) -> None:
    out = tmp_path / "book.pdf"
    assert call("render", PUZZLES, "-o", str(out), "-q") == (0, "", "")
    again = tmp_path / "again.pdf"
    assert call("render", PUZZLES, "-o", str(again), "-q")[0] == 0
    assert out.read_bytes() == again.read_bytes()
    assert len(pypdf.PdfReader(io.BytesIO(out.read_bytes())).pages) == 2
