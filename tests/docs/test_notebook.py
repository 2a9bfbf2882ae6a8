"""The notebook is made from the page, and it runs."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from docs import notebook


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
