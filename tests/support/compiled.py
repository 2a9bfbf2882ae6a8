"""``python -m tests.support.compiled``: compile and cache all numba code.

`make test` runs this before it starts several test processes. Otherwise each of them would compile
the same code at the same time.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.support.command_line import UNIQUE, binairo

_KERNELS = [
    "import binairo_cp.solving.backends.bitboard.loaded",
    "import binairo_cp.counting.loaded",
    "from binairo_cp.generation.kernel import kernel; kernel()",
]
"""They share no code, so they can be compiled in parallel."""


def main() -> int:
    _run_all([sys.executable, "-c", code] for code in _KERNELS)
    with tempfile.TemporaryDirectory() as folder:
        puzzles = Path(folder, "puzzles.line")
        puzzles.write_text(f"{UNIQUE}\n" * 300)
        puzzle = Path(folder, "puzzle.line")
        puzzle.write_text(UNIQUE)
        commands = [
            ["generate", "6", "--count", "9", "--grade", "easy", "--seed", "1", "--workers", "1"],
            ["grade", str(puzzles), "--workers", "1"],
            ["certify", str(puzzle), "--out", f"{folder}/one.zip"],
        ]
        _run_all([*binairo, *command, "--quiet"] for command in commands)
    return 0


def _run_all(commands: Iterable[list[str]]) -> None:
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        for job in [threads.submit(_run, each) for each in commands]:
            job.result()


def _run(command: list[str]) -> None:
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    sys.exit(main())
