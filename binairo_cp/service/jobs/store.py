"""Save jobs in a database, and share them among processes and servers.

A database that can't be used now is opened again at the next statement, also after the start: the
disk may be full, or the server of the database may still be starting.

A process that runs a job has a lease on it, which it renews while the job runs. If the process
dies, the lease expires, and another process takes the job. All changes are single statements, so
they never overlap.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from contextlib import ExitStack, suppress
from dataclasses import asdict
from pathlib import Path
from time import monotonic
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Engine,
    Executable,
    Row,
    and_,
    delete,
    func,
    insert,
    or_,
    select,
    update,
)
from sqlalchemy.exc import DBAPIError, IntegrityError

from binairo_cp.errors import ServiceError
from binairo_cp.service.jobs import database
from binairo_cp.service.jobs.database import ENDED, JOBS, JobRow, JobState, now
from binairo_cp.service.jobs.folder import DATABASE, DataFolder
from binairo_cp.service.jobs.records import ListPlace

LEASE_SECONDS = 10.0
"""How long a job stays with a process that does not renew its lease."""


_RETRY_SECONDS = 1.0
"""After an attempt to open the database, the next ones fail at once for so long."""


class StorageError(Exception):
    """The folder or the database of jobs can't be used now."""


class JobStore:
    """The jobs of a server, or of several servers with a common database.

    Args:
        path: the folder for the files of jobs, and for the SQLite database.
        url: a PostgreSQL database, which several servers can use; None for SQLite in the folder.
        is_main: this is the first process of its server. It refuses other servers that use the same
            SQLite database.

    Raises:
        ServiceError: the folder or the database are those of something else, or in use.
    """

    def __init__(self, path: Path, url: str | None = None, is_main: bool = True) -> None:
        self.folder = DataFolder(path)
        self._url = url
        self._is_main = is_main
        self._name = f"{path}/{DATABASE}"
        if url is not None:
            self._name = database.postgresql_url(url).render_as_string(hide_password=True)
        self._engine: Engine | None = None
        self._opened = ExitStack()
        self._retry_at = 0.0
        self._failure = ""
        with suppress(StorageError):
            self.open()

    def open(self) -> Engine:
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
            with ExitStack() as stack:
                engine = self._open(stack)
                self._opened, self._engine = stack.pop_all(), engine
                return engine
        except (NotADirectoryError, FileExistsError) as error:
            raise ServiceError(f"{self.folder.path} can't be used: it is not a folder") from error
        except OSError as error:
            self._failure = f"{self.folder.path} can't be used: {error.strerror or error}"
        except DBAPIError as error:
            self._failure = f"{self._name} can't be used: {database.reason(error)}"
        except database.WrongDatabase as error:
            raise ServiceError(f"{self._name} can't be used: {error}") from error
        self._retry_at = monotonic() + _RETRY_SECONDS
        raise StorageError(self._failure)

    def _open(self, stack: ExitStack) -> Engine:
        self.folder.create()
        if self._url is None:
            if self._is_main:
                stack.enter_context(self.folder.locked())
            engine = database.open_sqlite(self.folder.path / DATABASE)
        else:
            engine = database.open_postgresql(self._url)
        stack.callback(engine.dispose)
        database.prepare(engine, self.folder)
        if self._url is None and self._is_main:
            # No other server runs, so the jobs need not wait until their leases expire.
            with engine.connect() as connection:
                connection.execute(update(JOBS).where(JOBS.c.state == "running").values(_FREE))
        return engine

    def close(self) -> None:
        """Close the database and unlock the folder."""
        self._opened.close()

    def add(self, row: JobRow) -> bool:
        """Insert a new job; False if its key is already in use."""
        try:
            self._execute(insert(JOBS).values(asdict(row)))
        except IntegrityError:
            return False
        return True

    def find(self, ids: Collection[str]) -> list[JobRow]:
        """The jobs with these ids, as far as they exist."""
        return self._rows(select(JOBS).where(JOBS.c.id.in_(ids)))

    def find_by_key(self, owner: str, key: str) -> JobRow | None:
        """The job that was submitted with an Idempotency-Key."""
        rows = self._rows(select(JOBS).where(JOBS.c.owner == owner, JOBS.c.key == key))
        return rows[0] if rows else None

    def all(
        self, owner: str | None = None, limit: int | None = None, after: ListPlace | None = None
    ) -> list[JobRow]:
        """Jobs, the latest first.

        Args:
            owner: whose jobs; None for all.
            limit: the maximum number of jobs.
            after: only those that follow this place in the order.
        """
        query = select(JOBS).order_by(JOBS.c.created.desc(), JOBS.c.id.desc()).limit(limit)
        if after is not None:
            # The last job of the page before may be deleted by now, so its place is compared.
            is_same = and_(JOBS.c.created == after.created, JOBS.c.id < after.id)
            query = query.where(or_(JOBS.c.created < after.created, is_same))
        return self._rows(query if owner is None else query.where(JOBS.c.owner == owner))

    def counts(self) -> dict[str, int]:
        """The number of jobs in each state."""
        query = select(JOBS.c.state, func.count()).group_by(JOBS.c.state)
        with self.open().connect() as connection:
            rows = connection.execute(query).all()
        found = {str(state): int(number) for state, number in rows}
        return {state: found.get(state, 0) for state in ("queued", "running", *ENDED)}

    def claim(self, server: str, worker: str, max_running: int) -> JobRow | None:
        """Take the oldest job that waits, or whose process has lost its lease.

        Args:
            server: the server of the process.
            worker: the process.
            max_running: the server takes no job if it already runs so many.

        Returns:
            The job, whose lease the process now has; None if there is nothing to do.
        """
        if not self._rows(select(JOBS).where(_is_free(JOBS.c)).limit(1)):
            return None  # without a lock for writing
        other = JOBS.alias()
        oldest = select(other.c.id).where(_is_free(other.c)).order_by(other.c.created, other.c.id)
        running = select(func.count()).where(
            other.c.server == server, other.c.state == "running", other.c.lease >= now()
        )
        statement = (
            update(JOBS)
            .where(
                JOBS.c.id == oldest.limit(1).scalar_subquery(),
                # PostgreSQL checks this again if another process was faster.
                _is_free(JOBS.c),
                running.scalar_subquery() < max_running,
            )
            .values(
                state="running",
                started=func.coalesce(JOBS.c.started, now()),
                run=JOBS.c.run + 1,
                server=server,
                worker=worker,
                lease=now() + LEASE_SECONDS,
            )
        )
        rows = self._rows(statement.returning(JOBS))
        return rows[0] if rows else None

    def renew(self, row: JobRow) -> bool:
        """Save the progress of a running job and renew its lease; False if the lease is lost."""
        return self._update_own(row, progress=row.progress, lease=now() + LEASE_SECONDS)

    def set_version(self, row: JobRow) -> bool:
        """Save which version of this package writes the results; False if the lease is lost."""
        return self._update_own(row, version=row.version)

    def release(self, row: JobRow) -> bool:
        """Put a running job back into the queue; False if the lease is lost."""
        return self._update_own(row, progress=row.progress, attempts=row.attempts, **_FREE)

    def end(self, row: JobRow, state: JobState, error: str = "") -> bool:
        """Save the end of a running job; False if the lease is lost."""
        changes = {**_FREE, "state": state, "ended": now(), "error": error}
        return self._update_own(row, progress=row.progress, attempts=row.attempts, **changes)

    def cancel(self, id: str) -> None:
        """Cancel a job unless it has ended. The process that runs it loses its lease."""
        changes = {**_FREE, "state": "cancelled", "ended": now()}
        self._execute(
            update(JOBS).where(JOBS.c.id == id, JOBS.c.state.not_in(ENDED)).values(changes)
        )

    def delete(self, id: str) -> None:
        """Delete a job and its files."""
        self._execute(delete(JOBS).where(JOBS.c.id == id))
        self.folder.delete(id)

    def expired(self, seconds: float) -> list[JobRow]:
        """The jobs that ended so many seconds ago."""
        return self._rows(
            select(JOBS).where(JOBS.c.state.in_(ENDED), JOBS.c.ended < now() - seconds)
        )

    def sweep(self) -> None:
        """Remove files of jobs that were never accepted because the server was stopped."""
        self.folder.sweep({row.id for row in self.all()})

    def _update_own(self, row: JobRow, **changes: Any) -> bool:
        """Change a job if this process still has the lease of this run."""
        is_own = and_(
            JOBS.c.id == row.id,
            JOBS.c.state == "running",
            JOBS.c.worker == row.worker,
            JOBS.c.run == row.run,
        )
        return self._execute(update(JOBS).where(is_own).values(changes)) == 1

    def _execute(self, statement: Executable) -> int:
        with self.open().connect() as connection:
            return connection.execute(statement).rowcount

    def _rows(self, statement: Executable) -> list[JobRow]:
        with self.open().connect() as connection:
            rows: Iterable[Row[Any]] = connection.execute(statement).all()
        return [JobRow(**row._mapping) for row in rows]


_FREE = {"state": "queued", "server": "", "worker": "", "lease": None}


def _is_free(columns: Any) -> ColumnElement[bool]:
    expired = and_(columns.state == "running", columns.lease < now())
    return or_(columns.state == "queued", expired)
