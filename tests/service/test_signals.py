"""A server that gets signals ends in order."""

from __future__ import annotations

import signal
import time
from pathlib import Path

import pytest

from tests.support.serving import serving


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_until_the_end_leave_no_traceback(tmp_path: Path, number: signal.Signals) -> None:
    with serving(tmp_path) as server:
        while server.process.poll() is None:
            server.process.send_signal(number)
            time.sleep(0.001)
        assert server.process.returncode == 0
        stopping = server.until("stopping")
        assert stopping["reason"].startswith(number.name)
        server.until("stopped")
        assert {each["level"] for each in server.log} == {"info"}
