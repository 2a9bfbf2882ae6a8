"""What a benchmark is asked: how large it is to be, and where its tables are kept."""

from __future__ import annotations

import argparse
from functools import cache
from pathlib import Path
from typing import Literal, TypeVar, get_args

RESULTS = Path(__file__).parent / "results"

Size = Literal["tiny", "usual", "full"]
"""``tiny`` shows that a benchmark runs, and its figures mean nothing; all of ``usual`` take some
twenty minutes; ``full`` may take hours."""

NOT_RUN = 3
"""The exit status of a benchmark that needs a program which is not installed."""

SIZES: tuple[Size, ...] = get_args(Size)

T = TypeVar("T")


def parser(**more: str) -> argparse.ArgumentParser:
    """The options that all benchmarks have."""
    made = argparse.ArgumentParser(allow_abbrev=False, **more)  # type: ignore[arg-type]
    made.add_argument("--size", choices=SIZES, default="usual", help="how much is measured")
    made.add_argument("--save", action="store_true", help="keep the tables in benchmarks/results/")
    made.add_argument("--out", type=Path, metavar="FOLDER", help="keep them in another folder")
    return made


@cache
def size() -> Size:
    """The size that this process was asked for."""
    quiet = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    quiet.add_argument("--size", choices=SIZES, default="usual")
    asked: Size = quiet.parse_known_args()[0].size
    return asked


def sized(tiny: T, usual: T, full: T | None = None) -> T:
    """What fits the size that was asked for; the full one is the usual one if it isn't given."""
    return {"tiny": tiny, "usual": usual, "full": usual if full is None else full}[size()]


def folder(asked: argparse.Namespace) -> Path | None:
    """Where the tables are kept, if they are."""
    if asked.out:
        out: Path = asked.out
        return out
    return RESULTS if asked.save else None
