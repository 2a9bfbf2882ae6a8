"""The progress bar, and where outputs go."""

from __future__ import annotations

from datetime import timedelta

from rich.progress import Progress

from binairo_cp.workers.terminal import Bar


def test_the_time_left_does_not_grow_if_work_ends_in_bursts() -> None:
    """A hundred pieces are done at once, every second; more than a second's speed would show."""
    now = [0.0]
    progress = Progress(get_time=lambda: now[0], disable=True)
    show = Bar(progress)
    show(200, 10_200, "")
    shown = []
    for burst in range(1, 101):
        now[0] = burst
        for done in range(burst * 100 - 99, burst * 100 + 1):
            show(200 + done, 10_200, "")
        shown.append(progress.tasks[0].fields["left"])
    assert shown == [str(timedelta(seconds=100 - burst)) for burst in range(1, 101)]


def test_nothing_is_said_of_the_time_left_without_a_total() -> None:
    progress = Progress(disable=True)
    show = Bar(progress)
    show(0, None, "")
    show(10, None, "10 done")
    assert progress.tasks[0].fields["left"] == ""
