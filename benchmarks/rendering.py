"""Books and pictures: processor time and memory of whole commands."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks import puzzles, tables
from binairo_cp import Board, violations
from binairo_cp.formats import Entry, read_sources, write

ROUNDS = tables.sized(1, 2, 5)
NUMBER = tables.sized(5, 500)
EASY = ("easy", "medium")


def some(side: int) -> list[Entry]:
    """Irreducible puzzles of a side, rotated until there are enough."""
    given = puzzles.load(side)
    made = []
    for number in range(NUMBER):
        puzzle = given[number % len(given)]
        board = puzzle.board
        for _ in range(number // len(given)):
            board = board.rotated()
        made.append(Entry(type(puzzle)(board, puzzle.rules), id=f"p{number + 1}"))
    return made


def sources(folder: Path) -> dict[str, Path]:
    """The files of puzzles, by name."""
    files = {}
    for side in (6, 10, 14):
        files[f"irreducible {side}x{side}"] = folder / f"{side}.line"
        files[f"irreducible {side}x{side}"].write_text("".join(write(some(side), "line")))
    given = [
        entry for level in EASY for entry in read_sources([f"instances/classic/10x10-{level}.txt"])
    ]
    many = (given * NUMBER)[:NUMBER]
    files["easy and medium 10x10"] = folder / "easy.ndjson"
    files["easy and medium 10x10"].write_text("".join(write(many, "ndjson")))
    return files


def command(*arguments: str) -> tuple[float, float]:
    """Run a command; return its processor time in seconds, and its memory in MB."""
    process = subprocess.Popen([sys.executable, "-m", "binairo_cp", "render", "-q", *arguments])
    _, status, used = os.wait4(process.pid, 0)
    assert status == 0
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def check(source: Path, side: Path) -> None:
    """Check that the sidecar contains all puzzles, with solutions that satisfy the rules."""
    given = [entry.puzzle for entry in read_sources([str(source)])]
    rows = list(csv.DictReader(side.read_text().splitlines()))
    assert len(rows) == len(given) == NUMBER
    for puzzle, row in zip(given, rows, strict=True):
        assert puzzle
        board = Board(int(row["height"]), int(row["width"]), row["solution"])
        assert board.is_full
        assert not violations(puzzle, board)


def timed(folder: Path, name: str, source: Path, what: str, *options: str) -> tables.Row:
    side = folder / "side.csv"
    command(str(source), *options, "--sidecar", str(side))
    check(source, side)
    seconds, memory = min(command(str(source), *options) for _ in range(ROUNDS))
    out = Path(options[options.index("-o") + 1])
    files = out.iterdir() if out.is_dir() else [out]
    size = sum(file.stat().st_size for file in files)
    return {
        "puzzles": name,
        "drawn": what,
        "CPU s": round(seconds, 2),
        "MB": round(memory),
        "KB": round(size / 1000),
    }


def all_tables() -> Iterator[tuple[str, list[tables.Row]]]:
    with TemporaryDirectory() as name:
        folder = Path(name)
        pdf = ("-o", str(folder / "book.pdf"))
        rows = []
        for called, source in sources(folder).items():
            rows.append(timed(folder, called, source, "book with answers", *pdf))
            if called.startswith("easy"):
                rows.append(timed(folder, called, source, "the same, graded", *pdf, "--grade"))
                for form in ("svg", "png"):
                    out = ("--to", form, "-o", f"{folder / form}/")
                    rows.append(timed(folder, called, source, f"{form} of each", *out))
        libraries = ", ".join(f"{name} {version(name)}" for name in ("typst", "pillow"))
        yield f"{NUMBER} puzzles, whole commands, the best of {ROUNDS} ({libraries})", rows


if __name__ == "__main__":
    tables.report("rendering", all_tables())
