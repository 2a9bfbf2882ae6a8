"""Count the boards whose upper halves belong to one class: lists of halves, units, their files.

The kernel that lists and joins halves says if it needs more memory. The memory is kept for the next
call, unless it is large.
"""

from __future__ import annotations

import gzip
import json
import os
import threading
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from time import monotonic
from typing import Any, Literal, NamedTuple

import numpy as np

from binairo_cp.counting.sizes import BITS, Census, Classes, Numbers, RowBlocks, Tables, tables
from binairo_cp.errors import SourceError
from binairo_cp.formats.output_files import lock, refuse_special
from binairo_cp.kernels import census as kernel

_SAVE_INTERVAL = 3.0
_MAX_SIZE = 1 << 28

_MAX_KEPT = 2_000_000
"""The most places of arrays that are kept; they take up to 80 MB."""

Side = Literal["upper", "lower"]


class _Memory(threading.local):
    """The memory of a thread."""

    def __init__(self) -> None:
        self.lengths = [0, 1 << 12, 1 << 12, 1 << 12, 1 << 10, 1 << 13]
        """By the numbers of the parts, as `list_halves` returns them."""
        self._kept: dict[str, tuple[Any, Any]] = {}

    def get(self, name: str, create: Callable[..., Any], *key: int) -> Any:
        """What `create` returns for a key; the last memory of this name if it has the same key."""
        known, memory = self._kept.get(name, (None, None))
        if known == key:
            return memory
        memory = create(*key)
        if sum(key) <= _MAX_KEPT:
            self._kept[name] = key, memory
        return memory


_memory = _Memory()


@lru_cache(maxsize=4)
def _blocks(census: Census) -> dict[Side, tuple[kernel.Blocks, kernel.Blocks]]:
    shared = tables(census)

    def of_kernel(half: tuple[RowBlocks, RowBlocks]) -> tuple[kernel.Blocks, kernel.Blocks]:
        outer, inner = (kernel.Blocks(*(array.data for array in blocks)) for blocks in half)
        return outer, inner

    return {"upper": of_kernel(shared.upper), "lower": of_kernel(shared.lower)}


def list_halves(census: Census, classes: Numbers, side: Side) -> kernel.HalfList:
    """The halves of classes; the next call for the same side may overwrite them."""
    shared, blocks = tables(census), _blocks(census)[side]
    slots = max((census.height + 1) // 2 - 1, kernel.SLOTS)
    differences = shared.differences.data
    while True:
        lengths = _memory.lengths[1:]
        key = len(shared.lines), slots, *lengths
        halves: kernel.HalfList = _memory.get(side, kernel.HalfList, *key)
        into = differences, *blocks, halves
        ended = kernel.list_halves(classes.data, shared.full, census.rows_differ, *into)
        if ended == kernel.LISTED:
            return halves
        _memory.lengths[ended] *= 2


def join(census: Census, upper: kernel.HalfList, lower: kernel.HalfList) -> int:
    """The number of pairs of halves that make a board. It changes the halves."""
    # A power of two, so that the memory is often large enough for the next call.
    length = 1 << max(upper.largest(), lower.largest()).bit_length()
    joiner = _memory.get("join", kernel.Joiner, len(tables(census).lines), census.width, length)
    return kernel.join(*_cut(tables(census)), census.rows_differ, upper, lower, joiner)


def count_ends(census: Census, classes: Numbers, side: Side) -> Numbers:
    """The numbers of halves of classes by their two rows at the cut."""
    shared, blocks = tables(census), _blocks(census)[side]
    n = len(shared.lines)
    counts = np.zeros((n, n + 1), np.int64)
    packed, begin, into = (classes.data, np.empty(n + 1, np.int64).data, counts.data)
    while True:
        length = _memory.lengths[kernel.BLOCKS]
        ys, ts = _memory.get("ends", lambda n: np.empty((2, n), np.int64), length)
        ends = ys.data, ts.data
        if kernel.count_ends(packed, shared.full, *blocks, begin, *ends, into) <= length:
            return counts
        _memory.lengths[kernel.BLOCKS] *= 2


def join_ends(census: Census, upper: Numbers, lower: Numbers) -> int:
    """The number of pairs of halves that make a board, from the counts of `count_ends`."""
    return kernel.join_plain(*_cut(tables(census)), upper.data, lower.data)


def _cut(shared: Tables) -> tuple[memoryview, int, memoryview, bool]:
    """The rows at the cut, as both functions that join take them."""
    return shared.lines.data, shared.full, shared.names.data, shared.symmetric


class Unit(NamedTuple):
    """The counts of a class.

    Attributes:
        boards: the number of boards with an upper half of that class.
        halves: the number of upper halves of that class.
    """

    packed: int
    boards: int
    halves: int


Units = dict[int, Unit]
"""Counted units, by their class, packed."""


def count_unit(census: Census, packed: int) -> Unit:
    """Count the boards whose upper halves belong to a class."""
    shared = tables(census)
    above, below = np.array([packed]), shared.totals - packed
    if census.distinct == "nothing":
        ends = count_ends(census, above, "upper")
        others = ends if shared.symmetric else count_ends(census, below, "lower")
        return Unit(packed, join_ends(census, ends, others), int(ends.sum()))
    upper = list_halves(census, above, "upper")
    lower = upper if shared.symmetric else list_halves(census, below, "lower")
    return Unit(packed, join(census, upper, lower), upper.number())


def count_units(census: Census, classes: Iterable[int]) -> list[Unit]:
    """Count several units one after the other; this is the task of a worker."""
    return [count_unit(census, packed) for packed in classes]


def digits_of(packed: int, width: int) -> str:
    """A class as hexadecimal digits, the leftmost column first."""
    return "".join(f"{(packed >> (BITS * k)) & 15:x}" for k in range(width))


def read(path: str, census: Census, classes: Classes) -> Units:
    """Return the units of a file; none if the file does not exist.

    Raises:
        SourceError: the file can't be read, or belongs to another census.
    """
    refuse_special(path)
    if not Path(path).exists():
        return {}
    lines = _lines(path)
    try:
        header = json.loads(next(lines))
        name = Census(**header).name
    except (ValueError, TypeError, KeyError) as error:
        raise SourceError(f"{path}:1", "is not a valid header; expected JSON") from error
    if header != asdict(census):
        raise SourceError(path, f"belongs to the census {name}, not {census.name}")
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
