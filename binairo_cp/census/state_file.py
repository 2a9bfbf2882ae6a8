"""What is finished of a census, in one file: every unit with its count.

Packed text: a line of JSON that says which census it is, then a line for each finished unit: the
class as hexadecimal digits (the ones of each column of the upper half), how many boards there are,
and how many upper halves. Any machine can go on with it, and anyone can count a unit of it again.
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

from binairo_cp.census.blocks import BITS
from binairo_cp.census.sizes import Census, Classes
from binairo_cp.census.units import Unit
from binairo_cp.errors import SourceError
from binairo_cp.workers.locking import lock

_SECONDS = 3.0
_LARGEST = 1 << 28


def read(path: str, census: Census, classes: Classes) -> dict[int, Unit]:
    """The finished units of a file, by class; none if there is no such file.

    Raises:
        SourceError: it can't be read, or is of another census.
    """
    if not Path(path).exists():
        return {}
    known = set(classes.packed.tolist())
    units: dict[int, Unit] = {}
    for number, line in enumerate(_lines(path), 1):
        if number == 1:
            _check_head(path, line, census)
            continue
        unit = _unit(path, number, line, census.width)
        if unit.packed not in known:
            raise SourceError(f"{path}:{number}", f"{line.split()[0]} is no class of this census")
        if units.setdefault(unit.packed, unit) != unit:
            raise SourceError(f"{path}:{number}", "the class is there before, with other counts")
    if number == 0:
        raise SourceError(path, "is empty; expected a census")
    return units


def write(path: str, census: Census, units: Iterable[Unit]) -> None:
    """Put the finished units into a file, all of them or none.

    Raises:
        SourceError: the file can't be written.
    """
    lines = [json.dumps(asdict(census))]
    for unit in sorted(units):
        lines.append(f"{digits(unit.packed, census.width)} {unit.boards} {unit.halves}")
    data = gzip.compress("".join(f"{line}\n" for line in lines).encode(), 9, mtime=0)
    begun = Path(f"{path}.partial")
    try:
        with open(begun, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        begun.replace(path)
    except OSError as error:
        raise SourceError(path, f"can't be written: {error.strerror or error}") from error


class State:
    """The finished units of a run, put on the disk every few seconds.

    Attributes:
        units: by class.
    """

    def __init__(self, path: str | None, census: Census, units: dict[int, Unit]) -> None:
        self.units = units
        self._path = path
        self._census = census
        self._saved_at = monotonic()
        self._saved = len(units)

    def add(self, units: Iterable[Unit]) -> None:
        """Take up finished units."""
        self.units.update((unit.packed, unit) for unit in units)
        if monotonic() - self._saved_at > _SECONDS:
            self.save()

    def save(self) -> None:
        """Put all on the disk that is not there yet."""
        if self._path is not None and len(self.units) > self._saved:
            write(self._path, self._census, self.units.values())
            self._saved_at, self._saved = monotonic(), len(self.units)


@contextmanager
def opened(path: str | None, census: Census, classes: Classes) -> Iterator[State]:
    """The state of a run, kept whatever ends the run; no other run may have it at a time.

    Raises:
        SourceError: the file can't be read or written, is of another census, or in use.
    """
    if path is None:
        yield State(None, census, {})
        return
    with _locked(path):
        state = State(path, census, read(path, census, classes))
        try:
            yield state
        finally:
            state.save()


def digits(packed: int, width: int) -> str:
    """A class as hexadecimal digits, the leftmost column first."""
    return "".join(f"{(packed >> (BITS * k)) & 15:x}" for k in range(width))


def _lines(path: str) -> Iterator[str]:
    try:
        with gzip.open(path, "rb") as file:
            text = file.read(_LARGEST).decode("ascii")
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise SourceError(path, f"is no file of a census, or damaged: {reason}") from error
    if not text:
        raise SourceError(path, "is empty; expected a census")
    return iter(text.splitlines())


def _check_head(path: str, line: str, census: Census) -> None:
    try:
        found = Census(**json.loads(line))
    except (ValueError, TypeError) as error:
        raise SourceError(f"{path}:1", "does not say of which census it is") from error
    if found != census:
        raise SourceError(path, f"is of the census {found.name}, not {census.name}")


def _unit(path: str, number: int, line: str, width: int) -> Unit:
    try:
        name, boards, halves = line.split()
        if len(name) != width:
            raise ValueError
        packed = sum(int(digit, 16) << (BITS * k) for k, digit in enumerate(name))
        if not (boards.isdecimal() and halves.isdecimal()):
            raise ValueError
        unit = Unit(packed, int(boards), int(halves))
    except ValueError as error:
        expected = f"{width} hexadecimal digits and two numbers"
        raise SourceError(f"{path}:{number}", f"is no unit; expected {expected}") from error
    return unit


@contextmanager
def _locked(path: str) -> Iterator[None]:
    """Let no other run write a file while this one does."""
    beside = Path(f"{path}.lock")
    try:
        with open(beside, "wb") as file:
            try:
                lock(file)
            except BlockingIOError as error:
                raise SourceError(path, "can't be written: another run is writing it") from error
            try:
                yield
            finally:
                beside.unlink(missing_ok=True)
    except OSError as error:
        raise SourceError(path, f"can't be written: {error.strerror or error}") from error
