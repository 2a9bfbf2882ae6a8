"""Where text goes: standard output, or a file that takes its name when it is complete."""

from __future__ import annotations

import gzip
import io
import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

from binairo_cp.errors import SourceError

PARTIAL = ".partial"
"""What the name of an output file ends in while it is not complete."""

_MOST_OF_A_NAME = 100


@contextmanager
def open_output(out: str | None) -> Iterator[Callable[[str], object]]:
    """What writes text to a file, packed if its name ends in ``.gz``, or to standard output.

    Raises:
        SourceError: the file can't be written.
    """
    if out is None:
        yield sys.stdout.write
        sys.stdout.flush()
        return
    # The file itself, where the name is a link to it.
    path = Path(out).resolve()
    if path.is_dir():
        raise SourceError(out, "can't be written: it is a folder")
    # A device or a pipe must not be replaced by a file.
    partial = path if path.exists() and not path.is_file() else Path(f"{path}{PARTIAL}")
    try:
        with open(partial, "wb") as file:
            with _text(file, packed=path.suffix == ".gz") as text:
                yield text.write
            file.flush()
            if partial != path:
                os.fsync(file.fileno())
                partial.replace(path)
    except KeyboardInterrupt:
        print(f"binairo: stopped; what was finished is in {out}{PARTIAL}", file=sys.stderr)
        raise
    except OSError as error:
        raise SourceError(out, f"can't be written: {error.strerror or error}") from error


@contextmanager
def _text(file: IO[bytes], *, packed: bool) -> Iterator[io.TextIOWrapper]:
    """Text into a file that stays open; the same text packs to the same bytes."""
    if packed:
        with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as inner:
            text = io.TextIOWrapper(cast("IO[bytes]", inner), encoding="utf-8", newline="\n")
            yield text
            text.flush()
            text.detach()
        return
    text = io.TextIOWrapper(file, encoding="utf-8", newline="\n")
    yield text
    text.detach()


def file_name(id: str) -> str:
    """The name of a file for a puzzle: its id without what some file system can't take."""
    name = re.sub(r"[^\w.+-]+", "_", id)[:_MOST_OF_A_NAME].strip("._")
    return name or "puzzle"
