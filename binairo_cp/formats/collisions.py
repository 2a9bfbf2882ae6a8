"""Refuse commands that would overwrite their input or write one file in two ways."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from pathlib import Path

from binairo_cp.errors import SourceError
from binairo_cp.formats import registry
from binairo_cp.formats.output_files import PARTIAL
from binairo_cp.formats.runs import RUN
from binairo_cp.formats.sources import STDIN, expand, shown
from binairo_cp.option_names import option

_STDIN, _STDOUT = 0, 1

_Key = tuple[int, int] | str
"""Identifies a file: device and inode, or the path of a file that does not exist yet."""


def refuse(
    sources: Iterable[str],
    out: str | None,
    other_outputs: dict[str, str | None] | None = None,
    suffixes: frozenset[str] | None = None,
) -> None:
    """Refuse to start if a file is both read and written, or written for two purposes.

    The file of ``--out`` may be an input: it is replaced only after all input is read.

    Args:
        sources: files, folders, patterns; ``-`` is standard input.
        out: the output file; None for standard output.
        other_outputs: other output files, by the names of their options.
        suffixes: the suffixes of the files of a folder that are read; None for those of puzzles.

    Raises:
        SourceError: a file has two uses.
    """
    uses = _Uses()
    if out is None:
        uses.add(_open_file(_STDOUT), "standard output goes there too")
    else:
        path = Path(out).resolve()
        words = f"{option('out', out)} is written there until it is complete"
        uses.add(_key(f"{path}{PARTIAL}"), words)
    read = [
        name for name in expand(sources, suffixes or registry.suffixes()) if isinstance(name, str)
    ]
    keys = [_input_key(name) for name in read]
    for name, key in zip(read, keys, strict=True):
        if use := uses.of(key):
            raise SourceError(shown(name), f"is an input, but {use}")
    for key in keys:
        uses.add(key, "it is an input")
    if out is not None:
        uses.add(_key(str(path)), f"{option('out')} goes there")
        uses.add(_key(f"{path}{RUN}"), f"{option('resume')} needs it")
    for name, other in (other_outputs or {}).items():
        if other is None:
            continue
        if use := uses.of(_key(other)):
            raise SourceError(shown(other), f"can't be used for {option(name)}: {use}")
        uses.add(_key(other), f"{option(name)} goes there")


class _Uses:
    """The uses of files, in words for messages. Pipes and devices may have several uses."""

    def __init__(self) -> None:
        self._words: dict[_Key, str] = {}

    def add(self, key: _Key | None, words: str) -> None:
        if key is not None:
            self._words[key] = words

    def of(self, key: _Key | None) -> str | None:
        return None if key is None else self._words.get(key)


def _input_key(name: str) -> _Key | None:
    return _open_file(_STDIN) if name == STDIN else _key(name)


def _key(name: str) -> _Key | None:
    """The key of a file, which need not exist; None for pipes and devices."""
    try:
        return _regular(os.stat(name))
    except OSError:
        return os.path.realpath(name)
    except ValueError:
        return None


def _open_file(number: int) -> _Key | None:
    """The key of the file behind standard input or output; None for pipes and devices."""
    try:
        return _regular(os.fstat(number))
    except OSError:
        return None


def _regular(status: os.stat_result) -> _Key | None:
    return (status.st_dev, status.st_ino) if stat.S_ISREG(status.st_mode) else None
