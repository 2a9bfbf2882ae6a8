"""Save jobs in a database, and share them among servers.

The database is SQLite in the data folder, or PostgreSQL.

A database that can't be used now is opened again at the next statement, also after the start: the
disk may be full, or the server of the database may still be starting.

A server that runs a job has a lease on it, which it renews while the job runs. If the server dies,
the lease expires, and another server takes the job. All changes are single statements, so
they never overlap.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from contextlib import ExitStack, suppress
from dataclasses import Field, asdict, dataclass, fields
from pathlib import Path
from time import monotonic
from typing import Any, Literal

import sqlalchemy as sa
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, IntegrityError
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement

from binairo_cp.errors import ServiceError
from binairo_cp.service.jobs.folder import DATABASE, DataFolder, open_private
from binairo_cp.workers.extras import require_extra

JobState = Literal["queued", "running", "done", "failed", "cancelled"]
ENDED: tuple[JobState, ...] = ("done", "failed", "cancelled")

_CURSOR = re.compile(r"([0-9]{1,12}\.[0-9]{1,12})-([0-9A-Za-z_-]{1,64})", re.ASCII)

_SCHEMA_VERSION = "1"
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
        attempts: how often the process of the job died.
        progress, error: JSON; `error` is empty if there is none.
        key: the Idempotency-Key of the request.
        digest: hash of the request, to compare requests with the same key.
        run: how often the job was started. Each run has its own folder for results.
        worker: the server that runs the job.
        lease: when another process may take the job, unless the lease is renewed before.
    """

    id: str
    owner: str
    kind: str
    verb: str
    ask: str
    input: str
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
    worker: str = ""
    lease: float | None = None

    @property
    def is_ended(self) -> bool:
        return self.state in ENDED

    @property
    def cursor(self) -> str:
        """Its place in the list of jobs, which stays valid when jobs are added or deleted."""
        return f"{self.created!r}-{self.id}"


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
    """Open a file."""
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

    Returns why the database can't be used; empty if it can.
    """
    is_sqlite = engine.dialect.name == "sqlite"
    with engine.connect() as connection:
        # All or nothing, also on a full disk, and by one server at a time.
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


LEASE_SECONDS = 10.0
"""How long a job stays with a server that does not renew its lease."""

_RETRY_SECONDS = 1.0
"""After an attempt to open the database, the next ones fail at once for so long."""

_FREE = {"state": "queued", "worker": "", "lease": None}
_IS_RUNNING = JOBS.c.state == "running"
_IS_FREE = sa.or_(JOBS.c.state == "queued", sa.and_(_IS_RUNNING, JOBS.c.lease < now()))


def place_of(cursor: str) -> tuple[float, str]:
    """The place in the list of jobs that a cursor stands for.

    Raises:
        ValueError: it is not a cursor.
    """
    if not (found := _CURSOR.fullmatch(cursor)):
        raise ValueError("not a cursor")
    return float(found[1]), found[2]


class StorageError(Exception):
    """The folder or the database of jobs can't be used now."""


class JobStore:
    """The jobs of a server, or of several servers with a common database.

    Args:
        path: the folder for the files of jobs, and for the SQLite database.
        url: a PostgreSQL database, which several servers can use; None for SQLite in the folder.

    Raises:
        ServiceError: the folder or the database are those of something else, or in use.
    """

    def __init__(self, path: Path, url: str | None = None) -> None:
        self.folder = DataFolder(path)
        self._url = postgresql_url(url) if url is not None else None
        self._name = f"{path}/{DATABASE}"
        if self._url is not None:
            self._name = self._url.render_as_string(hide_password=True)
        self._engine: sa.Engine | None = None
        self._opened = ExitStack()
        self._retry_at = 0.0
        self._failure = ""
        with suppress(StorageError):
            self.open()

    def open(self) -> sa.Engine:
        """Lock the folder and open the database, unless that is done.

        Raises:
            StorageError: they can't be used now.
            ServiceError: they are those of something else, or in use.
        """
        if self._engine is not None:
            return self._engine
        if monotonic() < self._retry_at:
            raise StorageError(self._failure)
        try:
            try:
                return self._opened_now()
            except (OSError, DBAPIError):
                if not self.folder.give_up_reserve():
                    raise
                return self._opened_now()
        except (NotADirectoryError, FileExistsError) as error:
            raise ServiceError(f"{self.folder.path} can't be used: it is not a folder") from error
        except OSError as error:
            self._failure = f"{self.folder.path} can't be used: {error.strerror or error}"
        except DBAPIError as error:
            self._failure = f"{self._name} can't be used: {reason(error)}"
        self._retry_at = monotonic() + _RETRY_SECONDS
        raise StorageError(self._failure)

    def _opened_now(self) -> sa.Engine:
        with ExitStack() as stack:
            self.folder.create()
            if self._url is None:
                stack.enter_context(self.folder.locked())
                engine = open_sqlite(self.folder.path / DATABASE)
            else:
                engine = open_postgresql(self._url)
            stack.callback(engine.dispose)
            if fault := prepare(engine, self.folder):
                raise ServiceError(f"{self._name} can't be used: {fault}")
            if self._url is None:
                # No other server runs, so the jobs need not wait until their leases expire.
                with engine.connect() as connection:
                    connection.execute(sa.update(JOBS).where(_IS_RUNNING).values(_FREE))
            self._opened, self._engine = stack.pop_all(), engine
        self.folder.reserve()
        return engine

    def close(self) -> None:
        """Close the database and unlock the folder."""
        self._opened.close()

    def add(self, row: JobRow) -> bool:
        """Insert a new job; False if its key is already in use."""
        try:
            self._change(sa.insert(JOBS).values(asdict(row)))
        except IntegrityError:
            return False
        return True

    def find(self, ids: Collection[str]) -> list[JobRow]:
        """The jobs with these ids, as far as they exist."""
        return self._rows(sa.select(JOBS).where(JOBS.c.id.in_(ids)))

    def find_by_key(self, owner: str, key: str) -> JobRow | None:
        """The job that was submitted with an Idempotency-Key."""
        rows = self._rows(sa.select(JOBS).where(JOBS.c.owner == owner, JOBS.c.key == key))
        return rows[0] if rows else None

    def all(self, owner: str, limit: int, after: tuple[float, str] | None = None) -> list[JobRow]:
        """Jobs of an owner, the latest first; only those that follow `after` in this order."""
        query = sa.select(JOBS).where(JOBS.c.owner == owner)
        if after is not None:
            # The last job of the page before may be deleted by now, so its place is compared.
            query = query.where(sa.tuple_(JOBS.c.created, JOBS.c.id) < after)
        return self._rows(query.order_by(JOBS.c.created.desc(), JOBS.c.id.desc()).limit(limit))

    def counts(self) -> dict[str, int]:
        """The number of jobs in each state."""
        query = sa.select(JOBS.c.state, sa.func.count()).group_by(JOBS.c.state)
        with self.open().connect() as connection:
            found = {str(state): int(number) for state, number in connection.execute(query)}
        return {state: found.get(state, 0) for state in ("queued", "running", *ENDED)}

    def waiting(self, owner: str) -> int:
        """The number of jobs of an owner that wait."""
        query = sa.select(sa.func.count()).where(JOBS.c.owner == owner, JOBS.c.state == "queued")
        with self.open().connect() as connection:
            return int(connection.execute(query).scalar_one())

    def ids(self, owner: str) -> list[str]:
        """The ids of the jobs of an owner."""
        with self.open().connect() as connection:
            query = sa.select(JOBS.c.id).where(JOBS.c.owner == owner)
            return [str(id) for id in connection.execute(query).scalars()]

    def claim(self, worker: str) -> JobRow | None:
        """Take a job that waits, or whose server has lost its lease; None without one.

        The worker then has the lease. Owners take turns: first comes the one with the fewest
        running jobs, of these the one whose last job started first, and its oldest job.
        """
        other = JOBS.alias()
        of_owner = other.c.owner == JOBS.c.owner
        running = sa.select(sa.func.count()).where(of_owner, other.c.state == "running")
        latest = sa.select(sa.func.coalesce(sa.func.max(other.c.started), 0.0)).where(of_owner)
        order = (running.scalar_subquery(), latest.scalar_subquery(), JOBS.c.created, JOBS.c.id)
        for row in self._rows(sa.select(JOBS).where(_IS_FREE).order_by(*order).limit(1)):
            # Another server may have been faster.
            is_still_free = sa.and_(JOBS.c.id == row.id, JOBS.c.run == row.run, _IS_FREE)
            changes = {
                "state": "running",
                "started": sa.func.coalesce(JOBS.c.started, now()),
                "run": row.run + 1,
                "worker": worker,
                "lease": now() + LEASE_SECONDS,
            }
            claim = sa.update(JOBS).where(is_still_free)
            for taken in self._rows(claim.values(changes).returning(JOBS)):
                return taken
        return None

    def renew(self, row: JobRow) -> bool:
        """Save the progress of a running job and renew its lease; False if the lease is lost."""
        return self._change_own(row, lease=now() + LEASE_SECONDS)

    def release(self, row: JobRow) -> bool:
        """Put a running job back into the queue; False if the lease is lost."""
        return self._change_own(row, **_FREE)

    def end(self, row: JobRow, state: JobState, error: str = "") -> bool:
        """Save the end of a running job; False if the lease is lost."""
        return self._change_own(row, **_FREE | {"state": state, "ended": now(), "error": error})

    def cancel(self, id: str) -> bool:
        """Cancel a job unless it has ended. The process that runs it loses its lease."""
        is_open = sa.and_(JOBS.c.id == id, JOBS.c.state.not_in(ENDED))
        changes = _FREE | {"state": "cancelled", "ended": now()}
        return self._change(sa.update(JOBS).where(is_open).values(changes))

    def save_cancelled(self, row: JobRow) -> bool:
        """Save the progress of a run that was cancelled; False if it was not."""
        is_own = sa.and_(JOBS.c.id == row.id, JOBS.c.run == row.run, JOBS.c.state == "cancelled")
        return self._change(sa.update(JOBS).where(is_own).values(progress=row.progress))

    def delete(self, id: str) -> None:
        """Delete a job, and first its files: on a full disk, the database needs their space."""
        self.folder.delete(id)
        self._change(sa.delete(JOBS).where(JOBS.c.id == id))

    def clean(self, seconds: float) -> None:
        """Delete the jobs that ended so many seconds ago, and files of jobs never accepted."""
        is_old = sa.and_(JOBS.c.state.in_(ENDED), JOBS.c.ended < now() - seconds)
        for row in self._rows(sa.select(JOBS).where(is_old)):
            self.delete(row.id)
        self.folder.sweep({row.id for row in self._rows(sa.select(JOBS))})
        self.folder.reserve()

    def _change_own(self, row: JobRow, **changes: Any) -> bool:
        """Change a job if its server still has the lease of this run."""
        is_own = sa.and_(JOBS.c.worker == row.worker, JOBS.c.run == row.run, _IS_RUNNING)
        changes |= {"progress": row.progress, "attempts": row.attempts}
        return self._change(sa.update(JOBS).where(JOBS.c.id == row.id, is_own).values(changes))

    def _change(self, statement: sa.Executable) -> bool:
        """Change the database; returns whether there was something to change."""
        with self.open().connect() as connection:
            return connection.execute(statement).rowcount > 0

    def _rows(self, statement: sa.Executable) -> list[JobRow]:
        with self.open().connect() as connection:
            return [JobRow(**row._mapping) for row in connection.execute(statement)]
