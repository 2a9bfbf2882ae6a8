"""Cold start: the start-up time of commands, first runs and first calls.

Each row is a separate process. Times are CPU times, except that of the server: they mean something
on a machine with other work too. Memory is the peak that the system reports at the end.
"""

from __future__ import annotations

import os
import resource
import socket
import subprocess
import sys
from collections.abc import Iterator
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, sleep
from urllib.request import Request, urlopen

from benchmarks import sets, tables

ROUNDS = tables.sized(1, 7)
PUZZLE = (sets.INSTANCES / "classic/10x10-hard.txt").read_text().split("\n\n")[1]
BACKENDS = ("auto", "bitboard", "pysat", "cpsat")

FIRST_RUNS = [
    "check -",
    "solve -",
    "count -",
    "check - -b bitboard",
    "hint -",
    "explain -",
    "grade -",
    "clues -",
    "fewest -",
    "repair -",
    "certify - -o FOLDER/certificate",
    "render -",
    "encode - --to dimacs",
    "lines 10",
    "board 10 --seed 1",
    "generate 10 --seed 1",
    "generate 10 --seed 1 --grade hard",
    "census 6",
    "census 6 --rules unruly",
]
"""They read one puzzle from standard input, or none. FOLDER is a temporary folder."""

COMMAND = """
import sys
from benchmarks.machine import peak_mb
try:
    if len(sys.argv) > 1:
        from binairo_cp.cli import main
        main()
except SystemExit as end:
    assert end.code in (None, 0, 1), end.code
print(peak_mb(), file=sys.stderr)
"""

CALLS = """
import sys
from time import process_time
begin = process_time()
from binairo_cp import check
from binairo_cp.formats import read_sources
puzzles = [entry.puzzle for entry in read_sources([sys.argv[2]])]
times = [process_time() - begin]
for puzzle in puzzles[:2]:
    begin = process_time()
    outcome = check(puzzle, backend=sys.argv[1])
    times.append(process_time() - begin)
    assert outcome.verdict == "unique", outcome
print(*times)
"""
"""Prints the CPU seconds for importing and reading, for the first check, and for the next one."""


def new_user(folder: str) -> dict[str, str]:
    """The environment of a user who has run nothing yet: no caches, no settings."""
    return os.environ | {"HOME": folder, "XDG_CACHE_HOME": f"{folder}/cache"}


def process(*arguments: str, home: str = "") -> tuple[float, int]:
    """Seconds and peak memory of a process that runs a command; without arguments, only Python."""
    environment = new_user(home) if home else None
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
        measured = [cpu_time(*arguments) for _ in range(ROUNDS)]
        yield {
            "command": name,
            "median CPU ms": round(1000 * median(seconds for seconds, _ in measured)),
            "longest CPU ms": round(1000 * max(seconds for seconds, _ in measured)),
            "memory MB": max(memory for _, memory in measured),
        }


def first_runs() -> Iterator[tables.Row]:
    """The first run of each command by a user, and the next one, which takes as long."""
    for command in FIRST_RUNS:
        with TemporaryDirectory() as folder:
            arguments = command.replace("FOLDER", folder).split()
            first, _ = cpu_time(*arguments, home=folder)
            second, memory = cpu_time(*arguments, home=folder)
            yield {
                "command": command,
                "first run, CPU s": round(first, 2),
                "next run, CPU s": round(second, 2),
                "memory MB": memory,
            }


def cpu_time(*arguments: str, home: str = "") -> tuple[float, int]:
    """CPU seconds and peak memory of a process, as `process` runs it."""
    before = _cpu_of_children()
    _, memory = process(*arguments, home=home)
    return _cpu_of_children() - before, memory


def _cpu_of_children() -> float:
    """CPU seconds of all processes that ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def first_serve() -> Iterator[tables.Row]:
    """Seconds until a new server responds, by the first start of a user and the next one."""
    with TemporaryDirectory() as folder:
        for name in ("first start", "next start"):
            with socket.create_server(("127.0.0.1", 0)) as free:
                port = free.getsockname()[1]
            url = f"http://127.0.0.1:{port}"
            options = ["--port", str(port), "--data", f"{folder}/jobs"]
            command = [sys.executable, "-m", "binairo_cp", "serve", *options]
            started = perf_counter()
            server = subprocess.Popen(command, env=new_user(folder), stderr=subprocess.DEVNULL)
            row: tables.Row = {"binairo serve": name}
            try:
                for path, body in (("healthz", None), ("v1/check", PUZZLE), ("readyz", None)):
                    wait_for(f"{url}/{path}", body)
                    row[f"{path}, s"] = round(perf_counter() - started, 2)
            finally:
                server.terminate()
                server.wait()
            yield row


def wait_for(url: str, body: str | None) -> None:
    """Send a request fifty times a second until it succeeds."""
    headers = {"Content-Type": "text/plain"} if body else {}
    request = Request(url, body.encode() if body else None, headers)
    while True:
        try:
            urlopen(request, timeout=60).close()
        except OSError:
            sleep(0.02)
        else:
            return


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
            "import and read, CPU ms": round(imports, 1),
            "first check, CPU ms": round(first, 2),
            "next check, CPU ms": round(second, 3),
        }


def all_tables() -> Iterator[tables.Table]:
    yield "commands, one irreducible 10x10 puzzle", list(commands())
    yield "first run after an installation", list(first_runs())
    yield "first start of the server", list(first_serve())
    yield "calls from Python, irreducible 10x10", list(calls())


if __name__ == "__main__":
    tables.report("startup", all_tables())
