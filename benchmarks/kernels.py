"""The CPU time of each compiled kernel on fixed work.

    python -m benchmarks.kernels [--rounds N] [AREA...]

prints, for each piece of work, the least CPU time of some rounds in milliseconds, as JSON. The
first call, which may load code, is not timed. To compare two versions of the package,
run it alternately in both trees, on a quiet machine.
"""

from __future__ import annotations

import argparse
import json
from importlib import import_module
from pathlib import Path
from time import process_time

WORK = Path(__file__).parent / "kernel_work"


def areas() -> list[str]:
    """The areas that have work."""
    return sorted(file.stem for file in WORK.glob("*.py") if not file.stem.startswith("_"))


def times(area: str, rounds: int) -> dict[str, float]:
    """The least CPU milliseconds of each piece of work of an area."""
    work = import_module(f"benchmarks.kernel_work.{area}").work()
    for function in work.values():
        function()
    best = dict.fromkeys(work, float("inf"))
    for _ in range(rounds):
        for name, function in work.items():
            start = process_time()
            function()
            best[name] = min(best[name], 1000 * (process_time() - start))
    return {name: round(value, 3) for name, value in best.items()}


def main() -> None:
    """Print the times."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("areas", nargs="*", metavar="AREA")
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    found = {area: times(area, arguments.rounds) for area in arguments.areas or areas()}
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
