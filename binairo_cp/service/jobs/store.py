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

import sqlalchemy as sa
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
_IS_RUNNING = JOBS.c.state == "running"
_IS_FREE = sa.or_(JOBS.c.state == "queued", sa.and_(_IS_RUNNING, JOBS.c.lease < now()))


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
        self._is_alone = is_main and url is None
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
        self._retry_at = monotonic() + _RETRY_SECONDS
        raise StorageError(self._failure)

    def _open(self, stack: ExitStack) -> sa.Engine:
        self.folder.create()
        if self._is_alone:
            stack.enter_context(self.folder.locked())
        if self._url is None:
            engine = database.open_sqlite(self.folder.path / DATABASE)
        else:
            engine = database.open_postgresql(self._url)
        stack.callback(engine.dispose)
        if fault := database.prepare(engine, self.folder):
            raise ServiceError(f"{self._name} can't be used: {fault}")
        if self._is_alone:
            # No other server runs, so the jobs need not wait until their leases expire.
            with engine.connect() as connection:
                connection.execute(sa.update(JOBS).where(_IS_RUNNING).values(_FREE))
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

    def all(self, owner: str, limit: int, after: ListPlace | None = None) -> list[JobRow]:
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

    def claim(self, server: str, worker: str, max_running: int) -> JobRow | None:
        """Take the oldest job that waits, or whose process has lost its lease.

        Args:
            server: the server of the process.
            worker: the process.
            max_running: the server takes no job if it already runs so many.

        Returns:
            The job, whose lease the process now has; None if there is nothing to do.
        """
        oldest = sa.select(JOBS).where(_IS_FREE).order_by(JOBS.c.created, JOBS.c.id).limit(1)
        for row in self._rows(oldest):
            other = JOBS.alias()
            running = sa.select(sa.func.count()).where(
                other.c.server == server, other.c.state == "running", other.c.lease >= now()
            )
            # Another process may have been faster.
            is_still_free = sa.and_(JOBS.c.id == row.id, JOBS.c.run == row.run, _IS_FREE)
            changes = {
                "state": "running",
                "started": sa.func.coalesce(JOBS.c.started, now()),
                "run": row.run + 1,
                "server": server,
                "worker": worker,
                "lease": now() + LEASE_SECONDS,
            }
            claim = sa.update(JOBS).where(is_still_free, running.scalar_subquery() < max_running)
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

    def cancel(self, id: str) -> None:
        """Cancel a job unless it has ended. The process that runs it loses its lease."""
        is_open = sa.and_(JOBS.c.id == id, JOBS.c.state.not_in(ENDED))
        changes = _FREE | {"state": "cancelled", "ended": now()}
        self._change(sa.update(JOBS).where(is_open).values(changes))

    def delete(self, id: str) -> None:
        """Delete a job and its files."""
        self._change(sa.delete(JOBS).where(JOBS.c.id == id))
        self.folder.delete(id)

    def clean(self, seconds: float) -> None:
        """Delete the jobs that ended so many seconds ago, and files of jobs never accepted."""
        is_old = sa.and_(JOBS.c.state.in_(ENDED), JOBS.c.ended < now() - seconds)
        for row in self._rows(sa.select(JOBS).where(is_old)):
            self.delete(row.id)
        self.folder.sweep({row.id for row in self._rows(sa.select(JOBS))})

    def _change_own(self, row: JobRow, **changes: Any) -> bool:
        """Change a job if this process still has the lease of this run."""
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
