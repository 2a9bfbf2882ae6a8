"""Read and write the files of a certificate, in a folder or a zip, with limits on their sizes."""

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
    record.WITHOUT_CLUE: 16 * MEBI,
    record.FORMULA: 64 * MEBI,
    record.DRAT: 64 * MEBI,
    record.LRAT: 64 * MEBI,
}
"""The possible files of a certificate, and their maximum sizes."""

MAX_UNPACKED = {record.DRAT: 256 * MEBI, record.LRAT: 32 * MEBI}
"""Maximum sizes of unpacked proofs."""

_MAX_ZIP_BYTES = sum(MAX_BYTES.values())
_TAIL = (1 << 16) + 22
_MOST_DIRECTORY = 4096
_FIXED_DATE = (1980, 1, 1, 0, 0, 0)
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError)
"""What zipfile raises for damaged files, unknown compressions and passwords."""


def write(files: Files, path: Path) -> None:
    """Write a certificate as a zip, if the name ends with ``.zip``, or else as a folder.

    It appears only when it is complete. The same files give the same zip.

    Raises:
        SourceError: The certificate can't be written.
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
    """Delete an earlier certificate; refuse to delete anything else."""
    if not path.exists():
        return
    if not path.is_dir() or {file.name for file in path.iterdir()} - MAX_BYTES.keys():
        raise SourceError(str(path), "can't be written: it exists and is not a certificate")
    for file in path.iterdir():
        file.unlink()
    path.rmdir()


def zipped(files: Files) -> bytes:
    """Return the files as the bytes of a zip; the same files give the same bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in files.items():
            info = zipfile.ZipInfo(name, _FIXED_DATE)
            packed = name.endswith(".gz")
            info.compress_type = zipfile.ZIP_STORED if packed else zipfile.ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            archive.writestr(info, data)
    return buffer.getvalue()


def read(path: Path) -> Files:
    """Read the files of a certificate, and no other files.

    Raises:
        SourceError: The path can't be read.
        CertificateError: There are unexpected files, or files that are too large.
    """
    try:
        if path.is_dir():
            return _from_folder(path)
        if not path.is_file():
            raise SourceError(str(path), "is neither a file nor a folder")
        with open(path, "rb") as file:
            data = file.read(_MAX_ZIP_BYTES + 1)
    except OSError as error:
        raise SourceError(str(path), f"can't be read: {error.strerror or error}") from error
    return unzipped(data)


def unzipped(data: bytes) -> Files:
    """Read the files of a certificate from the bytes of a zip.

    Raises:
        CertificateError: The zip is damaged, or has unexpected files or files that are too large.
    """
    try:
        _check_zip_size(data)
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return _from_zip(archive)
    except _BROKEN as error:
        raise CertificateError(f"the zip can't be read: {error}") from error


def _from_folder(path: Path) -> Files:
    files: Files = {}
    with os.scandir(path) as entries:
        for entry in entries:
            most = _max_bytes(entry.name)
            if not entry.is_file(follow_symlinks=False):
                raise CertificateError(f"{entry.name} is not a regular file")
            with open(entry.path, "rb") as file:
                files[entry.name] = _bounded(entry.name, file.read(most + 1))
    return files


def _check_zip_size(data: bytes) -> None:
    """Check the size of the zip's directory, since zipfile reads all of it into memory."""
    if len(data) > _MAX_ZIP_BYTES:
        raise CertificateError(f"the zip has more than {_MAX_ZIP_BYTES:,} bytes")
    begin = data.rfind(b"PK\5\6", max(0, len(data) - _TAIL))
    if begin < 0 or len(data) < begin + 22:
        raise CertificateError("neither a folder nor a zip")
    (directory,) = struct.unpack_from("<L", data, begin + 12)
    # A zip of more than 4 GB has an additional record before this one.
    if directory > _MOST_DIRECTORY or data[:begin][-20:].startswith(b"PK\6\7"):
        raise CertificateError("the zip has more files than a certificate can have")


def _from_zip(archive: zipfile.ZipFile) -> Files:
    files: Files = {}
    for info in archive.infolist():
        most = _max_bytes(info.filename)
        if info.filename in files:
            raise CertificateError(f"{info.filename} occurs twice")
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise CertificateError(
                f"{info.filename} has an unsupported compression; expected deflate"
            )
        with archive.open(info) as file:
            files[info.filename] = _bounded(info.filename, file.read(most + 1))
    return files


def _max_bytes(name: str) -> int:
    if name not in MAX_BYTES:
        raise CertificateError(f"unexpected file {name!a}; expected only {', '.join(MAX_BYTES)}")
    return MAX_BYTES[name]


def _bounded(name: str, data: bytes) -> bytes:
    if len(data) > MAX_BYTES[name]:
        raise CertificateError(f"{name} has more than {MAX_BYTES[name]:,} bytes")
    return data


def packed(data: bytes) -> bytes:
    """Compress with gzip; the same data gives the same bytes."""
    return gzip.compress(data, mtime=0)


def unpacked(name: str, data: bytes) -> bytes:
    """Decompress a gzip file.

    Raises:
        CertificateError: The file is damaged, or larger than `MAX_UNPACKED`.
    """
    most = MAX_UNPACKED[name]
    unpacker = zlib.decompressobj(wbits=31)
    try:
        content = unpacker.decompress(data, most + 1)
    except zlib.error as error:
        raise CertificateError(f"{name} can't be unpacked: {error}") from error
    if len(content) > most:
        raise CertificateError(f"{name} has more than {most:,} bytes when unpacked")
    if not unpacker.eof or unpacker.unused_data:
        raise CertificateError(f"{name} can't be unpacked: it is truncated, or other data follows")
    return content
