"""Where output goes: standard output, or a file that takes its name when it is complete."""

from __future__ import annotations

import gzip
import io
import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

from binairo_cp.errors import SourceError
from binairo_cp.formats import parquet, runs
from binairo_cp.workers.locking import lock

if TYPE_CHECKING:
    from pydantic import BaseModel

PARTIAL = ".partial"
"""What the name of an output file ends in while it is not complete."""

_MOST_BYTES_OF_A_NAME = 180
_TRIES_TO_LOCK = 10


@contextmanager
def open_output(
    out: str | None, record: type[BaseModel] | None = None
) -> Iterator[Callable[[str], object]]:
    """What writes text to a file, packed if its name ends in ``.gz``, or to standard output.

    Args:
        out: the file.
        record: the kind of record of which each line is one, if they are; they become a table if
            the name ends in ``.parquet``.

    Raises:
        SourceError: the file can't be written, or a table is to be made of what is none.
    """
    if out is None:
        yield sys.stdout.write
        sys.stdout.flush()
        return
    if Path(out).suffix.lower() == parquet.SUFFIX:
        with _table(out, record) as write:
            yield write
        return
    with _file(out) as file, _text(file, packed=Path(out).suffix.lower() == ".gz") as text:
        yield text.write


@contextmanager
def _table(out: str, record: type[BaseModel] | None) -> Iterator[Callable[[str], object]]:
    """What writes records to a table.

    Raises:
        SourceError: it can't be written.
    """
    if record is None:
        raise SourceError(out, "is for records; expected --to ndjson")
    path = Path(out)
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise SourceError(out, "can't be written: it is no file, and a table must be one")
    with _file(out) as file, parquet.writing(file, out, record) as writer:
        yield writer.write


@contextmanager
def open_binary_output(out: str | None) -> Iterator[Callable[[bytes], object]]:
    """What writes bytes to a file, or to standard output if that is no terminal.

    Raises:
        SourceError: the file can't be written, or a terminal would get the bytes.
    """
    if out is not None:
        with _file(out) as file:
            yield file.write
        return
    refuse_terminal()
    yield sys.stdout.buffer.write
    sys.stdout.buffer.flush()


def refuse_terminal() -> None:
    """Refuse to write bytes to standard output if that is a terminal.

    Raises:
        SourceError: it is.
    """
    if sys.stdout.isatty():
        raise SourceError("standard output", "is a terminal, which can't show this; expected --out")


@contextmanager
def _file(out: str) -> Iterator[IO[bytes]]:
    """A file that is called what it is to be called when it is complete.

    Raises:
        SourceError: it can't be written.
    """
    if not out:
        raise SourceError("--out", "can't be written: the name is empty")
    try:
        path, partial = _paths(out)
        if partial == path:
            with open(path, "wb") as file:
                yield file
            return
        with open_locked(lambda: partial, out) as file:
            runs.forget(path)
            file.truncate(0)
            yield file
            file.flush()
            os.fsync(file.fileno())
            # It is renamed while it is locked: another run may open it as soon as it is not.
            partial.replace(path)
    except KeyboardInterrupt:
        print(f"binairo: stopped; what was finished is in {out}{PARTIAL}", file=sys.stderr)
        raise
    except OSError as error:
        raise SourceError(out, f"can't be written: {error.strerror or error}") from error


def open_locked(choose: Callable[[], Path], out: str) -> IO[bytes]:
    """Open a file to read and write that no other run writes; create it if it is missing.

    The lock ends when the file is closed, or with this process, whatever ends it.

    Args:
        choose: which file it is. It is called again if another run renames the file meanwhile.
        out: its name for errors.

    Raises:
        SourceError: another run writes it.
        OSError: it can't be opened.
    """
    for _ in range(_TRIES_TO_LOCK):
        file = open(choose(), "rb+", opener=_open_or_create)  # noqa: SIM115  # the caller closes it
        try:
            lock(file)
            # Between opening and locking, the other run may have ended and renamed this file.
            if os.path.samestat(os.stat(choose()), os.fstat(file.fileno())):
                return file
        except FileNotFoundError:
            pass
        except BlockingIOError as error:
            file.close()
            raise _busy(out) from error
        except BaseException:
            file.close()
            raise
        file.close()
    raise _busy(out)


def _open_or_create(name: str, flags: int) -> int:
    return os.open(name, flags | os.O_CREAT, 0o666)


def _busy(out: str) -> SourceError:
    return SourceError(
        out, "can't be written: another run writes it; wait for its end, or use another --out"
    )


def _paths(out: str) -> tuple[Path, Path]:
    """The file that is meant, and the one that is written until it is complete."""
    given = Path(out)
    if given.is_dir():
        raise SourceError(out, "can't be written: it is a folder")
    # A device or a pipe must not be replaced by a file, and a name such as /dev/stdout is its only.
    if given.exists() and not given.is_file():
        return given, given
    # The file itself, where the name is a link to it.
    path = given.resolve()
    return path, Path(f"{path}{PARTIAL}")


@contextmanager
def _text(file: IO[bytes], *, packed: bool) -> Iterator[io.TextIOWrapper]:
    """Text into a file that stays open; the same text packs to the same bytes."""
    with ExitStack() as stack:
        inner: IO[bytes] = file
        if packed:
            unnamed = gzip.GzipFile("", "wb", fileobj=file, mtime=0)
            inner = cast("IO[bytes]", stack.enter_context(unnamed))
        text = io.TextIOWrapper(inner, encoding="utf-8", newline="\n")
        # What was written is in the file whatever ends the writing.
        stack.callback(text.detach)
        yield text


def file_name(id: str) -> str:
    """The name of a file for a puzzle: its id without what some file system can't take."""
    name = re.sub(r"[^\w.+-]+", "_", id)
    short = name.encode()[:_MOST_BYTES_OF_A_NAME].decode(errors="ignore")
    # Names that begin with a dot are hidden, and with a dash they are options to programs.
    return short.strip("._-") or "puzzle"


class Folder:
    """A folder with a file for each puzzle, called by its id, and a number if that comes again.

    Args:
        path: the folder; it is made when the first file goes there.
    """

    def __init__(self, path: str) -> None:
        self._path = Path(path)
        self._used: set[str] = set()
        self._numbers: dict[str, int] = {}

    def place(self, id: str, suffix: str) -> str:
        """The path of the file for a puzzle.

        Raises:
            SourceError: the folder can't be made.
        """
        name = wanted = file_name(id)
        # Some file systems take names for the same that differ in case.
        key = wanted.casefold()
        while name.casefold() in self._used:
            self._numbers[key] = self._numbers.get(key, 1) + 1
            name = f"{wanted}-{self._numbers[key]}"
        self._used.add(name.casefold())
        try:
            self._path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise SourceError(str(self._path), f"can't be written: {error.strerror}") from error
        return str(self._path / f"{name}{suffix}")


def is_folder(out: str | None) -> bool:
    """Whether an output is a folder, or is to be one."""
    return out is not None and out != "" and (out.endswith("/") or Path(out).is_dir())
