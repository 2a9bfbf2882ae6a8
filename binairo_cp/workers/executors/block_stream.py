"""Apply a function to a stream of blocks on an executor, and isolate what kills a worker.

A block that killed a worker is split until a single item is left. That item is tried once more, and
its standard error is captured for the error message. If the executor can't tell which block killed
a worker, the item runs alone. An item that exceeded its time limit is not tried again if the blame
is certain: it would take as long again.
"""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Generic, Protocol, Self, TypeVar

from binairo_cp.errors import SolverCrash, SolverHang, SolverMemory

_BLOCKS_AHEAD_PER_WORKER = 3
_MAX_WAITING = 32
_MAX_STDERR_BYTES = 300


Argument = TypeVar("Argument")
Result = TypeVar("Result")


class Executor(Protocol):
    """Workers, which end with the ``with`` block, immediately if it raises an exception."""

    blame_is_certain: bool
    """Whether a worker that dies was working only on the call that gets the error."""

    @property
    def workers(self) -> int:
        """The current number of workers."""

    def submit(self, work: Callable[[Argument], Result], argument: Argument) -> Future[Result]:
        """Call a function in a worker.

        Args:
            work: the function. It, its argument and its result must be picklable. It may be called
                twice.
            argument: its argument.

        Returns:
            A future of the result. It raises what the function raises, or `SolverCrash`,
            `SolverHang` or `SolverMemory` if the worker died. Cancelling it stops the work.
        """

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...


def map_blocks(
    executor: Executor,
    work: Callable[[Argument], Result],
    blocks: Iterable[Argument | None],
    split: Callable[[Argument], list[Argument]] = lambda block: [block],
) -> Generator[tuple[Argument, Result | SolverCrash], None, None]:
    """Apply a function to blocks.

    Only a few blocks are read ahead, so a long input is never in memory as a whole. Closing the
    generator cancels the unfinished blocks.

    Args:
        executor: runs the function.
        work: the function. It, its argument and its result must be picklable.
        blocks: the blocks; None means that there is no block for now, but more may come.
        split: splits a block into smaller ones. A block that can't be split is its only part.

    Yields:
        Each block in order with its result, or with the error of the process that died while it
        worked on this block alone. That happened twice, unless the error is a time limit.
    """
    with ExitStack() as stack:
        stream = _BlockStream(executor, work, split, stack)
        try:
            yield from stream.results(iter(blocks))
        finally:
            stream.cancel()


@dataclass(frozen=True, slots=True)
class _Piece(Generic[Argument]):
    """A submitted block.

    Attributes:
        key: sorts the blocks. The parts of a block sort where the block itself would.
        is_retry: the block can't be split, and a process died of it.
    """

    key: tuple[int, ...]
    block: Argument
    is_retry: bool = False


class _BlockStream(Generic[Argument, Result]):
    def __init__(
        self,
        executor: Executor,
        work: Callable[[Argument], Result],
        split: Callable[[Argument], list[Argument]],
        stack: ExitStack,
    ) -> None:
        self._executor = executor
        self._work = work
        self._split = split
        self._stack = stack
        self._running: dict[Future[Result], _Piece[Argument]] = {}
        self._suspects: deque[_Piece[Argument]] = deque()
        self._done: dict[tuple[int, ...], tuple[Argument, Result | SolverCrash]] = {}

    def results(
        self, blocks: Iterator[Argument | None]
    ) -> Iterator[tuple[Argument, Result | SolverCrash]]:
        numbered = enumerate(blocks)
        any_left = True
        while any_left or self._running or self._suspects:
            is_paused = False
            while any_left and not is_paused and self._has_room():
                number, block = next(numbered, (None, None))
                if number is None:
                    any_left = False
                elif block is None:
                    is_paused = True
                else:
                    self._submit(_Piece((number,), block))
            if self._suspects and (self._executor.blame_is_certain or not self._running):
                self._submit(self._suspects.popleft())
            if self._running:
                # While the input pauses, finished blocks must not wait for the next block.
                finished, _ = wait(self._running, 0 if is_paused else None, FIRST_COMPLETED)
                for future in finished:
                    self._handle(self._running.pop(future), future)
            yield from self._ready()

    def cancel(self) -> None:
        for future in self._running:
            future.cancel()

    def _has_room(self) -> bool:
        # Unless the blame is certain, a suspect must run alone.
        is_suspected = self._suspects or any(piece.is_retry for piece in self._running.values())
        if is_suspected and not self._executor.blame_is_certain:
            return False
        ahead = _BLOCKS_AHEAD_PER_WORKER * self._executor.workers
        return len(self._running) < ahead and len(self._done) < max(ahead, _MAX_WAITING)

    def _ready(self) -> Iterator[tuple[Argument, Result | SolverCrash]]:
        """The results before the first unfinished block, in order."""
        unfinished = chain(self._running.values(), self._suspects)
        earliest = min((piece.key for piece in unfinished), default=None)
        for key in sorted(self._done):
            if earliest is not None and key > earliest:
                return
            yield self._done.pop(key)

    def _submit(self, piece: _Piece[Argument]) -> None:
        work = self._work
        if piece.is_retry:
            work = _StderrCapture(work, self._stderr_file(piece))
        self._running[self._executor.submit(work, piece.block)] = piece

    def _handle(self, piece: _Piece[Argument], future: Future[Result]) -> None:
        try:
            self._done[piece.key] = piece.block, future.result()
        except SolverCrash as error:
            parts = [piece.block] if piece.is_retry else self._split(piece.block)
            is_final = piece.is_retry or (
                isinstance(error, SolverHang) and self._executor.blame_is_certain
            )
            if len(parts) > 1:
                for number, part in enumerate(parts):
                    self._submit(_Piece((*piece.key, number), part))
            elif not is_final:
                self._suspects.append(_Piece(piece.key, piece.block, is_retry=True))
            else:
                self._done[piece.key] = piece.block, _with_stderr(error, self._stderr_file(piece))

    @cached_property
    def _folder(self) -> Path:
        # Create it only if needed: a run that is killed leaves it behind.
        return Path(self._stack.enter_context(TemporaryDirectory(prefix="binairo-")))

    def _stderr_file(self, piece: _Piece[Argument]) -> Path:
        return self._folder / "-".join(map(str, piece.key))


@dataclass(frozen=True, slots=True)
class _StderrCapture(Generic[Argument, Result]):
    """A function whose standard error goes to a file, so that it survives the process."""

    work: Callable[[Argument], Result]
    file: Path

    def __call__(self, argument: Argument) -> Result:
        sys.stderr.flush()
        try:
            file = os.open(self.file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        except OSError:
            # The folder does not exist on other machines.
            return self.work(argument)
        before = os.dup(2)
        os.dup2(file, 2)
        os.close(file)
        try:
            return self.work(argument)
        finally:
            os.dup2(before, 2)
            os.close(before)


def _with_stderr(error: SolverCrash, file: Path) -> SolverCrash:
    """Append the captured standard error of the process that died to an error."""
    words = ""
    with suppress(OSError):
        words = " ".join(file.read_bytes()[-_MAX_STDERR_BYTES:].decode(errors="replace").split())
        file.unlink()
    if not words:
        return error
    # An uncaught std::bad_alloc is how C++ code runs out of memory.
    kind = SolverMemory if "bad_alloc" in words else type(error)
    return kind(f"{error}: {words}")
