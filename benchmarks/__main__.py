"""Run benchmarks one after the other, each in a separate process with a time limit.

Results are saved in ``benchmarks/results/``, or in the folder given by ``--out``. If a benchmark
fails, the others still run, and the exit status is 1.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from time import perf_counter

from benchmarks import figures, options

TIME_FACTORS = {"tiny": 1, "usual": 1, "full": 40}
"""The factor of the time limits, by size."""


@dataclass(frozen=True)
class Benchmark:
    """A benchmark.

    Attributes:
        about: what it measures.
        seconds: the time limit at the usual size; it should take half of that.
        others: whether it runs other people's programs; then it runs only on request.
    """

    about: str
    seconds: int
    others: bool = False


BENCHMARKS = {
    "startup": Benchmark("cold start: commands, imports, first calls", 240),
    "check": Benchmark("each backend on each set: median, p99, memory", 400),
    "growth": Benchmark("sides from 4 to 100: how the cost grows, by backend", 900),
    "cpsat": Benchmark("CP-SAT: verdicts, encodings, where the time goes", 120),
    "batch": Benchmark("files of many puzzles, by workers", 300),
    "generation": Benchmark("generating boards and puzzles", 300),
    "grades": Benchmark("grades and published levels, and the speed of grading", 100),
    "certificates": Benchmark("making and checking certificates", 150),
    "census": Benchmark("all boards of a size", 200),
    "python": Benchmark("the functions of the package, and other Python tools", 600),
    "service": Benchmark("the service under load", 400),
    "against": Benchmark("other people's tools on the same puzzles (--against)", 600, others=True),
}


def main() -> int:
    parser = options.parser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("name", nargs="*", help=f"which of {', '.join(BENCHMARKS)}; all if none")
    parser.add_argument("--against", action="store_true", help="run other people's tools as well")
    parser.add_argument("--list", action="store_true", help="list the benchmarks and exit")
    arguments = parser.parse_args()
    for name in arguments.name:
        if name not in BENCHMARKS:
            parser.error(f"there is no benchmark {name!r}; expected of {', '.join(BENCHMARKS)}")
    if arguments.list:
        for name in arguments.name or BENCHMARKS:
            print(f"{name:13} {BENCHMARKS[name].seconds:4} s  {BENCHMARKS[name].about}")
        return 0
    chosen = arguments.name or [
        name for name, each in BENCHMARKS.items() if arguments.against or not each.others
    ]
    ends = {name: run(name, arguments) for name in dict.fromkeys(chosen)}
    short = {name: end for name, end in ends.items() if end}
    for name, end in short.items():
        print(f"{name}: {end}")
    print(f"{len(ends) - len(short)} of {len(ends)} benchmarks ran to their end")
    if not arguments.out and arguments.size != "tiny":
        figures.write()
    return 1 if short else 0


def run(name: str, arguments: object) -> str:
    """Run a benchmark; return what went wrong, or an empty string."""
    size = arguments.size  # type: ignore[attr-defined]
    out = arguments.out  # type: ignore[attr-defined]
    bound = BENCHMARKS[name].seconds * TIME_FACTORS[size]
    print(f"\n===== {name}: {BENCHMARKS[name].about}; at most {bound} s", flush=True)
    command = [sys.executable, "-m", f"benchmarks.{name}", "--size", size]
    # Tiny results mean nothing and must not replace real ones.
    command += ["--out", str(out)] if out else ["--save"] if size != "tiny" else []
    started = perf_counter()
    process = subprocess.Popen(command, start_new_session=True)
    try:
        status = process.wait(bound)
        end = f"failed with status {status}" if status else ""
    except subprocess.TimeoutExpired:
        end = f"not done after {bound} s"
    finally:
        _kill(process)
    print(f"===== {name}: {end or 'done'}, {perf_counter() - started:.0f} s", flush=True)
    return end


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a benchmark and its child processes."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return
    process.wait()


if __name__ == "__main__":
    sys.exit(main())
