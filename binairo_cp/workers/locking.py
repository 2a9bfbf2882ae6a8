"""Lock files against other processes."""

from __future__ import annotations

import errno
from typing import IO, Any

_NO_LOCKS = (errno.ENOSYS, errno.ENOLCK, errno.EOPNOTSUPP, errno.EINVAL)
"""The errors of file systems without locks."""


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
    except BlockingIOError:
        raise
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            raise
