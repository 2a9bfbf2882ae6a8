"""Send the large arguments and results of calls through shared memory instead of pipes.

A pipe holds 64 KiB, so a block of several megabytes is copied in many small steps, by both sides in
turn. Here each side copies it once. Objects mark their large parts as `pickle.PickleBuffer`;
the rest is pickled and travels through the pipe.

The memory is a file without a name (``memfd_create``), so nothing is left behind by processes that
are killed. A worker opens it by the number that it has in the parent. Where the system has no such
files, everything travels through the pipe.
"""

from __future__ import annotations

import mmap
import os
import pickle
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

_LEAST_BYTES = 1 << 16
"""Smaller arguments travel through the pipe."""

_PAGE = mmap.PAGESIZE
_PROTOCOL = 5


@dataclass(frozen=True, slots=True)
class Pickled:
    """A pickled object, and the places of its buffers in a memory, as pairs of start and length."""

    rest: bytes
    places: list[tuple[int, int]]


class Unreachable:
    """The result of a call whose worker can't open the memory."""


@dataclass(frozen=True, slots=True)
class Call:
    """A function whose large arguments are in a memory; the worker calls it."""

    path: str
    work: Pickled

    def __call__(self) -> Any:
        """The result of the function, as `Pickled` if it is large."""
        try:
            file = os.open(self.path, os.O_RDWR)
        except OSError:
            return Unreachable()
        try:
            parts = [os.pread(file, length, start) for start, length in self.work.places]
            work = pickle.loads(self.work.rest, buffers=parts)
            result = work()
            # The arguments stay where they are, in case the call must be repeated.
            end = max(start + length for start, length in self.work.places)
            return _pickled(result, file, end) or result
        finally:
            os.close(file)


def _pickled(value: Any, file: int, start: int = 0) -> Pickled | None:
    """Pickle an object and write its buffers to a file; None if they are small, or it fails."""
    buffers: list[pickle.PickleBuffer] = []
    try:
        rest = pickle.dumps(value, _PROTOCOL, buffer_callback=buffers.append)
        views = [buffer.raw() for buffer in buffers]
        if sum(map(len, views)) < _LEAST_BYTES:
            return None
        places = []
        for view in views:
            start = -(-start // _PAGE) * _PAGE
            places.append((start, len(view)))
            _write(file, view, start)
            start += len(view)
    # What can't be pickled is reported as without shared memory. A limit of memory may be reached.
    except (pickle.PicklingError, TypeError, AttributeError, BufferError, OSError):
        return None
    return Pickled(rest, places)


def _write(file: int, data: memoryview, start: int) -> None:
    while data:
        written = os.pwrite(file, data, start)
        data, start = data[written:], start + written


class Memory:
    """A memory that is shared with one worker at a time."""

    def __init__(self) -> None:
        self._file = os.memfd_create("binairo", os.MFD_CLOEXEC)
        self._map: mmap.mmap | None = None

    @property
    def path(self) -> str:
        """The name by which a worker opens this memory."""
        return f"/proc/{os.getpid()}/fd/{self._file}"

    @property
    def is_free(self) -> bool:
        """Whether no object of this process looks into this memory."""
        try:
            if self._map:
                # Fails while there is a view.
                self._map.resize(len(self._map))
        except BufferError:
            return False
        return True

    def call(self, work: Callable[[], Any]) -> Call | None:
        """The call of a function, for a worker; None if its arguments are small."""
        pickled = _pickled(work, self._file)
        if pickled is None:
            return None
        return Call(self.path, pickled)

    def load(self, pickled: Pickled) -> Any:
        """The result of a call. Its buffers are views of this memory."""
        end = max(start + length for start, length in pickled.places)
        if self._map is None or len(self._map) < end:
            # Grow in large steps, since a new map is slow on first use.
            os.ftruncate(self._file, 1 << (end - 1).bit_length())
            self._map = mmap.mmap(self._file, 0)
        view = memoryview(self._map).toreadonly()
        parts = [view[start : start + length] for start, length in pickled.places]
        return pickle.loads(pickled.rest, buffers=parts)

    def close(self) -> None:
        """Forget the memory. Existing views stay valid."""
        os.close(self._file)
        self._map = None


class Memories:
    """The memories of a pool of workers, at most `limit`. Calls beyond them use pipes.

    Each memory has two open files.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit if sys.platform == "linux" and hasattr(os, "memfd_create") else 0
        self._number = 0
        self._idle: list[Memory] = []

    def take(self) -> Memory | None:
        """A memory for a call; None if there is none."""
        for number, memory in enumerate(self._idle):
            if memory.is_free:
                return self._idle.pop(number)
        if self._number >= self._limit:
            return None
        try:
            memory = Memory()
        except OSError:
            return None
        self._number += 1
        return memory

    def give_back(self, memory: Memory) -> None:
        """Return a memory after its call has ended."""
        self._idle.append(memory)

    def discard(self, memory: Memory) -> None:
        """Return a memory that a worker may still write to."""
        memory.close()
        self._number -= 1

    def close(self) -> None:
        """Close all memories that were returned, and use no more."""
        self._limit = 0
        while self._idle:
            self.discard(self._idle.pop())
