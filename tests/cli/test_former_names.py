"""Removed commands and options say what to use instead, and hide nothing that works."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from binairo_cp.cli import _COMMANDS, former_names
from tests.support.command_line import call

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


def _flags(command: str) -> str:
    return call(command, "--help-all")[1]


@pytest.mark.parametrize(("line", "name", "answer"), ROWS)
def test_each_former_name_is_answered(line: str, name: str, answer: str) -> None:
    command = line.split()[0]
    if command in _COMMANDS and re.search(rf"{name.split()[-1]}\b", _flags(command)):
        pytest.skip("it still works")
    status, _, errors = call(*line.split())
    assert status == 2
    shown = " ".join(re.sub("[│╭╮╰╯─]", " ", errors).split())
    assert f"{name} no longer exists: {answer}." in shown


@pytest.mark.parametrize("answer", sorted({answer for _, _, answer in ROWS}))
def test_each_answer_names_a_page_that_exists(answer: str) -> None:
    for page in re.findall(r"docs/([\w-]+\.md)", answer):
        assert (DOCS / page).is_file()


def test_other_unknown_names_keep_their_hints() -> None:
    assert "Did you mean" in call("chek")[2]
    assert "No such option: --rule" in call("check", "--rule")[2]
