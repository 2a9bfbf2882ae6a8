from __future__ import annotations

import json
from pathlib import Path

import pytest

from binairo_cp.formats import reading
from tests.support.command_line import KNOWN, NONE, UNIQUE, call


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "config.toml"
    path.touch()
    monkeypatch.setenv("BINAIRO_CONFIG", str(path))
    return path


def _backend(*arguments: str) -> str:
    status, out, err = call("check", UNIQUE, "--to", "ndjson", *arguments)
    assert status == 0, err
    return json.loads(out)["backend"]


@pytest.mark.usefixtures("without_workers")
def test_the_file_sets_defaults_for_one_command_and_for_all(config: Path) -> None:
    config.write_text('quiet = true\nbackend = "pysat"\n[check]\nbackend = "backtracking"\n')
    assert _backend() == "backtracking"
    assert _backend("-b", "cpsat") == "cpsat"
    assert call("solve", UNIQUE, "--to", "line")[2] == ""
    assert call("solve", UNIQUE, "--to", "line")[1].split()[0] == KNOWN


@pytest.mark.usefixtures("without_workers")
def test_variables_override_the_file(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config.write_text('[check]\nbackend = "backtracking"\n')
    monkeypatch.setenv("BINAIRO_BACKEND", "pysat")
    assert _backend() == "pysat"
    monkeypatch.setenv("BINAIRO_CHECK_BACKEND", "cpsat")
    assert _backend() == "cpsat"
    assert _backend("--backend=backtracking") == "backtracking"
    assert _backend("-bbacktracking") == "backtracking"


def test_an_option_that_can_be_repeated_has_a_list(config: Path) -> None:
    config.write_text("[lines]\nnumber = [0, 1]\n")
    assert call("lines", "4")[1].split() == ["0011", "0101"]
    assert call("lines", "4", "-k", "1")[1].split() == ["0101"]


@pytest.mark.parametrize(("value", "has_summary"), [("1", False), ("no", True)])
def test_a_flag_is_true_or_false(
    value: str, has_summary: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BINAIRO_CHECK_QUIET", value)
    assert ("1 puzzle" in call("check", UNIQUE)[2]) == has_summary


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("workers = [", "is not valid TOML"),
        ("wokers = 4", "no command has an option --wokers"),
        ("[chek]\nquiet = true", "there is no command 'chek'"),
        ("[check]\ngrade = 'hard'", "check has no option --grade"),
        ("workers = 'many'", "(set by "),
        ("quiet = 'maybe'", "'maybe' is neither true nor false (set by "),
        ("backend = 'best'", "(set by "),
        ("x = '" + "x" * 270_000 + "'", "more than 262,144 bytes"),
    ],
)
def test_a_wrong_default_says_where_it_is(text: str, expected: str, config: Path) -> None:
    config.write_text(text)
    status, out, err = call("check", UNIQUE)
    assert (status, out) == (2, "")
    words = "".join(err.replace("│", " ").split())
    assert expected.replace(" ", "") in words
    assert config.name in words
    assert call("check", "--help")[0] == 0


def test_a_file_that_is_named_must_exist(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BINAIRO_CONFIG", "no-such.toml")
    status, _, err = call("check", UNIQUE)
    assert (status, "no-such.toml: no such file" in err) == (2, True)


def test_the_origin_is_named_only_where_the_default_is_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("BINAIRO_WORKERS", "2")
    assert "set by" not in call("check", UNIQUE, "--workers", "x")[2]


def test_help_shows_what_the_option_shows() -> None:
    assert call("help", "lines")[1].strip() == call("lines", "--help")[1].strip()
    assert call("help")[1].strip() == call("--help")[1].strip()
    assert call("-V") == call("--version")
    status, _, err = call("help", "chek")
    assert (status, "there is no command 'chek'" in err) == (2, True)


@pytest.mark.parametrize(
    ("argument", "verdict"),
    [
        (UNIQUE, "unique"),
        (f"6x6:{NONE}", "none"),
        ("6x6u:CafBAdEAcDaf", "unique"),
        ("b10e0a11c0d11b0c10e", "unique"),
        ("4x9:" + "." * 35, "invalid"),
    ],
)
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
