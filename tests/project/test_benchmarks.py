"""Benchmarks: one command runs all of them, and README and docs show their saved results."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import figures, pages
from benchmarks.__main__ import BENCHMARKS
from benchmarks.options import RESULTS

FOLDER = Path(__file__).resolve().parents[2] / "benchmarks"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", *arguments]
    return subprocess.run(command, cwd=FOLDER.parent, capture_output=True, text=True)


def test_all_benchmarks_are_in_the_list() -> None:
    """Every module that reports tables is listed as a benchmark, with a time limit."""
    modules = {
        file.stem
        for file in FOLDER.glob("*.py")
        if "tables.report(" in file.read_text() and file.stem != "__main__"
    }
    assert modules == set(BENCHMARKS)
    assert all(each.seconds > 0 for each in BENCHMARKS.values())


def test_every_result_belongs_to_a_benchmark() -> None:
    assert {file.stem for file in RESULTS.iterdir()} <= set(BENCHMARKS)


@pytest.mark.slow
def test_a_tiny_run_writes_its_results(tmp_path: Path) -> None:
    done = run("benchmarks", "certificates", "--size", "tiny", "--out", str(tmp_path))
    assert done.returncode == 0, done.stdout + done.stderr
    (file,) = tmp_path.iterdir()
    kept = json.loads(file.read_text())
    assert kept["size"] == "tiny"
    assert all(rows for rows in kept["tables"].values())


def test_pages_show_the_saved_results() -> None:
    for page, text in figures.pages(figures.results()).items():
        assert text == page.read_text(), page


def test_every_table_of_the_pages_has_results() -> None:
    results = figures.results()
    blocks = (pages.BLOCK.findall(page.read_text()) for page in pages.DOCS.glob("*.md"))
    named = [(name, title) for found in blocks for _, name, title, _ in found]
    assert len(named) > 10
    assert not [each for each in named if not pages.rows_of(results, *each)]
