"""What is made of code or of other pages is up to date: listings, notebook, manual, pictures."""

import re
import shutil
import subprocess
from pathlib import Path

import nbformat
import pytest
import typer
from nbclient import NotebookClient
from PIL import Image, ImageChops

import binairo_cp as bn
from binairo_cp import cli
from docs import board_pictures, listings, man, notebook, screenshots, sizes
from tests.support.pages import chromium


@pytest.mark.parametrize("name", ["commands.md", "api.md"])
def test_the_page_is_up_to_date(name: str) -> None:
    """`python -m docs.listings` writes it anew."""
    assert (listings.FOLDER / name).read_text() == listings.pages()[name]


def test_the_notebook_is_that_of_the_page() -> None:
    assert notebook.NOTEBOOK.read_text() == notebook.text(), "run python -m docs.notebook"


@pytest.mark.slow
def test_the_notebook_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("IPYTHONDIR", "JUPYTER_RUNTIME_DIR", "TMPDIR"):
        monkeypatch.setenv(name, str(tmp_path))
    tour = nbformat.read(notebook.NOTEBOOK, 4)
    resources = {"metadata": {"path": str(notebook.NOTEBOOK.parent)}}
    NotebookClient(tour, timeout=600, resources=resources).execute()
    outputs = [each["data"] for cell in tour.cells for each in cell.get("outputs", [])]
    assert any("image/png" in each for each in outputs)
    assert len([each for each in outputs if "text/html" in each]) >= 4
    assert outputs[-1]["text/plain"] == "'valid: exactly one solution'"


def test_the_manual_page_has_all_commands_and_options(tmp_path: Path) -> None:
    man.main(str(tmp_path / "man" / "binairo.1"))
    page = (tmp_path / "man" / "binairo.1").read_text()
    plain = re.sub(r"\\f[BIR]", "", page).replace("\\-", "-")
    group = typer.main.get_command(cli.app)
    for name, command in group.commands.items():
        start = plain.index(f".SS binairo {name} ")
        section = plain[start : plain.find(".SS", start + 1)]
        for parameter in command.params:
            assert ", ".join(parameter.opts) in section or parameter.metavar in section
    assert "[bold]" not in page


@pytest.mark.skipif(not shutil.which("mandoc"), reason="mandoc is not installed")
def test_the_manual_page_is_valid(tmp_path: Path) -> None:
    man.main(str(tmp_path / "binairo.1"))
    lint = ["mandoc", "-T", "lint", "-W", "warning", str(tmp_path / "binairo.1")]
    done = subprocess.run(lint, capture_output=True, text=True)
    known = ("missing date", "skipping paragraph macro")
    lines = [each for each in done.stdout.splitlines() if not any(map(each.__contains__, known))]
    assert lines == []


_CLEAR = 60
_MOST_CHANGED = 0.04
"""The share of pixels that may differ clearly: fonts and small changes, but not another page."""


@pytest.mark.parametrize("technique", board_pictures.TECHNIQUES)
def test_each_board_shows_its_technique(technique: str) -> None:
    hint = bn.hint(board_pictures.TECHNIQUES[technique])
    assert hint.step.technique == technique


def test_the_drawn_boards_are_up_to_date() -> None:
    kept = {path.name: path.read_bytes() for path in board_pictures.FOLDER.glob("*.svg")}
    assert kept == board_pictures.pictures(), "run python -m docs.board_pictures"


@pytest.mark.slow
def test_the_picture_of_the_page_looks_like_the_page() -> None:
    with chromium() as browser:
        now = screenshots.page_with_hint(browser).convert("L")
    with Image.open(screenshots.PICTURE) as kept:
        assert kept.size == now.size
        changed = ImageChops.difference(now, kept.convert("L")).histogram()[_CLEAR:]
    assert sum(changed) <= _MOST_CHANGED * now.width * now.height, "run make screenshots"


PAGE = (Path(__file__).resolve().parents[2] / "docs/installation.md").read_text()
STATED = {
    "": re.search(r"it takes (\d+) MB", PAGE),
    "without OR-Tools": re.search(r"it is (\d+) MB", PAGE),
} | {extra: re.search(rf"\| `{extra}` \|.*\| (\d+) MB \|", PAGE) for extra in sizes.EXTRAS}


def test_sizes() -> None:
    stated = {extra: int(found[1]) for extra, found in STATED.items() if found}
    assert len(stated) >= 8
    measured = {extra: size for extra, size in sizes.sizes().items() if extra in stated}
    # Newer versions of packages have other sizes.
    assert stated == pytest.approx(measured, rel=0.2, abs=5)
