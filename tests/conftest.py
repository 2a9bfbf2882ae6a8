from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, Phase, settings

from binairo_cp.formats import blocks
from tests.support import command_line, poison

# The number of examples, of which `strategies.examples` gives each test its share.
# No deadlines: solvers are slow on first use, and the machine may be busy.
for name, number in (("quick", 10), ("full", 60), ("thorough", 1500)):
    settings.register_profile(
        name, deadline=None, max_examples=number, suppress_health_check=[HealthCheck.too_slow]
    )
# Deterministic and without shrinking: mutation tests only need to know whether a test fails.
settings.register_profile(
    "mutants",
    settings.get_profile("full"),
    phases=[Phase.explicit, Phase.generate],
    database=None,
    derandomize=True,
)
settings.load_profile("quick")

# An error in the fast path of a batch fails the test, in every process that the test starts.
os.environ[blocks.STRICT] = "1"

# Background jobs ignore SIGINT, and child processes would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

poison.unwritten_arrays()

TENTHS = 10


def pytest_runtest_setup() -> None:
    # OR-Tools takes Ctrl-C away from Python, and some tests call it without our backend.
    signal.signal(signal.SIGINT, signal.getsignal(signal.SIGINT))


@pytest.fixture
def without_workers() -> Iterator[None]:
    """For tests that are not about the workers of their commands."""
    with command_line.without_workers():
        yield


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--tenth",
        type=int,
        metavar="N",
        help="run a tenth of the tests marked rotating: those of number N modulo 10",
    )


def pytest_report_header(config: pytest.Config) -> str | None:
    number = config.getoption("--tenth")
    return None if number is None else f"rotating tests: tenth {number % TENTHS} (0 to 9)"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    rotating = [each for each in items if each.get_closest_marker("rotating")]
    nightly = [each for each in items if each.get_closest_marker("nightly")]
    for each in (*rotating, *nightly):
        if not each.get_closest_marker("slow"):
            raise pytest.UsageError(f"{each.nodeid}: rotating or nightly, but not slow")
    number = config.getoption("--tenth")
    if number is not None:
        chosen = rotating[number % TENTHS :: TENTHS]
        left_out = set(rotating).difference(chosen)
        config.hook.pytest_deselected(items=list(left_out))
        items[:] = [each for each in items if each not in left_out]
