"""Files that store the counted units of a census.

A file is gzipped text. The first line is JSON that identifies the census. Each following line is a
unit: the class as hexadecimal digits (the ones in each column of the upper half), the number of
boards, and the number of upper halves. A run can resume from the file on any machine, and anyone
can count single units again.
"""

from __future__ import annotations

import gzip
import json
import os
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from time import monotonic

from binairo_cp.counting.blocks import BITS
from binairo_cp.counting.sizes import Census, Classes
from binairo_cp.counting.units import Unit, digits_of
from binairo_cp.errors import SourceError
from binairo_cp.formats.output_files import lock, refuse_special

Units = dict[int, Unit]
"""Counted units, by their class, packed."""

_SAVE_INTERVAL = 3.0
_MAX_SIZE = 1 << 28


def read(path: str, census: Census, classes: Classes) -> Units:
    """Return the units of a file; none if the file does not exist.

    Raises:
        SourceError: the file can't be read, or belongs to another census.
    """
    refuse_special(path)
    if not Path(path).exists():
        return {}
    lines = _lines(path)
    _check_header(path, next(lines), census)
    known = set(classes.packed.tolist())
    units: Units = {}
    for number, line in enumerate(lines, 2):
        place = f"{path}:{number}"
        unit = _unit(place, line, census.width)
        if unit.packed not in known:
            name = digits_of(unit.packed, census.width)
            raise SourceError(place, f"{name} is not a class of this census")
        if units.setdefault(unit.packed, unit) != unit:
            raise SourceError(place, "an earlier line has different counts for the same unit")
    return units


def write(path: str, census: Census, units: Iterable[Unit]) -> None:
    """Write units to a file atomically.

    Raises:
        SourceError: the file can't be written.
    """
    lines = [json.dumps(asdict(census))]
    for unit in sorted(units):
        lines.append(f"{digits_of(unit.packed, census.width)} {unit.boards} {unit.halves}")
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


class UnitFile:
    """The counted units of a run, saved to a file every few seconds; without a path, to none."""

    def __init__(self, path: str | None, census: Census, units: Units) -> None:
        self.units = units
        self._path = path
        self._census = census
        self._saved_at = monotonic()
        self._saved = len(units)

    def add(self, units: Iterable[Unit]) -> None:
        """Add units, and save the file if the last save was a few seconds ago."""
        self.units.update((unit.packed, unit) for unit in units)
        if monotonic() - self._saved_at > _SAVE_INTERVAL:
            self.save()

    def save(self) -> None:
        """Save the file if there are new units."""
        if self._path is not None and len(self.units) > self._saved:
            write(self._path, self._census, self.units.values())
            self._saved_at, self._saved = monotonic(), len(self.units)


@contextmanager
def opened(path: str | None, census: Census, classes: Classes) -> Iterator[UnitFile]:
    """Open a file for one run at a time, and save it however the run ends.

    Raises:
        SourceError: the file can't be read or written, belongs to another census, or is in use.
    """
    if path is None:
        yield UnitFile(None, census, {})
        return
    with _locked(path):
        file = UnitFile(path, census, read(path, census, classes))
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


def _check_header(path: str, line: str, census: Census) -> None:
    try:
        header = json.loads(line)
        name = Census(**header).name
    except (ValueError, TypeError, KeyError) as error:
        raise SourceError(f"{path}:1", "is not a valid header; expected JSON") from error
    if header != asdict(census):
        raise SourceError(path, f"belongs to the census {name}, not {census.name}")


def _unit(place: str, line: str, width: int) -> Unit:
    try:
        name, boards, halves = line.split()
        if len(name) != width or not (boards.isdecimal() and halves.isdecimal()):
            raise ValueError
        packed = sum(int(digit, 16) << (BITS * k) for k, digit in enumerate(name))
        return Unit(packed, int(boards), int(halves))
    except ValueError as error:
        expected = f"{width} hexadecimal digits and two numbers"
        raise SourceError(place, f"is not a unit; expected {expected}") from error


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
