"""API keys. The file contains names and hashes, so reading it does not reveal a key."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from pathlib import Path

from binairo_cp.errors import ServiceError

_LINE = re.compile(r"(?P<name>[A-Za-z0-9._-]{1,64})\s+sha256:(?P<hash>[0-9a-f]{64})")
_EXPECTED = "expected lines as printed by binairo api-key NAME"
_PREFIX = "binairo_"
_MAX_KEY = 512


class Keys:
    """The keys that a server accepts, by the names of their owners."""

    def __init__(self, hashes: dict[str, bytes]) -> None:
        self._hashes = hashes

    def name_of(self, key: str) -> str | None:
        """The name of the owner; None if the key is unknown. Takes the same time for every key."""
        hashed = _hash(key[:_MAX_KEY])
        owner = None
        for name, known in self._hashes.items():
            if hmac.compare_digest(hashed, known):
                owner = name
        return owner


def read(path: Path) -> Keys:
    """Read a file of keys. Each line has a name and ``sha256:`` with the hash of a key.

    Raises:
        ServiceError: the file can't be read or is not valid.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise ServiceError(f"{path} can't be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise ServiceError(f"{path} can't be read: {error}") from error
    hashes: dict[str, bytes] = {}
    for number, line in enumerate(lines, 1):
        text = line.partition("#")[0].strip()
        match = _LINE.fullmatch(text)
        if match and match["name"] not in hashes:
            hashes[match["name"]] = bytes.fromhex(match["hash"])
        elif text:
            reason = "duplicate name" if match else "not a name and a hash"
            raise ServiceError(f"{path}:{number}: {reason}; {_EXPECTED}")
    if not hashes:
        raise ServiceError(f"{path}: the file contains no keys; {_EXPECTED}")
    return Keys(hashes)


def new(name: str) -> tuple[str, str]:
    """Create a random key.

    Returns:
        The key, and its line for the file of keys.

    Raises:
        ServiceError: the name is not valid.
    """
    key = _PREFIX + secrets.token_urlsafe(32)
    line = f"{name} sha256:{_hash(key).hex()}"
    if not _LINE.fullmatch(line):
        raise ServiceError(f"{name[:80]!r}: expected 1 to 64 letters, digits, dots, dashes")
    return key, line


def _hash(key: str) -> bytes:
    # A key has 256 random bits, so it does not need a slow hash.
    return hashlib.sha256(key.encode(errors="surrogateescape")).digest()
