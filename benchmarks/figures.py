"""Write the figures of the README and the tables of docs/ from the saved results.

``python -m benchmarks.figures`` writes them between the marks of the pages. With ``--check`` it
changes nothing; the exit status is 1 if a page differs from the results.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.options import RESULTS
from benchmarks.pages import DOCS, Results, Rows, filled, measured, rows_of

README = Path(__file__).parent.parent / "README.md"
BEGIN, END = "<!-- figures -->\n", "<!-- /figures -->"


def results(folder: Path = RESULTS) -> Results:
    return {file.stem: json.loads(file.read_text()) for file in sorted(folder.glob("*.json"))}


def text(found: Results) -> str:
    """The text between the marks: the figures that were measured."""
    all_figures = [*_starting(found), *_checking(found), *_many(found), *_counting(found)]
    all_figures += _others(found)
    used = [name for name, _, _ in all_figures]
    machines = {measured(found[name]) for name in used}
    lines = "".join(f"| {what} | {figure} |\n" for _, what, figure in all_figures)
    return f"| | |\n|---|---|\n{lines}\n{'; '.join(sorted(machines))}.\n"


Figures = Iterator[tuple[str, str, str]]
"""The benchmark, what was measured, and the figure."""


def _by(rows: Rows, column: str) -> dict[Any, dict[str, Any]]:
    return {row[column]: row for row in rows}


def _starting(found: Results) -> Figures:
    rows = _by(rows_of(found, "startup", "commands"), "command")
    if "binairo check -b auto" in rows:
        row = rows["binairo check -b auto"]
        figure = f"{row['median CPU ms']} ms, {row['memory MB']} MB"
        yield (
            "startup",
            "`binairo check` of one 10x10 puzzle: CPU time and memory of the whole command",
            figure,
        )


def _checking(found: Results) -> Figures:
    """The median and the 99th percentile of a backend on irreducible puzzles."""
    rows = rows_of(found, "check", "check, irreducible 10x10")
    some = [row for row in rows if row["backend"] in ("auto", "pysat", "cpsat")]
    if some:
        figure = ", ".join(
            f"`{row['backend']}` {_ms(row['median ms'])} ({_ms(row['p99 ms'])})" for row in some
        )
        what = "check of an irreducible 10x10 puzzle: median (99th percentile)"
        yield "check", what, figure


def _ms(value: float) -> str:
    return f"{value:.2g} ms" if value < 99.5 else f"{value:.0f} ms"


def _many(found: Results) -> Figures:
    rows = [row for row in rows_of(found, "batch", "file to file") if row["input"] == row["output"]]
    for row in rows[:1]:
        figure = f"{_two_digits(row['puzzles per second'])} per second, {row['memory MB']} MB"
        workers = "one worker" if row["workers"] == 1 else f"{row['workers']} workers"
        yield "batch", f"check of a file of irreducible 10x10 puzzles, {workers}", figure
    made = _by(rows_of(found, "generation", "irreducible"), "irreducible")
    if "10x10" in made:
        figure = f"{_two_digits(made['10x10']['per second'])} per second on one core"
        yield "generation", "generating irreducible 10x10 puzzles", figure


def _two_digits(value: float) -> str:
    """The third digit is noise."""
    digits = len(str(int(value))) - 2
    return f"{round(value, -digits):,.0f}"


def _counting(found: Results) -> Figures:
    rows = _by(rows_of(found, "census", "sizes"), "census")
    if "10x10 classic" in rows:
        figure = f"{rows['10x10 classic']['core-seconds']:.2g} s of CPU time"
        yield "census", "counting all 48,183,195,384 boards of 10x10 by the census", figure


TOOLS = ("puzzlekit", "cpmpy", "clingo", "minizinc")
ONE_SHAPE = "irreducible 10x10, distinct lines: filled"


def _others(found: Results) -> Figures:
    """The times of other tools as multiples of ours, and their wrong answers."""
    rows = _by(rows_of(found, "against", ONE_SHAPE), "tool")
    some = [
        f"{name} {_two_digits(rows[name]['times auto'])} ({rows[name]['puzzles']} puzzles)"
        for name in TOOLS
        if _timed(rows, name)
    ]
    claims = {row["tool"]: row["claims"] for row in rows_of(found, "against", "the tools")}
    if some:
        yield (
            "against",
            "time of other tools to solve an irreducible 10x10 puzzle, as a multiple of ours",
            ", ".join(some),
        )
    wrong = [
        f"{row['tool']} {row['wrong']} of {_answers(row)}{_unclaimed(claims, row)}"
        for row in rows_of(found, "against", "all answers")
        if row["reading"] == "distinct lines"
        and row["tool"] in ("auto", *TOOLS)
        and row["sets"] == "as they are played"
    ]
    if wrong:
        yield "against", "wrong answers where lines must be distinct", ", ".join(wrong)


def _answers(row: dict[str, Any]) -> int:
    """The number of answers that are neither unknown nor errors."""
    answers: int = row["answers"] - row["unknown"] - row["error"]
    return answers


def _unclaimed(claims: dict[Any, str], row: dict[str, Any]) -> str:
    """A note for a tool that does not claim to support this reading."""
    claimed = claims.get(row["tool"], "")
    return "" if claimed in ("both readings", row["reading"]) else f" (supports only: {claimed})"


def _timed(rows: dict[Any, dict[str, Any]], name: str) -> bool:
    return isinstance(rows.get(name, {}).get("times auto"), float)


def written(readme: str, found: Results) -> str:
    """The README with the current figures.

    Raises:
        ValueError: the README lacks one of the marks.
    """
    head, begin, rest = readme.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"README.md needs the lines {BEGIN.strip()} and {END}")
    return f"{head}{begin}\n{text(found)}\n{end}{tail}"


def pages(found: Results) -> dict[Path, str]:
    """The current text of each page with figures or tables of results."""
    docs = {page: filled(page.read_text(), found) for page in sorted(DOCS.glob("*.md"))}
    return {README: written(README.read_text(), found), **docs}


def write() -> None:
    """Write the figures of the saved results to the README and docs/."""
    for page, text in pages(results()).items():
        page.write_text(text)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.figures", description=__doc__)
    parser.add_argument("--check", action="store_true", help="only compare; change nothing")
    if not parser.parse_args().check:
        write()
        return 0
    stale = [page.name for page, text in pages(results()).items() if page.read_text() != text]
    for name in stale:
        print(f"{name}: differs from benchmarks/results; run python -m benchmarks.figures")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
