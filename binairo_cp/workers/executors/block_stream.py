"""A stream of blocks given to an executor, and what becomes of each.

A block that a worker died of is split, until it is known what it died of; that is tried once more,
alone where others may be blamed too, and what the dying process said is kept. A block whose time is
over is not tried again where it is sure what ended: that would take as long once more.
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
from typing import Generic

from binairo_cp.errors import SolverCrash, SolverHang, SolverMemory
from binairo_cp.workers.executors.contract import Executor, Given, Made

_AHEAD = 3
_MOST_WAITING = 32
_MOST_WORDS = 300


def map_blocks(
    executor: Executor,
    work: Callable[[Given], Made],
    blocks: Iterable[Given | None],
    split: Callable[[Given], list[Given]] = lambda block: [block],
    *,
    ordered: bool = True,
) -> Generator[tuple[Given, Made | SolverCrash], None, None]:
    """Apply a function to blocks.

    Only a few blocks are taken ahead, so that a long input is never in memory as a whole. When the
    generator is closed, what is not finished is cancelled.

    Args:
        executor: who does it.
        work: what is done with a block; it and all that passes must be picklable.
        blocks: the work; None where there is none for now, but more may come.
        split: the smaller blocks that a block is made of; one that is all there is to it is that.
        ordered: tell what became of the blocks in their order, not as it comes.

    Yields:
        Each block with what became of it: its result, or what the process that had it alone died
        of, twice unless that was its time limit.
    """
    with ExitStack() as stack:
        flow = _Flow(executor, work, split, stack)
        try:
            yield from flow.run(iter(blocks), ordered=ordered)
        finally:
            flow.cancel()


@dataclass(frozen=True, slots=True)
class _Piece(Generic[Given]):
    """A block that is given away.

    Attributes:
        key: its place among the others; parts of a block come where that would come.
        again: it is alone, and a process died of it.
    """

    key: tuple[int, ...]
    block: Given
    again: bool = False


class _Flow(Generic[Given, Made]):
    def __init__(
        self,
        executor: Executor,
        work: Callable[[Given], Made],
        split: Callable[[Given], list[Given]],
        stack: ExitStack,
    ) -> None:
        self._executor = executor
        self._work = work
        self._split = split
        self._stack = stack
        self._running: dict[Future[Made], _Piece[Given]] = {}
        self._suspects: deque[_Piece[Given]] = deque()
        self._done: dict[tuple[int, ...], tuple[Given, Made | SolverCrash]] = {}

    def run(
        self, blocks: Iterator[Given | None], *, ordered: bool
    ) -> Iterator[tuple[Given, Made | SolverCrash]]:
        numbered = enumerate(blocks)
        any_left = True
        while any_left or self._running or self._suspects:
            is_silent = False
            while any_left and not is_silent and self._has_room():
                number, block = next(numbered, (None, None))
                if number is None:
                    any_left = False
                elif block is None:
                    is_silent = True
                else:
                    self._give(_Piece((number,), block))
            if self._suspects and (self._executor.blame_is_certain or not self._running):
                self._give(self._suspects.popleft())
            if self._running:
                # While nothing comes, what is finished must not wait for what is next.
                finished, _ = wait(self._running, 0 if is_silent else None, FIRST_COMPLETED)
                for future in finished:
                    self._settle(self._running.pop(future), future)
            yield from self._ready(ordered)

    def cancel(self) -> None:
        for future in self._running:
            future.cancel()

    def _has_room(self) -> bool:
        # Where others may be blamed too, nothing is given away beside a suspect.
        is_suspected = self._suspects or any(piece.again for piece in self._running.values())
        if is_suspected and not self._executor.blame_is_certain:
            return False
        ahead = _AHEAD * self._executor.workers
        return len(self._running) < ahead and len(self._done) < max(ahead, _MOST_WAITING)

    def _ready(self, ordered: bool) -> Iterator[tuple[Given, Made | SolverCrash]]:
        """What can be told: in order, all that comes before anything that is not finished."""
        unfinished = chain(self._running.values(), self._suspects)
        earliest = min((piece.key for piece in unfinished), default=None)
        for key in sorted(self._done):
            if ordered and earliest is not None and key > earliest:
                return
            yield self._done.pop(key)

    def _give(self, piece: _Piece[Given]) -> None:
        work = _Heard(self._work, self._words(piece)) if piece.again else self._work
        self._running[self._executor.submit(work, piece.block)] = piece

    def _settle(self, piece: _Piece[Given], future: Future[Made]) -> None:
        try:
            self._done[piece.key] = piece.block, future.result()
        except SolverCrash as error:
            parts = [piece.block] if piece.again else self._split(piece.block)
            is_final = piece.again or (
                isinstance(error, SolverHang) and self._executor.blame_is_certain
            )
            if len(parts) > 1:
                for number, part in enumerate(parts):
                    self._give(_Piece((*piece.key, number), part))
            elif not is_final:
                self._suspects.append(_Piece(piece.key, piece.block, again=True))
            else:
                self._done[piece.key] = piece.block, _with_words(error, self._words(piece))

    @cached_property
    def _folder(self) -> Path:
        # Only when it is needed: a run that is killed leaves it behind.
        return Path(self._stack.enter_context(TemporaryDirectory(prefix="binairo-")))

    def _words(self, piece: _Piece[Given]) -> Path:
        return self._folder / "-".join(map(str, piece.key))


@dataclass(frozen=True, slots=True)
class _Heard(Generic[Given, Made]):
    """Work of which it is kept in a file what it says on standard error."""

    work: Callable[[Given], Made]
    words: Path

    def __call__(self, given: Given) -> Made:
        sys.stderr.flush()
        try:
            file = os.open(self.words, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        except OSError:
            # On another machine there is no such folder.
            return self.work(given)
        before = os.dup(2)
        os.dup2(file, 2)
        os.close(file)
        try:
            return self.work(given)
        finally:
            os.dup2(before, 2)
            os.close(before)


def _with_words(error: SolverCrash, file: Path) -> SolverCrash:
    """An error with the last words of the process that died."""
    words = ""
    with suppress(OSError):
        words = " ".join(file.read_bytes()[-_MOST_WORDS:].decode(errors="replace").split())
        file.unlink()
    if not words:
        return error
    # What C++ says when there is no more.
    kind = SolverMemory if "bad_alloc" in words else type(error)
    return kind(f"{error}: {words}")
