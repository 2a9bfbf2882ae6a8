"""``python -m tests.mutants [TARGET ...]``: measure how many small mistakes the tests detect."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections import deque
from pathlib import Path

from tests.mutants import reporting, runs
from tests.mutants.mistakes import Mutant, sample
from tests.mutants.reporting import TriedMutant
from tests.mutants.targets import TARGETS, Target

_SPARE_CPU_SECONDS = 60
_POLL_SECONDS = 0.05


def main() -> int:
    options = _arguments()
    names = options.targets or list(TARGETS)
    files = {file: name for name in names for file in TARGETS[name].files()}
    mutants: dict[str, list[Mutant]] = {name: [] for name in names}
    for mutant in sample(sorted(files), options.mutants, options.seed):
        mutants[files[mutant.path]].append(mutant)
    runs.load_libraries()
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        first = runs.Copy(Path(folder, "0"))
        limits = {name: _cpu_seconds(first, TARGETS[name]) for name in names if mutants[name]}
        # The other copies include the compiled code of these runs.
        others = [runs.Copy(Path(folder, str(k)), first.folder) for k in range(1, options.workers)]
        results = {
            name: _try_all(mutants[name], TARGETS[name], most, [first, *others])
            for name, most in limits.items()
        }
    report = reporting.text(results, f"seed {options.seed}")
    options.report.parent.mkdir(parents=True, exist_ok=True)
    options.report.write_text(report)
    print(report, end="")
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    targets = f"one of {', '.join(TARGETS)} (default: all)"
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=targets)
    parser.add_argument(
        "--mutants", type=int, default=0, help="number of random mutants (0: one for each place)"
    )
    parser.add_argument("--seed", type=int, default=1, help="random seed for the mutants")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--report", type=Path, default=Path("build/mutants.txt"))
    options = parser.parse_args()
    if unknown := set(options.targets) - set(TARGETS):
        parser.error(f"unknown target {min(unknown)}; expected {targets}")
    if options.mutants < 0:
        parser.error("--mutants: expected 0 or more")
    return options


def _cpu_seconds(copy: runs.Copy, target: Target) -> int:
    """Run the tests of a target unchanged, and derive the CPU time limit for its mutants."""
    baseline = _wait(copy.start(target.paths_of_tests(), None, cpu_seconds=3_600))
    if baseline.caught:
        log = (copy.folder / "log").read_text()
        sys.exit(f"{log}\nThe tests fail without a mutation: {baseline.by}")
    return _SPARE_CPU_SECONDS + 5 * int(baseline.seconds)


def _try_all(
    mutants: list[Mutant], target: Target, cpu_seconds: int, copies: list[runs.Copy]
) -> list[TriedMutant]:
    """Run the tests of a target against each mutant, with one mutant per copy at a time."""
    left, free = deque(mutants), list(copies)
    tests = target.paths_of_tests()
    running: list[runs.TestRun] = []
    tried: list[TriedMutant] = []
    try:
        while left or running:
            while left and free:
                running.append(free.pop().start(tests, left.popleft(), cpu_seconds))
            time.sleep(_POLL_SECONDS)
            for run in list(running):
                if (ended := run.poll()) and run.mutant:
                    running.remove(run)
                    free.append(run.copy)
                    tried.append(TriedMutant(run.mutant, ended))
                    print(reporting.line(tried[-1]), file=sys.stderr, flush=True)
    finally:
        for run in running:
            run.kill()
    return sorted(tried)


def _wait(run: runs.TestRun) -> runs.Outcome:
    while not (ended := run.poll()):
        time.sleep(_POLL_SECONDS)
    return ended


if __name__ == "__main__":
    sys.exit(main())
