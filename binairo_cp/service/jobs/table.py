"""The table of jobs, for SQLAlchemy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import Column, Double, Integer, MetaData, String, Table, Text, UniqueConstraint
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement

JobState = Literal["queued", "running", "done", "failed", "cancelled"]
ENDED: tuple[JobState, ...] = ("done", "failed", "cancelled")


@dataclass
class JobRow:
    """A job, as a row of the database. The attributes are its columns.

    Times are seconds since 1970.

    Attributes:
        id: the id of the job.
        owner: the name of the API key that submitted the job; empty without keys.
        kind: the kind of job.
        verb: the verb of a batch, else empty.
        ask: the request as JSON, without puzzles.
        input: name of the file with the puzzles; empty if there is none.
        version: version of this package that started the results.
        created: when the job was accepted.
        state: the state of the job.
        started: when the job was first run.
        ended: when the job ended.
        attempts: how often the process of the job died.
        progress: the progress as JSON.
        error: the error as JSON; empty if there is none.
        key: the Idempotency-Key of the request; None without a key.
        digest: hash of the request, to compare requests with the same key.
        run: how often the job was started. Each run has its own folder for results.
        server: the server that runs the job.
        worker: the process of the server that runs the job.
        lease: when another process may take the job, unless the lease is renewed before.
    """

    id: str
    owner: str
    kind: str
    verb: str
    ask: str
    input: str
    version: str
    created: float
    state: JobState = "queued"
    started: float | None = None
    ended: float | None = None
    attempts: int = 0
    progress: str = "{}"
    error: str = ""
    key: str | None = None
    digest: str = ""
    run: int = 0
    server: str = ""
    worker: str = ""
    lease: float | None = None

    @property
    def is_ended(self) -> bool:
        return self.state in ENDED


METADATA = MetaData()

JOBS = Table(
    "jobs",
    METADATA,
    Column("id", String, primary_key=True),
    Column("owner", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("verb", Text, nullable=False),
    Column("ask", Text, nullable=False),
    Column("input", Text, nullable=False),
    Column("version", Text, nullable=False),
    Column("created", Double, nullable=False, index=True),
    Column("state", Text, nullable=False, index=True),
    Column("started", Double),
    Column("ended", Double),
    Column("attempts", Integer, nullable=False),
    Column("progress", Text, nullable=False),
    Column("error", Text, nullable=False),
    Column("key", Text),
    Column("digest", Text, nullable=False),
    Column("run", Integer, nullable=False),
    Column("server", Text, nullable=False),
    Column("worker", Text, nullable=False),
    Column("lease", Double),
    UniqueConstraint("owner", "key"),
)

FACTS = Table(
    "binairo",
    METADATA,
    Column("name", String, primary_key=True),
    Column("value", Text, nullable=False),
)
"""Facts about the database: its version, and the folder that belongs to it."""


class now(FunctionElement[float]):  # noqa: N801  # it is written like a function of SQL
    """The time of the database in seconds since 1970, so that servers need no common clock."""

    type = Double()
    inherit_cache = True


@compiles(now, "sqlite")
def _sqlite_now(element: Any, compiler: Any, **options: Any) -> str:
    return "((julianday('now') - 2440587.5) * 86400.0)"


@compiles(now, "postgresql")
def _postgresql_now(element: Any, compiler: Any, **options: Any) -> str:
    return "extract(epoch FROM clock_timestamp())::double precision"
