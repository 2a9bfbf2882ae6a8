"""The files of a certificate, in a folder or a zip: written at once, read within bounds."""

from __future__ import annotations

import gzip
import io
import os
import struct
import zipfile
import zlib
from pathlib import Path

from binairo_cp.certificates import record
from binairo_cp.errors import CertificateError, SourceError
from binairo_cp.formats.output_files import PARTIAL

Files = dict[str, bytes]

MEBI = 1 << 20
MAX_BYTES = {
    record.MANIFEST: 4 * MEBI,
    record.PUZZLE: 4 * MEBI,
    record.SOLUTION: MEBI,
    record.SECOND_SOLUTION: MEBI,
    record.FORMULA: 64 * MEBI,
    record.DRAT: 64 * MEBI,
    record.LRAT: 64 * MEBI,
}
"""The files that a certificate may have, and how large each may be."""

MAX_UNPACKED = {record.DRAT: 256 * MEBI, record.LRAT: 32 * MEBI}
"""How large a proof may be when it is unpacked."""

_MOST_OF_A_ZIP = sum(MAX_BYTES.values())
_TAIL = (1 << 16) + 22
_MOST_DIRECTORY = 4096
_LONG_AGO = (1980, 1, 1, 0, 0, 0)
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError)
"""What zipfile raises of a broken file, an unknown packing and a password."""


def write(files: Files, path: Path) -> None:
    """Write a certificate: a zip if the name ends so, or a folder. It appears when it is complete.

    The same files make the same zip.

    Raises:
        SourceError: it can't be written.
    """
    partial = path.with_name(path.name + PARTIAL)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix.lower() == ".zip":
            partial.write_bytes(zipped(files))
            os.replace(partial, path)
            return
        _clear(path)
        _clear(partial)
        partial.mkdir()
        for name, data in files.items():
            (partial / name).write_bytes(data)
        os.replace(partial, path)
    except OSError as error:
        raise SourceError(str(path), f"can't be written: {error.strerror or error}") from error


def _clear(path: Path) -> None:
    """Take an earlier certificate away, and nothing else."""
    if not path.exists():
        return
    if not path.is_dir() or {each.name for each in path.iterdir()} - MAX_BYTES.keys():
        raise SourceError(str(path), "can't be written: it exists, and is no certificate")
    for each in path.iterdir():
        each.unlink()
    path.rmdir()


def zipped(files: Files) -> bytes:
    """The same in the bytes of a zip."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in files.items():
            info = zipfile.ZipInfo(name, _LONG_AGO)
            packed = name.endswith(".gz")
            info.compress_type = zipfile.ZIP_STORED if packed else zipfile.ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            archive.writestr(info, data)
    return buffer.getvalue()


def read(path: Path) -> Files:
    """The files of a certificate; none outside of it is touched, and none is larger than allowed.

    Raises:
        SourceError: there is nothing that can be read.
        CertificateError: it holds what no certificate holds, or too much of it.
    """
    try:
        if path.is_dir():
            return _from_folder(path)
        if not path.is_file():
            raise SourceError(str(path), "is no file and no folder")
        with open(path, "rb") as file:
            data = file.read(_MOST_OF_A_ZIP + 1)
    except OSError as error:
        raise SourceError(str(path), f"can't be read: {error.strerror or error}") from error
    return unzipped(data)


def unzipped(data: bytes) -> Files:
    """The files in a certificate's zip.

    Raises:
        CertificateError: it holds what no certificate holds, or too much of it, or is no zip.
    """
    try:
        _refuse_strange_zip(data)
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return _from_zip(archive)
    except _BROKEN as error:
        raise CertificateError(f"no zip that can be read: {error}") from error


def _from_folder(path: Path) -> Files:
    files: Files = {}
    with os.scandir(path) as entries:
        for entry in entries:
            most = _most(entry.name)
            if not entry.is_file(follow_symlinks=False):
                raise CertificateError(f"{entry.name} is no file")
            with open(entry.path, "rb") as file:
                files[entry.name] = _bounded(entry.name, file.read(most + 1))
    return files


def _refuse_strange_zip(data: bytes) -> None:
    """A zip's list of its files is read whole before anything can be asked of it."""
    begin = data.rfind(b"PK\5\6", max(0, len(data) - _TAIL))
    if begin < 0 or len(data) < begin + 22:
        raise CertificateError("neither a folder nor a zip")
    if len(data) > _MOST_OF_A_ZIP:
        raise CertificateError(f"a zip of more than {_MOST_OF_A_ZIP:,} bytes")
    (directory,) = struct.unpack_from("<L", data, begin + 12)
    # What is beyond 4 GB is told in a record of its own before that one.
    if directory > _MOST_DIRECTORY or data[:begin][-20:].startswith(b"PK\6\7"):
        raise CertificateError("a zip with more files than a certificate has")


def _from_zip(archive: zipfile.ZipFile) -> Files:
    files: Files = {}
    for info in archive.infolist():
        most = _most(info.filename)
        if info.filename in files:
            raise CertificateError(f"there are two files {info.filename}")
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise CertificateError(f"{info.filename} is packed in an unusual way; expected deflate")
        with archive.open(info) as file:
            files[info.filename] = _bounded(info.filename, file.read(most + 1))
    return files


def _most(name: str) -> int:
    if name not in MAX_BYTES:
        raise CertificateError(f"there is a file {name!a}, which no certificate has")
    return MAX_BYTES[name]


def _bounded(name: str, data: bytes) -> bytes:
    if len(data) > MAX_BYTES[name]:
        raise CertificateError(f"{name} has more than {MAX_BYTES[name]:,} bytes")
    return data


def packed(data: bytes) -> bytes:
    """Bytes in gzip, the same ones each time."""
    return gzip.compress(data, mtime=0)


def unpacked(name: str, data: bytes) -> bytes:
    """What is in a gzip file.

    Raises:
        CertificateError: it is broken, or holds more than `MAX_UNPACKED`.
    """
    most = MAX_UNPACKED[name]
    unpacker = zlib.decompressobj(wbits=31)
    try:
        found = unpacker.decompress(data, most + 1)
    except zlib.error as error:
        raise CertificateError(f"{name} can't be unpacked: {error}") from error
    if len(found) > most:
        raise CertificateError(f"{name} has more than {most:,} bytes when unpacked")
    if not unpacker.eof or unpacker.unused_data:
        raise CertificateError(f"{name} can't be unpacked: it ends too early, or too late")
    return found
