"""Report results as tables, with the machine and versions."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from statistics import median, quantiles
from time import perf_counter

from benchmarks import machine, options
from benchmarks.options import sized

__all__ = ["Row", "Table", "markdown", "milliseconds", "report", "sized", "spread"]

Row = dict[str, str | float]
Table = tuple[str, list[Row]]


def milliseconds(work: Callable[[], object]) -> float:
    """The milliseconds that a call takes."""
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


def report(name: str, tables: Iterable[Table]) -> None:
    """Print tables as they are ready, and save them if the options say so.

    Args:
        name: the benchmark.
        tables: its tables.
    """
    folder = options.folder(options.parser(prog=f"python -m benchmarks.{name}").parse_args())
    if folder:
        # Fail now, not at the end, if the folder can't be written.
        folder.mkdir(parents=True, exist_ok=True)
    description = machine.describe()
    started = perf_counter()
    print(f"# {name}\n\n{machine.sentence(description)}\n")
    results: dict[str, list[Row]] = {}
    for title, rows in tables:
        print(f"## {title}\n\n{markdown(rows)}", flush=True)
        results[title] = rows
    seconds, memory = round(perf_counter() - started, 1), machine.peak_mb()
    print(f"Size: {options.size()}. It took {seconds:g} s and {memory} MB in its own process.")
    if folder:
        result = {
            "name": name,
            "size": options.size(),
            "machine": description,
            "seconds": seconds,
            "peak memory MB": memory,
            "tables": results,
        }
        data = json.dumps(result, indent=1, ensure_ascii=False)
        (folder / f"{name}.json").write_text(f"{data}\n")
