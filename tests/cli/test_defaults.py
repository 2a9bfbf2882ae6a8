"""Defaults from the environment, what help shows, and puzzles in place of files."""

import json
import re
from pathlib import Path

import pytest
import typer

from binairo_cp import cli
from binairo_cp.formats import reading
from binairo_cp.service import server
from binairo_cp.service.app_state import Settings
from tests.support.command_line import NONE, UNIQUE, call

_DOCS = Path(__file__).parents[2] / "docs" / "operating.md"
_ROW = re.compile(r"^\| `(--[a-z-]+)` \| `([A-Z_]+)` \|$", re.MULTILINE)


def test_variables_set_options_that_the_command_line_does_not(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("BINAIRO_LINES_NUMBER", "0 1")
    assert call("lines", "4")[1].split() == ["0011", "0101"]
    assert call("lines", "4", "-k", "1")[1].split() == ["0101"]


@pytest.mark.parametrize(("value", "has_summary"), [("1", False), ("no", True), ("", True)])
def test_a_flag_is_true_or_false(value: str, has_summary: bool, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("BINAIRO_CHECK_QUIET", value)
    assert ("1 puzzle" in call("check", UNIQUE)[2]) == has_summary


@pytest.mark.parametrize(
    ("option", "value"), [("WORKERS", "many"), ("QUIET", "maybe"), ("BACKEND", "best")]
)
def test_a_wrong_variable_is_named_where_it_is_used(
    option: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"BINAIRO_CHECK_{option}", value)
    status, out, error = call("check", UNIQUE)
    assert (status, out) == (2, "")
    words = "".join(error.replace("│", " ").split())
    assert f"(setbyBINAIRO_CHECK_{option})" in words
    assert call("check", "--help")[0] == 0
    assert "set by" not in call("check", UNIQUE, "--workers", "x")[2]


def test_variables_set_the_options_of_serve(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[Settings] = []
    monkeypatch.setattr(server, "serve", started.append)
    monkeypatch.setenv("BINAIRO_SERVE_QUEUE", "9")
    monkeypatch.setenv("BINAIRO_SERVE_PORT", "8123")
    monkeypatch.setenv("BINAIRO_SERVE_UPLOAD", "2")
    monkeypatch.setenv("BINAIRO_SERVE_HOST_NAME", "a.example b.example")
    options = ["--port", "8124", "--time-limit", "3", "--keep", "0.5", "--workers", "3"]
    assert call("serve", *options)[0] == 0
    [settings] = started
    limits = settings.limits
    assert (limits.waiting, limits.upload_bytes, settings.port) == (9, 2 << 20, 8124)
    assert (limits.most_time, limits.time_limit, limits.keep_days) == (3.0, 3.0, 0.5)
    assert limits.workers == 3
    assert settings.host_names == ["a.example", "b.example"]


def test_the_table_of_the_docs_lists_the_variables_of_serve() -> None:
    command = typer.main.get_command(cli.app).commands["serve"]  # type: ignore[attr-defined]
    options = command.get_params(typer.Context(command))
    expected = {
        (option.opts[0], option.envvar) for option in options if getattr(option, "envvar", None)
    }
    assert set(_ROW.findall(_DOCS.read_text(encoding="utf-8"))) == expected


@pytest.mark.parametrize(("argument", "verdict"), [
    (UNIQUE, "unique"), (f"6x6:{NONE}", "none"), ("6x6u:CafBAdEAcDaf", "unique"),
    ("https://example.org/unruly.html#6x6u:CafBAdEAcDaf", "unique"),
    ("b10e0a11c0d11b0c10e", "unique"), ("4x9:" + "." * 35, "invalid"),
])  # fmt: skip
def test_a_puzzle_in_place_of_a_file(argument: str, verdict: str) -> None:
    _, out, _ = call("check", argument, "--to", "ndjson")
    record = json.loads(out)
    assert (record["verdict"], record["source"], record["line"]) == (verdict, "argument", 1)


def test_a_file_comes_before_a_puzzle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("0110").write_text(f"{UNIQUE} named\n")
    assert "0110:1: named: unique" in call("check", "0110")[1]


@pytest.mark.parametrize("name", ["puzzles.txt", "test1", "a0b", "6x6", "", "no/01..", "."])
def test_other_names_are_files(name: str) -> None:
    assert not reading.is_puzzle(name)
