"""Completion in real shells: what a user gets after ``binairo che<TAB>``."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

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
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("che", "check"),
        ("check --cross", "--cross-check"),
        ("help gen", "generate"),
        ("check --backend bit", "bitboard"),
        ("generate 8 --needs pair,sand", "pair,sandwich"),
    ],
)
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
