"""The help: short, in groups, and complete with `--help-all`."""

from __future__ import annotations

import re

import pytest

from binairo_cp.cli.help import GROUPS, metavar_and_help, summary
from tests.support.command_line import call, command_line, invoke

COMMANDS = [*command_line().commands]
FLAG = re.compile(r"^│ [* ]*(--[a-z0-9-]+)", re.MULTILINE)


def text(*words: str) -> str:
    return invoke(*words, check=0).stdout


@pytest.fixture(autouse=True)
def a_terminal_of_80_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


def test_each_command_is_in_one_group() -> None:
    grouped = [name for names in GROUPS.values() for name in names.split()]
    assert sorted([*grouped, "help"]) == sorted(COMMANDS)
    assert len(grouped) <= 29


def test_each_command_has_one_line() -> None:
    shown = text("--help")
    for names in GROUPS.values():
        for name in names.split():
            assert re.search(rf"^│ {name} +[A-Z][^│]*\. +│$", shown, re.MULTILINE), name


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_a_command_is_short_and_help_all_has_the_rest(command: str) -> None:
    short, long = text(command, "--help"), text(command, "--help-all")
    assert short == text(command, "-h") == text("help", command)
    assert len(short.splitlines()) <= 45
    flags = {flag for option in command_line().commands[command].params for flag in option.opts}
    assert set(FLAG.findall(long)) | {"--help"} == {"--help"} | {
        flag for flag in flags if flag.startswith("--")
    }
    shown = set(FLAG.findall(short))
    assert shown <= set(FLAG.findall(long))
    more = re.search(r"--help-all explains (\d+) more", " ".join(short.split()))
    assert int(more[1] if more else 0) == len(set(FLAG.findall(long)) - shown - {"--help"})


@pytest.mark.parametrize("command", COMMANDS)
def test_types_are_words_of_people(command: str) -> None:
    for shown in (text(command, "--help"), text(command, "--help-all")):
        assert "<" not in re.sub(r"\[[\d.]*<?=?x[<>]=?[\d.]*\]|\[x[<>]=?[\d.]+\]", "", shown)


def test_choices_are_not_broken() -> None:
    assert metavar_and_help(["end", "back", "none"], "Where.") == ("end|back|none", "Where.")
    assert metavar_and_help(["x" * 9, "y" * 9], "What.") == (
        "NAME",
        f"What. One of {'x' * 9}, {'y' * 9}.",
    )


def test_summaries_end_where_a_sentence_does() -> None:
    assert summary("Judge moves: forced or wrong.") == "Judge moves: forced or wrong."
    assert summary(f"Make a puzzle unique: {'add clues ' * 6}.") == "Make a puzzle unique."
    assert summary(f"Find clues. {'For puzzles that have many. ' * 3}") == "Find clues."


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        ("help chek", "check"),
        ("check x -b bitbord", "bitboard"),
        ("check x --cross-check auto,pysta", "pysat"),
        ("check x --reasons quik", "quick"),
        ("generate 8 --grade hrad", "hard"),
        ("generate 8 --needs sandwhich", "sandwich"),
        ("convert x --to jason", "json"),
        ("audit x --fail-on spkie", "spike"),
        ("check x --to qqqq", ""),
        ("generate 8 --clues abc", ""),
    ],
)
def test_a_word_that_looks_like_one_that_is_meant_is_answered(arguments: str, meant: str) -> None:
    status, _, error = call(*arguments.split())
    assert status == 2
    shown = " ".join(error.replace("│", " ").split())
    assert (f"Did you mean {meant}?" in shown) == bool(meant)
    assert ("Did you mean" in shown) == bool(meant)
