"""Files that store finished units of a long run.

A file is gzipped text. The first line is JSON that identifies the run. Each following line is a
finished unit. A run can resume from the file on any machine.
"""

from __future__ import annotations

import gzip
import json
import os
import zlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Any, Generic, TypeVar

from binairo_cp.errors import SourceError
from binairo_cp.formats.output_files import lock, refuse_special

_SAVE_INTERVAL = 3.0
_MAX_SIZE = 1 << 28

Unit = TypeVar("Unit", bound=tuple[Any, ...])
"""A finished unit; its first item identifies it."""


class UnitFormat(ABC, Generic[Unit]):
    """How the units of a run are written.

    Attributes:
        header: identifies the run.
        expected: what a line with a unit must be, for messages.
    """

    header: dict[str, Any]
    expected: str

    @abstractmethod
    def name_of(self, header: dict[str, Any]) -> str:
        """The name of the run that a header identifies.

        Raises:
            ValueError, TypeError, KeyError: it is no header.
        """

    @abstractmethod
    def line_of(self, unit: Unit) -> str: ...

    @abstractmethod
    def unit_of(self, line: str) -> Unit:
        """The unit of a line.

        Raises:
            ValueError: the line is no unit.
        """

    @abstractmethod
    def objection_to(self, unit: Unit) -> str | None:
        """Why a unit does not belong to this run; None if it does."""


def read(path: str, form: UnitFormat[Unit]) -> dict[int, Unit]:
    """Return the finished units of a file, by their first item; none if the file does not exist.

    Raises:
        SourceError: the file can't be read, or belongs to another run.
    """
    refuse_special(path)
    if not Path(path).exists():
        return {}
    lines = _lines(path)
    _check_header(path, next(lines), form)
    units: dict[int, Unit] = {}
    for number, line in enumerate(lines, 2):
        unit = _unit(f"{path}:{number}", line, form)
        if units.setdefault(unit[0], unit) != unit:
            message = "an earlier line has different counts for the same unit"
            raise SourceError(f"{path}:{number}", message)
    return units


def write(path: str, form: UnitFormat[Unit], units: Iterable[Unit]) -> None:
    """Write the finished units to a file atomically.

    Raises:
        SourceError: the file can't be written.
    """
    lines = [json.dumps(form.header), *map(form.line_of, sorted(units))]
    data = gzip.compress("".join(f"{line}\n" for line in lines).encode(), 9, mtime=0)
    partial = Path(f"{path}.partial")
    try:
        with open(partial, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except OSError as error:
        raise SourceError(path, f"can't be written: {error.strerror or error}") from error


class UnitFile(Generic[Unit]):
    """The finished units of a run, saved to a file every few seconds.

    Attributes:
        units: by their first item.
    """

    def __init__(self, path: str | None, form: UnitFormat[Unit], units: dict[int, Unit]) -> None:
        self.units = units
        self._path = path
        self._form = form
        self._saved_at = monotonic()
        self._saved = len(units)

    def add(self, units: Iterable[Unit]) -> None:
        """Add finished units, and save the file if the last save was a few seconds ago."""
        self.units.update((unit[0], unit) for unit in units)
        if monotonic() - self._saved_at > _SAVE_INTERVAL:
            self.save()

    def save(self) -> None:
        """Save the file if there are new units."""
        if self._path is not None and len(self.units) > self._saved:
            write(self._path, self._form, self.units.values())
            self._saved_at, self._saved = monotonic(), len(self.units)


@contextmanager
def opened(path: str | None, form: UnitFormat[Unit]) -> Iterator[UnitFile[Unit]]:
    """Open a file for one run at a time, and save it however the run ends.

    Raises:
        SourceError: the file can't be read or written, belongs to another run, or is in use.
    """
    if path is None:
        yield UnitFile(None, form, {})
        return
    with _locked(path):
        file = UnitFile(path, form, read(path, form))
        try:
            yield file
        finally:
            file.save()


def _lines(path: str) -> Iterator[str]:
    try:
        with gzip.open(path, "rb") as file:
            text = file.read(_MAX_SIZE).decode("ascii")
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise SourceError(path, f"is not a census file, or is damaged: {reason}") from error
    if not text:
        raise SourceError(path, "is empty; expected a census")
    return iter(text.splitlines())


def _check_header(path: str, line: str, form: UnitFormat[Unit]) -> None:
    try:
        header = json.loads(line)
        name = form.name_of(header)
    except (ValueError, TypeError, KeyError) as error:
        raise SourceError(f"{path}:1", "is not a valid header; expected JSON") from error
    if header != form.header:
        raise SourceError(path, f"belongs to the census {name}, not {form.name_of(form.header)}")


def _unit(place: str, line: str, form: UnitFormat[Unit]) -> Unit:
    try:
        unit = form.unit_of(line)
    except ValueError as error:
        raise SourceError(place, f"is not a unit; expected {form.expected}") from error
    if objection := form.objection_to(unit):
        raise SourceError(place, objection)
    return unit


@contextmanager
def _locked(path: str) -> Iterator[None]:
    """Prevent other runs from writing the file."""
    lock_path = Path(f"{path}.lock")
    try:
        with open(lock_path, "wb") as file:
            try:
                lock(file)
            except BlockingIOError as error:
                raise SourceError(path, "can't be written: another run is writing it") from error
            try:
                yield
            finally:
                lock_path.unlink(missing_ok=True)
    except OSError as error:
        raise SourceError(path, f"can't be written: {error.strerror or error}") from error
