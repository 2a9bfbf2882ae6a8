"""Command-line options of benchmarks: the size, and where to save the tables."""

from __future__ import annotations

import argparse
from functools import cache
from pathlib import Path
from typing import Literal, TypeVar, get_args

RESULTS = Path(__file__).parent / "results"

Size = Literal["tiny", "usual", "full"]
"""``tiny`` only shows that a benchmark runs; its figures mean nothing. All benchmarks of size
``usual`` take about half an hour; ``full`` can take hours."""

SIZES: tuple[Size, ...] = get_args(Size)

T = TypeVar("T")


def parser(**more: str) -> argparse.ArgumentParser:
    """A parser with the options of all benchmarks."""
    made = argparse.ArgumentParser(allow_abbrev=False, **more)  # type: ignore[arg-type]
    made.add_argument("--size", choices=SIZES, default="usual", help="how much to measure")
    made.add_argument("--save", action="store_true", help="save the tables in benchmarks/results/")
    made.add_argument("--out", type=Path, metavar="FOLDER", help="save them in another folder")
    return made


@cache
def size() -> Size:
    """The size given to this process."""
    quiet = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    quiet.add_argument("--size", choices=SIZES, default="usual")
    chosen: Size = quiet.parse_known_args()[0].size
    return chosen


def sized(tiny: T, usual: T, full: T | None = None) -> T:
    """The value for the size of this run; without a value for ``full``, that is the usual one."""
    return {"tiny": tiny, "usual": usual, "full": usual if full is None else full}[size()]


def folder(arguments: argparse.Namespace) -> Path | None:
    """The folder to save tables in; None to save nothing."""
    if arguments.out:
        out: Path = arguments.out
        return out
    return RESULTS if arguments.save else None
