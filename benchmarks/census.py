"""The census: times of sizes and of units of 12x12.

Every count is compared with the known number. Times are CPU seconds of one core, since the machine
may be shared; with workers they are wall-clock times.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from time import perf_counter, process_time

import numpy as np

from benchmarks import tables
from binairo_cp.counting import counting
from binairo_cp.counting.sizes import Census, Distinct, classes_of, pairs_of_units
from binairo_cp.counting.units import count_unit, digits_of
from binairo_cp.workers import executors

KNOWN: dict[Distinct, dict[int, int]] = {
    "lines": {6: 4140, 8: 4111116, 10: 48183195384},
    "rows": {6: 5868, 8: 6417612, 10: 70012548456},
    "nothing": {6: 11222, 8: 12413918, 10: 117925227108},
}
STRATA = tables.sized(2, 8, 24)
LARGEST = tables.sized(1e7, 2e8)
"""The largest unit of 12x12 to count; larger ones take minutes."""


def sizes() -> tuple[str, list[tables.Row]]:
    rows: list[tables.Row] = []
    for distinct, known in KNOWN.items():
        for side, boards in list(known.items())[: tables.sized(2, 3)]:
            census = Census(side, side, distinct)
            started = process_time()
            assert counting.count_boards(census) == boards
            row: tables.Row = {"census": census.name, "boards": boards}
            row["core-seconds"] = round(process_time() - started, 3)
            started = perf_counter()
            with executors.Pool(executors.cores(), ["binairo_cp.counting.units"]) as pool:
                assert counting.count_boards(census, pool) == boards
            row["seconds with workers"] = round(perf_counter() - started, 2)
            rows.append(row)
    return "sizes", rows


def units_of_twelve(distinct: Distinct) -> tuple[str, list[tables.Row]]:
    """Units in layers of the same number of pairs of blocks, and one of each counted."""
    census = Census(12, 12, distinct)
    classes = classes_of(census)
    pairs = pairs_of_units(census, classes.packed)
    order = np.argsort(pairs, kind="stable")
    layer = np.minimum((pairs[order].cumsum() * STRATA) // pairs.sum(), STRATA - 1)
    rng = random.Random("units")
    rows: list[tables.Row] = []
    seconds = 0.0
    for number in range(STRATA):
        members = order[layer == number]
        known = [each for each in members.tolist() if pairs[each] <= LARGEST]
        if not known:
            continue
        each = rng.choice(known)
        started = process_time()
        unit = count_unit(census, int(classes.packed[each]))
        taken = process_time() - started
        seconds += taken * len(members)
        rows.append(
            {
                "unit": digits_of(unit.packed, 12),
                "classes": len(members),
                "halves": unit.halves,
                "boards": unit.boards,
                "seconds": round(taken, 3),
            }
        )
    return (
        f"units of {census.name}, about {seconds / 3600:.2f} core-hours without the largest",
        rows,
    )


def all_tables() -> Iterator[tuple[str, list[tables.Row]]]:
    yield sizes()
    yield units_of_twelve("lines")
    yield units_of_twelve("rows")


if __name__ == "__main__":
    tables.report("census", all_tables())
