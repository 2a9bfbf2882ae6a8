"""``python -m tests.fuzz TARGET``: inputs for a target until one shows a fault."""

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
"""Where the inputs that take new branches are kept from run to run, and those that fail."""

_DRIVER = "driver"
_MEBIBYTES = 2_048
_SECONDS_AN_INPUT = 20


def main() -> int:
    asked = _arguments()
    if asked.list:
        print("\n".join([*targets.TABLE, _DRIVER]))
        return 0
    if asked.target == _DRIVER:
        return _drive(asked)
    names = list(targets.TABLE) if asked.target == "all" else [asked.target]
    run = _guided if asked.engine == "atheris" else _blind
    return max([run(name, asked) for name in names])


def _arguments() -> argparse.Namespace:
    has_atheris = importlib.util.find_spec("atheris") is not None
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument(
        "target", nargs="?", default="all", choices=["all", *targets.TABLE, _DRIVER]
    )
    parser.add_argument("--list", action="store_true", help="name the targets")
    parser.add_argument("--runs", type=int, default=100_000, help="inputs, or programs")
    parser.add_argument("--seconds", type=int, default=0, help="the most for each target")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--engine",
        choices=["atheris", "blind"],
        default="atheris" if has_atheris else "blind",
        help="guided by coverage, or blindly changed seeds (where atheris is not installed)",
    )
    return parser.parse_args()


def _guided(name: str, asked: argparse.Namespace) -> int:
    target = targets.load(name)
    folder = FOLDER / name
    corpus, faults = folder / "corpus", folder / "faults"
    for each in (corpus, faults):
        each.mkdir(parents=True, exist_ok=True)
    for data in _known(name, target):
        (corpus / sha256(data).hexdigest()[:20]).write_bytes(data)
    words = folder / "words"
    words.write_text("".join(f'"{_escaped(word)}"\n' for word in target.words))
    options = [
        f"-runs={asked.runs}",
        f"-max_total_time={asked.seconds}",
        f"-seed={asked.seed}",
        f"-max_len={target.longest}",
        f"-dict={words}",
        f"-rss_limit_mb={_MEBIBYTES}",
        f"-timeout={_SECONDS_AN_INPUT}",
        f"-artifact_prefix={faults}/",
        "-print_final_stats=1",
    ]
    before = set(faults.iterdir())
    with (folder / "log").open("w") as log:
        done = subprocess.run(
            [sys.executable, "-m", "tests.fuzz.guided", name, str(corpus), *options],
            stdout=log,
            stderr=subprocess.STDOUT,
            check=False,
        )
    told = (folder / "log").read_text(errors="replace")
    numbers = [line for line in told.splitlines() if line.startswith(("stat::number", "Done"))]
    print(f"{name}: {'; '.join(numbers)}", flush=True)
    for path in sorted(set(faults.iterdir()) - before):
        _tell(name, target, path)
    if done.returncode:
        print(f"{name}: ended with {done.returncode}; see {folder / 'log'}", flush=True)
    return int(done.returncode != 0)


def _blind(name: str, asked: argparse.Namespace) -> int:
    target = targets.load(name)
    began = time.monotonic()
    number = 0
    for data in islice(mutation.inputs(target, asked.seed), asked.runs):
        number += 1
        if shrinking.failure(target.check, data):
            faults = FOLDER / name / "faults"
            faults.mkdir(parents=True, exist_ok=True)
            path = faults / f"blind-{sha256(data).hexdigest()[:20]}"
            path.write_bytes(data)
            _tell(name, target, path)
            return 1
        if asked.seconds and time.monotonic() - began > asked.seconds:
            break
    seconds = time.monotonic() - began
    print(f"{name}: {number:,} inputs in {seconds:,.0f} s, blind, no fault", flush=True)
    return 0


def _drive(asked: argparse.Namespace) -> int:
    from tests.fuzz import driver

    began = time.monotonic()
    done = 0

    def stopped() -> bool:
        nonlocal done
        is_over = bool(asked.seconds) and time.monotonic() - began > asked.seconds
        done += not is_over
        return is_over

    bad = driver.drive(asked.runs, asked.seed, stopped)
    print(f"driver: {done:,} programs in {time.monotonic() - began:,.0f} s", flush=True)
    if bad is None:
        return 0
    print(f"this one fails:\n\n{bad}\n")
    try:
        bad.run()
    except Exception:
        traceback.print_exc()
    return 1


def _known(name: str, target: targets.Target) -> list[bytes]:
    return [*target.seeds, *(path.read_bytes() for path in targets.found(name))]


def _tell(name: str, target: targets.Target, path: Path) -> None:
    """Say how an input fails, when it has been made small."""
    data = shrinking.shrunk(target.check, path.read_bytes())
    small = path.with_name(f"small-{path.name}")
    small.write_bytes(data)
    print(f"{name}: a fault: {data[:400]!r}")
    print(f"  kept as {small}; its place among the tests is {targets.FOUND / name}", flush=True)
    try:
        target.check(data)
        print("  it does not fail by itself: see the log for time or memory", flush=True)
    except Exception:
        traceback.print_exc()


def _escaped(word: bytes) -> str:
    return "".join(
        chr(each) if 32 <= each < 127 and each not in b'"\\' else f"\\x{each:02x}" for each in word
    )


if __name__ == "__main__":
    sys.exit(main())
