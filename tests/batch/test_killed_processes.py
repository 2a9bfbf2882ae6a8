"""Long runs during which the main process or single workers are killed."""

import os
import random
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import pytest

from tests.support.command_line import binairo, call
from tests.support.result_files import stable_records, write_puzzles

PUZZLES = 100_000
RECORD_BYTES = 250

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc").is_dir(), reason="processes are found in /proc"),
]


@pytest.fixture(scope="module")
def puzzles(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_puzzles(tmp_path_factory.mktemp("many"), PUZZLES)


@pytest.fixture(scope="module")
def undisturbed(puzzles: Path) -> list[object]:
    out = puzzles.with_suffix(".ndjson")
    ask = ("check", str(puzzles), "--to", "ndjson", "--out", str(out), "-q")
    assert call(*ask)[0] == 2
    return stable_records(out.read_text())


def started(puzzles: Path, out: Path, *more: str) -> subprocess.Popen[bytes]:
    ask = ["check", str(puzzles), "--to", "ndjson", "--out", str(out), "-q", *more]
    return subprocess.Popen([*binairo, *ask], start_new_session=True, stderr=subprocess.DEVNULL)


def size_of(path: Path) -> int:
    """The size in bytes, 0 without a file: a run renames its partial file at its end."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def has_written(process: subprocess.Popen[bytes], out: Path, more: int) -> bool:
    """Wait until a run has written `more` further bytes; whether it is still running."""
    partial = Path(f"{out}.partial")
    before = size_of(partial)
    while process.poll() is None:
        if size_of(partial) >= max(before + more, 1):
            return True
        time.sleep(0.005)
    return False


@pytest.mark.rotating
@pytest.mark.parametrize("number", range(4))
def test_a_killed_run_can_be_resumed(
    number: int, puzzles: Path, undisturbed: list[object], tmp_path: Path
):
    out = tmp_path / "out.ndjson"
    rng = random.Random(number)
    kills = 0
    while not (kills and out.exists()):
        for each in tmp_path.iterdir() if out.exists() else ():
            each.unlink()  # the run ended before it was killed: once more
        process = started(puzzles, out, "--resume")
        if has_written(process, out, rng.randrange(PUZZLES * RECORD_BYTES // 3)):
            os.killpg(process.pid, signal.SIGKILL)
            kills += 1
        process.wait()
    assert stable_records(out.read_text()) == undisturbed


def workers(pid: int) -> list[int]:
    """The descendants of a process that have no children."""
    found = []
    with suppress(OSError):  # the process may have ended
        for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
            found += workers(int(child)) or [int(child)]
    return found


@pytest.mark.rotating
@pytest.mark.parametrize("number", range(6))
def test_killed_workers_lose_no_results(
    number: int, puzzles: Path, undisturbed: list[object], tmp_path: Path
):
    out = tmp_path / "out.ndjson"
    rng = random.Random(number)
    kills = 0
    while not kills:  # a run that ended before it lost a worker is done again
        # With a limit of memory, processes do all the work.
        process = started(puzzles, out, "-w", "3", "--memory-limit", "2048")
        while has_written(process, out, rng.randrange(PUZZLES * RECORD_BYTES // 8)):
            time.sleep(rng.random() / 50)
            running = workers(process.pid)
            for pid in rng.sample(running, min(len(running), 1)):
                with suppress(OSError):
                    if b"forkserver" in Path(f"/proc/{pid}/cmdline").read_bytes():
                        os.kill(pid, signal.SIGKILL)
                        kills += 1
        assert process.returncode == 2
    assert stable_records(out.read_text()) == undisturbed
