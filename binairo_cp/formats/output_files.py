"""Write to standard output, or atomically to a file that gets its name when it is complete.

Commands that would overwrite their input, or write one file in two ways, are refused.
"""

from __future__ import annotations

import errno
import gzip
import io
import os
import re
import stat
import sys
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from functools import partial
from itertools import count
from pathlib import Path
from typing import IO, Any

from binairo_cp.errors import SourceError
from binairo_cp.formats.sources import PARQUET, RUN, STDIN, shown
from binairo_cp.workers.extras import require_extra
from binairo_cp.workers.terminal import is_terminal, option, without_controls

PARTIAL = ".partial"
"""The suffix of an output file that is not complete."""

_MAX_NAME_BYTES = 180
_MAX_LOCK_ATTEMPTS = 10

Out = str | io.BytesIO | None
"""Where to write: a file, memory, or standard output."""

Buffer = bytes | bytearray | memoryview

_NO_LOCKS = (errno.ENOSYS, errno.ENOLCK, errno.EOPNOTSUPP, errno.EINVAL)
"""The errors of file systems without locks."""

_STDIN, _STDOUT = 0, 1


@contextmanager
def open_output(
    out: Out, record: type | None = None, *, is_styled: bool = False
) -> Iterator[Callable[[str], object]]:
    """Open a text output; yield its ``write`` function.

    On a terminal, control characters are escaped: names come from files of strangers.

    Args:
        out: the file; None for standard output. A name that ends in ``.gz`` selects gzip.
        record: the model of the records, if each line is one. A name that ends in ``.parquet``
            then selects a Parquet table.
        is_styled: the text has colours of ours, and no control characters of others.

    Raises:
        SourceError: the file can't be written, or a table is requested for other text.
    """
    if out is None:
        is_raw = is_styled or not is_terminal(out)
        yield sys.stdout.write if is_raw else lambda text: sys.stdout.write(without_controls(text))
        sys.stdout.flush()
    else:
        with open_utf8_output(out, record) as write:
            yield lambda text: write(text.encode())


@contextmanager
def open_utf8_output(
    out: Out, record: type | None = None, *, is_styled: bool = False
) -> Iterator[Callable[[Buffer], object]]:
    """Like `open_output`, for text that is UTF-8 already: most of it is not copied."""
    if isinstance(out, io.BytesIO):
        yield out.write
    elif out is None:
        is_raw = is_styled or not is_terminal(out)
        yield _write_to_stdout if is_raw else lambda data: sys.stdout.write(_escaped(data))
        sys.stdout.flush()
    elif Path(out).suffix.lower() == PARQUET:
        with _table(out, record) as write:
            yield write
    elif is_terminal(out) and not is_styled:
        with _file(out) as file:
            yield lambda data: file.write(_escaped(data).encode())
    else:
        with _file(out) as file:
            if Path(out).suffix.lower() != ".gz":
                yield file.write
                return
            # The result is reproducible: no name, no time.
            with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
                yield packed.write


def _escaped(data: Buffer) -> str:
    return without_controls(str(data, "utf-8"))


def _write_to_stdout(data: Buffer) -> None:
    stream = getattr(sys.stdout, "buffer", None)
    if stream and (sys.stdout.encoding or "").lower() in ("utf-8", "utf8"):
        sys.stdout.flush()
        stream.write(data)
    else:
        sys.stdout.write(str(data, "utf-8"))


@contextmanager
def _table(out: str, record: type | None) -> Iterator[Callable[[Buffer], object]]:
    if record is None:
        raise SourceError(out, f"a Parquet file needs {option('to', 'ndjson')}")
    path = Path(out)
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise SourceError(out, "can't be written: a Parquet table needs a regular file")
    with require_extra("parquet", partial(SourceError, out)):
        from binairo_cp.formats.parquet import Writer
    with _file(out) as file, closing(Writer(file, out, record)) as writer:
        yield writer.write


@contextmanager
def open_binary_output(out: Out) -> Iterator[Callable[[bytes], object]]:
    """Open a binary output; yield its ``write`` function.

    Raises:
        SourceError: the file can't be written, or standard output is a terminal.
    """
    if isinstance(out, io.BytesIO):
        yield out.write
        return
    refuse_terminal(out)
    if out is not None:
        with _file(out) as file:
            yield file.write
        return
    yield sys.stdout.buffer.write
    sys.stdout.buffer.flush()


def refuse_terminal(out: str | None = None) -> None:
    """Refuse to write bytes to an output, or to standard output, if it is a terminal.

    Raises:
        SourceError: it is a terminal.
    """
    if is_terminal(out):
        message = f"a terminal can't show this format; use {option('out', 'FILE')}"
        raise SourceError(out or "standard output", message)


def refuse_special(path: str) -> None:
    """Refuse a device, a pipe or a folder where a file will be replaced: the device would be gone.

    Raises:
        SourceError: it is one of them.
    """
    if os.path.exists(path) and not os.path.isfile(path):
        raise SourceError(path, "is not a regular file, and would be replaced by one")


@contextmanager
def _file(out: str) -> Iterator[IO[bytes]]:
    """Open a file that is renamed to its final name when it is complete."""
    if not out:
        raise SourceError(option("out"), "can't be written: the name is empty")
    try:
        path, partial = _paths(out)
        if partial == path:
            with open(path, "wb") as file:
                yield file
            return
        # Imported here, because it loads pydantic and standard output has no record of its run.
        from binairo_cp.formats import runs

        with open_locked(lambda: partial, out) as file:
            runs.forget(path)
            file.truncate(0)
            yield file
            file.flush()
            os.fsync(file.fileno())
            # Rename it while it is locked: another run may open it as soon as it is unlocked.
            partial.replace(path)
    except KeyboardInterrupt as error:
        if Path(f"{out}{PARTIAL}").exists():  # it came later than that
            error.args = (f"stopped; finished results are in {out}{PARTIAL}",)
        raise
    except OSError as error:
        raise SourceError(out, f"can't be written: {error.strerror or error}") from error


def open_locked(choose: Callable[[], Path], out: str) -> IO[bytes]:
    """Open a file for reading and writing and lock it; create it if it is missing.

    The lock ends when the file is closed or this process ends.

    Args:
        choose: returns the path. It is called again if another run renames the file meanwhile.
        out: the name of the file for errors.

    Raises:
        SourceError: another run is writing the file.
        OSError: it can't be opened.
    """

    def create(name: str, flags: int) -> int:
        return os.open(name, flags | os.O_CREAT, 0o666)

    for _ in range(_MAX_LOCK_ATTEMPTS):
        with ExitStack() as stack:
            file = stack.enter_context(open(choose(), "rb+", opener=create))
            try:
                lock(file)
            except BlockingIOError:
                break
            # Between opening and locking, the other run may have ended and renamed this file.
            with suppress(FileNotFoundError):
                if os.path.samestat(os.stat(choose()), os.fstat(file.fileno())):
                    stack.pop_all()  # the caller closes it
                    return file
    message = f"another run is writing it; wait for it, or use another {option('out')}"
    raise SourceError(out, f"can't be written: {message}")


def _paths(out: str) -> tuple[Path, Path]:
    """The final path, and the path that is written until the file is complete."""
    path = Path(out)
    if path.is_dir():
        raise SourceError(out, "can't be written: it is a folder")
    # A device or a pipe must not be replaced by a file, and /dev/stdout must not be resolved.
    if path.exists() and not path.is_file():
        return path, path
    # Replace the target of a symbolic link, not the link.
    try:
        path = path.resolve()
    except RuntimeError as error:  # a link to itself, before Python 3.13
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP)) from error
    return path, Path(f"{path}{PARTIAL}")


def file_name(id: str) -> str:
    """A file name for a puzzle: its id without characters that some file systems can't store."""
    name = re.sub(r"[^\w.+-]+", "_", id)
    short = name.encode()[:_MAX_NAME_BYTES].decode(errors="ignore")
    # Files that begin with a dot are hidden, and programs take a dash for an option.
    return short.strip("._-") or "puzzle"


class Folder:
    """A folder with one file per puzzle, named by its id; repeated ids get a number.

    Args:
        path: the folder. It is created for the first file. None for files in memory.

    Attributes:
        repeated: how many files got a number.
    """

    def __init__(self, path: str | None) -> None:
        self._path = None if path is None else Path(path)
        self._used: set[str] = set()
        self._numbers: defaultdict[str, count[int]] = defaultdict(lambda: count(2))
        self.repeated = 0

    def place(self, id: str, suffix: str) -> str:
        """The path of the file for a puzzle.

        Raises:
            SourceError: the folder can't be created.
        """
        name = stem = file_name(id)
        # Some file systems ignore case.
        while name.casefold() in self._used:
            name = f"{stem}-{next(self._numbers[stem.casefold()])}"
        self.repeated += name != stem
        self._used.add(name.casefold())
        self.create()
        return str((self._path or Path()) / f"{name}{suffix}")

    def create(self) -> None:
        """Create the folder, if it is not in memory.

        Raises:
            SourceError: it can't be created.
        """
        try:
            if self._path:
                self._path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise SourceError(str(self._path), f"can't be written: {error.strerror}") from error


def is_folder(out: str | None) -> bool:
    """Whether an output is a folder or ends with a slash."""
    return out is not None and out != "" and (out.endswith("/") or Path(out).is_dir())


def lock(file: IO[Any]) -> None:
    """Lock an open file until it is closed. Do nothing on systems without locks.

    Raises:
        BlockingIOError: another process has locked the file.
        OSError: it can't be locked for another reason.
    """
    try:
        import fcntl
    except ImportError:  # Windows
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            raise


def refuse_collisions(
    files: Iterable[str | SourceError],
    out: str | None,
    other_outputs: dict[str, str] | None = None,
    *,
    may_replace: bool = False,
) -> None:
    """Refuse to start if a file is both read and written, or written for two purposes.

    Args:
        files: the names of files to read, as `reading.files_of` returns them.
        out: the output file; None for standard output.
        other_outputs: other output files, by the names of their options.
        may_replace: `out` may be an input, since it will hold what is worth keeping of it. It is
            replaced only after all input is read.

    Raises:
        SourceError: a file has two uses.
    """
    uses: dict[Hashable, str] = {}
    if out is None:
        uses[_key_of(_STDOUT)] = "standard output goes there too"
    else:
        path = os.path.realpath(out)
        words = f"{option('out', out)} is written there until it is complete"
        uses[_key_of(f"{path}{PARTIAL}")] = words
        if not may_replace:
            uses[_key_of(path)] = f"{option('out', out)} would replace it; use another name"
    read = [name for name in files if isinstance(name, str)]
    keys = [_key_of(_STDIN if name == STDIN else name) for name in read]
    for name, key in zip(read, keys, strict=True):
        if use := uses.get(key):
            raise SourceError(shown(name), f"is an input, but {use}")
    uses |= dict.fromkeys(keys, "it is an input")
    pipes = {os.path.realpath(name) for name in read if Path(name).is_fifo()}
    if out is not None:
        uses[_key_of(path)] = f"{option('out')} goes there"
        uses[_key_of(f"{path}{RUN}")] = f"{option('resume')} needs it"
    for name, other in (other_outputs or {}).items():
        use = "it is an input" if os.path.realpath(other) in pipes else None
        if use := use or uses.get(key := _key_of(other)):
            raise SourceError(shown(other), f"can't be used for {option(name)}: {use}")
        uses[key] = f"{option(name)} goes there"


def _key_of(file: str | int) -> Hashable:
    """Identifies the file of a name or descriptor: by device and inode, or by path if it is new.

    Pipes and devices may have several uses, so that each has a key that equals no other.
    """
    try:
        status = os.stat(file)
    except OSError:
        return os.path.realpath(file) if isinstance(file, str) else object()
    except ValueError:
        return object()
    return (status.st_dev, status.st_ino) if stat.S_ISREG(status.st_mode) else object()
