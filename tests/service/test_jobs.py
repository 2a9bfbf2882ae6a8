"""Jobs: submit, follow, cancel, and resume after the server was stopped or killed."""

import asyncio
import errno
import gzip
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from binairo_cp.errors import ServiceError
from binairo_cp.formats import read_sources
from binairo_cp.puzzle.rules import violations
from binairo_cp.service.jobs.manager import JobManager
from binairo_cp.service.jobs.store import JobRow, JobStore, StorageError
from binairo_cp.service.limits import Limits
from tests.support.client import Client, Job, ProblemError
from tests.support.command_line import KNOWN, MULTIPLE, UNIQUE
from tests.support.serving import Server, serving

EASY = Path("instances/classic/06x06-hard.txt")
OPEN = "." * 196
"""A board with so many solutions that counting never ends during a test."""
ENDLESS = f"6x6:{UNIQUE} one\n" * 3 + f"14x14:{OPEN} two\n"
"""A job of which the first results come soon."""


def until(condition: Callable[[], Any]) -> Any:
    while not (value := condition()):
        time.sleep(0.05)
    return value


def test_a_batch_has_the_records_of_the_command_line(client: Client) -> None:
    job = client.submit("batch", EASY.read_bytes(), verb="check").wait()
    expected = ("done", 5, {"unique": 5})
    assert (job.state, job.progress["records"], job.progress["verdicts"]) == expected
    entries = list(read_sources([str(EASY)]))
    records = list(job.results())
    assert [record.id for record in records] == [entry.id for entry in entries]
    for record, entry in zip(records, entries, strict=True):
        assert record.clues == entry.puzzle.board.cells
        assert record.solution
        board = type(entry.puzzle.board)(6, 6, record.solution)
        assert not violations(entry.puzzle, board)


@pytest.mark.slow
def test_files_may_be_compressed_and_lists_may_mix_formats(server: Server, client: Client) -> None:
    packed = gzip.compress(f"{UNIQUE} a\n{MULTIPLE} b\n01x c\n".encode())
    response = server.http.post(
        "/v1/jobs?kind=batch&verb=grade",
        content=packed,
        headers={"Content-Type": "text/plain", "Content-Encoding": "gzip"},
    )
    assert response.status_code == 202
    assert response.headers["location"] == response.json()["links"]["self"]
    job = client.job(response.json()["id"]).wait()
    assert [record.verdict for record in job.results()] == ["unique", "multiple", "invalid"]
    mixed = client.submit("fewest", [UNIQUE, "6x6u:CafBAdEAcDaf"]).wait()
    assert [bool(record.fewest and record.fewest.proved) for record in mixed.results()] == [
        True
    ] * 2


@pytest.mark.slow
def test_results_can_be_read_from_any_place(client: Client) -> None:
    job = client.submit("batch", EASY.read_bytes(), verb="check").wait()
    ids = [record.id for record in job.results()]
    for after in range(7):
        assert [each.id for each in job.results(after=after)] == ids[after:]
    assert [each.id for each in job.results(follow=False)] == ids


@pytest.mark.slow
def test_a_failed_job_reports_its_error(client: Client) -> None:
    job = client.submit("generate", size=2, count=50, seed=1, distinct=True).wait()
    assert job.state == "failed"
    assert job.record["error"]["kind"] == "generation"
    assert job.progress["records"] == len(list(job.results()))


def pids_of(server: Server) -> set[str]:
    """The process ids of the jobs of a server."""
    found = set()
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if b"binairo_cp.service.jobs.runner" in path.read_bytes():
                status = path.with_name("cwd").resolve()
                if str(status).startswith(str(data_of(server))):
                    found.add(path.parent.name)
        except OSError:
            continue
    return found


def data_of(server: Server) -> Path:
    arguments = server.process.args
    assert isinstance(arguments, list)
    return Path(str(arguments[arguments.index("--data") + 1]))


def test_cancelling_a_job_kills_its_process(server: Server, client: Client) -> None:
    job = client.submit("count", ["14x14:" + OPEN])
    until(lambda: pids_of(server))
    job.cancel()
    assert job.state == "cancelled"
    until(lambda: not pids_of(server))
    assert list(job.results()) == []
    job.cancel()  # the job stays
    assert job.refresh().state == "cancelled"
    job.delete()
    with pytest.raises(ProblemError, match="404"):
        job.refresh()
    assert not (data_of(server) / "jobs" / job.id).exists()


def test_a_cancelled_job_has_the_numbers_of_its_results(server: Server, client: Client) -> None:
    job = client.submit("count", ENDLESS.encode())
    assert (job.progress["done"], job.progress["total"]) == (0, len(ENDLESS))
    next(job.results())
    for kind, path in (("application/x-ndjson", "results"), ("text/event-stream", "events")):
        head = server.http.head(f"/v1/jobs/{job.id}/{path}").headers
        assert head["content-type"].startswith(kind)
        assert head["x-accel-buffering"] == "no"
        assert "content-length" not in head
    job.cancel()
    number = len(list(job.results()))
    assert (job.state, job.progress["records"]) == ("cancelled", number)
    assert job.progress["verdicts"] == {"unique": number}
    until(
        lambda: [e for e in server.log if (e["message"], e.get("job")) == ("job cancelled", job.id)]
    )
    assert server.http.delete(f"/v1/jobs/{job.id}?keep=x").status_code == 422
    assert server.http.delete(f"/v1/jobs/{job.id}").status_code == 204


def test_the_results_of_a_killed_process_are_counted(tmp_path: Path) -> None:
    store = JobStore(tmp_path)
    store.add(row("a", progress='{"records":1,"done":9,"total":99}'))
    store.claim("a worker that is gone")
    store.folder.job("a").mkdir()
    fields = '"schema_version":1,"id":"2","source":"input"'
    failed = f'{{{fields},"verdict":"unknown","error":{{"kind":"crash","message":"died"}}}}'
    lines = f'{{"id":"1","verdict":"unique"}}\n{failed}\n{{"id":"3"'
    store.folder.start_run("a", 1, "1.0").joinpath("results.ndjson.partial").write_text(lines)
    manager = JobManager(store, Limits(), None)
    job = asyncio.run(manager.cancel(row("a")))
    verdicts = {"unique": 1, "unknown": 1}
    numbers = {"records": 2, "failed": 1, "verdicts": verdicts, "done": 9, "total": 99}
    assert (job.state, json.loads(job.progress)) == ("cancelled", numbers)
    assert store.find(["a"]) == [job]
    store.close()


def test_the_queue_is_bounded_and_queued_jobs_can_be_cancelled(client: Client) -> None:
    jobs = [client.submit("count", ["14x14:" + OPEN])]
    until(lambda: jobs[0].refresh().state == "running")
    jobs += [client.submit("count", ["14x14:" + OPEN]) for _ in range(2)]
    with pytest.raises(ProblemError) as refused:
        client.submit("count", [MULTIPLE])
    assert (refused.value.status, refused.value.problem) == (503, "busy")
    assert refused.value.retry_after
    assert [job.refresh().state for job in jobs] == ["running", "queued", "queued"]
    assert {job.id for job in jobs} <= {job.id for job in client.jobs()}
    for job in reversed(jobs):
        job.cancel()
    (record,) = client.submit("count", [MULTIPLE]).wait().results()
    assert (record.count, record.complete) == (4140, True)


def test_the_same_idempotency_key_returns_the_same_job(client: Client) -> None:
    one = client.submit("batch", EASY.read_bytes(), key="a key", verb="check")
    same = client.submit("batch", EASY.read_bytes(), key="a key", verb="check")
    assert one.id == same.id
    for other in ({"verb": "solve"}, {"verb": "check", "rules": "unruly"}):
        with pytest.raises(ProblemError, match="422 key-reused"):
            client.submit("batch", EASY.read_bytes(), key="a key", **other)
    with pytest.raises(ProblemError, match="422 key-reused"):
        client.submit("batch", b"0..1\n", key="a key", verb="check")
    one.wait()


@pytest.mark.slow
def test_a_list_with_invalid_puzzles_is_decided_as_by_check(server: Server, client: Client) -> None:
    given = [
        "01x",
        UNIQUE,
        {"id": "named", "height": 4, "width": 4, "clues": "1..0....a..1...."},
        "101x2:" + "." * 202,
        "",
        "0..1\n....\n....\n....\n\n0..1\n....\n....\n....",
        {"height": 4, "width": 4, "clues": "0..............."},
    ]
    at_once = server.post("/v1/check", puzzles=given).json()["results"]
    job = server.post("/v1/jobs", kind="batch", puzzles=given)
    assert job.status_code == 202
    records = list(client.job(job.json()["id"]).wait().results())
    results = [each.to_dict() for each in records]
    verdicts = ["invalid", "unique", *["invalid"] * 4, "multiple"]
    assert [each["verdict"] for each in results] == verdicts
    for name in ("id", "verdict", "error", "clues", "solution"):
        assert [each.get(name) for each in results] == [each.get(name) for each in at_once], name
    only_wrong = server.post("/v1/jobs", kind="batch", puzzles=["01x"]).json()
    done = client.job(only_wrong["id"]).wait()
    assert (done.state, done.progress["verdicts"]) == ("done", {"invalid": 1})


def test_an_unknown_job_is_not_found(server: Server) -> None:
    for path in ("", "/results", "/events"):
        assert server.http.get(f"/v1/jobs/none{path}").status_code == 404
    assert server.http.delete("/v1/jobs/../x").status_code in (404, 405)


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_job_survives_its_server(tmp_path: Path, number: int) -> None:
    many = "".join(f"{UNIQUE} {number}\n" for number in range(3_000))
    with serving(tmp_path) as server, Client(server.url) as client:
        id = client.submit("batch", many.encode(), verb="hint").id
        until(lambda: client.job(id).progress["records"])
        assert server.stop(number) == (0 if number == signal.SIGTERM else -number)
        until(lambda: not pids_of(server))
    with serving(tmp_path) as server, Client(server.url) as client:
        job = client.job(id)
        records = list(job.results())
        assert [record.id for record in records] == [str(k) for k in range(3_000)]
        assert {record.solution for record in records} == {KNOWN}


@pytest.mark.slow
def test_streams_of_a_job_say_that_the_server_stops(tmp_path: Path) -> None:
    """Otherwise it would seem that these are all results."""
    with serving(tmp_path) as server, Client(server.url) as client:
        job = client.submit("count", ENDLESS.encode())
        results, events = job.results(), client.job(job.id).events()
        next(results), next(events)
        os.kill(server.process.pid, signal.SIGTERM)
        for stream in (results, events):
            with pytest.raises(ProblemError) as raised:
                list(stream)
            assert (raised.value.status, raised.value.problem) == (503, "stopping")


@pytest.mark.slow
def test_generation_resumes(tmp_path: Path) -> None:
    options = {"size": 6, "count": 2_000, "seed": 3, "distinct": True, "grade": "hard"}
    with serving(tmp_path) as server, Client(server.url) as client:
        id = client.submit("generate", **options).id
        until(lambda: client.job(id).progress["records"])
        server.stop(signal.SIGKILL)
    with serving(tmp_path) as server, Client(server.url) as client:
        assert client.job(id).wait().state == "done"
        after = [record.clues for record in client.job(id).results()]
        straight = client.submit("generate", **options).wait()
        assert after == [record.clues for record in straight.results()]


@pytest.mark.slow
def test_a_job_whose_process_dies_three_times_fails(tmp_path: Path) -> None:
    with serving(tmp_path) as server, Client(server.url) as client:
        job = client.submit("count", ["14x14:" + OPEN])
        for _ in range(3):
            (pid, *_) = until(lambda: {p for p in pids_of(server) if is_leader(p)})
            os.kill(int(pid), signal.SIGKILL)
            until(lambda pid=pid: pid not in pids_of(server))
            died = server.until("job died")
            assert (died["job"], died["reason"]) == (job.id, "its process ended with SIGKILL")
        job.wait()
        assert (job.state, job.record["error"]["kind"]) == ("failed", "crash")


def is_leader(pid: str) -> bool:
    with suppress(ProcessLookupError):  # a worker may have ended
        return os.getpgid(int(pid)) == int(pid)
    return False


def row(id: str, **fields: Any) -> JobRow:
    usual = {"owner": "", "created": 1.0}
    return JobRow(id, kind="batch", verb="check", ask="{}", input="", **usual | fields)


def test_the_store_saves_and_restores_jobs(tmp_path: Path) -> None:
    store = JobStore(tmp_path)
    assert store.add(row("a", key="k"))
    assert not store.add(row("b", key="k"))
    assert store.add(row("c"))
    assert store.add(row("d"))
    taken = store.claim("worker")
    assert (taken.id, taken.state, taken.run) == ("a", "running", 1)
    taken.progress = json.dumps({"records": 1})
    assert store.end(taken, "done")
    for age, name in ((0, "new"), (7200, "old")):
        store.folder.job(name).mkdir()
        os.utime(store.folder.job(name), (time.time() - age,) * 2)
    store.clean(3600.0)
    assert [path.name for path in store.folder.job("").iterdir()] == ["new"]
    store.delete("d")
    before = store.all("", 9)
    store.close()
    again = JobStore(tmp_path)
    assert again.all("", 9) == before
    assert [(each.id, each.state) for each in before] == [("c", "queued"), ("a", "done")]
    again.close()


def open_to_others(folder: Path) -> list[str]:
    found = [folder, *folder.rglob("*")]
    return [path.name for path in found if path.stat().st_mode & 0o077]


@pytest.fixture
def _usual_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.mark.usefixtures("_usual_umask")
def test_only_the_owner_can_read_the_jobs(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "data"
    store = JobStore(folder)
    store.add(row("x"))
    assert {path.name for path in folder.iterdir()} >= {"jobs.sqlite-wal", "jobs.sqlite-shm"}
    assert open_to_others(folder) == []
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o755
    store.close()


@pytest.mark.usefixtures("_usual_umask")
def test_a_folder_with_other_files_keeps_its_permissions_but_jobs_are_private(tmp_path: Path):
    (tmp_path / "notes.txt").touch()
    tmp_path.chmod(0o755)
    store = JobStore(tmp_path)
    assert sorted(open_to_others(tmp_path)) == sorted([tmp_path.name, "notes.txt"])
    store.close()


def test_an_unusable_folder_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ServiceError, match="can't be used"):
        JobStore(tmp_path / "file")
    other = tmp_path / "other"
    JobStore(other).close()
    base = sqlite3.connect(other / "jobs.sqlite")
    base.execute("UPDATE binairo SET value = 7 WHERE name = 'version'")
    base.commit()
    base.close()
    with pytest.raises(ServiceError, match="another version"):
        JobStore(other)


def test_a_database_that_can_not_be_used_is_opened_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("binairo_cp.service.jobs.store._RETRY_SECONDS", 0)
    monkeypatch.setattr("binairo_cp.service.jobs.store._SECONDS", 0)
    path = tmp_path / "jobs.sqlite"
    path.write_text("no base, for sure" * 100)
    store = JobStore(tmp_path)
    with pytest.raises(StorageError, match="file is not a database"):
        store.all("", 9)
    path.unlink()
    # Another program holds the new file, and then lets go of it.
    with closing(sqlite3.connect(path)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StorageError, match="database is locked"):
            store.all("", 9)
    assert store.add(row("a"))
    with pytest.raises(ServiceError, match="another server uses it"):
        JobStore(tmp_path)
    store.close()


def test_tables_are_created_completely_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("binairo_cp.service.jobs.store._RETRY_SECONDS", 0)
    with monkeypatch.context() as full:
        full.setattr("binairo_cp.service.jobs.store.sa.insert", fail)
        store = JobStore(tmp_path)
        with pytest.raises(StorageError, match="can't be used: No space left"):
            store.all("", 9)
    assert store.all("", 9) == []
    store.close()


def fill(disk: Path) -> Path:
    filler = disk / "filler"
    with suppress(OSError), filler.open("ab", buffering=0) as file:
        while True:
            file.write(b"x" * 4096)
    return filler


@contextmanager
def small_disk(folder: Path, mebibytes: int = 4) -> Iterator[Path]:
    mount = ["mount", "-t", "tmpfs", "-o", f"size={mebibytes}m", "tmpfs", str(folder)]
    if sys.platform != "linux" or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("needs the right to mount a file system")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def check_recovery(server: Server, mend: Callable[[], object]) -> None:
    """The server answers all but requests about jobs, and those too once the cause is gone."""
    refused = server.post("/v1/jobs", kind="batch", puzzles=[UNIQUE])
    assert (refused.status_code, refused.json()["type"]) == (503, "urn:binairo:problem:storage")
    assert int(refused.headers["retry-after"]) > 0
    assert server.http.get("/v1/jobs").status_code == 503
    assert server.post("/v1/check", puzzle=UNIQUE).json()["verdict"] == "unique"
    assert server.http.get("/readyz").status_code == 200
    assert "binairo_requests_total" in server.http.get("/metrics").text
    mend()
    server.until("database works again")
    with Client(server.url) as client:
        assert client.submit("batch", [UNIQUE], verb="check").wait().state == "done"


@pytest.mark.slow
def test_a_server_starts_with_a_full_disk(tmp_path: Path) -> None:
    with small_disk(tmp_path), ExitStack() as stack:
        filler = fill(tmp_path)
        server = stack.enter_context(serving(tmp_path))
        assert any("No space left" in line.get("reason", "") for line in server.log) or any(
            "full" in line.get("reason", "") for line in server.log
        )
        check_recovery(server, filler.unlink)


@pytest.mark.slow
def test_a_job_waits_for_space_and_resumes(tmp_path: Path) -> None:
    with small_disk(tmp_path, 16) as disk, serving(disk) as server:
        filler = disk / "filler"
        filler.write_bytes(bytes(13 << 20))
        with Client(server.url) as client:
            job = client.submit("batch", [UNIQUE] * 12_000, verb="check")
            server.until("job waits")
            assert server.http.get("/readyz").json() == {"status": "ready", "disk": "full"}
            assert "binairo_disk_full 1.0" in server.http.get("/metrics").text
            filler.unlink()
            done = job.wait()
            assert (done.state, done.progress["records"]) == ("done", 12_000)
        assert server.http.get("/readyz").json() == {"status": "ready"}


@pytest.mark.slow
def test_the_space_of_jobs_is_bounded(tmp_path: Path) -> None:
    with (
        serving(tmp_path, "--job-results=1", "--storage=2") as server,
        Client(server.url) as client,
    ):
        job = client.submit("batch", [UNIQUE] * 12_000, verb="check").wait()
        expected = ("failed", {"kind": "limit", "message": "the results take more than 1 MiB"})
        assert (job.state, job.record["error"]) == expected
        (tmp_path / "jobs" / job.id / "more").write_bytes(bytes(1 << 20))
        refused = server.post("/v1/jobs", kind="batch", puzzles=[UNIQUE])
        assert (refused.status_code, refused.json()["type"]) == (507, "urn:binairo:problem:quota")
        assert "all jobs take the 2 MiB" in refused.json()["detail"]
        assert server.http.delete(f"/v1/jobs/{job.id}").status_code == 204
        assert server.post("/v1/jobs", kind="batch", puzzles=[UNIQUE]).status_code == 202


def test_jobs_can_be_listed_and_deleted_on_a_full_disk(tmp_path: Path) -> None:
    with small_disk(tmp_path) as disk:
        store = JobStore(disk)
        store.add(row("a", state="done", ended=2.0))
        store.folder.job("a").mkdir()
        (store.folder.job("a") / "input").write_bytes(b"x" * 100_000)
        store.close()
        fill(disk)
        store = JobStore(disk)  # as after a restart
        assert [job.id for job in store.all("", 9)] == ["a"]
        fill(disk)
        store.delete("a")
        assert store.all("", 9) == []
        assert not store.folder.job("a").exists()
        store.close()


@pytest.mark.slow
def test_old_jobs_are_deleted(tmp_path: Path) -> None:
    store = JobStore(tmp_path)
    store.add(row("old", state="done", ended=2.0))
    store.folder.job("old").mkdir()
    store.close()
    with serving(tmp_path) as server:
        until(lambda: not server.http.get("/v1/jobs").json()["jobs"])
        until(lambda: not (tmp_path / "jobs/old").exists())


@pytest.mark.slow
def test_jobs_belong_to_a_key(tmp_path: Path) -> None:
    from binairo_cp.service import clients

    made = [clients.new_key(name) for name in ("alice", "bob")]
    (tmp_path / "keys").write_text("# keys\n" + "\n".join(line for _, line in made))
    with serving(tmp_path / "data", "--api-keys", str(tmp_path / "keys")) as server:
        alice, bob = (Client(server.url, key) for key, _ in made)
        job: Job = alice.submit("batch", [UNIQUE], verb="check").wait()
        assert [each.id for each in alice.jobs()] == [job.id]
        assert [*bob.jobs()] == []
        with pytest.raises(ProblemError, match="404"):
            bob.job(job.id)
        for key in (None, "", made[0][0] + "x", "binairo_"):
            with Client(server.url, key) as stranger, pytest.raises(ProblemError, match="401 key"):
                stranger.check(UNIQUE)
        assert server.http.get("/healthz").status_code == 200
        assert server.http.get("/metrics").status_code == 401
        named = {"X-API-Key": made[1][0]}
        assert server.http.get("/metrics", headers=named).status_code == 200
        (tmp_path / "keys").write_text("broken")
        server.process.send_signal(signal.SIGHUP)
        server.until("keys not read")
        assert alice.job(job.id).state == "done"
        kept = made[1][1]
        (tmp_path / "keys").write_text(f"{kept}\n")
        server.process.send_signal(signal.SIGHUP)
        assert server.until("keys read")["number"] == 1
        with pytest.raises(ProblemError, match="401 key"):
            alice.job(job.id)
        assert bob.check(UNIQUE).verdict == "unique"
        alice.http.close()
        bob.http.close()
    assert all(key not in (tmp_path / "keys").read_text() for key, _ in made)
