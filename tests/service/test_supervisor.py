"""The processes behind one port start and stop in order."""

from __future__ import annotations

import signal
import socket
import time
from multiprocessing import Pipe
from pathlib import Path
from typing import Any

import pytest

from binairo_cp.service.app_state import Settings
from binairo_cp.service.limits import Limits
from binairo_cp.service.supervisor import ServerProcess
from tests.support.serving import serving


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


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("processes", ["1", "2"])
def test_signals_until_the_end_leave_no_traceback(
    tmp_path: Path, processes: str, number: signal.Signals
) -> None:
    with serving(tmp_path, "--processes", processes) as server:
        while server.process.poll() is None:
            server.process.send_signal(number)
            time.sleep(0.001)
        assert server.process.returncode == 0
        stopping = server.until("stopping")
        assert stopping["reason"].startswith(number.name)
        server.until("stopped")
        assert {each["level"] for each in server.log} == {"info"}
