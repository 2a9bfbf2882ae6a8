"""Figures as tables, with the machine and the versions that they come from."""

from __future__ import annotations

import argparse
import json
import os
import platform
from collections.abc import Callable, Iterable
from datetime import date
from importlib.metadata import version
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter

RESULTS = Path(__file__).parent / "results"

Row = dict[str, str | float]


def milliseconds(work: Callable[[], object]) -> float:
    """How long a call takes."""
    started = perf_counter()
    work()
    return (perf_counter() - started) * 1000


def spread(times: list[float]) -> dict[str, float]:
    """Median and 99th percentile, in the unit of the times."""
    return {
        "median ms": round(median(times), 3),
        "p99 ms": round(quantiles(times, n=100, method="inclusive")[98], 3),
    }


def markdown(rows: list[Row]) -> str:
    """A table with the fields of its rows as columns."""
    head = list(rows[0])
    lines = [head, ["---"] * len(head), *[[str(row[name]) for name in head] for row in rows]]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def report(name: str, tables: Iterable[tuple[str, list[Row]]]) -> None:
    """Print tables as they come; with --save, keep them in results/."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--save", action="store_true", help="write results/NAME.md and .json")
    save = parser.parse_known_args()[0].save
    made: dict[str, list[Row]] = {}
    text = f"# {name}\n\n{machine()}\n"
    print(text)
    for title, rows in tables:
        table = f"## {title}\n\n{markdown(rows)}"
        print(table, flush=True)
        made[title] = rows
        text += f"\n{table}"
    if save:
        RESULTS.mkdir(exist_ok=True)
        (RESULTS / f"{name}.md").write_text(text)
        (RESULTS / f"{name}.json").write_text(
            json.dumps({"machine": machine(), "tables": made}, indent=1) + "\n"
        )


def machine() -> str:
    """Date, machine and versions, in a sentence."""
    libraries = ", ".join(f"{name} {version(name)}" for name in ("numba", "ortools", "python-sat"))
    return (
        f"{date.today()}, {platform.machine()}, {os.cpu_count()} cores, {platform.system()}, "
        f"Python {platform.python_version()}, {libraries}."
    )
