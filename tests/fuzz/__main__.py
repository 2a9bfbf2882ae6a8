"""``python -m tests.fuzz TARGET``: run a target on inputs until one fails."""

from __future__ import annotations

import argparse
import importlib.util
import subprocess
import sys
import time
import traceback
from hashlib import sha256
from itertools import islice
from pathlib import Path

from tests.fuzz import mutation, shrinking, targets

FOLDER = Path("build/fuzz")
"""The folder of the corpora, which later runs reuse, and of failing inputs."""

_DRIVER = "driver"
_MEBIBYTES = 2_048
_SECONDS_PER_INPUT = 20


def main() -> int:
    options = _arguments()
    if options.list:
        print("\n".join([*targets.TABLE, _DRIVER]))
        return 0
    if options.target == _DRIVER:
        return _run_driver(options)
    names = list(targets.TABLE) if options.target == "all" else [options.target]
    run = _run_guided if options.engine == "atheris" else _run_blind
    return max([run(name, options) for name in names])


def _arguments() -> argparse.Namespace:
    has_atheris = importlib.util.find_spec("atheris") is not None
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument(
        "target", nargs="?", default="all", choices=["all", *targets.TABLE, _DRIVER]
    )
    parser.add_argument("--list", action="store_true", help="list the targets")
    parser.add_argument("--runs", type=int, default=100_000, help="number of inputs or programs")
    parser.add_argument(
        "--seconds", type=int, default=0, help="time limit for each target; 0 for none"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--engine",
        choices=["atheris", "blind"],
        default="atheris" if has_atheris else "blind",
        help="atheris: guided by coverage; blind: random mutations of the seeds",
    )
    return parser.parse_args()


def _run_guided(name: str, options: argparse.Namespace) -> int:
    target = targets.load(name)
    folder = FOLDER / name
    corpus, faults = folder / "corpus", folder / "faults"
    for each in (corpus, faults):
        each.mkdir(parents=True, exist_ok=True)
    for data in _known(name, target):
        (corpus / sha256(data).hexdigest()[:20]).write_bytes(data)
    words = folder / "words"
    words.write_text("".join(f'"{_escaped(word)}"\n' for word in target.words))
    flags = [
        f"-runs={options.runs}",
        f"-max_total_time={options.seconds}",
        f"-seed={options.seed}",
        f"-max_len={target.longest}",
        f"-dict={words}",
        f"-rss_limit_mb={_MEBIBYTES}",
        f"-timeout={_SECONDS_PER_INPUT}",
        f"-artifact_prefix={faults}/",
        "-print_final_stats=1",
    ]
    before = set(faults.iterdir())
    with (folder / "log").open("w") as log:
        done = subprocess.run(
            [sys.executable, "-m", "tests.fuzz.guided", name, str(corpus), *flags],
            stdout=log,
            stderr=subprocess.STDOUT,
            check=False,
        )
    log_text = (folder / "log").read_text(errors="replace")
    numbers = [line for line in log_text.splitlines() if line.startswith(("stat::number", "Done"))]
    print(f"{name}: {'; '.join(numbers)}", flush=True)
    for path in sorted(set(faults.iterdir()) - before):
        _report(name, target, path)
    if done.returncode:
        print(f"{name}: ended with {done.returncode}; see {folder / 'log'}", flush=True)
    return int(done.returncode != 0)


def _run_blind(name: str, options: argparse.Namespace) -> int:
    target = targets.load(name)
    began = time.monotonic()
    number = 0
    for data in islice(mutation.inputs(target, options.seed), options.runs):
        number += 1
        if shrinking.failure(target.check, data):
            faults = FOLDER / name / "faults"
            faults.mkdir(parents=True, exist_ok=True)
            path = faults / f"blind-{sha256(data).hexdigest()[:20]}"
            path.write_bytes(data)
            _report(name, target, path)
            return 1
        if options.seconds and time.monotonic() - began > options.seconds:
            break
    seconds = time.monotonic() - began
    print(f"{name}: {number:,} inputs in {seconds:,.0f} s, blind, no fault", flush=True)
    return 0


def _run_driver(options: argparse.Namespace) -> int:
    from tests.fuzz import driver

    began = time.monotonic()
    done = 0

    def stopped() -> bool:
        nonlocal done
        is_over = bool(options.seconds) and time.monotonic() - began > options.seconds
        done += not is_over
        return is_over

    bad = driver.drive(options.runs, options.seed, stopped)
    print(f"driver: {done:,} programs in {time.monotonic() - began:,.0f} s", flush=True)
    if bad is None:
        return 0
    print(f"this program fails:\n\n{bad}\n")
    try:
        bad.run()
    except Exception:
        traceback.print_exc()
    return 1


def _known(name: str, target: targets.Target) -> list[bytes]:
    return [*target.seeds, *(path.read_bytes() for path in targets.saved_failures(name))]


def _report(name: str, target: targets.Target, path: Path) -> None:
    """Shrink a failing input and print how it fails."""
    data = shrinking.shrunk(target.check, path.read_bytes())
    small = path.with_name(f"small-{path.name}")
    small.write_bytes(data)
    print(f"{name}: a fault: {data[:400]!r}")
    print(
        f"  saved as {small}; copy it to {targets.FOUND / name} to test it from now on", flush=True
    )
    try:
        target.check(data)
        print("  it does not fail on its own: see the log for time or memory", flush=True)
    except Exception:
        traceback.print_exc()


def _escaped(word: bytes) -> str:
    return "".join(
        chr(each) if 32 <= each < 127 and each not in b'"\\' else f"\\x{each:02x}" for each in word
    )


if __name__ == "__main__":
    sys.exit(main())
