"""Cold start: the start-up time of commands, first calls, and the compilation of machine code.

Each row is a separate process. Its memory is the peak that the system reports at its end.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

from benchmarks import sets, tables

ROUNDS = tables.sized(1, 7)
PUZZLE = (sets.INSTANCES / "classic/10x10-hard.txt").read_text().split("\n\n")[1]
BACKENDS = ("auto", "bitboard", "pysat", "cpsat")

COMMAND = """
import sys
from benchmarks.machine import peak_mb
try:
    if len(sys.argv) > 1:
        from binairo_cp.cli import main
        main()
except SystemExit as end:
    assert not end.code, end.code
print(peak_mb(), file=sys.stderr)
"""

CALLS = """
import sys
from time import perf_counter
begin = perf_counter()
from binairo_cp import check
from binairo_cp.formats import read_sources
puzzles = [entry.puzzle for entry in read_sources([sys.argv[2]])]
times = [perf_counter() - begin]
for puzzle in puzzles[:2]:
    begin = perf_counter()
    outcome = check(puzzle, backend=sys.argv[1])
    times.append(perf_counter() - begin)
    assert outcome.verdict == "unique", outcome
print(*times)
"""
"""Prints the seconds for importing and reading, for the first check, and for the next one."""


def process(*arguments: str, cache: str = "") -> tuple[float, int]:
    """Seconds and peak memory of a process that runs a command; without arguments, only Python."""
    environment = os.environ | ({"NUMBA_CACHE_DIR": cache} if cache else {})
    command = [sys.executable, "-c", COMMAND, *arguments]
    started = perf_counter()
    done = subprocess.run(
        command, input=PUZZLE, env=environment, capture_output=True, text=True, check=True
    )
    seconds = perf_counter() - started
    assert "check" not in arguments or "unique" in done.stdout, done
    return seconds, int(done.stderr.split()[-1])


def commands() -> Iterator[tables.Row]:
    rows = {
        "python, nothing done": (),
        "binairo --help": ("--help",),
        "binairo solve": ("solve", "-", "-w", "1"),
        **{f"binairo check -b {name}": ("check", "-", "-w", "1", "-b", name) for name in BACKENDS},
    }
    for name, arguments in rows.items():
        process(*arguments)
        measured = [process(*arguments) for _ in range(ROUNDS)]
        yield {
            "command": name,
            "median ms": round(1000 * median(seconds for seconds, _ in measured)),
            "longest ms": round(1000 * max(seconds for seconds, _ in measured)),
            "memory MB": max(memory for _, memory in measured),
        }


def compiling() -> Iterator[tables.Row]:
    """The first run on a machine compiles the bitboard; the next run loads it."""
    with TemporaryDirectory() as folder:
        for name in ("first run, machine code is made", "second run, it is found"):
            seconds, memory = process("check", "-", "-w", "1", "-b", "bitboard", cache=folder)
            yield {"bitboard": name, "s": round(seconds, 2), "memory MB": memory}


def calls() -> Iterator[tables.Row]:
    source = str(sets.INSTANCES / "classic/10x10-hard.txt")
    for name in BACKENDS:
        measured = []
        for _ in range(ROUNDS):
            command = [sys.executable, "-c", CALLS, name, source]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            measured.append([float(word) * 1000 for word in done.stdout.split()])
        imports, first, second = (median(times) for times in zip(*measured, strict=True))
        yield {
            "backend": name,
            "import and read ms": round(imports, 1),
            "first check ms": round(first, 2),
            "next check ms": round(second, 3),
        }


def all_tables() -> Iterator[tables.Table]:
    yield "commands, one irreducible 10x10 puzzle, compiled code cached", list(commands())
    yield "compiling the bitboard", list(compiling())
    yield "calls from Python, irreducible 10x10, compiled code cached", list(calls())


if __name__ == "__main__":
    tables.report(
        "startup",
        all_tables(),
        [
            tables.Plot("commands", ["command"], ["median ms"], log=False),
            tables.Plot("calls", ["backend"], ["first check ms", "next check ms"]),
        ],
    )
