"""Write a dataset: shard by shard, so that a run that was stopped at any time can be resumed.

The rows of a shard are appended to a journal, which becomes its files when it is complete. A later
run reads the ids and hashes of all finished rows and goes on after the last one. Rows depend only
on the recipe, so the files are the same as without the interruption.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from time import monotonic
from typing import IO, Any

import orjson

from binairo_cp.batch.dataset import card
from binairo_cp.batch.dataset.probing import probe
from binairo_cp.batch.dataset.recipe import FileFormat, Plan, SetPlan, Shard
from binairo_cp.batch.dataset.rows import DatasetRecord, Row, RowWork, number_of
from binairo_cp.errors import GenerationError, SolverCrash, SourceError
from binairo_cp.formats import parquet
from binairo_cp.formats.output_files import (
    PARTIAL,
    file_name,
    open_binary_output,
    open_locked,
    open_utf8_output,
)
from binairo_cp.formats.runs import RunRecord
from binairo_cp.generation.runs import size_of_block
from binairo_cp.workers import executors, terminal
from binairo_cp.workers.executors import Executor, WorkerSettings

CHECKSUMS = "SHA256SUMS"
RECIPE = "recipe.toml"
_RUN, _JOURNAL = "dataset.run", "dataset.journal"

_DRAWN_FOR_ONE = 100
_DRAWN_AT_LEAST = 1_000
_SECONDS_UNTIL_SYNC = 1.0
_PIECE = 1 << 20
_PACKED = {"parquet": 0.15, "ndjson": 1.0}
"""About how many bytes a file has for each character of its rows."""


def file_of(folder: Path, shard: Shard, format: FileFormat) -> Path:
    """The file of a shard in a format."""
    inner = "data" if format == "parquet" else "ndjson"
    return folder / inner / shard.split / f"{shard.name}.{format}"


@dataclass
class DatasetRun:
    """A run.

    Attributes:
        plan: what to generate.
        recipe: the text of the recipe.
        folder: where to write it.
        workers: where the work is done.
        quiet: print neither progress nor a summary.
        written: the number of rows so far.
    """

    plan: Plan
    recipe: bytes
    folder: Path
    workers: WorkerSettings
    quiet: bool = False
    written: int = 0
    _digests: dict[tuple[int, int], set[bytes]] = field(default_factory=dict)
    _show: Callable[[float, float | None, str], object] = lambda *_: None

    def run(self, resume: bool) -> None:
        """Generate and write all that is missing.

        Raises:
            SourceError: the folder can't be written, or holds something else.
            LimitError, GenerationError: the recipe can't be fulfilled.
        """
        try:
            with ExitStack() as stack:
                self._show = stack.enter_context(terminal.bar(self.quiet))
                self._check_folder(resume)
                if not any(self._is_done(each) for each in self.plan.shards):
                    self._probe()
                self.folder.mkdir(parents=True, exist_ok=True)
                journal = self.folder / _JOURNAL
                file = stack.enter_context(open_locked(lambda: journal, str(self.folder)))
                self._write(self.folder / _RUN, RunRecord.of({}, []).model_dump_json().encode())
                self._write(self.folder / RECIPE, self.recipe)
                self._write_shards(file)
                self._finish()
                for each in (journal, self.folder / _RUN):
                    each.unlink(missing_ok=True)
        except KeyboardInterrupt:
            done = f"{self.written:,} of {self.plan.recipe.total:,} puzzles are written"
            self._say(f"stopped; {done}; continue with --resume")
            raise
        except OSError as error:
            reason = f"can't be written: {error.strerror or error}; continue with --resume"
            raise SourceError(str(error.filename or self.folder), reason) from error

    def _say(self, text: str) -> None:
        print(f"binairo: {text}", file=sys.stderr)

    def _check_folder(self, resume: bool) -> None:
        """Check that the folder is empty, or that of the same recipe.

        Raises:
            SourceError: it is not.
        """
        name = str(self.folder)
        if not self.folder.exists() or (self.folder.is_dir() and not any(self.folder.iterdir())):
            return
        if not self.folder.is_dir():
            raise SourceError(name, "can't be written: it is not a folder")
        if not resume:
            raise SourceError(
                name, "is not empty; continue a run with --resume, or choose another --out"
            )
        kept = self.folder / RECIPE
        if kept.exists() and kept.read_bytes() != self.recipe:
            raise SourceError(name, f"can't resume: the {RECIPE} in it is another one")
        if (self.folder / _RUN).exists():
            before = RunRecord.model_validate_json((self.folder / _RUN).read_bytes())
            if change := RunRecord.of({}, []).difference(before):
                raise SourceError(name, f"can't resume: the earlier run had {change}")
        elif not kept.exists() and not all(map(_is_begun, self.folder.iterdir())):
            raise SourceError(name, "can't resume: it is not empty, and holds no dataset")

    def _probe(self) -> None:
        """Try all sets, and compare the expected size with the free space.

        Raises:
            LimitError, GenerationError: the recipe can't be fulfilled.
            SourceError: there is not enough space.
        """
        found = probe(self.plan, self._show)
        needed = found.characters * sum(_PACKED[each] for each in self.plan.recipe.formats)
        place = next(
            each for each in (self.folder, *self.folder.absolute().parents) if each.exists()
        )
        free = shutil.disk_usage(place).free
        if needed > free:
            message = f"needs about {needed / 1e6:,.0f} MB, but {free / 1e6:,.0f} MB are free"
            raise SourceError(str(self.folder), message)
        if not self.quiet:
            cores = max(1, self.workers.workers)
            hours = f"{found.seconds / cores / 3_600:,.1f} h"
            minutes = f"{found.seconds / cores / 60:,.0f} min"
            time = hours if found.seconds / cores >= 7_200 else minutes
            if found.seconds / cores >= 60:
                self._say(f"this takes about {time} and {max(1, needed / 1e6):,.0f} MB")

    def _is_done(self, shard: Shard) -> bool:
        formats = self.plan.recipe.formats
        return all(file_of(self.folder, shard, each).exists() for each in formats)

    def _write(self, path: Path, content: bytes) -> None:
        with open_binary_output(str(path)) as write:
            write(content)

    def _write_shards(self, journal: IO[bytes]) -> None:
        last_use = {each.size: each.number for each in self.plan.sets}
        with ExitStack() as stack:
            pool: Executor | None = None
            for each in self.plan.sets:
                shards = [shard for shard in self.plan.shards if shard.of is each]
                seen = self._digests.setdefault(each.size, set())
                done = [shard for shard in shards if self._is_done(shard)]
                next_number = self._read_finished(done, seen)
                left = shards[len(done) :]
                if left and pool is None and (self.workers.workers > 1 or self.workers.cluster):
                    modules = ("binairo_cp.batch.dataset.rows",)
                    pool = stack.enter_context(self.workers.open(modules))
                if left:
                    self._write_set(each, left, next_number, journal, seen, pool)
                if last_use[each.size] == each.number:
                    del self._digests[each.size]

    def _read_finished(self, shards: list[Shard], seen: set[bytes]) -> int:
        """Learn the hashes of finished shards of a set; return the next number of its seed.

        Raises:
            SourceError: a file has been changed.
        """
        number = -1
        for shard in shards:
            rows = list(self.columns(shard, ["id", "canonical_hash"]))
            if len(rows) != shard.count:
                raise SourceError(
                    str(file_of(self.folder, shard, self.plan.recipe.formats[0])),
                    f"can't resume: it has {len(rows):,} rows, not {shard.count:,}; remove it",
                )
            seen.update(bytes.fromhex(row["canonical_hash"]) for row in rows)
            number = number_of(rows[-1]["id"])
            self.written += len(rows)
        return number + 1

    def columns(self, shard: Shard, names: list[str]) -> Iterator[dict[str, Any]]:
        """Some columns of a finished shard."""
        format = self.plan.recipe.formats[0]
        path = file_of(self.folder, shard, format)
        if format == "parquet":
            yield from parquet.chosen_columns(str(path), names)
            return
        with path.open("rb") as file:
            for line in file:
                row = orjson.loads(line)
                yield {name: row[name] for name in names}

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
        rows = self._new_rows(of, number, seen, pool)
        for shard in shards:
            if not done:
                journal.seek(0)
                journal.truncate()
                journal.write(_header(shard))
            self.written += done
            synced = monotonic()
            for row in islice(rows, shard.count - done):
                journal.write(row.text)
                if row.certificate:
                    self._write_certificate(shard, row.text, row.certificate)
                self.written += 1
                self._show(self.written, self.plan.recipe.total, f"{self.written:,} puzzles")
                if monotonic() - synced >= _SECONDS_UNTIL_SYNC:
                    journal.flush()
                    os.fsync(journal.fileno())
                    synced = monotonic()
            journal.flush()
            self._write_files(shard, journal)
            done = 0
        rows.close()

    def _read_journal(self, journal: IO[bytes], shard: Shard) -> list[dict[str, Any]]:
        """The rows of a shard in the journal; what is not whole is cut off."""
        journal.seek(0)
        kept, end = [], 0
        if journal.readline() == _header(shard):
            end = journal.tell()
            for line in islice(journal, shard.count):
                if not line.endswith(b"\n"):
                    break
                row = orjson.loads(line)
                kept.append({name: row[name] for name in ("id", "canonical_hash")})
                end += len(line)
        journal.seek(end)
        journal.truncate()
        return kept

    def _new_rows(
        self, of: SetPlan, number: int, seen: set[bytes], pool: Executor | None
    ) -> Generator[Row]:
        """The rows of a set from a number on, without twins.

        Raises:
            GenerationError: there are too few.
        """
        most = _DRAWN_FOR_ONE * of.spec.count + _DRAWN_AT_LEAST
        numbers = iter(range(number, most))
        size = min(size_of_block(of.spec.recipe), of.spec.count)
        blocks = iter(lambda: list(islice(numbers, size)), [])
        work = RowWork(of, self.plan.recipe.certificates)
        if pool is None:
            results: Iterator[Any] = map(work, blocks)
        else:
            results = (rows for _, rows in executors.map_blocks(pool, work, blocks))
        for rows in results:
            if isinstance(rows, SolverCrash):
                raise rows
            for row in rows:
                if row.digest not in seen:
                    seen.add(row.digest)
                    yield row
        raise GenerationError(
            f"puzzles[{of.number}]: too few {of.what}: {most:,} were drawn, and all that are still "
            f"missing were twins of others, or not found"
        )

    def _write_certificate(self, shard: Shard, text: bytes, certificate: bytes) -> None:
        id = orjson.loads(text)["id"]
        path = self.folder / "certificates" / shard.split / f"{file_name(id)}.zip"
        path.parent.mkdir(parents=True, exist_ok=True)
        self._write(path, certificate)

    def _write_files(self, shard: Shard, journal: IO[bytes]) -> None:
        for format in self.plan.recipe.formats:
            path = file_of(self.folder, shard, format)
            path.parent.mkdir(parents=True, exist_ok=True)
            journal.seek(len(_header(shard)))
            with open_utf8_output(str(path), DatasetRecord) as write:
                while lines := journal.read(_PIECE):
                    write(lines + journal.readline())

    def _finish(self) -> None:
        """Write the card and the checksums."""
        facts = [card.SetFacts() for _ in self.plan.sets]
        for shard in self.plan.shards:
            facts[shard.of.number - 1].add(self.columns(shard, card.COLUMNS))
        self._write(self.folder / card.CARD, card.text(self.plan, facts).encode())
        sums = []
        for path in sorted(self.folder.rglob("*")):
            name = path.relative_to(self.folder).as_posix()
            if path.is_file() and name not in (_RUN, _JOURNAL, CHECKSUMS):
                with path.open("rb") as file:
                    digest = hashlib.file_digest(file, "sha256").hexdigest()
                sums.append(f"{digest}  {name}\n")
        self._write(self.folder / CHECKSUMS, "".join(sums).encode())
        if not self.quiet:
            self._say(f"{self.written:,} puzzles in {self.folder}")


def _is_begun(path: Path) -> bool:
    """Whether a file may be that of a run that was killed before it wrote anything else."""
    return path.name == _JOURNAL or path.name.endswith(PARTIAL)


def _header(shard: Shard) -> bytes:
    return orjson.dumps({"shard": shard.name, "split": shard.split}) + b"\n"
