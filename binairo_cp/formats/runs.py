"""What run a file of results is of, so that only the same run goes on with it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from binairo_cp.errors import SourceError
from binairo_cp.formats import SUFFIXES
from binairo_cp.formats.sources import expand, is_stream, shown

RUN = ".run"
"""What the name of the file that tells of a run ends in."""

DONE = ".done"
"""What the name of the journal of a run without order ends in."""


class RunRecord(BaseModel):
    """What a run is: it goes on only if all of this is as it was.

    Attributes:
        version: of this package.
        asked: the options of the task by name.
        inputs: the names of the files in order, with a SHA-256 of each; null for what is no file.
    """

    model_config = ConfigDict(extra="forbid")

    version: str
    asked: dict[str, str]
    inputs: list[tuple[str, str | None]]

    @classmethod
    def of(cls, asked: dict[str, str], sources: Iterable[str]) -> RunRecord:
        """Of a run that is to begin, or to go on.

        Raises:
            SourceError: a file can't be read.
        """
        names = [name for name in expand(sources, SUFFIXES) if isinstance(name, str)]
        inputs = [(shown(name), _hash(name)) for name in names]
        return cls(version=version("binairo-cp"), asked=asked, inputs=inputs)

    @property
    def has_streams(self) -> bool:
        """Whether some input can't be known by its hash."""
        return any(digest is None for _, digest in self.inputs)

    def difference(self, other: RunRecord) -> str:
        """What is not the same in another one, in words; empty if all is."""
        if self.version != other.version:
            return f"version {other.version} of this program, now it is {self.version}"
        for name, value in self.asked.items():
            if (before := other.asked.get(name)) != value:
                return f"{name} {before}, now it is {value}"
        mine, theirs = ([name for name, _ in each.inputs] for each in (self, other))
        if mine != theirs:
            return f"the files {', '.join(theirs)}, now it is {', '.join(mine)}"
        both = zip(self.inputs, other.inputs, strict=True)
        changed = [now[0] for now, before in both if now != before]
        return f"another {changed[0]}" if changed else ""


def forget(path: Path) -> None:
    """Remove what tells of an earlier run with results of this name, which are to be overwritten.

    Otherwise that run would later take the new results for its own. A file of somebody else that
    happens to have such a name stays.

    Raises:
        OSError: it can't be removed.
    """
    run = Path(f"{path}{RUN}")
    if not run.is_file():
        return
    with suppress(ValidationError):
        RunRecord.model_validate_json(run.read_bytes())
        run.unlink()
        Path(f"{path}{DONE}").unlink(missing_ok=True)


def _hash(name: str) -> str | None:
    # A stream can be read only once, and what is not there is told when it is read.
    if is_stream(name) or not Path(name).is_file():
        return None
    try:
        with open(name, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise SourceError(name, f"can't be read: {error.strerror or error}") from error
