"""Forecasts of the census against whole runs: time, memory and the size of the state file.

The first forecast counts a sample of the units, as ``census --forecast`` does for sizes in reach.
The second one draws random halves, as for sizes that are out of reach. Times are CPU seconds of one
core. Memory is the peak of a process that forecasts and counts all units.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import process_time

from benchmarks import tables
from benchmarks.apart import apart
from binairo_cp.counting import counting, unit_files
from binairo_cp.counting.census_runs import DISTINCT, forecast_units
from binairo_cp.counting.predicting import predict
from binairo_cp.counting.sizes import Census, classes_of, oriented
from binairo_cp.counting.units import CensusUnits, count_units

SIZES: dict[str, tuple[str, ...]] = tables.sized(
    {"classic": ("6x8",)},
    {
        "classic": ("8x9", "8x14", "9x9 ones", "9x10", "10x10"),
        "rows": ("8x14", "10x10"),
        "columns": ("8x14",),
        "plain": ("8x14", "8x16", "10x10", "10x12"),
    },
    {
        "classic": ("8x16", "8x18", "10x12", "10x14"),
        "rows": ("8x16", "10x12"),
        "columns": ("8x16", "10x12"),
        "plain": ("8x18", "10x14", "12x12"),
    },
)
_SECONDS = tables.sized(600.0, 600.0, 7200.0)


def measure(census: Census) -> tables.Row:
    """Forecast a census twice, and run it."""
    predicted = predict(census)
    assert predicted is not None
    census = oriented(census)
    classes = classes_of(census)
    expected = forecast_units(census, classes.packed)
    started = process_time()
    units = {unit.packed: unit for unit in count_units(census, classes.packed.tolist())}
    seconds = process_time() - started
    counting.check(census, classes, units)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "units.gz"
        unit_files.write(str(path), CensusUnits(census), units.values())
        disk = path.stat().st_size
    return {
        "boards": counting.total(classes, units),
        "s": round(seconds, 2),
        "s by sample": round(float(expected.seconds.sum()), 2),
        "s by halves": round(predicted.seconds, 2),
        "MB by sample": round(expected.bytes / 1e6),
        "MB by halves": round(predicted.bytes / 1e6),
        "state kB": round(disk / 1e3, 1),
        "state kB by halves": round(predicted.disk / 1e3, 1),
    }


def runs() -> tuple[str, list[tables.Row]]:
    """Whole runs and what was forecast."""
    rows: list[tables.Row] = []
    for rules, sizes in SIZES.items():
        for size in sizes:
            sides, _, odd = size.partition(" ")
            height, width = map(int, sides.split("x"))
            census = Census(height, width, DISTINCT[rules], "ones" if odd else "either")
            row, megabytes = apart(measure, census, seconds=_SECONDS)
            rows.append({"census": f"{size} {rules}", **row, "MB": megabytes})
    return "forecasts and runs", rows


def ratios(rows: list[tables.Row]) -> tuple[str, list[tables.Row]]:
    """What was forecast, divided by what was measured."""

    def ratio(row: tables.Row, name: str) -> str | float:
        of = row[name.split(" by ")[0]]
        return f"{float(row[name]) / float(of):.2g}" if float(of) else "-"

    names = ("s by sample", "s by halves", "MB by sample", "MB by halves", "state kB by halves")
    return "forecast / measured", [
        {"census": row["census"], "s": row["s"], "MB": row["MB"], "state kB": row["state kB"]}
        | {name: ratio(row, name) for name in names}
        for row in rows
    ]


def all_tables() -> Iterator[tuple[str, list[tables.Row]]]:
    title, rows = runs()
    yield title, rows
    yield ratios(rows)


if __name__ == "__main__":
    tables.report(
        "forecasts",
        all_tables(),
    )
