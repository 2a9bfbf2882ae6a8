"""A Dask cluster of this machine gives what this machine gives without it."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import dask
import pytest

from binairo_cp import Board, Puzzle, formats
from binairo_cp.batch import pipeline
from binairo_cp.batch.tasks import Task
from binairo_cp.errors import ClusterError, SourceError
from binairo_cp.formats import Block, Entry, Placed, Tally
from binairo_cp.workers import executors
from binairo_cp.workers.executors import Address, Crew
from tests.support.command_line import call, run
from tests.support.poison import CRASH, HANG, Poison
from tests.support.records import records_of
from tests.support.result_files import stable_records, write_puzzles

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a scheduler with two workers; a block that one dies of is not tried again."""
    folder = tmp_path_factory.mktemp("cluster")
    env = os.environ | {
        "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "0",
        "PYTHONPATH": str(ROOT),
    }
    begin = [sys.executable, "-m"]
    file = folder / "scheduler.json"
    with ExitStack() as stack:
        for number, words in enumerate(
            (
                ["distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0"],
                *[["distributed.cli.dask_worker", "--nthreads", "1"]] * 2,
            )
        ):
            log = stack.enter_context(open(folder / f"{number}.log", "wb"))
            more = ["--scheduler-file", str(file), "--no-dashboard"]
            process = subprocess.Popen(
                [*begin, *words, *more], env=env, stdout=log, stderr=log, cwd=folder
            )
            stack.callback(process.wait)
            stack.callback(process.terminate)
            while not file.exists():
                assert process.poll() is None, Path(log.name).read_text()
                time.sleep(0.05)
        yield json.loads(file.read_text())["address"]


def crew(cluster: str, *, scatter: bool = False) -> Crew:
    return Crew(2, cluster=Address(cluster), scatter=scatter)


@pytest.mark.slow
def test_the_results_are_the_same(cluster: str, tmp_path: Path) -> None:
    puzzles = write_puzzles(tmp_path, 3_000)
    plain, out = tmp_path / "plain.ndjson", tmp_path / "out.ndjson"
    ask = ("check", str(puzzles), "--to", "ndjson", "-q")
    assert call(*ask, "--out", str(plain))[0] == 2
    for more in ((), ("--scatter-files",)):
        status = run(*ask, "--out", str(out), "--cluster", cluster, *more).returncode
        assert status == 2
        assert stable_records(out.read_text()) == stable_records(plain.read_text())


@pytest.mark.slow
def test_a_census_is_taken_by_a_cluster_and_gone_on_with_without(
    cluster: str, tmp_path: Path
) -> None:
    state = tmp_path / "8x10.gz"
    census = ["census", "8x10", "-q", "--state", str(state)]
    whole = run(*census, "--cluster", cluster, check=0).stdout
    assert run("census", "8x10", "-q", "--workers", "1", check=0).stdout == whole
    lines = gzip.decompress(state.read_bytes()).splitlines(keepends=True)
    state.write_bytes(gzip.compress(b"".join(lines[: len(lines) // 2])))
    assert run(*census, "--workers", "1", check=0).stdout == whole
    told = run(*census, "--verify", "20", check=0).stdout
    assert told.startswith("20 of 20 units counted again agree")


@pytest.mark.slow
def test_a_worker_that_is_killed_loses_nothing(cluster: str) -> None:
    with crew(cluster).open() as executor:
        while executor.workers < 2:
            time.sleep(0.1)
        pids = {executor.submit(_pid, k).result() for k in range(10)}
        killer = threading.Timer(0.5, lambda: os.kill(pids.pop(), signal.SIGKILL))
        killer.start()
        done = list(executors.mapped(executor, _slow, range(40)))
        killer.join()
    assert done == [(k, k * k) for k in range(40)]


def _pid(_: int) -> int:
    return os.getpid()


def _slow(number: int) -> int:
    time.sleep(0.1)
    return number * number


@pytest.mark.slow
@pytest.mark.parametrize(("what", "place"), [(CRASH, 0), (CRASH, 31), (HANG, 63)])
def test_a_poisoned_block_is_split(cluster: str, what: str, place: int) -> None:
    boards = [Board.parse(f"{what if k == place else '0011'} .... .... ....") for k in range(64)]
    entries = [Entry(Puzzle(board), id=str(k)) for k, board in enumerate(boards)]
    task = Task("check", Poison(), time_limit=0.1)
    records = records_of([entries], task, crew(cluster))
    # A single block goes to the cluster too, where there is more than one puzzle.
    assert [record.id for record in records] == [str(k) for k in range(64)]
    guilty = records.pop(place)
    assert guilty.error
    assert guilty.error.kind == "crash"
    assert "1 worker of the cluster died of it" in guilty.error.message
    assert not any(record.error for record in records)


def test_blocks_are_told_by_their_places(tmp_path: Path) -> None:
    puzzles = write_puzzles(tmp_path)
    blocks = list(pipeline.number_blocks(_blocks(puzzles)))
    placed = [given.placed() for given in blocks]
    assert all(isinstance(given.block, Placed) for given in placed)
    assert [given.read() for given in placed] == [given.block for given in blocks]
    assert [part.before for part in placed[0].split()] == [
        part.before for part in blocks[0].split()
    ]
    puzzles.write_text(puzzles.read_text().replace("p50", "p5x"))
    with pytest.raises(SourceError, match="has other puzzles where a worker reads it"):
        [given.read() for given in placed]
    puzzles.unlink()
    with pytest.raises(SourceError, match="can't be read by a worker"):
        placed[0].read()


def _blocks(file: Path) -> Iterator[Block]:
    return formats.read_blocks([str(file)], lambda: 40, "auto", None, Tally())


@pytest.mark.slow
def test_what_can_not_be_reached_is_told() -> None:
    address = Address("tcp://127.0.0.1:1")
    with (
        dask.config.set({"distributed.comm.timeouts.connect": 1}),
        pytest.raises(ClusterError, match="can't be reached"),
    ):
        Crew(1, cluster=address).open()


@pytest.mark.parametrize(
    "wrong",
    [
        ("--cluster", "localhost:8786"),
        ("--cluster", "tls://localhost:8786"),
        ("--cluster", "tcp://localhost:8786", "--tls-ca", "a", "--tls-cert", "b"),
        ("--cluster", "tcp://localhost:8786", "-w", "2"),
        ("--tls-ca", "a"),
        ("--scatter-files",),
    ],
)
def test_wrong_options(wrong: tuple[str, ...]) -> None:
    assert call("check", "-", *wrong, input="." * 16)[0] == 2
