"""Files locked against other processes."""

from __future__ import annotations

import errno
from typing import IO, Any

_NO_LOCKS = (errno.ENOSYS, errno.ENOLCK, errno.EOPNOTSUPP, errno.EINVAL)
"""What file systems without locks answer."""


def lock(file: IO[Any]) -> None:
    """Lock an open file until it is closed; do nothing where there are no locks.

    Raises:
        BlockingIOError: another process has locked it.
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
