"""All benchmarks, one after the other, each in a process of its own with a bound on its time.

Whatever is saved is saved in ``benchmarks/results/``, or where ``--out`` says. One that fails does
not keep the others from running; the exit status tells that there was one. One that needs a program
which is not installed is told as not run.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from time import perf_counter

from benchmarks import figures, options

_NOT_RUN = "not run, since a program is missing"

LONGER = {"tiny": 1, "usual": 1, "full": 40}
"""How much longer than usual a benchmark may take, by size."""


@dataclass(frozen=True)
class Benchmark:
    """One of them.

    Attributes:
        about: what it measures.
        seconds: how long it may take at the usual size; it should take half of that.
        others: whether it runs other people's programs, and so only if it is asked for.
    """

    about: str
    seconds: int
    others: bool = False


BENCHMARKS = {
    "startup": Benchmark("cold start: commands, imports, first calls", 120),
    "check": Benchmark("each backend on each set: median, p99, memory", 400),
    "growth": Benchmark("sides from 6 to 50: how the cost grows, by backend", 300),
    "bitboard": Benchmark("the bitboard beside PySAT and CP-SAT", 240),
    "encodings": Benchmark("clauses by encoding", 150),
    "cpsat": Benchmark("CP-SAT: verdicts, encodings, where the time goes", 120),
    "batch": Benchmark("files of many puzzles, by workers", 300),
    "generation": Benchmark("boards and puzzles made", 300),
    "fairness": Benchmark("how fair boards are drawn", 200),
    "fewest": Benchmark("fewest clues, solvers of hitting sets, repairs", 240),
    "grades": Benchmark("grades beside published levels, and their pace", 100),
    "certificates": Benchmark("certificates made and checked", 150),
    "exports": Benchmark("exports of empty boards", 200),
    "rendering": Benchmark("books and pictures", 200),
    "census": Benchmark("all boards of a size", 200),
    "service": Benchmark("the service under clients", 150),
    "instructions": Benchmark("instructions of fixed jobs, beside the kept ones", 600),
    "against": Benchmark("other people's tools on the same puzzles (--against)", 600, others=True),
}


def main() -> int:
    parser = options.parser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("name", nargs="*", help=f"which of {', '.join(BENCHMARKS)}; all if none")
    parser.add_argument("--against", action="store_true", help="run other people's tools as well")
    parser.add_argument("--list", action="store_true", help="tell what there is, and end")
    asked = parser.parse_args()
    for name in asked.name:
        if name not in BENCHMARKS:
            parser.error(f"there is no benchmark {name!r}; expected of {', '.join(BENCHMARKS)}")
    if asked.list:
        for name in asked.name or BENCHMARKS:
            print(f"{name:13} {BENCHMARKS[name].seconds:4} s  {BENCHMARKS[name].about}")
        return 0
    chosen = asked.name or [
        name for name, each in BENCHMARKS.items() if asked.against or not each.others
    ]
    ends = {name: run(name, asked) for name in dict.fromkeys(chosen)}
    short = {name: end for name, end in ends.items() if end}
    for name, end in short.items():
        print(f"{name}: {end}")
    print(f"{len(ends) - len(short)} of {len(ends)} benchmarks ran to their end")
    if not asked.out and asked.size != "tiny":
        figures.write()
    return 1 if set(short.values()) - {_NOT_RUN} else 0


def run(name: str, asked: object) -> str:
    """Run one, and tell what went wrong, if anything did."""
    size = asked.size  # type: ignore[attr-defined]
    out = asked.out  # type: ignore[attr-defined]
    bound = BENCHMARKS[name].seconds * LONGER[size]
    print(f"\n===== {name}: {BENCHMARKS[name].about}; at most {bound} s", flush=True)
    command = [sys.executable, "-m", f"benchmarks.{name}", "--size", size]
    # What is tiny shows nothing and must not stand in the place of what does.
    command += ["--out", str(out)] if out else ["--save"] if size != "tiny" else []
    started = perf_counter()
    process = subprocess.Popen(command, start_new_session=True)
    try:
        status = process.wait(bound)
        end = f"failed with status {status}" if status else ""
        if status == options.NOT_RUN:
            end = _NOT_RUN
    except subprocess.TimeoutExpired:
        end = f"not done after {bound} s"
    finally:
        _end(process)
    print(f"===== {name}: {end or 'done'}, {perf_counter() - started:.0f} s", flush=True)
    return end


def _end(process: subprocess.Popen[bytes]) -> None:
    """End it with all that it began."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return
    process.wait()


if __name__ == "__main__":
    sys.exit(main())
