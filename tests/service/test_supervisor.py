"""The processes behind one port start and stop in order."""

from __future__ import annotations

import signal
import socket
from multiprocessing import Pipe
from pathlib import Path
from typing import Any

from binairo_cp.service.app_state import Settings
from binairo_cp.service.limits import Limits
from binairo_cp.service.supervisor import ServerProcess


class Interrupting:
    """Sends a signal to the process that unpickles it, before this can serve."""

    def __init__(self, number: signal.Signals) -> None:
        self.number = number

    def __reduce__(self) -> Any:
        return signal.raise_signal, (self.number,)


def test_a_signal_during_the_start_is_a_normal_end(tmp_path: Path) -> None:
    own, other = Pipe(duplex=False)
    with own, other, socket.create_server(("localhost", 0)) as listener:
        for number in (signal.SIGINT, signal.SIGTERM):
            server = ServerProcess(Settings(limits=Limits(), data=tmp_path), listener)
            server.start(Interrupting(number), own)  # type: ignore[arg-type]  # never called
            process = server.process
            assert process is not None
            process.join(120)
            assert process.exitcode == 0, number
    usual = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    assert not usual & {signal.SIGINT, signal.SIGTERM}
