"""What the page of a site answers itself, with the package in the browser: as a server would."""

from __future__ import annotations

import json
import shutil
import zipfile
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import binairo_cp as bn
from binairo_cp.service import bodies, in_browser
from binairo_cp.service.in_browser import respond
from binairo_cp.service.static_site import _NEEDED, _PYODIDE
from tests.project.test_pyodide import MODULES, needed
from tests.service.test_routes import timeless
from tests.support.command_line import KNOWN, MULTIPLE, NONE, UNIQUE, call
from tests.support.pages import Visit
from tests.support.serving import Server, hosted

if TYPE_CHECKING:
    from playwright.sync_api import Browser

RECORD = {"height": 6, "width": 6, "clues": UNIQUE}


@pytest.mark.parametrize(("word", "options"), [
    ("check", {"puzzle": UNIQUE}),
    ("check", {"puzzle": NONE}),
    ("count", {"puzzle": MULTIPLE, "limit": 10}),
    ("explain", {"puzzle": RECORD, "language": "de"}),
    ("hint", {"puzzle": RECORD, "board": KNOWN[:-1] + "."}),
    ("clues", {"puzzle": RECORD}),
    ("check", {"puzzle": "..1"}),
    ("hint", {"puzzle": RECORD, "board": "0"}),
    ("generate", {"size": 6, "seed": 1, "count": 2}),
    ("generate", {"size": 7, "rules": "plus", "signs": 500}),
    ("encode", {"puzzle": UNIQUE, "to": "opb"}),
    ("render", {"puzzle": RECORD, "to": "svg", "hint": True}),
    ("convert", {"puzzles": f"{UNIQUE}\n{MULTIPLE}\n", "to": "task"}),
    ("convert", {"puzzle": UNIQUE, "to": "nothing"}),
])  # fmt: skip
def test_the_answers_are_those_of_a_server(server: Server, word: str, options: Any) -> None:
    response = respond(word, json.dumps(options))
    expected = server.post(f"/v1/{word}", **options)
    assert response.status == expected.status_code
    if not expected.headers["content-type"].endswith("json"):
        assert response.content == expected.content
        assert response.media_type == expected.headers["content-type"].partition(";")[0]
    elif expected.is_success:
        more = ("limits", "seed", "complete")
        assert timeless(json.loads(response.content), *more) == timeless(expected.json(), *more)
    else:
        assert json.loads(response.content)["detail"]


def test_a_file_of_puzzles_is_read_and_decided() -> None:
    puzzles = f"{UNIQUE}\n{NONE}\nno puzzle\n".encode()
    read = [json.loads(line) for line in respond("read", "{}", puzzles).content.splitlines()]
    expected = [("1", None), ("2", None), ("puzzle", "invalid")]
    assert [(record["id"], record.get("verdict")) for record in read] == expected
    response = respond("check", "{}", memoryview(puzzles))
    verdicts = [json.loads(line)["verdict"] for line in response.content.splitlines()]
    assert verdicts == ["unique", "none", "invalid"]


def test_what_is_missing_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert respond("jobs", "{}").status == 501

    def without_numpy(*_: Any) -> None:
        raise ModuleNotFoundError("No module named 'numpy'", name="numpy")

    monkeypatch.setitem(in_browser._FILES, "certify", (bodies.CERTIFY, without_numpy))
    response = respond("certify", json.dumps({"puzzle": UNIQUE}))
    assert response.status == 501
    assert b"this site can't do it without numpy" in response.content
    (tmp_path / "pyodide.mjs").touch()
    status, _, error = call("page", "--out", str(tmp_path / "site"), "--solver", str(tmp_path))
    assert status == 2
    assert "has no pyodide.asm.mjs, " in error
    assert "pydantic_core-*.whl" in error


def test_the_site_has_the_package_and_no_server_is_asked(tmp_path: Path) -> None:
    for name in (*_PYODIDE, *(f"{needs}-1-any.whl" for needs in _NEEDED)):
        (tmp_path / name).write_bytes(b"0")
    site = tmp_path / "site"
    assert call("page", "--out", str(site), "--solver", str(tmp_path))[0] == 0
    (folder,) = site.glob("solver-*")
    index, worker = ((site / name).read_text() for name in ("index.html", "worker.js"))
    assert f'data-solver="{folder.name}/"' in index
    assert 'data-server="none"' not in index
    assert "Tango" in index
    assert f"{folder.name}/pyodide.asm.wasm" in worker
    names = zipfile.ZipFile(BytesIO((folder / "package.zip").read_bytes())).namelist()
    assert "binairo_cp/service/in_browser.py" in names
    assert not [name for name in names if name.endswith((".so", ".js")) or "/cli/" in name]


@pytest.mark.slow
@pytest.mark.skipif(
    not (MODULES / "pyodide").exists(),
    reason="pyodide is not installed (make .venv/clients/.installed, with npm)",
)
def test_a_site_solves_in_the_browser(browser: Browser, tmp_path: Path) -> None:
    folder = tmp_path / "solver"
    shutil.copytree(MODULES / "pyodide", folder)
    needed(folder, "pydantic", "python-sat")
    site = tmp_path / "site"
    assert call("page", "--out", str(site), "--solver", str(folder))[0] == 0
    with hosted(site) as host:
        visit = Visit(browser, host, service_workers="allow")
        visit.page.set_default_timeout(120_000)
        page = visit.go()
        page.locator("h1").first.click()
        page.new_puzzle(6, 8, grade="expert")
        page.message("6 × 8", "#title")
        clues = page.cells()
        rows = "\n".join(clues[start : start + 8] for start in range(0, 48, 8))
        for name, text in (("Explain", "Step 1 of"), ("Grade", "Expert")):
            page.press(name)
            page.message(text, "#answer")
        page.press("Show solution")
        page.message("exactly one solution", "#answer")
        page.board_is(bn.solve(rows).solution.cells)  # type: ignore[union-attr]
        page.press("Close")
        page.edit_copy()
        page.live("Unique", "1")
        page.dialog("Export")
        page.select_option("#export-to", label="Certificate")
        page.taken(lambda: page.press("Download")).save_as(tmp_path / "a.zip")
        page.keyboard.press("Escape")
        assert str(bn.verify(tmp_path / "a.zip")) == "valid: exactly one solution"
        page.start_job("a.txt", f"{UNIQUE}\nno puzzle\n{NONE}")
        page.message("1 unique, 1 invalid, 1 none", "#jobs")
        page.count_is("#results-rows tr", 3)
        assert visit.faults == []
    # The host has stopped.
    page.goto(f"{visit.url}/")
    page.cell(0).click()
    page.new_puzzle(8, 6, rules="tango", grade="hard")
    page.message("Tango 8 × 6", "#title")
    visit.close()
