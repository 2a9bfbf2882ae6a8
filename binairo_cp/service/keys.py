"""API keys: a file of names and hashes, so that who reads it has no key."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from pathlib import Path

from binairo_cp.errors import ServiceError

_LINE = re.compile(r"(?P<name>[A-Za-z0-9._-]{1,64})\s+sha256:(?P<hash>[0-9a-f]{64})")
_PREFIX = "binairo_"
_LONGEST = 512


class Keys:
    """The keys that a server knows."""

    def __init__(self, hashes: dict[str, bytes]) -> None:
        self._hashes = hashes

    def name_of(self, key: str) -> str | None:
        """Whose key it is; it takes as long whether it is the first, the last or none."""
        given = _hash(key[:_LONGEST])
        found = None
        for name, known in self._hashes.items():
            if hmac.compare_digest(given, known):
                found = name
        return found


def read(path: Path) -> Keys:
    """The keys of a file: on each line a name and ``sha256:`` with the hash of the key.

    Raises:
        ServiceError: it can't be read, or holds something else.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ServiceError(f"{path} can't be read: {error}") from error
    hashes: dict[str, bytes] = {}
    for number, line in enumerate(lines, 1):
        text = line.partition("#")[0].strip()
        match = _LINE.fullmatch(text)
        if match and match["name"] not in hashes:
            hashes[match["name"]] = bytes.fromhex(match["hash"])
        elif text:
            why = "a name that came before" if match else "no name and hash"
            raise ServiceError(
                f"{path}:{number}: {why}; expected lines as binairo api-key NAME prints them"
            )
    if not hashes:
        raise ServiceError(f"{path}: no key; expected lines as binairo api-key NAME prints them")
    return Keys(hashes)


def new(name: str) -> tuple[str, str]:
    """A key that nobody has, and the line of a file that knows it.

    Raises:
        ServiceError: it can't be called so.
    """
    key = _PREFIX + secrets.token_urlsafe(32)
    line = f"{name} sha256:{_hash(key).hex()}"
    if not _LINE.fullmatch(line):
        raise ServiceError(f"{name[:80]!r}: expected 1 to 64 letters, digits, dots, dashes")
    return key, line


def _hash(key: str) -> bytes:
    # A key has 256 bits that nobody chose: it needs no slow hash.
    return hashlib.sha256(key.encode(errors="surrogateescape")).digest()
