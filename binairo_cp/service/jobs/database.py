"""The database of jobs: SQLite in the data folder, or PostgreSQL, and its tables."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import Field, dataclass, fields
from pathlib import Path
from typing import Any, Literal

from sqlalchemy import (
    URL,
    Column,
    Connection,
    Double,
    Engine,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    create_engine,
    event,
    insert,
    inspect,
    select,
    text,
)
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement

from binairo_cp.errors import ServiceError
from binairo_cp.service.jobs.folder import DataFolder, open_private
from binairo_cp.workers.extras import require_extra

JobState = Literal["queued", "running", "done", "failed", "cancelled"]
ENDED: tuple[JobState, ...] = ("done", "failed", "cancelled")

METADATA = MetaData()

_TYPES: dict[str, Any] = {"str": Text(), "int": Integer(), "float": Double(), "JobState": Text()}

FACTS = Table(
    "binairo",
    METADATA,
    Column("name", String, primary_key=True),
    Column("value", Text, nullable=False),
)
"""Facts about the database: its version, and the folder that belongs to it."""

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
        progress: the progress as JSON.
        error: the error as JSON; empty if there is none.
        key: the Idempotency-Key of the request.
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


def _column(field: Field[Any]) -> Column[Any]:
    name, _, optional = str(field.type).partition(" | ")
    is_key, is_index = field.name == "id", field.name in ("created", "state")
    type = String() if is_key else _TYPES[name]
    return Column(
        field.name, type, primary_key=is_key, nullable=bool(optional), index=is_index or None
    )


JOBS = Table("jobs", METADATA, *map(_column, fields(JobRow)), UniqueConstraint("owner", "key"))


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


class WrongDatabase(Exception):
    """The database is that of something else."""


def postgresql_url(database: str) -> URL:
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


def open_postgresql(url: URL) -> Engine:
    """Connect to a database.

    Raises:
        ServiceError: the library is not installed.
    """
    with require_extra("postgres", ServiceError):
        import psycopg  # noqa: F401
    return create_engine(
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


def open_sqlite(path: Path) -> Engine:
    """Open a file. Several processes of one machine can use it."""
    # SQLite gives its -wal and -shm files the same permissions as the database.
    open_private(path, "ab").close()
    engine = create_engine(
        URL.create("sqlite", database=str(path)),
        isolation_level="AUTOCOMMIT",
        connect_args={"timeout": _SECONDS},
    )

    @event.listens_for(engine, "connect")
    def set_up(connection: Any, _: Any) -> None:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")

    return engine


def prepare(engine: Engine, folder: DataFolder) -> None:
    """Create the tables if there are none, and check that they belong to the data folder.

    Raises:
        WrongDatabase: another version of this program created them, or they have another folder.
    """
    is_sqlite = engine.dialect.name == "sqlite"
    with engine.connect() as connection:
        # All or nothing, also on a full disk, and by one process at a time.
        connection.execute(text("BEGIN IMMEDIATE" if is_sqlite else "BEGIN"))
        try:
            if not is_sqlite:
                connection.execute(text(f"SELECT pg_advisory_xact_lock({_SETUP_LOCK})"))
            _create_tables(connection)
            _check_folder(connection, folder)
            connection.execute(text("COMMIT"))
        except BaseException:
            with suppress(DBAPIError):
                connection.execute(text("ROLLBACK"))
            raise


def _create_tables(connection: Connection) -> None:
    names = {FACTS.name, JOBS.name} & set(inspect(connection).get_table_names())
    if not names:
        METADATA.create_all(connection)
        connection.execute(insert(FACTS).values(name="version", value=_SCHEMA_VERSION))
    elif FACTS.name not in names or _fact(connection, "version") != _SCHEMA_VERSION:
        raise WrongDatabase("it was written by another version of this program")


def _check_folder(connection: Connection, folder: DataFolder) -> None:
    known = _fact(connection, "folder")
    id = folder.id(known)
    if known is None:
        connection.execute(insert(FACTS).values(name="folder", value=id))
    elif known != id:
        raise WrongDatabase(
            f"its jobs are in another folder than {folder.path}; all servers with this database "
            "need the same folder for --data"
        )


def _fact(connection: Connection, name: str) -> str | None:
    value: str | None = connection.scalar(select(FACTS.c.value).where(FACTS.c.name == name))
    return value


def reason(error: DBAPIError) -> str:
    """What the database says about an error, in one line."""
    return " ".join(str(error.orig).split()) or type(error.orig).__name__
