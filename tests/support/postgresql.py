"""A PostgreSQL server of its own for tests."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

_USER = "nobody"
"""Who runs the server if the tests run as root, which PostgreSQL refuses."""


class PostgreSql:
    """A running server, which listens only on a socket in its folder."""

    def __init__(self, programs: Path, folder: Path) -> None:
        self._programs = programs
        self._made = 0
        self._folder = folder
        self.url = f"postgresql://binairo@/postgres?host={folder}"
        self._run("initdb", "-A", "trust", "-U", "binairo", "-N")
        self.start()

    def new_database(self) -> str:
        """Make an empty database, which takes a fraction of the time of a server; return its URL."""
        self._made += 1
        name = f"made_{self._made}"
        command = [self._programs / "createdb", "-h", self._folder, "-U", "binairo", name]
        subprocess.run(command, check=True)
        return self.url.replace("/postgres?", f"/{name}?")

    def start(self) -> None:
        options = f"-k {self._folder} -c listen_addresses='' -F"
        self._run("pg_ctl", "-w", "-l", str(self._folder / "log"), "-o", options, "start")

    def stop(self) -> None:
        self._run("pg_ctl", "-w", "-m", "immediate", "stop")

    def _run(self, program: str, *arguments: str) -> None:
        subprocess.run(
            [self._programs / program, "-D", self._folder / "data", *arguments],
            cwd=self._folder,
            check=True,
            stdout=subprocess.DEVNULL,
            user=_USER if os.geteuid() == 0 else None,
        )


@contextmanager
def postgresql() -> Iterator[PostgreSql]:
    """Start a server in a temporary folder. Skips the test if PostgreSQL is not installed."""
    # Debian does not put these programs on the path.
    found = [*Path("/usr/lib/postgresql").glob("*/bin/initdb"), shutil.which("initdb")]
    programs = next((Path(each).resolve().parent for each in found if each), None)
    if programs is None:
        assert "BINAIRO_NEEDS_SOLVERS" not in os.environ, "PostgreSQL is not installed"
        pytest.skip("PostgreSQL (initdb) is not installed")
    with tempfile.TemporaryDirectory(prefix="binairo-postgresql-", dir="/tmp") as name:
        if os.geteuid() == 0:
            shutil.chown(name, _USER)
        server = PostgreSql(programs, Path(name))
        try:
            yield server
        finally:
            server.stop()
