"""A local Dask cluster gives the same results as local workers."""

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

from binairo_cp import Board, Puzzle
from binairo_cp.batch.tasks import Task
from binairo_cp.errors import ClusterError
from binairo_cp.formats import Entry
from binairo_cp.workers import executors
from binairo_cp.workers.executors import WorkerSettings
from tests.support.client import Client
from tests.support.command_line import UNIQUE, call, run
from tests.support.poison import CRASH, HANG, Poison
from tests.support.result_files import records_of, stable_records, write_puzzles
from tests.support.serving import serving

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a scheduler with two workers. A block that kills a worker is not retried."""
    folder = tmp_path_factory.mktemp("cluster")
    env = os.environ | {
        "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "0",
        "PYTHONPATH": str(ROOT),
    }
    python = [sys.executable, "-m"]
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
                [*python, *words, *more], env=env, stdout=log, stderr=log, cwd=folder
            )
            stack.callback(process.wait)
            stack.callback(process.terminate)
            while not file.exists():
                assert process.poll() is None, Path(log.name).read_text()
                time.sleep(0.05)
        yield json.loads(file.read_text())["address"]


def cluster_settings(cluster: str) -> WorkerSettings:
    return WorkerSettings(2, cluster=cluster)


@pytest.mark.slow
def test_the_results_are_the_same(cluster: str, tmp_path: Path) -> None:
    puzzles = write_puzzles(tmp_path, 3_000)
    plain, out = tmp_path / "plain.ndjson", tmp_path / "out.ndjson"
    command = ("check", str(puzzles), "--to", "ndjson", "-q")
    assert call(*command, "--out", str(plain))[0] == 2
    assert run(*command, "--out", str(out), "--cluster", cluster).returncode == 2
    assert stable_records(out.read_text()) == stable_records(plain.read_text())


@pytest.mark.slow
def test_a_census_of_a_cluster_is_resumed_without_it(cluster: str, tmp_path: Path) -> None:
    state = tmp_path / "8x10.gz"
    census = ["census", "8x10", "-q", "--state", str(state)]
    whole = run(*census, "--cluster", cluster, check=0).stdout
    assert run("census", "8x10", "-q", "--workers", "1", check=0).stdout == whole
    lines = gzip.decompress(state.read_bytes()).splitlines(keepends=True)
    state.write_bytes(gzip.compress(b"".join(lines[: len(lines) // 2])))
    assert run(*census, "--workers", "1", check=0).stdout == whole


@pytest.mark.slow
def test_no_result_is_lost_when_a_worker_is_killed(cluster: str, capfd: pytest.CaptureFixture[str]):
    with cluster_settings(cluster).open() as executor:
        while executor.workers < 2:
            time.sleep(0.1)
        pids = {executor.submit(_pid, k).result() for k in range(10)}
        killer = threading.Timer(0.5, lambda: os.kill(pids.pop(), signal.SIGKILL))
        killer.start()
        results = list(executors.map_blocks(executor, _slow, range(40)))
        killer.join()
    assert results == [(k, k * k) for k in range(40)]
    assert capfd.readouterr().err == ""


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
    records = records_of([entries], task, cluster_settings(cluster))
    # A single block with several puzzles goes to the cluster too.
    assert [record.id for record in records] == [str(k) for k in range(64)]
    guilty = records.pop(place)
    assert guilty.error.kind == "crash"
    assert "1 worker of the cluster died while working on it" in guilty.error.message
    assert not any(record.error for record in records)


@pytest.mark.slow
def test_an_unreachable_cluster_is_an_error() -> None:
    with (
        dask.config.set({"distributed.comm.timeouts.connect": 1}),
        pytest.raises(ClusterError, match="can't be reached"),
    ):
        WorkerSettings(1, cluster="tcp://127.0.0.1:1").open()


@pytest.mark.slow
def test_jobs_of_the_server_run_on_the_cluster(cluster: str, tmp_path: Path) -> None:
    text = "".join(f"{UNIQUE} {number}\n" for number in range(500)).encode()
    with serving(tmp_path / "good", "--cluster", cluster) as server, Client(server.url) as client:
        job = client.submit("batch", text, verb="check").wait()
        assert (job.state, job.progress["verdicts"]) == ("done", {"unique": 500})
        assert [record.id for record in job.results()] == [str(k) for k in range(500)]
    # Without a cluster, it is an error: the machine of the server does not do the work instead.
    nowhere = "tcp://127.0.0.1:9"
    with serving(tmp_path / "bad", "--cluster", nowhere) as server, Client(server.url) as client:
        job = client.submit("batch", text, verb="check").wait()
        assert (job.state, job.record["error"]["kind"]) == ("failed", "cluster")
        assert nowhere in job.record["error"]["message"]
