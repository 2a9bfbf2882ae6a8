"""Plan a census on a cluster: simulate a scheduler whose workers die, with units as forecast.

    python -m benchmarks.census_plan [WORKERS] [DEATHS_PER_DAY] [SPLIT_HOURS]

simulates classic 14x14. Idle workers take the longest unit that is left, as Dask does with tasks
that are submitted in this order. A worker that dies loses its unit, which is put back, and returns
after ten minutes. Units that take longer than SPLIT_HOURS are cut into parts of that length; this
needs a change of the census (docs/census.md).
"""

from __future__ import annotations

import heapq
import sys
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from binairo_cp.counting.predicting import Prediction, predict
from binairo_cp.counting.sizes import Census

DAY = 86_400.0
RESTART = 600.0
TASKS = 200_000
"""Shorter units are put together, so that the simulation has about this many tasks."""


class Plan(NamedTuple):
    """The outcome of a simulation.

    Attributes:
        seconds: from the start to the end of the last unit.
        busy: the share of the time in which workers count units that are finished in the end.
        deaths: workers that died while they counted.
        tasks: the number of tasks.
    """

    seconds: float
    busy: float
    deaths: int
    tasks: int


def durations(found: Prediction, split: float) -> npt.NDArray[np.float64]:
    """The seconds of each task: a power law with the predicted total and the predicted maximum.

    The k-th largest unit takes `largest / k ** slope`. The slope is the one that gives the total.
    """
    ranks = np.unique(np.geomspace(1, found.units, 20_000).astype(np.int64))
    widths = np.diff(np.append(ranks, int(found.units) + 1))
    low, high = 0.0, 5.0
    for _ in range(60):
        slope = (low + high) / 2
        total = (found.largest / ranks**slope * widths).sum()
        low, high = (slope, high) if total > found.seconds else (low, slope)
    seconds = found.largest / ranks**slope
    # At least so long, so that small units are put together.
    least = found.seconds / TASKS
    tasks: list[float] = []
    for each, number in zip(seconds.tolist(), widths.tolist(), strict=True):
        parts = max(1, int(np.ceil(each / split)))
        if each / parts >= least:
            tasks += [each / parts] * (parts * number)
        else:
            together = max(1, round(each * number / least))
            tasks += [each * number / together] * together
    return np.sort(np.array(tasks))[::-1]


def simulate(
    tasks: npt.NDArray[np.float64], workers: int, deaths_per_day: float, seed: int = 0
) -> Plan:
    """Simulate a run.

    Args:
        tasks: the seconds of each task, the longest first.
        workers: the number of workers.
        deaths_per_day: how often a worker dies on average; the times are exponential.
        seed: of the random times.

    Raises:
        ValueError: a task is so long that a worker would hardly ever live to finish it.
    """
    if len(tasks) and tasks[0] * deaths_per_day / DAY > 10:
        raise ValueError(
            f"the longest task takes {tasks[0] / DAY:.1f} days, and a worker dies "
            f"{deaths_per_day:g} times a day; split the tasks"
        )
    rng = np.random.default_rng(seed)
    free = [(0.0, worker) for worker in range(workers)]
    heapq.heapify(free)
    left = [-float(each) for each in tasks]
    heapq.heapify(left)
    running: list[tuple[float, float]] = []
    end, deaths = 0.0, 0
    while left or running:
        # Tasks of dead workers come back only when the death is noticed.
        while running and (not left or running[0][0] <= free[0][0]):
            noticed, length = heapq.heappop(running)
            heapq.heappush(left, -length)
            if free[0][0] < noticed:
                _, worker = heapq.heappop(free)
                heapq.heappush(free, (noticed, worker))
        start, worker = heapq.heappop(free)
        length = -heapq.heappop(left)
        life = rng.exponential(DAY / deaths_per_day) if deaths_per_day else np.inf
        if life < length:
            deaths += 1
            heapq.heappush(running, (start + life, length))
            heapq.heappush(free, (start + life + RESTART, worker))
            continue
        end = max(end, start + length)
        heapq.heappush(free, (start + length, worker))
    return Plan(end, float(tasks.sum()) / (end * workers) if end else 1.0, deaths, len(tasks))


def main() -> int:
    arguments = [float(each) for each in sys.argv[1:]]
    workers, deaths, hours = (arguments + [1000, 0.1, 6][len(arguments) :])[:3]
    found = predict(Census(14, 14))
    assert found is not None
    print(
        f"14x14 classic: {found.units:,.0f} units, {found.seconds / DAY:,.0f} core-days, the "
        f"largest {found.largest / DAY:.1f} days, {found.bytes / 1e9:.0f} GB for each worker, "
        f"{found.disk / 1e6:.0f} MB of disk"
    )
    for split in (np.inf, hours * 3600):
        what = "whole units" if split == np.inf else f"units in parts of {hours:g} hours"
        try:
            plan = simulate(durations(found, split), int(workers), deaths)
        except ValueError as error:
            print(f"{what}: {error}")
            continue
        print(
            f"{what}: {plan.seconds / DAY:.1f} days on {workers:.0f} workers, "
            f"{plan.busy:.0%} busy with what counts, {plan.deaths:,} deaths"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
