"""Blocks of lines are decided by threads, the rest by processes; Ctrl-C at start and end."""

import io
import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from concurrent.futures import CancelledError
from pathlib import Path

import pytest

from binairo_cp import formats
from binairo_cp.batch import pipeline
from binairo_cp.batch.pipeline import BlockSizer, number_blocks
from binairo_cp.batch.summaries import Summary
from binairo_cp.batch.tables import Output
from binairo_cp.batch.tasks import Task
from binairo_cp.errors import SolverCrash
from binairo_cp.formats import FORMATS, Entry
from binairo_cp.formats.sources import Source
from binairo_cp.workers.executors import Pool, WorkerSettings, local, starting
from binairo_cp.workers.executors.threads import Threads

SOLVED, SEVERAL, INVALID = "1.1100011010010101100101101010010011", "11.1" * 4, "01x1"
LARGE = "." * 66 * 66


def run(file: Path, output: Output, workers: int, size: int = 3_000) -> list[str]:
    """The lines of the results, without times."""
    blocks = formats.read_blocks(
        [str(file)], lambda: size, formats.Choices("line"), None, formats.Tally()
    )
    parts = pipeline.process_blocks(
        number_blocks(blocks),
        Task("check", reasons="none"),
        output,
        BlockSizer(2),
        WorkerSettings(workers),
    )
    return [
        line.partition(',"backend"')[0]
        for part in parts
        for line in str(part.data, "utf-8").splitlines()
    ]


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "_START_SECONDS", 0.0)


@pytest.mark.parametrize("output", ["line", "ndjson"])
@pytest.mark.parametrize("period", [3, 500])
def test_output_is_the_same_with_and_without_workers(
    tmp_path: Path, output: Output, period: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many puzzles that are left, or few."""
    rows = [SOLVED] * (period - 3) + [SOLVED, SEVERAL, INVALID]
    if period > 3:
        rows[7] = LARGE
    file = tmp_path / "x.line"
    file.write_text("".join(f"{rows[k % period]} id{k}\n" for k in range(6_000)))
    alone = run(file, output, 0)
    names = set[str]()
    decided = pipeline._BlockWorker._groups

    def noted(work: pipeline._BlockWorker, *args: object) -> object:
        names.add(threading.current_thread().name)
        return decided(work, *args)  # type: ignore[arg-type]

    monkeypatch.setattr(pipeline._BlockWorker, "_groups", noted)
    assert run(file, output, 2) == alone
    assert len(alone) >= 6_000
    assert names
    assert threading.main_thread().name not in names


class Crashing(pipeline._BlockWorker):
    """Large boards kill the process."""

    def text(self, entry: Entry, summary: Summary, error: SolverCrash | None = None) -> bytes:
        if entry.puzzle and entry.puzzle.board.height > 64 and not error:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().text(entry, summary, error)


def test_what_kills_its_process_is_one_record() -> None:
    rows = [SOLVED] * 3_000
    rows[7] = LARGE
    source = Source("x", io.BytesIO("\n".join(rows).encode()), lambda: 0)
    blocks = FORMATS["line"].blocks(source, None, lambda: 1_500)
    with Threads(2, lambda: Pool(2)) as threads:
        work = pipeline._ThreadWorker(Crashing(Task("check"), "line"), threads)
        parts = [work(numbered) for numbered in number_blocks(blocks)]
    lines = [line for part in parts for line in str(part.data, "utf-8").splitlines()]
    assert ["unique" in line for line in lines] == [row == SOLVED for row in rows]
    assert sum((part.summary.kinds for part in parts), Counter()) == {"crash": 1}


def test_threads_start_no_processes_unless_they_leave_puzzles(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("no process is needed")

    monkeypatch.setattr(WorkerSettings, "open", refuse)
    file = tmp_path / "x.line"
    file.write_text(f"{SOLVED}\n" * 3_000 + f"{INVALID}\n")
    lines = run(file, "line", 2)
    assert len(lines) == 3_001


def test_what_fails_in_a_thread_fails_in_the_run() -> None:
    def fail(number: int) -> int:
        raise ValueError(number)

    with Threads(2, lambda: Pool(1)) as threads:
        assert [threads.submit(abs, -k).result() for k in range(10)] == list(range(10))
        with pytest.raises(ValueError, match="3"):
            threads.submit(fail, 3).result()


def test_a_stopped_run_ends_its_processes() -> None:
    """Also calls that wait for a process."""
    began = threading.Event()

    def wait(seconds: int) -> int:
        began.set()
        jobs = [threads.pool.submit(_sleep, seconds) for _ in range(3)]
        return max(job.result() for job in jobs)

    opened: list[Pool] = []

    def open_pool() -> Pool:
        opened.append(Pool(1))
        return opened[0]

    with pytest.raises(KeyboardInterrupt), Threads(1, open_pool) as threads:
        first, second = threads.submit(wait, 600), threads.submit(wait, 600)
        began.wait()
        second.cancel()
        raise KeyboardInterrupt
    with pytest.raises(CancelledError):
        first.result(60)
    for pool in opened:
        with pytest.raises(CancelledError):
            pool.submit(abs, -1)


def _sleep(seconds: int) -> int:
    threading.Event().wait(seconds)
    return seconds


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


KILLED = """
import os, signal
from binairo_cp.workers.executors import Pool
Pool(1).submit(abs, -1).result()
os.kill(os.getpid(), signal.SIGKILL)
"""
LATE = """
import os
from _multiprocessing import sem_unlink
from binairo_cp.workers.executors import local
context = local._context([])
lock = context.Lock()
sem_unlink(lock._semlock.name)
worker = context.Process(target=print, args=[lock])
worker.start()
worker.join()
os._exit(0)
"""


@pytest.mark.parametrize("program", [
    pytest.param(KILLED, id="a command that is killed"),
    pytest.param(LATE, id="a worker whose locks are gone"),
])  # fmt: skip
def test_nothing_is_printed_by(program: str) -> None:
    """The processes that multiprocessing leaves behind, and those that come too late, are quiet."""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout + done.stderr == ""
