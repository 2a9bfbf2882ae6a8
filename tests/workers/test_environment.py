"""Missing libraries, low limits, quotas, long TMPDIR, killed parent, missing and broken files."""

import gzip
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from itertools import repeat
from pathlib import Path

import pytest

from binairo_cp.errors import SourceError, WorkersError
from binairo_cp.service.jobs import runner
from binairo_cp.service.jobs.runner import JobSpec
from binairo_cp.workers import extras, resource_limits
from binairo_cp.workers.executors import Pool
from tests.support.command_line import UNIQUE, binairo, finished, invoke

TWO = f"{UNIQUE} one\n{UNIQUE} two\n"


def test_an_import_that_fails_is_explained() -> None:
    assert extras.explain_import_error(ImportError("no good")) == "no good"
    ours = ImportError("cannot import name 'x'", name="binairo_cp.kernels.bitboard")
    assert extras.explain_import_error(ours) == "cannot import name 'x'; install the package again"
    message = extras.explain_import_error(ModuleNotFoundError("", name="ortools.sat"))
    assert message.startswith("this needs ortools, which can't be loaded")
    assert "pip install 'ortools>=" in message
    assert extras.explain_import_error(ModuleNotFoundError("", name="other")).endswith("'other'")


def _limited(option: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = ["bash", "-c", f'ulimit {option} && exec "$@"', "bash", *binairo, *arguments]
    done = subprocess.run(command, input=TWO, capture_output=True, text=True)
    assert "Traceback" not in done.stderr
    assert "internal error" not in done.stderr
    return done


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="other systems count open files differently")
def test_few_open_files() -> None:
    for limit in (12, 16, 20):
        done = _limited(f"-n {limit}", "check", "-", "-w", "2", "--memory-limit", "600")
        assert done.returncode == 2
        assert f"open files, but the limit is {limit}; set ulimit -n " in done.stderr
        assert "use fewer --workers" in done.stderr
    # A low soft limit is raised.
    assert _limited("-S -n 16", "check", "-", "-w", "2").stdout.count("unique") == 2


def test_workers_that_can_not_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    for error, reason in (
        (RuntimeError("can't start new thread"), "can't start new thread"),
        (BlockingIOError(11, "Resource temporarily unavailable"), "Resource temporarily unav"),
    ):

        def fail(*_: object, error: Exception = error) -> None:
            raise error

        monkeypatch.setattr("binairo_cp.workers.executors.local._context", fail)
        with pytest.raises(WorkersError, match="2 worker processes need more than") as raised:
            Pool(2)
        assert reason in str(raised.value)
        assert "use fewer workers" in str(raised.value)


def test_workers_whose_fork_server_was_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise EOFError

    monkeypatch.setattr("binairo_cp.workers.executors.local._context", fail)
    with pytest.raises(WorkersError, match="the process that starts them has ended"):
        Pool(2)


def test_a_long_tmpdir(tmp_path: Path) -> None:
    folder = tmp_path / ("x" * 140)
    folder.mkdir()
    env = {**os.environ, "TMPDIR": str(folder)}
    done = finished(*binairo, "check", "-", "-q", input=TWO, env=env)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("unique") == 2
    assert not list(folder.iterdir())


@pytest.mark.parametrize("output", ["text", "line", "ndjson"])
def test_a_missing_file_is_reported_once_and_does_not_count_as_a_puzzle(
    output: str, tmp_path: Path
) -> None:
    (tmp_path / "one.line").write_text(TWO)
    (tmp_path / "empty.line").write_text("")
    names = [str(tmp_path / name) for name in ("none", "one.line", "empty.line")]
    done = invoke("check", *names, "--to", output, "-w", "1", check=2)
    assert len(done.stdout.splitlines()) == 2
    assert done.stdout.count("unique") == 2
    *errors, summary = done.stderr.splitlines()
    assert errors == [
        f"binairo: {names[0]}: can't be opened: No such file or directory",
        f"binairo: {names[2]}: contains no puzzle",
    ]
    assert summary.startswith("2 puzzles: 2 unique; 2 sources not read in ")


def test_at_most_100_missing_files_are_reported() -> None:
    names = [f"none-{k}" for k in range(150)]
    lines = invoke("check", *names, "-q", check=2).stderr.splitlines()
    assert len(lines) == 101
    assert lines[-1] == "binairo: more such errors are not shown"


@pytest.mark.parametrize("start", [b"\x1f\x8b", b"\xfd7zXZ\0", b"BZh91AY", b"PK\x03\x04"])
def test_damaged_compressed_files_are_refused(start: bytes, tmp_path: Path) -> None:
    file = tmp_path / "puzzles.txt"
    file.write_bytes(start + b"\n\xff\n" * 9)
    done = invoke("check", str(file), check=2)
    assert done.stdout == ""
    assert f"{file}: can't be read: the " in done.stderr
    assert " damaged, or en" in done.stderr


_HOLDING = """
import sys
import threading
from binairo_cp.workers.executors import Pool
from tests.workers.test_environment import hold

if __name__ == "__main__":
    with Pool(2) as pool:
        held = [pool.submit(hold, sys.argv[1] + name) for name in "ab"]
        print(held[0].result())
"""


def hold(file: str) -> None:
    """Write the pid to a file, then run code that nothing in Python can interrupt."""
    Path(f"{file}.new").write_text(str(os.getpid()))
    os.replace(f"{file}.new", file)
    sum(repeat(0))


def _is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] != b"Z"
    except OSError:
        return False


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a thread needs the GIL to see it")
def test_workers_end_with_their_parent(tmp_path: Path) -> None:
    files = [tmp_path / name for name in "ab"]
    with subprocess.Popen([sys.executable, "-c", _HOLDING, f"{tmp_path}/"]) as parent:
        pids = []
        try:
            while not all(file.exists() for file in files):
                assert parent.poll() is None
                time.sleep(0.05)
            pids = [int(file.read_text()) for file in files]
            parent.kill()
            parent.wait()
            # Without the signal the workers would run forever.
            while any(map(_is_alive, pids)):
                time.sleep(0.05)
        finally:
            for pid in pids:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)


def test_without_the_signal_a_thread_notices_the_end_of_the_parent() -> None:
    reading, writing = os.pipe()
    os.close(writing)
    ended: list[bool] = []
    resource_limits._call_at_end(reading, lambda: ended.append(True))
    os.close(reading)
    assert ended == [True]
    assert not resource_limits._has_signal_at_end(-1)


def test_a_job_with_truncated_input_reports_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    Path("input").write_bytes(gzip.compress(TWO.encode() * 100)[:-20])
    order = JobSpec(
        kind="batch",
        verb="check",
        options={},
        input="input",
        workers=1,
        time_limit=10,
        memory=1 << 30,
        most_bytes=1 << 30,
    )
    progress: list[dict[str, object]] = []
    with pytest.raises(SourceError, match="can't be read"):
        runner.run_job(order, "results.ndjson", progress.append)
    assert progress[-1]["records"] == len(Path("results.ndjson").read_text().splitlines())


@pytest.mark.parametrize(("membership", "files", "quota"), [
    ("0::/\n", {"cpu.max": "200000 100000\n"}, 2.0),
    ("0::/\n", {"cpu.max": "max 100000\n"}, None),
    ("0::/\n", {}, None),
    # The least quota of the groups above counts.
    (
        "0::/a/b\n",
        {"a/cpu.max": "50000 100000", "a/b/cpu.max": "max 100000", "cpu.max": "300000 100000"},
        0.5,
    ),
    # The path on the host, which does not exist in the container.
    ("0::/host/docker/1\n", {"cpu.max": "150000 100000\n"}, 1.5),
    ("0::/../../x\n", {"cpu.max": "150000 100000\n"}, 1.5),
    (
        "5:cpu,cpuacct:/a\n1:name=systemd:/\n",
        {"cpu/a/cpu.cfs_quota_us": "250000\n", "cpu/a/cpu.cfs_period_us": "100000\n"},
        2.5,
    ),
    (
        "5:cpu,cpuacct:/\n",
        {"cpu/cpu.cfs_quota_us": "-1\n", "cpu/cpu.cfs_period_us": "100000\n"},
        None,
    ),
    ("5:cpuset:/\n", {"cpu/cpu.cfs_quota_us": "1", "cpu/cpu.cfs_period_us": "1"}, None),
    ("nonsense", {"cpu.max": "1 1"}, None),
    ("0::/\n", {"cpu.max": "nonsense"}, None),
    ("0::/\n", {"cpu.max": "5 0"}, None),
])  # fmt: skip
def test_the_quota_of_control_groups(
    tmp_path: Path, membership: str, files: dict[str, str], quota: float | None
) -> None:
    for name, text in files.items():
        path = tmp_path / "groups" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (tmp_path / "membership").write_text(membership)
    assert resource_limits.cpu_quota(tmp_path / "groups", tmp_path / "membership") == quota
    assert resource_limits.cpu_quota(tmp_path / "none", tmp_path / "no file") is None


@pytest.mark.parametrize(("quota", "cores"), [(None, 8), (2.0, 2), (1.5, 2), (0.1, 1), (99.0, 8)])
def test_cores_respect_the_quota(monkeypatch: pytest.MonkeyPatch, quota: float | None, cores: int):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)), raising=False)
    monkeypatch.setattr(resource_limits, "cpu_quota", lambda: quota)
    # The number is found only once in a process.
    assert resource_limits.cores.__wrapped__() == cores
