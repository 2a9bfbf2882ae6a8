"""The folder of a dataset: its files, its card and its checksums."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from binairo_cp.batch.dataset import card
from binairo_cp.batch.dataset.recipe import DatasetPlan, FileFormat, Shard
from binairo_cp.batch.dataset.rows import DatasetRecord
from binairo_cp.errors import SourceError
from binairo_cp.formats import parquet
from binairo_cp.formats.output_files import (
    PARTIAL,
    Buffer,
    file_name,
    open_binary_output,
    open_utf8_output,
)
from binairo_cp.formats.runs import RunRecord

RUN, JOURNAL = "dataset.run", "dataset.journal"
_CHECKSUMS, _RECIPE = "SHA256SUMS", "recipe.toml"


@dataclass(frozen=True, slots=True)
class DatasetFolder:
    """The folder of a dataset. `recipe` is the text of its recipe."""

    path: Path
    plan: DatasetPlan
    recipe: bytes

    def check(self, resume: bool) -> None:
        """Check that the folder is empty, or that of the same recipe.

        Raises:
            SourceError: it is not.
        """
        name = str(self.path)
        if not self.path.exists() or (self.path.is_dir() and not any(self.path.iterdir())):
            return
        if not self.path.is_dir():
            raise SourceError(name, "can't be written: it is not a folder")
        if not resume:
            raise SourceError(
                name, "is not empty; continue a run with --resume, or choose another --out"
            )
        kept = self.path / _RECIPE
        if kept.exists() and kept.read_bytes() != self.recipe:
            raise SourceError(
                name, f"can't resume: its {_RECIPE} differs from the recipe (also in comments)"
            )
        if (self.path / RUN).exists():
            before = RunRecord.model_validate_json((self.path / RUN).read_bytes())
            if change := RunRecord.of({}, []).difference(before):
                raise SourceError(name, f"can't resume: the earlier run had {change}")
        elif not kept.exists() and not all(map(_is_begun, self.path.iterdir())):
            raise SourceError(name, "can't resume: it is not empty, and holds no dataset")

    def begin(self) -> None:
        """Write what identifies the run."""
        self.write(RUN, RunRecord.of({}, []).model_dump_json().encode())
        self.write(_RECIPE, self.recipe)

    def file(self, shard: Shard, format: FileFormat) -> Path:
        """The file of a shard in a format."""
        inner = "data" if format == "parquet" else "ndjson"
        return self.path / inner / shard.split / f"{shard.name}.{format}"

    def is_done(self, shard: Shard) -> bool:
        """Whether all files of a shard exist."""
        return all(self.file(shard, each).exists() for each in self.plan.recipe.formats)

    def columns(self, shard: Shard, names: list[str]) -> Iterator[dict[str, Any]]:
        """Some columns of a finished shard."""
        format = self.plan.recipe.formats[0]
        path = self.file(shard, format)
        if format == "parquet":
            yield from parquet.chosen_columns(str(path), names)
            return
        with path.open("rb") as file:
            for line in file:
                row = orjson.loads(line)
                yield {name: row[name] for name in names}

    def write(self, name: str, content: bytes) -> None:
        """Write a file."""
        with open_binary_output(str(self.path / name)) as write:
            write(content)

    def write_certificate(self, shard: Shard, row: bytes, certificate: bytes) -> None:
        """Write the certificate of a row."""
        name = f"{file_name(orjson.loads(row)['id'])}.zip"
        folder = Path("certificates") / shard.split
        (self.path / folder).mkdir(parents=True, exist_ok=True)
        self.write(str(folder / name), certificate)

    def write_shard(self, shard: Shard, pieces: Callable[[], Iterator[Buffer]]) -> None:
        """Write the files of a shard; `pieces` yields its rows, in pieces of whole lines."""
        for format in self.plan.recipe.formats:
            path = self.file(shard, format)
            path.parent.mkdir(parents=True, exist_ok=True)
            with open_utf8_output(str(path), DatasetRecord) as write:
                for lines in pieces():
                    write(lines)

    def finish(self) -> None:
        """Write the card and the checksums; remove what a killed run left."""
        for path in self.path.rglob(f"*{PARTIAL}"):
            path.unlink()
        facts = [card.SetFacts() for _ in self.plan.sets]
        for shard in self.plan.shards:
            facts[shard.of.number - 1].add(self.columns(shard, card.COLUMNS))
        self.write(card.CARD, card.text(self.plan, facts).encode())
        sums = []
        for path in sorted(self.path.rglob("*")):
            name = path.relative_to(self.path).as_posix()
            if path.is_file() and name not in (RUN, JOURNAL, _CHECKSUMS):
                with path.open("rb") as file:
                    digest = hashlib.file_digest(file, "sha256").hexdigest()
                sums.append(f"{digest}  {name}\n")
        self.write(_CHECKSUMS, "".join(sums).encode())
        for name in (JOURNAL, RUN):
            (self.path / name).unlink(missing_ok=True)


def _is_begun(path: Path) -> bool:
    """Whether a file may be that of a run that was killed before it wrote anything else."""
    return path.name == JOURNAL or path.name.endswith(PARTIAL)
