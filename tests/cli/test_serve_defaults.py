"""Each option of serve can be set in the environment and in the file, and the docs list it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import typer

from binairo_cp import cli
from binairo_cp.cli import defaults
from binairo_cp.service import server
from binairo_cp.service.app_state import Settings
from tests.support.command_line import call

_DOCS = Path(__file__).parents[2] / "docs" / "operating.md"
_ROW = re.compile(r"^\| `(--[a-z-]+)` \| `([A-Z_]+)` \| `([a-z-]+)`(, a list)? \|$", re.MULTILINE)

Started = list[Settings]


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Started:
    """The servers that the command would start; with an empty configuration file."""
    config = tmp_path / "config.toml"
    config.touch()
    monkeypatch.setenv("BINAIRO_CONFIG", str(config))
    seen: Started = []
    monkeypatch.setattr(server, "serve", seen.append)
    return seen


def test_the_table_of_the_docs_lists_all_options() -> None:
    options = defaults.options_of(typer.main.get_command(cli.app).commands["serve"])  # type: ignore[attr-defined]
    expected = {
        (
            name,
            f"BINAIRO_SERVE_{name[2:].replace('-', '_').upper()}",
            name[2:],
            ", a list" if option.multiple else "",
        )
        for name, option in options.items()
    }
    assert set(_ROW.findall(_DOCS.read_text(encoding="utf-8"))) == expected


@pytest.mark.parametrize("variable", ["BINAIRO_PORT", "BINAIRO_SERVE_PORT"])
def test_the_environment_sets_the_port(
    variable: str, started: Started, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, "8123")
    assert call("serve")[0] == 0
    assert call("serve", "--port", "8124")[0] == 0
    assert [each.port for each in started] == [8123, 8124]
    monkeypatch.setenv(variable, "many")
    status, _, error = call("serve")
    assert status == 2
    assert variable in error


def test_the_environment_and_the_file_set_limits(
    started: Started, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "config.toml").write_text(
        '[serve]\nspare-workers = 3\nqueue = 7\nhost-name = ["a.example", "b.example"]\n'
    )
    monkeypatch.setenv("BINAIRO_SERVE_QUEUE", "9")
    monkeypatch.setenv("BINAIRO_SERVE_LOG_LEVEL", "error")
    assert call("serve")[0] == 0
    (settings,) = started
    assert (settings.limits.spare_workers, settings.limits.waiting) == (3, 9)
    assert settings.log_level == "error"
    assert settings.host_names == ["a.example", "b.example"]
