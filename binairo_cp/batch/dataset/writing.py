"""Write a dataset: shard by shard, so that a run that was stopped at any time can be resumed.

The rows of a shard are appended to a journal, which becomes its files when it is complete. A later
run reads the ids and hashes of all finished rows and goes on after the last one. Rows depend only
on the recipe, so the files are the same as without the interruption.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from functools import partial
from itertools import islice, takewhile
from time import monotonic, perf_counter
from typing import IO, Any

from binairo_cp.batch.dataset.folder import (
    JOURNAL,
    DatasetFolder,
    DatasetRow,
    RowWork,
    number_of,
)
from binairo_cp.batch.dataset.recipe import DatasetPlan, SetPlan, Shard
from binairo_cp.batch.generating import digests_of
from binairo_cp.batch.resuming import whole_fields
from binairo_cp.errors import BudgetExceeded, GenerationError, SolverCrash, SourceError
from binairo_cp.formats.output_files import open_locked
from binairo_cp.generation.puzzles import generate_puzzles
from binairo_cp.generation.runs import size_of_block
from binairo_cp.json_library import orjson
from binairo_cp.solving.backends import Budget, Meter
from binairo_cp.workers import executors, terminal
from binairo_cp.workers.executors import Executor, WorkerSettings

_SECONDS = 2.0
"""How long to try a set, at least for a few puzzles."""
_PATIENCE = 60.0
"""How long to try it at most."""
_FIRST, _MOST = 8, 512
_LEAST_FOUND = 0.05

_DRAWN_FOR_ONE = 100
_DRAWN_AT_LEAST = 1_000
_SECONDS_UNTIL_SYNC = 1.0
_PIECE = 1 << 20
_PACKED = {"parquet": 0.15, "ndjson": 1.0}
"""About how many bytes a file has for each character of its rows."""


@dataclass
class DatasetRun:
    """A run.

    Attributes:
        quiet: print neither progress nor a summary.
        written: the number of rows so far.
    """

    folder: DatasetFolder
    workers: WorkerSettings
    quiet: bool = False
    written: int = 0
    _digests: dict[tuple[int, int], set[bytes]] = field(default_factory=dict)
    _excluded: set[bytes] = field(default_factory=set)
    _show: Callable[[float, float | None, str], object] = lambda *_: None

    @property
    def plan(self) -> DatasetPlan:
        """What to generate."""
        return self.folder.plan

    def run(self, resume: bool) -> None:
        """Generate and write all that is missing.

        Raises:
            SourceError: the folder can't be written, or holds something else.
            LimitError, GenerationError: the recipe can't be fulfilled.
        """
        try:
            with ExitStack() as stack:
                self._show = stack.enter_context(terminal.bar(self.quiet))
                self.folder.check(resume)
                self._excluded = digests_of(self.folder.exclude)
                if not any(self.folder.file(shard).exists() for shard in self.plan.shards):
                    self._probe()
                path = self.folder.path
                path.mkdir(parents=True, exist_ok=True)
                journal = stack.enter_context(open_locked(lambda: path / JOURNAL, str(path)))
                self.folder.begin()
                self._write_shards(journal)
                self.folder.finish()
                if not self.quiet:
                    print(f"binairo: {self.written:,} puzzles in {path}", file=sys.stderr)
        except KeyboardInterrupt as error:
            done = f"{self.written:,} of {self.plan.recipe.total:,} puzzles are written"
            error.args = (f"stopped; {done}; continue with --resume",)
            raise
        except OSError as error:
            reason = f"can't be written: {error.strerror or error}; continue with --resume"
            raise SourceError(str(error.filename or self.folder.path), reason) from error

    def _probe(self) -> None:
        """Try all sets for the seconds of one core and the characters of all rows, and compare the
        expected size with the free space.
        """
        seconds = characters = 0.0
        for number, set_plan in enumerate(self.plan.sets):
            self._show(number, len(self.plan.sets), f"trying puzzles[{set_plan.number}]")
            rows, spent = _tried(RowWork(set_plan, self.plan.recipe.paths))
            seconds += spent / len(rows) * set_plan.spec.count
            characters += sum(len(row.text) for row in rows) / len(rows) * set_plan.spec.count
        needed = characters * _PACKED[self.plan.recipe.format]
        path = self.folder.path
        place = next(parent for parent in (path, *path.absolute().parents) if parent.exists())
        free = shutil.disk_usage(place).free
        if needed > free:
            message = f"needs about {needed / 1e6:,.1f} MB, but {free / 1e6:,.1f} MB are free"
            raise SourceError(str(path), message)
        seconds /= max(1, self.workers.workers)
        if seconds >= 60 and not self.quiet:
            time = f"{seconds / 3_600:,.1f} h" if seconds >= 7_200 else f"{seconds / 60:,.0f} min"
            size = f"{max(1, needed / 1e6):,.0f} MB"
            print(f"binairo: this takes about {time} and {size}", file=sys.stderr)

    def _write_shards(self, journal: IO[bytes]) -> None:
        last_use = {set_plan.size: set_plan.number for set_plan in self.plan.sets}
        with ExitStack() as stack:
            pool: Executor | None = None
            for set_plan in self.plan.sets:
                shards = [shard for shard in self.plan.shards if shard.of is set_plan]
                seen = self._digests.setdefault(set_plan.size, set())
                done = list(takewhile(lambda shard: self.folder.file(shard).exists(), shards))
                next_number = self._read_finished(done, seen)
                left = shards[len(done) :]
                if left and pool is None and (self.workers.workers > 1 or self.workers.cluster):
                    modules = ("binairo_cp.batch.dataset.folder",)
                    pool = stack.enter_context(self.workers.open(modules))
                if left:
                    self._write_set(set_plan, left, next_number, journal, seen, pool)
                if last_use[set_plan.size] == set_plan.number:
                    del self._digests[set_plan.size]

    def _read_finished(self, shards: list[Shard], seen: set[bytes]) -> int:
        """Learn the hashes of finished shards of a set; return the next number of its seed."""
        number = -1
        for shard in shards:
            rows = list(self.folder.columns(shard, ["id", "canonical_hash"]))
            if len(rows) != shard.count:
                raise SourceError(
                    str(self.folder.file(shard)),
                    f"can't resume: it has {len(rows):,} rows, not {shard.count:,}; remove it",
                )
            seen.update(bytes.fromhex(row["canonical_hash"]) for row in rows)
            number = number_of(rows[-1]["id"])
            self.written += len(rows)
        return number + 1

    def _write_set(
        self,
        of: SetPlan,
        shards: list[Shard],
        number: int,
        journal: IO[bytes],
        seen: set[bytes],
        pool: Executor | None,
    ) -> None:
        kept = self._read_journal(journal, shards[0])
        if kept:
            number = number_of(kept[-1]["id"]) + 1
            seen.update(bytes.fromhex(row["canonical_hash"]) for row in kept)
        done = len(kept)
        # What still runs is cancelled before the pool is closed, whatever goes wrong.
        with closing(self._new_rows(of, number, seen, pool)) as rows:
            for shard in shards:
                if not done:
                    journal.seek(0)
                    journal.truncate()
                    journal.write(_header(shard))
                self.written += done
                synced = monotonic()
                for row in islice(rows, shard.count - done):
                    journal.write(row.text)
                    self.written += 1
                    self._show(self.written, self.plan.recipe.total, f"{self.written:,} puzzles")
                    if monotonic() - synced >= _SECONDS_UNTIL_SYNC:
                        journal.flush()
                        os.fsync(journal.fileno())
                        synced = monotonic()
                journal.flush()
                try:
                    self.folder.write_shard(shard, partial(_rows_in, journal, shard))
                except SourceError as error:
                    hint = f"{error.without_place}; continue with --resume"
                    raise SourceError(error.source, hint) from error
                done = 0

    def _read_journal(self, journal: IO[bytes], shard: Shard) -> list[dict[str, Any]]:
        """The rows of a shard in the journal; what is not whole is cut off."""
        journal.seek(0)
        kept, end = [], 0
        if journal.readline() == _header(shard):
            end = journal.tell()
            for line in islice(journal, shard.count):
                # After a power failure, the end of the file may be garbage.
                if not (row := whole_fields(line)):
                    break
                kept.append({name: row[name] for name in ("id", "canonical_hash")})
                end += len(line)
        journal.seek(end)
        journal.truncate()
        return kept

    def _new_rows(
        self, of: SetPlan, number: int, seen: set[bytes], pool: Executor | None
    ) -> Generator[DatasetRow]:
        """The rows of a set from a number on, without twins."""
        most = _DRAWN_FOR_ONE * of.spec.count + _DRAWN_AT_LEAST
        numbers = iter(range(number, most))
        size = min(size_of_block(of.spec.recipe), of.spec.count)
        blocks = iter(lambda: list(islice(numbers, size)), [])
        work = RowWork(of, self.plan.recipe.paths)
        if pool is None:
            results: Iterator[Any] = map(work, blocks)
        else:
            results = (rows for _, rows in executors.map_blocks(pool, work, blocks))
        before = len(seen)
        for rows in results:
            if isinstance(rows, SolverCrash):
                raise rows
            for row in rows:
                if row.digest not in seen and row.digest not in self._excluded:
                    seen.add(row.digest)
                    yield row
        raise GenerationError(
            f"puzzles[{of.number}]: {of.spec.count:,} {of.what} wanted, but of {most - number:,} "
            f"drawn only {len(seen) - before:,} are no twins of others; ask for fewer"
        )


def _rows_in(journal: IO[bytes], shard: Shard) -> Iterator[bytes]:
    journal.seek(len(_header(shard)))
    while lines := journal.read(_PIECE):
        yield lines + journal.readline()


def _header(shard: Shard) -> bytes:
    return orjson.dumps({"shard": shard.name, "split": shard.split}) + b"\n"


def _tried(work: RowWork) -> tuple[list[DatasetRow], float]:
    """The rows of the first puzzles of a set, and the seconds that they took."""
    set_plan, meter = work.of, Meter(Budget(_PATIENCE))
    started, rows, end, step = perf_counter(), list[DatasetRow](), 0, 1
    # Twins are found among the puzzles of other shards too, so more are tried than wanted.
    most = min(_MOST, 2 * set_plan.spec.count)
    while end < most and (end < _FIRST or perf_counter() - started < _SECONDS):
        numbers = list(range(end, min(end + step, most)))
        try:
            spec = set_plan.spec
            found = generate_puzzles(spec.recipe, spec.seed, numbers, False, None, meter)
        except BudgetExceeded:
            break
        rows += work.rows(numbers, found)
        end, step = end + len(numbers), 2 * step
    if len(rows) <= _LEAST_FOUND * end:
        tries = f"{set_plan.spec.recipe.tries:,} boards each"
        tried = f"of {end} {set_plan.what} tried ({tries}), {len(rows)} were found"
        raise GenerationError(
            f"puzzles[{set_plan.number}]: "
            f"{tried if end else f'no {set_plan.what} in {_PATIENCE:.0f} s'}; "
            f"a larger size, another grade or fewer conditions may help"
        )
    return rows, perf_counter() - started
