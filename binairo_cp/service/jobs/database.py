"""The database of jobs: SQLite in the data folder, or PostgreSQL, and its tables."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import Field, dataclass, fields
from pathlib import Path
from typing import Any, Literal

import sqlalchemy as sa
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement

from binairo_cp.errors import ServiceError
from binairo_cp.service.jobs.folder import DataFolder, open_private
from binairo_cp.workers.extras import require_extra

JobState = Literal["queued", "running", "done", "failed", "cancelled"]
ENDED: tuple[JobState, ...] = ("done", "failed", "cancelled")

_SCHEMA_VERSION = "2"
"""Version of the tables. A database with another version is refused."""

_EXPECTED = "expected postgresql://USER@HOST/NAME"
_SETUP_LOCK = 0x62696E61
"""Number of the advisory lock of PostgreSQL that a server holds while it creates the tables."""

_SECONDS = 10
"""Seconds to connect, for a statement, and until a silent connection is given up."""


@dataclass
class JobRow:
    """A job, as a row of the database. Times are seconds since 1970.

    Attributes:
        owner: the name of the API key that submitted the job; empty without keys.
        verb: the verb of a batch, else empty.
        ask: the request as JSON, without puzzles.
        input: name of the file with the puzzles; empty if there is none.
        version: version of this package that accepted the job.
        attempts: how often the process of the job died.
        progress, error: JSON; `error` is empty if there is none.
        key: the Idempotency-Key of the request.
        digest: hash of the request, to compare requests with the same key.
        run: how often the job was started. Each run has its own folder for results.
        server, worker: the server that runs the job, and its process.
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


_TYPES = {"str": sa.Text, "int": sa.Integer, "float": sa.Double, "JobState": sa.Text}


def _column(field: Field[Any]) -> sa.Column[Any]:
    name, _, optional = str(field.type).partition(" | ")
    is_index = field.name in ("created", "state")
    return sa.Column(field.name, _TYPES[name], nullable=bool(optional), index=is_index or None)


METADATA = sa.MetaData()
JOBS = sa.Table(
    "jobs",
    METADATA,
    sa.Column("id", sa.String, primary_key=True),
    *[_column(field) for field in fields(JobRow) if field.name != "id"],
    sa.UniqueConstraint("owner", "key"),
)
FACTS = sa.Table(
    "binairo",
    METADATA,
    sa.Column("name", sa.String, primary_key=True),
    sa.Column("value", sa.Text, nullable=False),
)
"""Facts about the database: its version, and the folder that belongs to it."""


class now(FunctionElement[float]):  # noqa: N801  # it is written like a function of SQL
    """The time of the database in seconds since 1970, so that servers need no common clock."""

    type = sa.Double()
    inherit_cache = True


@compiles(now, "sqlite")
def _sqlite_now(*_: Any, **options: Any) -> str:
    return "((julianday('now') - 2440587.5) * 86400.0)"


@compiles(now, "postgresql")
def _postgresql_now(*_: Any, **options: Any) -> str:
    return "extract(epoch FROM clock_timestamp())::double precision"


def postgresql_url(database: str) -> sa.URL:
    """The URL of a database, for example ``postgresql://user@host/name``.

    Raises:
        ServiceError: the URL is wrong.
    """
    try:
        url = make_url(database)
    except (ArgumentError, ValueError) as error:
        raise ServiceError(f"--database: this is not a URL; {_EXPECTED}") from error
    if url.drivername not in ("postgresql", "postgres"):
        raise ServiceError(f"--database: {url.drivername!r} is not supported; {_EXPECTED}")
    return url


def open_postgresql(url: sa.URL) -> sa.Engine:
    """Connect to a database.

    Raises:
        ServiceError: the library is not installed.
    """
    with require_extra("postgres", ServiceError):
        import psycopg  # noqa: F401
    return sa.create_engine(
        url.set(drivername="postgresql+psycopg"),
        isolation_level="AUTOCOMMIT",
        pool_pre_ping=True,
        pool_size=1,
        max_overflow=1,
        connect_args={
            "connect_timeout": _SECONDS,
            "tcp_user_timeout": _SECONDS * 1000,
            "options": f"-c statement_timeout={_SECONDS * 1000}",
        },
    )


def open_sqlite(path: Path) -> sa.Engine:
    """Open a file. Several processes of one machine can use it."""
    # SQLite gives its -wal and -shm files the same permissions as the database.
    open_private(path, "ab").close()
    engine = sa.create_engine(
        sa.URL.create("sqlite", database=str(path)),
        isolation_level="AUTOCOMMIT",
        connect_args={"timeout": _SECONDS},
    )

    @sa.event.listens_for(engine, "connect")
    def set_up(connection: Any, _: Any) -> None:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")

    return engine


def prepare(engine: sa.Engine, folder: DataFolder) -> str:
    """Create the tables if there are none, and check that they belong to the data folder.

    Returns:
        Why the database can't be used; empty if it can.
    """
    is_sqlite = engine.dialect.name == "sqlite"
    with engine.connect() as connection:
        # All or nothing, also on a full disk, and by one process at a time.
        connection.execute(sa.text("BEGIN IMMEDIATE" if is_sqlite else "BEGIN"))
        try:
            if not is_sqlite:
                connection.execute(sa.text(f"SELECT pg_advisory_xact_lock({_SETUP_LOCK})"))
            fault = _prepare(connection, folder)
            connection.execute(sa.text("COMMIT"))
        except BaseException:
            with suppress(DBAPIError):
                connection.execute(sa.text("ROLLBACK"))
            raise
    return fault


def _prepare(connection: sa.Connection, folder: DataFolder) -> str:
    names = {FACTS.name, JOBS.name} & set(sa.inspect(connection).get_table_names())
    if not names:
        METADATA.create_all(connection)
        connection.execute(sa.insert(FACTS).values(name="version", value=_SCHEMA_VERSION))
    found = connection.execute(sa.select(FACTS)) if names != {JOBS.name} else ()
    facts = {row.name: row.value for row in found}
    if facts.get("version") != _SCHEMA_VERSION:
        return "it was written by another version of this program"
    known = facts.get("folder")
    id = folder.id(known)
    if known is None:
        connection.execute(sa.insert(FACTS).values(name="folder", value=id))
    elif known != id:
        return (
            f"its jobs are in another folder than {folder.path}; all servers with this database "
            "need the same folder for --data"
        )
    return ""


def reason(error: DBAPIError) -> str:
    """What the database says about an error, in one line."""
    return " ".join(str(error.orig).split()) or type(error.orig).__name__
