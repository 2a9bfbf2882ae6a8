"""Large arguments and results of workers travel through shared memory, with the same contents."""

from __future__ import annotations

import os
import pickle
import signal
import sys
from concurrent.futures import wait
from dataclasses import dataclass
from pathlib import Path
from typing import Any, SupportsIndex

import pytest

from binairo_cp import formats
from binairo_cp.batch import pipeline
from binairo_cp.batch.blocks import BlockSizer, number_blocks
from binairo_cp.batch.pipeline import WrittenBlock
from binairo_cp.batch.summaries import Summary
from binairo_cp.batch.tables import Output
from binairo_cp.batch.tasks import Task
from binairo_cp.errors import SolverCrash
from binairo_cp.formats.sources import Piece
from binairo_cp.workers.executors import Pool, WorkerSettings, shared_memory
from binairo_cp.workers.executors.shared_memory import Call, Memories, Memory

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="there are no such files")

SIZE = 300_000


@dataclass(frozen=True)
class Large:
    """A number and bytes that are pickled apart."""

    number: int
    data: Any

    @classmethod
    def of(cls, number: int) -> Large:
        return cls(number, bytes([number % 256]) * (SIZE + number))

    def __reduce_ex__(self, protocol: SupportsIndex) -> tuple[Any, ...]:
        data = pickle.PickleBuffer(self.data) if int(protocol) >= 5 else bytes(self.data)
        return Large, (self.number, data)


def doubled(large: Large) -> Large:
    """The same bytes twice."""
    return Large(large.number, bytes(large.data) * 2)


def is_expected(result: Large, number: int) -> bool:
    return result.number == number and bytes(result.data) == Large.of(number).data * 2


def sizes(large: Large) -> list[int]:
    return [large.number, len(large.data)]


def kill_if_odd(large: Large) -> Large:
    if large.number % 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return doubled(large)


def fail(large: Large) -> Large:
    raise ValueError(len(large.data))


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[Call | None]:
    """The calls that used shared memory; None for those with small arguments."""
    made: list[Call | None] = []
    call = Memory.call

    def recorded(self: Memory, work: Any) -> Call | None:
        made.append(call(self, work))
        return made[-1]

    monkeypatch.setattr(Memory, "call", recorded)
    return made


def test_results_stay_as_they_are_while_they_are_used(calls: list[Call | None]) -> None:
    """More results are kept than there are memories, so the rest travels through pipes."""
    with Pool(2) as pool:
        jobs = [pool.submit(doubled, Large.of(number)) for number in range(30)]
        results = [job.result() for job in jobs]
        assert all(is_expected(result, number) for number, result in enumerate(results))
        assert 0 < len(calls) < 30
        assert any(isinstance(result.data, memoryview) for result in results)
        del jobs, results
        later = [pool.submit(doubled, Large.of(number)) for number in range(40, 45)]
        assert all(is_expected(job.result(), 40 + k) for k, job in enumerate(later))
    # Views stay valid when the pool is closed.
    assert all(is_expected(job.result(), 40 + k) for k, job in enumerate(later))


def test_few_memories_serve_many_calls(calls: list[Call | None]) -> None:
    with Pool(1) as pool:
        for number in range(40):
            assert is_expected(pool.submit(doubled, Large.of(number)).result(), number)
        assert len(calls) == 40
        assert len({call.path for call in calls if call}) <= 4


def test_small_results_small_arguments_and_errors(calls: list[Call | None]) -> None:
    with Pool(1) as pool:
        assert pool.submit(sizes, Large.of(3)).result() == [3, SIZE + 3]
        assert pool.submit(sizes, Large(1, b"ab")).result() == [1, 2]
        assert [call is None for call in calls] == [False, True]
        with pytest.raises(ValueError, match=str(SIZE)):
            pool.submit(fail, Large.of(0)).result()
        assert pool.submit(sizes, Large.of(4)).result() == [4, SIZE + 4]


def test_workers_that_die() -> None:
    with Pool(2) as pool:
        jobs = [pool.submit(kill_if_odd, Large.of(number)) for number in range(12)]
        wait(jobs)
        for number, job in enumerate(jobs):
            if number % 2:
                assert isinstance(job.exception(), SolverCrash)
            else:
                assert is_expected(job.result(), number)


def test_memory_that_workers_can_not_open(
    monkeypatch: pytest.MonkeyPatch, calls: list[Call | None]
) -> None:
    with Pool(2) as pool:
        monkeypatch.setattr(Memory, "path", "/proc/0/fd/0")
        jobs = [pool.submit(doubled, Large.of(number)) for number in range(8)]
        assert all(is_expected(job.result(), number) for number, job in enumerate(jobs))
        assert 1 <= len(calls) <= 2


def test_a_system_without_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> int:
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(shared_memory.os, "memfd_create", refuse)
    with Pool(1) as pool:
        assert is_expected(pool.submit(doubled, Large.of(5)).result(), 5)


def test_a_memory_that_a_worker_may_still_write_to_is_not_used_again() -> None:
    memories = Memories(1)
    first = memories.take()
    assert first
    assert memories.take() is None
    memories.discard(first)
    second = memories.take()
    assert second
    assert second is not first
    memories.give_back(second)
    assert memories.take() is second
    memories.close()
    memories.discard(second)
    assert memories.take() is None


@pytest.mark.parametrize("protocol", [4, 5])
def test_pieces_and_parts_are_pickled(protocol: int) -> None:
    piece = Piece(3, b"....\n", 1)
    assert pickle.loads(pickle.dumps(piece, protocol)) == piece
    buffers: list[pickle.PickleBuffer] = []
    part = WrittenBlock(2, memoryview(bytearray(b"text\n")), Summary("check"), 0.5)
    for copy in (
        pickle.loads(pickle.dumps(part, protocol)),
        pickle.loads(pickle.dumps(part, 5, buffer_callback=buffers.append), buffers=buffers),
    ):
        assert (copy.before, copy.text, copy.summary, copy.seconds) == (
            2,
            "text\n",
            part.summary,
            0.5,
        )


@pytest.mark.parametrize("output", ["line", "ndjson"])
def test_output_is_the_same_with_and_without_workers(
    tmp_path: Path,
    output: Output,
    calls: list[Call | None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pipeline, "_START_SECONDS", 0.0)
    rows = ["1.1100011010010101100101101010010011", "11.1" * 4, "01x1"]
    file = tmp_path / "x.line"
    file.write_text("".join(f"{rows[k % 3]} id{k}\n" for k in range(6_000)))
    outputs = []
    for workers in (0, 2):
        blocks = formats.read_blocks([str(file)], lambda: 3_000, "line", None, formats.Tally())
        parts = pipeline.process_blocks(
            number_blocks(blocks),
            Task("check", reasons="none"),
            output,
            BlockSizer(2),
            WorkerSettings(workers),
        )
        outputs.append([shortened(line) for part in parts for line in part.text.splitlines()])
    assert outputs[0] == outputs[1]
    assert len(outputs[0]) >= 6_000
    assert any(calls)


def shortened(line: str) -> str:
    """A line of results without times, and without the backend, which may differ in small blocks."""
    return line.partition(',"backend"')[0]
