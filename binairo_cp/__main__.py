"""The entry point of ``binairo`` and ``python -m binairo_cp``: Ctrl-C may come while they load."""

import os
import signal

if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # a shell's ``&`` has it ignored
    signal.signal(signal.SIGINT, lambda *_: os._exit(130))

from binairo_cp.cli import main

if __name__ == "__main__":
    main()
