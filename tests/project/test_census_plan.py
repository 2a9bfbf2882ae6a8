"""The simulation of a census on a cluster, and the second methods for puzzles."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import census_plan
from binairo_cp.counting.predicting import Prediction

FOUND = Prediction(units=5_000, seconds=1e6, largest=2e4, bytes=1, disk=1)


def test_equal_tasks_without_deaths() -> None:
    plan = census_plan.simulate(np.full(100, 7.0), workers=10, deaths_per_day=0)
    assert (plan.seconds, plan.busy, plan.deaths) == (70.0, 1.0, 0)


def test_the_longest_task_is_the_end() -> None:
    tasks = np.array([50.0, *[1.0] * 50])
    assert census_plan.simulate(tasks, workers=3, deaths_per_day=0).seconds == 50


@pytest.mark.parametrize("split", [np.inf, 1_000.0])
def test_tasks_have_the_predicted_total_and_maximum(split: float) -> None:
    tasks = census_plan.durations(FOUND, split)
    assert tasks.sum() == pytest.approx(FOUND.seconds, rel=0.01)
    assert tasks[0] == pytest.approx(min(FOUND.largest, split))
    assert (np.diff(tasks) <= 0).all()


def test_dead_workers_cost_time_and_lose_no_task() -> None:
    """A worker that dies every other task counts about half of the time."""
    tasks = np.full(1_000, 3_600.0)
    calm = census_plan.simulate(tasks, 10, 0)
    rough = census_plan.simulate(tasks, 10, 12)
    assert rough.deaths > 100
    assert calm.seconds * 1.2 < rough.seconds < calm.seconds * 3
    assert rough == census_plan.simulate(tasks, 10, 12)


def test_tasks_that_never_end_are_rejected() -> None:
    with pytest.raises(ValueError, match="split the tasks"):
        census_plan.simulate(np.array([40 * census_plan.DAY]), 10, 1)
