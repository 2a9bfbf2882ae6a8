"""The entry point of ``binairo`` and ``python -m binairo_cp``: signals may come as they load."""

import atexit
import os
import signal
import sys
from contextlib import suppress

if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # a shell's ``&`` has it ignored
    signal.signal(signal.SIGINT, lambda *_: os._exit(130))

from binairo_cp import cli


def main() -> None:
    """Run the command line. The exit status after a signal is that of its documentation."""
    try:
        cli.main()
    except SystemExit as end:
        if not isinstance(end.code, int) or end.code <= 128:
            raise
        # If KeyboardInterrupt came as a dataclass was made, Python would end itself with SIGINT.
        with suppress(OSError):
            sys.stdout.flush()
        atexit._run_exitfuncs()
        from binairo_cp.workers.resource_limits import end_process

        end_process(end.code)


if __name__ == "__main__":
    main()
