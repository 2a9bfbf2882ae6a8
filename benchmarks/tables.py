"""Figures as tables and plots, with the machine and the versions that they come from."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter

from benchmarks import machine, options, plots
from benchmarks.options import sized
from benchmarks.plots import Plot

__all__ = ["Plot", "Row", "Table", "markdown", "milliseconds", "report", "sized", "spread"]

Row = dict[str, str | float]
Table = tuple[str, list[Row]]


def milliseconds(work: Callable[[], object]) -> float:
    """How long a call takes."""
    started = perf_counter()
    work()
    return (perf_counter() - started) * 1000


def spread(times: list[float]) -> dict[str, float]:
    """Median and 99th percentile, in the unit of the times."""
    high = quantiles(times, n=100, method="inclusive")[98] if len(times) > 1 else times[0]
    return {"median ms": round(median(times), 3), "p99 ms": round(high, 3)}


def markdown(rows: list[Row]) -> str:
    """A table with the fields of its rows as columns."""
    head = list(rows[0])
    lines = [head, ["---"] * len(head), *[[str(row[name]) for name in head] for row in rows]]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def report(name: str, tables: Iterable[Table], plotted: Sequence[Plot] = ()) -> None:
    """Print tables as they come; keep them, with their plots, where the options say so."""
    folder = options.folder(options.parser(prog=f"python -m benchmarks.{name}").parse_args())
    if folder:
        # Not to find out in the end that it can't be kept.
        folder.mkdir(parents=True, exist_ok=True)
    told = machine.machine()
    started = perf_counter()
    text = f"# {name}\n\n{machine.sentence(told)}\n"
    print(text)
    made: dict[str, list[Row]] = {}
    for title, rows in tables:
        table = f"## {title}\n\n{markdown(rows)}"
        print(table, flush=True)
        made[title] = rows
        text += f"\n{table}"
    seconds, memory = round(perf_counter() - started, 1), machine.peak_mb()
    end = f"Size: {options.size()}. It took {seconds:g} s and {memory} MB in its own process."
    print(end, flush=True)
    if folder:
        kept = {
            "name": name,
            "size": options.size(),
            "machine": told,
            "seconds": seconds,
            "peak memory MB": memory,
            "plots": [asdict(plot) for plot in plotted],
            "tables": made,
        }
        keep(folder, name, kept, f"{text}\n{end}\n")


def keep(folder: Path, name: str, kept: dict[str, object], text: str) -> None:
    """Write NAME.json, NAME.md, and NAME.svg made from the former."""
    data = folder / f"{name}.json"
    data.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n")
    picture = plots.draw(data)
    if picture:
        text += f"\n![{name}]({picture.name})\n"
    (folder / f"{name}.md").write_text(text)
