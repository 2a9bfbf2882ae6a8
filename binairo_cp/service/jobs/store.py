"""Save jobs in a database, and share them among processes and servers.

A database that can't be used now is opened again at the next statement, also after the start: the
disk may be full, or the server of the database may still be starting.

A process that runs a job has a lease on it, which it renews while the job runs. If the process
dies, the lease expires, and another process takes the job. All changes are single statements, so
they never overlap.
"""

from __future__ import annotations

from collections.abc import Collection
from contextlib import ExitStack, suppress
from dataclasses import asdict
from pathlib import Path
from time import monotonic
from typing import Any

from sqlalchemy import Engine, Executable, and_, delete, func, insert, or_, select, tuple_, update
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

_FREE = {"state": "queued", "server": "", "worker": "", "lease": None}
_IS_FREE = or_(JOBS.c.state == "queued", and_(JOBS.c.state == "running", JOBS.c.lease < now()))


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
        self._url = database.postgresql_url(url) if url is not None else None
        self._is_main = is_main
        self._name = f"{path}/{DATABASE}"
        if self._url is not None:
            self._name = self._url.render_as_string(hide_password=True)
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
        is_alone = self._url is None and self._is_main
        if is_alone:
            stack.enter_context(self.folder.locked())
        if self._url is None:
            engine = database.open_sqlite(self.folder.path / DATABASE)
        else:
            engine = database.open_postgresql(self._url)
        stack.callback(engine.dispose)
        database.prepare(engine, self.folder)
        if is_alone:
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

    def all(self, owner: str, limit: int, after: ListPlace | None = None) -> list[JobRow]:
        """Jobs of an owner, the latest first; only those that follow `after` in this order."""
        query = select(JOBS).where(JOBS.c.owner == owner)
        if after is not None:
            # The last job of the page before may be deleted by now, so its place is compared.
            query = query.where(tuple_(JOBS.c.created, JOBS.c.id) < after)
        return self._rows(query.order_by(JOBS.c.created.desc(), JOBS.c.id.desc()).limit(limit))

    def counts(self) -> dict[str, int]:
        """The number of jobs in each state."""
        query = select(JOBS.c.state, func.count()).group_by(JOBS.c.state)
        with self.open().connect() as connection:
            found = {str(state): int(number) for state, number in connection.execute(query)}
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
        free = self._rows(select(JOBS).where(_IS_FREE).order_by(JOBS.c.created, JOBS.c.id).limit(1))
        if not free:
            return None
        other = JOBS.alias()
        running = select(func.count()).where(
            other.c.server == server, other.c.state == "running", other.c.lease >= now()
        )
        is_same = and_(JOBS.c.id == free[0].id, JOBS.c.run == free[0].run, _IS_FREE)
        statement = (
            update(JOBS)
            .where(is_same, running.scalar_subquery() < max_running)
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
        return self._update_own(row, lease=now() + LEASE_SECONDS)

    def release(self, row: JobRow) -> bool:
        """Put a running job back into the queue; False if the lease is lost."""
        return self._update_own(row, attempts=row.attempts, **_FREE)

    def end(self, row: JobRow, state: JobState, error: str = "") -> bool:
        """Save the end of a running job; False if the lease is lost."""
        changes = {**_FREE, "state": state, "ended": now(), "error": error}
        return self._update_own(row, attempts=row.attempts, **changes)

    def cancel(self, id: str) -> None:
        """Cancel a job unless it has ended. The process that runs it loses its lease."""
        is_open = and_(JOBS.c.id == id, JOBS.c.state.not_in(ENDED))
        changes = {**_FREE, "state": "cancelled", "ended": now()}
        self._execute(update(JOBS).where(is_open).values(changes))

    def delete(self, id: str) -> None:
        """Delete a job and its files."""
        self._execute(delete(JOBS).where(JOBS.c.id == id))
        self.folder.delete(id)

    def clean(self, seconds: float) -> None:
        """Delete the jobs that ended so many seconds ago, and files of jobs never accepted."""
        is_old = and_(JOBS.c.state.in_(ENDED), JOBS.c.ended < now() - seconds)
        for row in self._rows(select(JOBS).where(is_old)):
            self.delete(row.id)
        self.folder.sweep({row.id for row in self._rows(select(JOBS))})

    def _update_own(self, row: JobRow, **changes: Any) -> bool:
        """Change a job if this process still has the lease of this run."""
        is_own = and_(
            JOBS.c.id == row.id,
            JOBS.c.state == "running",
            JOBS.c.worker == row.worker,
            JOBS.c.run == row.run,
        )
        return self._execute(update(JOBS).where(is_own).values(progress=row.progress, **changes))

    def _execute(self, statement: Executable) -> bool:
        """Change the database; returns whether there was something to change."""
        with self.open().connect() as connection:
            return connection.execute(statement).rowcount > 0

    def _rows(self, statement: Executable) -> list[JobRow]:
        with self.open().connect() as connection:
            return [JobRow(**row._mapping) for row in connection.execute(statement)]
