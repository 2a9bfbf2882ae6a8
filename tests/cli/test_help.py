"""The help, in short and complete; answers to former and misspelt names; completion in shells."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from binairo_cp.cli import _COMMANDS, former_names
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
    assert "<" not in short + long, "types are words of people"


def test_choices_are_not_broken() -> None:
    assert metavar_and_help(["end", "back", "none"], "Where.") == ("end|back|none", "Where.")
    expected = ("NAME", f"What. One of {'x' * 9}, {'y' * 9}.")
    assert metavar_and_help(["x" * 9, "y" * 9], "What.") == expected


def test_summaries_end_where_a_sentence_does() -> None:
    assert summary("Judge moves: forced or wrong.") == "Judge moves: forced or wrong."
    assert summary(f"Make a puzzle unique: {'add clues ' * 6}.") == "Make a puzzle unique."
    assert summary(f"Find clues. {'For puzzles that have many. ' * 3}") == "Find clues."


@pytest.mark.parametrize(("arguments", "meant"), [
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
])  # fmt: skip
def test_a_word_that_looks_like_one_that_is_meant_is_answered(arguments: str, meant: str) -> None:
    status, _, error = call(*arguments.split())
    assert status == 2
    shown = " ".join(error.replace("│", " ").split())
    assert (f"Did you mean {meant}?" in shown) == bool(meant)
    assert ("Did you mean" in shown) == bool(meant)


DOCS = Path(__file__).parents[2] / "docs"
ROWS = [
    *((name, name, answer) for name, answer in former_names.COMMANDS.items()),
    *(
        (f"{name or 'check'} x {flag} y", flag, answer)
        for (name, flag), answer in former_names.OPTIONS.items()
    ),
    *(
        (f"{name or 'check'} x {flag} {value}", f"{flag} {value}", answer)
        for (name, flag, value), answer in former_names.VALUES.items()
    ),
]


@pytest.mark.parametrize(("line", "name", "answer"), ROWS)
def test_each_former_name_is_answered(line: str, name: str, answer: str) -> None:
    command = line.split()[0]
    word = rf"{name.split()[-1]}\b"
    if command in _COMMANDS and re.search(word, call(command, "--help-all")[1]):
        pytest.skip("it still works")
    status, _, errors = call(*line.split())
    assert status == 2
    shown = " ".join(re.sub("[│╭╮╰╯─]", " ", errors).split())
    assert f"{name} no longer exists: {answer}." in shown


@pytest.mark.parametrize("answer", sorted({answer for _, _, answer in ROWS}))
def test_each_answer_names_a_page_that_exists(answer: str) -> None:
    for page in re.findall(r"docs/([\w-]+\.md)", answer):
        assert (DOCS / page).is_file()


_BASH = """
source {script}
COMP_WORDS=(binairo {words}); COMP_CWORD={last}
_binairo_completion binairo; printf '%s\\n' "${{COMPREPLY[@]}}"
"""
_FISH = "source {script}; complete -C 'binairo {words}'"
_ZSH = """
autoload -Uz compinit; compinit -u -d {folder}/dump
function compadd() {{ :; }}
function _arguments() {{ printf '%s\\n' "$@"; }}
function _describe() {{ eval 'printf "%s\\n" "${{'$3'[@]}}"'; }}
source {script}
words=(binairo {words}); CURRENT={last}; (( CURRENT++ ))
_binairo_completion
"""
_ANY_SHELL = {"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
"""Without this, --show-completion is about the shell that runs the tests."""

SHELLS = {"bash": _BASH, "fish": _FISH, "zsh": _ZSH}


@pytest.mark.slow
@pytest.mark.parametrize(("words", "expected"), [
    ("che", "check"),
    ("check --cross", "--cross-check"),
    ("help gen", "generate"),
    ("check --backend bit", "bitboard"),
    ("generate 8 --needs pair,sand", "pair,sandwich"),
])  # fmt: skip
@pytest.mark.parametrize("shell", SHELLS)
def test_shells_complete_commands_and_options(
    shell: str, words: str, expected: str, tmp_path: Path
) -> None:
    if not shutil.which(shell):
        if os.environ.get("BINAIRO_NEEDS_SOLVERS"):
            pytest.fail(f"{shell} is not installed")
        pytest.skip(f"{shell} is not installed")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "HOME": str(tmp_path), **_ANY_SHELL}
    shown = ["binairo", "--show-completion", shell]
    script = tmp_path / "completion"
    script.write_text(subprocess.check_output(shown, env=environment, text=True))
    commands = SHELLS[shell].format(
        script=script, folder=tmp_path, words=words, last=len(words.split())
    )
    done = subprocess.run([shell, "-c", commands], env=environment, capture_output=True, text=True)
    assert re.search(rf"(?<![\w-]){expected}(?![\w-])", done.stdout), done.stdout + done.stderr
