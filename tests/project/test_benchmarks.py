"""Benchmarks: one command runs all of them, and README and docs show their saved results."""

from __future__ import annotations

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


def test_a_failing_benchmark_does_not_stop_the_others(tmp_path: Path) -> None:
    """The failure: a file exists in place of the results folder."""
    (tmp_path / "file").touch()
    names = ("certificates", "certificates")
    done = run("benchmarks", *names, "--size", "tiny", "--out", f"{tmp_path}/file")
    assert done.returncode == 1
    assert "certificates: failed with status 1" in done.stdout
    assert "0 of 1 benchmarks ran to their end" in done.stdout


def test_unknown_names_are_rejected() -> None:
    done = run("benchmarks", "chess")
    assert done.returncode == 2
    assert "there is no benchmark 'chess'; expected of startup, check" in done.stderr


def test_pages_show_the_saved_results() -> None:
    for page, text in figures.pages(figures.results()).items():
        assert text == page.read_text(), page


def test_tables_of_pages_are_filled_from_results() -> None:
    result = {
        "machine": {"date": "2026-01-01", "processor": "P", "cores": 2},
        "tables": {"sizes, all": [{"a": 1, "b": "x"}]},
    }
    page = "before\n<!-- results: one, sizes -->\nold\n<!-- /results -->\nafter\n"
    table = "| a | b |\n| --- | --- |\n| 1 | x |\n\nMeasured 2026-01-01: P, 2 cores.\n"
    filled = f"before\n<!-- results: one, sizes -->\n\n{table}\n<!-- /results -->\nafter\n"
    assert pages.filled(page, {"one": result}) == filled == pages.filled(filled, {"one": result})
    assert pages.filled(filled, {}) == filled


def test_every_table_of_the_pages_has_results() -> None:
    found = figures.results()
    named = [match for page in pages.DOCS.glob("*.md") for match in named_in(page)]
    assert len(named) > 10
    assert not [each for each in named if not pages.rows_of(found, *each)]


def named_in(page: Path) -> list[tuple[str, str]]:
    return [(name, title) for _, name, title, _ in pages.BLOCK.findall(page.read_text())]


def test_figures_come_from_results() -> None:
    rows = [{"backend": "auto", "median ms": 1.25, "p99 ms": 250.4}]
    result = {
        "machine": {"date": "2026-01-01", "processor": "P", "cores": 2},
        "tables": {"check, irreducible 10x10": rows},
    }
    text = figures.text({"check": result})
    assert "`auto` 1.2 ms (250 ms)" in text
    assert "Measured 2026-01-01: P, 2 cores." in text
    with pytest.raises(ValueError, match="needs the lines"):
        figures.written("no marks", {"check": result})
