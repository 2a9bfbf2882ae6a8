"""Jobs that several processes and servers share: leases, takeover, cancelling, lost databases."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update

from binairo_cp.errors import ServiceError
from binairo_cp.service.jobs.folder import DataFolder, ResultReader
from binairo_cp.service.jobs.store import JOBS, JobStore, StorageError, place_of
from tests.service.test_jobs import OPEN, pids_of, row, until
from tests.support.client import Client, ProblemError
from tests.support.command_line import KNOWN, UNIQUE
from tests.support.serving import SHORT_LEASES, PostgreSql, postgresql, serving

COUNT = 1_500
MANY = "".join(f"{UNIQUE} {number}\n" for number in range(COUNT))


@pytest.fixture(scope="module")
def cluster() -> Iterator[PostgreSql]:
    with postgresql() as server:
        yield server


@pytest.fixture
def database(cluster: PostgreSql) -> str:
    return cluster.new_database()


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)])
def two_stores(
    request: pytest.FixtureRequest, tmp_path: Path
) -> Iterator[tuple[JobStore, JobStore]]:
    """The stores of two servers with a common database; with SQLite, the one store."""
    if request.param == "sqlite":
        stores = [JobStore(tmp_path)]
        yield stores[0], stores[0]
    else:
        url = request.getfixturevalue("database")
        stores = [JobStore(tmp_path, url) for _ in range(2)]
        yield stores[0], stores[1]
    for store in stores:
        store.close()


def expire(store: JobStore, id: str) -> None:
    with store.open().connect() as connection:
        connection.execute(update(JOBS).where(JOBS.c.id == id).values(lease=JOBS.c.lease - 1_000))


def test_a_job_belongs_to_one_process_at_a_time(two_stores: tuple[JobStore, JobStore]) -> None:
    one, two = two_stores
    assert one.add(row("a"))
    assert not one.add(row("a"))
    first = one.claim("one-1")
    assert (first.state, first.run) == ("running", 1)
    assert two.claim("two-1") is None
    first.progress = '{"records":1}'
    assert one.renew(first)
    assert two.find(["a"])[0].progress == first.progress
    expire(two, "a")
    second = two.claim("two-1")
    assert (second.worker, second.run, second.started) == ("two-1", 2, first.started)
    # The first process comes back from the dead, and must not change anything.
    assert not one.renew(first)
    assert not one.end(first, "failed", "x")
    assert not one.release(first)
    assert two.end(second, "done")
    assert [(each.state, each.error) for each in one.find(["a"])] == [("done", "")]
    assert one.claim("one-1") is None


def test_a_lease_that_expired_can_be_renewed_unless_the_job_was_taken(
    two_stores: tuple[JobStore, JobStore],
) -> None:
    one, two = two_stores
    one.add(row("a"))
    job = one.claim("one-1")
    assert job
    expire(one, "a")
    assert one.renew(job)
    assert two.claim("two-1") is None


def test_owners_take_turns(two_stores: tuple[JobStore, JobStore]) -> None:
    one, two = two_stores
    for number in range(4):
        one.add(row(f"a{number}", owner="a", created=float(number)))
    one.add(row("b0", owner="b", created=9.0))
    one.add(row("b1", owner="b", created=10.0))
    assert one.waiting("a") == 4
    first, second = one.claim("one-1"), two.claim("two-1")
    assert (first.id, second.id) == ("a0", "b0")
    assert one.end(first, "done")
    # The other owner runs a job, so it is this one's turn, although it had the first one.
    third = one.claim("one-1")
    assert one.end(third, "done")
    assert two.end(second, "done")
    fourth, fifth = two.claim("two-1"), one.claim("one-1")
    assert [third.id, fourth.id, fifth.id] == ["a1", "b1", "a2"]


@pytest.mark.parametrize("limit", [1, 3, 100])
def test_each_job_is_on_one_page(two_stores: tuple[JobStore, JobStore], limit: int) -> None:
    one, two = two_stores
    # Jobs of the same moment, as those that a program submits, and times that are no round numbers.
    times = {f"{number:024x}": 1_763_000_000.1 + number // 3 * 0.1 for number in range(12)}
    for id, created in times.items():
        one.add(row(id, created=created, owner="me"))
        one.add(row(f"other-{id}", created=created, owner="you"))
    expected = [
        id for _, id in sorted(((created, id) for id, created in times.items()), reverse=True)
    ]
    listed: list[str] = []
    place = None
    while page := two.all("me", limit, place):
        assert len(page) <= limit
        listed += [each.id for each in page]
        place = place_of(page[-1].cursor)
        # The job at the end of the page is deleted, and a new one comes first.
        one.delete(page[-1].id)
        one.add(row(f"new-{len(listed)}", created=1_764_000_000.0, owner="me"))
    assert listed == expected


@pytest.mark.parametrize(
    "text",
    ["", "x", "1", "1.5", "1.5_a", "inf-a", "nan-a", "-1.5-a", "1e9-a", "٣.٣-a", "1.5-a\n", "\x00"]
    + [f"1.5-{id}" for id in ("", "a'", "../x", "a" * 65, "%")],
)
def test_other_texts_are_no_cursors(text: str) -> None:
    with pytest.raises(ValueError, match="not a cursor"):
        place_of(text)


def test_any_process_can_cancel(two_stores: tuple[JobStore, JobStore]) -> None:
    one, two = two_stores
    one.add(row("a"))
    job = one.claim("one-1")
    assert job
    two.cancel("a")
    assert not one.renew(job)
    assert not one.end(job, "done")
    assert one.find(["a"])[0].state == "cancelled"
    two.cancel("a")
    assert two.find(["a"])[0].ended == one.find(["a"])[0].ended


@pytest.mark.parametrize("after", range(5))
def test_results_are_read_once_when_another_process_takes_over(tmp_path: Path, after: int) -> None:
    folder = DataFolder(tmp_path)
    folder.job("a").mkdir(parents=True)
    folder.start_run("a", 1, "1.0")
    (folder.run("a", 1) / "results.ndjson.partial").write_bytes(b"0\n1\n2 of the")
    reader = ResultReader(folder, "a", after)
    lines = b"".join(reader.read(1))
    folder.start_run("a", 2, "1.0")
    new = folder.run("a", 2) / "results.ndjson.partial"
    assert new.read_bytes() == b"0\n1\n2 of the"
    lines += b"".join(reader.read(2))
    # The next process cuts the incomplete line off, and may write another one.
    with new.open("r+b") as file:
        file.truncate(4)
        file.seek(4)
        file.write(b"2\n" + b"x" * 100_000)
        file.flush()
        lines += b"".join(reader.read(2))
        file.write(b"\n")
    lines += b"".join(reader.read(2))
    reader.close()
    assert lines.split() == [b"0", b"1", b"2", b"x" * 100_000][after:]


def test_a_run_of_another_version_starts_again(tmp_path: Path) -> None:
    folder = DataFolder(tmp_path)
    folder.job("a").mkdir(parents=True)
    folder.start_run("a", 1, "1.0").joinpath("results.ndjson.partial").write_bytes(b"0\n")
    assert not list(folder.start_run("a", 2, "1.1").glob("results*"))
    assert [path.name for path in folder.job("a").iterdir()] == ["run-2"]


@pytest.mark.parametrize("ids", [None, ["a", "b", "gone"]])
def test_the_size_is_told_while_a_job_is_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ids: list[str] | None
) -> None:
    folder = DataFolder(tmp_path)
    for id in ("a", "b"):
        folder.job(id).mkdir(parents=True)
        run = folder.start_run(id, 1, "1.0")
        run.joinpath("results.ndjson").write_bytes(bytes(1_000))

    listed = os.scandir

    def delete_others(path: Any) -> Any:
        if not isinstance(path, int) and (job := Path(path)).parent.name == "jobs":
            folder.delete("b" if job.name == "a" else "a")
        return listed(path)

    monkeypatch.setattr("os.scandir", delete_others)
    assert 1_000 < folder.size(ids) < 30_000


@pytest.mark.slow
def test_another_server_finishes_the_jobs_of_a_killed_one(tmp_path: Path, database: str) -> None:
    options = ("--database", database)
    with (
        serving(tmp_path, *options, program=SHORT_LEASES) as one,
        serving(tmp_path, *options, program=SHORT_LEASES) as two,
        Client(one.url) as client,
        Client(two.url) as other,
    ):
        # Each server runs one of them.
        jobs = [client.submit("batch", MANY.encode(), verb="hint") for _ in range(2)]
        until(lambda: jobs[0].refresh().progress["records"])
        seen = [other.job(job.id) for job in jobs]
        stream = iter(seen[0].results())
        first = next(stream)
        assert one.stop(signal.SIGKILL) == -signal.SIGKILL
        for job in seen:
            records = list(job.results())
            if job is seen[0]:
                assert [first.id, *(each.id for each in stream)] == [r.id for r in records]
            assert [record.id for record in records] == [str(k) for k in range(COUNT)]
            assert {record.solution for record in records} == {KNOWN}
            assert job.refresh().state == "done"
            assert job.progress["verdicts"] == {"unique": COUNT}


@pytest.mark.slow
def test_either_server_can_cancel(tmp_path: Path, database: str) -> None:
    options = ("--database", database)
    with serving(tmp_path, *options) as one, Client(one.url) as client:
        job = client.submit("count", ["14x14:" + OPEN])
        until(lambda: pids_of(one))
        with serving(tmp_path, *options) as two, Client(two.url) as other:
            same = other.job(job.id)
            assert same.state == "running"
            same.cancel()
            assert same.state == "cancelled"
            until(lambda: not pids_of(one))
            assert job.refresh().state == "cancelled"


@pytest.mark.slow
def test_jobs_survive_the_loss_of_the_database(tmp_path: Path) -> None:
    with (
        postgresql() as database,
        serving(tmp_path, "--database", database.url) as server,
        Client(server.url) as client,
    ):
        job = client.submit("batch", MANY.encode(), verb="hint")
        until(lambda: job.refresh().progress["records"])
        database.stop()
        with pytest.raises(ProblemError, match="503 storage") as refused:
            client.submit("batch", [UNIQUE], verb="check")
        assert refused.value.retry_after
        assert client.check(UNIQUE).verdict == "unique"
        assert server.http.get("/healthz").status_code == 200
        assert "binairo_requests_total" in server.http.get("/metrics").text
        database.start()
        records = list(job.results())
        assert [record.id for record in records] == [str(k) for k in range(COUNT)]
        assert job.wait().state == "done"


@pytest.mark.slow
def test_servers_with_a_database_need_the_same_folder(tmp_path: Path, database: str) -> None:
    JobStore(tmp_path / "one", database).close()
    JobStore(tmp_path / "one", database).close()
    with pytest.raises(ServiceError, match="need the same folder for --data"):
        JobStore(tmp_path / "two", database)


@pytest.mark.parametrize(("url", "message"), [
    ("x", "not a URL; expected postgresql://"),
    ("postgresql://localhost:abc/x", "not a URL"),
    ("mysql://localhost/x", "'mysql' is not supported"),
])  # fmt: skip
def test_a_wrong_database_is_an_error(tmp_path: Path, url: str, message: str) -> None:
    with pytest.raises(ServiceError, match=message):
        JobStore(tmp_path, url)


def test_a_database_that_does_not_respond_is_named_without_the_password(tmp_path: Path) -> None:
    store = JobStore(tmp_path, "postgresql://me:secret@localhost:1/x")
    with pytest.raises(
        StorageError, match=r"postgresql://me:\*\*\*@localhost:1/x can't be"
    ) as error:
        store.all("", 9)
    assert "secret" not in str(error.value)
