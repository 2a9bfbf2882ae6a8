"""Ctrl-C while workers start or end."""

from __future__ import annotations

import signal
import threading

import pytest

from binairo_cp.workers.executors import Pool, local, starting


def test_a_worker_starts_as_a_whole_or_not_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half a start leaves a worker whose locks are gone, and it prints a traceback."""
    schedule, started = local._Slot.schedule, []

    def interrupted(slot: local._Slot, work: object) -> object:
        signal.raise_signal(signal.SIGINT)
        started.append(schedule(slot, work))
        return started[0]

    monkeypatch.setattr(local._Slot, "schedule", interrupted)
    with Pool(1) as pool, pytest.raises(KeyboardInterrupt):
        pool.submit(abs, -1)
    assert started
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_other_threads_get_no_signals() -> None:
    with starting.uninterrupted():
        held = signal.getsignal(signal.SIGINT)
        thread = threading.Thread(target=starting.uninterrupted().__enter__)
        thread.start()
        thread.join()
        assert signal.getsignal(signal.SIGINT) is held
