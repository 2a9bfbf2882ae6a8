"""Records that identify the run of a result file, so that --resume continues only that run."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from binairo_cp.errors import SourceError
from binairo_cp.formats.sources import RUN, is_stream, shown


class RunRecord(BaseModel):
    """Identifies a run. It can be resumed only if all of these are the same.

    Attributes:
        asked: the options of the task by name.
        inputs: the names of the sources in order, each with its SHA-256; null for streams.
    """

    model_config = ConfigDict(extra="forbid")

    version: str
    asked: dict[str, str]
    inputs: list[tuple[str, str | None]]

    @classmethod
    def of(cls, asked: dict[str, str], files: Iterable[str | SourceError]) -> RunRecord:
        """The record of a run with these options and sources.

        Raises:
            SourceError: a file can't be read.
        """
        inputs = [(shown(name), _hash(name)) for name in files if isinstance(name, str)]
        return cls(version=version("binairo-cp"), asked=asked, inputs=inputs)

    @property
    def has_streams(self) -> bool:
        """Whether some input has no hash."""
        return any(digest is None for _, digest in self.inputs)

    def difference(self, other: RunRecord) -> str:
        """Describe the first difference from another record; empty if there is none."""
        if self.version != other.version:
            return f"version {other.version} of this program, now it is {self.version}"
        for name, value in self.asked.items():
            if (before := other.asked.get(name)) != value:
                return f"{name} {before}, now it is {value}"
        mine, theirs = ([name for name, _ in run.inputs] for run in (self, other))
        if mine != theirs:
            return f"the files {', '.join(theirs)}, now it is {', '.join(mine)}"
        both = zip(self.inputs, other.inputs, strict=True)
        changed = [now[0] for now, before in both if now != before]
        return f"another {changed[0]}" if changed else ""


def forget(path: Path) -> None:
    """Remove the record of an earlier run whose results will be overwritten.

    Otherwise --resume would later take the new results for those of the earlier run. Files of other
    programs that happen to have these names are kept.

    Raises:
        OSError: a file can't be removed.
    """
    run = Path(f"{path}{RUN}")
    if not run.is_file():
        return
    with suppress(ValidationError):
        RunRecord.model_validate_json(run.read_bytes())
        run.unlink()


def _hash(name: str) -> str | None:
    # A stream can be read only once. A missing file is reported when it is read.
    if is_stream(name) or not Path(name).is_file():
        return None
    try:
        with open(name, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise SourceError(name, f"can't be read: {error.strerror or error}") from error
