"""Only the fork server imports this: a worker that starts too late says nothing.

A signal to all processes may end a worker, and its pool starts another while the command ends. That
one finds that its locks and pipes are gone. Errors of a worker's own work don't come here
(tests: test_nothing_is_printed_by).
"""

from __future__ import annotations

import sys
from types import TracebackType

_show = sys.excepthook


def _show_others(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    if not isinstance(error, (OSError, EOFError)):
        _show(kind, error, trace)


sys.excepthook = _show_others
