from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
import typer

from binairo_cp import cli
from docs import man


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
