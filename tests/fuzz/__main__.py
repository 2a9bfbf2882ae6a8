"""``python -m tests.fuzz TARGET``: run a target on inputs until one fails."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from hashlib import sha256
from itertools import islice
from pathlib import Path

from tests.fuzz import mutation
from tests.fuzz.targets import TABLE, Target, load, saved_failures

FOLDER = Path("build/fuzz")
"""The folder of the corpora, which later runs reuse, and of failing inputs."""

_MEBIBYTES = 2_048
_SECONDS_PER_INPUT = 20


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("target", choices=TABLE)
    parser.add_argument("--runs", type=int, default=100_000, help="number of inputs")
    parser.add_argument("--seconds", type=int, default=0, help="time limit; 0 for none")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--guided", action="store_true", help="by coverage, with atheris")
    options = parser.parse_args()
    run: Callable[[str, argparse.Namespace], None] = _guided if options.guided else _blind
    run(options.target, options)


def _guided(name: str, options: argparse.Namespace) -> None:
    import atheris  # type: ignore[import-not-found]  # only on Linux, by the extra `fuzz`

    atheris.instrument_all()
    target = load(name)
    corpus = FOLDER / name
    corpus.mkdir(parents=True, exist_ok=True)
    for data in (*target.seeds, *(path.read_bytes() for path in saved_failures(name))):
        (corpus / sha256(data).hexdigest()[:20]).write_bytes(data)
    words = FOLDER / f"{name}.words"
    words.write_text("".join(f'"{_escaped(word)}"\n' for word in target.words))
    flags = {
        "runs": options.runs,
        "max_total_time": options.seconds,
        "seed": options.seed,
        "max_len": target.longest,
        "dict": words,
        "rss_limit_mb": _MEBIBYTES,
        "timeout": _SECONDS_PER_INPUT,
        "artifact_prefix": f"{FOLDER}/{name}-",
    }
    arguments = [f"-{flag}={value}" for flag, value in flags.items()]
    atheris.Setup([sys.argv[0], str(corpus), *arguments], target.check)
    atheris.Fuzz()


def _blind(name: str, options: argparse.Namespace) -> None:
    target = load(name)
    began = time.monotonic()
    number = 0
    for data in islice(mutation.inputs(target, options.seed), options.runs):
        if options.seconds and time.monotonic() - began > options.seconds:
            break
        _try(target, name, data)
        number += 1
    print(f"{name}: {number:,} inputs in {time.monotonic() - began:,.0f} s, no fault", flush=True)


def _try(target: Target, name: str, data: bytes) -> None:
    try:
        target.check(data)
    except Exception as error:
        FOLDER.mkdir(parents=True, exist_ok=True)
        path = FOLDER / f"{name}-{sha256(data).hexdigest()[:20]}"
        path.write_bytes(data)
        error.add_note(f"the input is in {path}: {data[:400]!r}")
        raise


def _escaped(word: bytes) -> str:
    return "".join(
        chr(byte) if 32 <= byte < 127 and byte not in b'"\\' else f"\\x{byte:02x}" for byte in word
    )


if __name__ == "__main__":
    main()
