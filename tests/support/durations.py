"""Where the time of a test run goes: a pytest plugin that records it, and tables of its records.

    pytest -n 2 -m "not slow" -p tests.support.durations --record-durations=FILE
    python -m tests.support.durations FILE... [--most 100]

The seconds are those of processors: unlike those of a clock, they hardly depend on what else the
machine does. They include the processes that a test starts, such as servers, browsers and workers,
but no process that outlives its parent. What several tests share counts where it is set up.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Generator, Iterable
from pathlib import Path
from typing import Any

import pytest

Times = dict[str, Any]


def _cpu_of(process: int | str) -> float:
    """Seconds of a process, of the children that it waited for, and of those that live."""
    seconds = 0.0
    try:
        # The name, which comes first, may contain spaces.
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        seconds = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
        for thread in Path(f"/proc/{process}/task").iterdir():
            seconds += sum(map(_cpu_of, (thread / "children").read_text().split()))
    except OSError:  # it has ended, or this is not Linux
        pass
    return seconds


def _cpu() -> float:
    return _cpu_of("self") if sys.platform == "linux" else sum(os.times()[:4])


class Recorder:
    """In each test process: puts the times of a test and of its fixtures into its last report."""

    def __init__(self) -> None:
        self._processes = 0
        self._begun = self._now()
        self._fixtures: list[tuple[str, Times]] = []
        sys.addaudithook(self._count)

    def _count(self, event: str, _: tuple[object, ...]) -> None:
        self._processes += event == "subprocess.Popen"

    def _now(self) -> tuple[float, float, int]:
        own = sum(os.times()[:2])
        return own, max(0.0, _cpu() - own), self._processes

    def _since(self, begun: tuple[float, float, int]) -> Times:
        now = self._now()
        names = ("own", "others", "processes")
        return {name: now[k] - begun[k] for k, name in enumerate(names)}

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self) -> Generator[None, object, object]:
        self._begun, self._fixtures = self._now(), []
        return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_fixture_setup(
        self, fixturedef: pytest.FixtureDef[Any]
    ) -> Generator[None, object, object]:
        begun = self._now()
        try:
            return (yield)
        finally:
            name = f"{fixturedef.baseid}::{fixturedef.argname}"
            self._fixtures.append((name, self._since(begun)))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        if call.when == "teardown":
            times = {**self._since(self._begun), "fixtures": list(self._fixtures)}
            report.user_properties.append(("times", times))
        return report


class Writer:
    """In the process that gathers the reports: writes a line of JSON for each test."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("w")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "teardown":
            times = dict(report.user_properties)["times"]
            print(json.dumps({"test": report.nodeid, **times}), file=self._file, flush=True)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--record-durations", metavar="FILE", type=Path)


def pytest_configure(config: pytest.Config) -> None:
    if path := config.getoption("--record-durations"):
        config.pluginmanager.register(Recorder())
        if not hasattr(config, "workerinput"):
            config.pluginmanager.register(Writer(path))


def _table(title: str, rows: Iterable[tuple[str, Times]], most: int) -> str:
    """The rows with equal names added up, those with the most seconds first."""
    sums: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for name, times in rows:
        sums[name].update({"number": 1, **times})
    lines = [
        f"| {name} | {each['number']:,} | {each['own']:,.1f} | {each['others']:,.1f} "
        f"| {each['processes']:,} |"
        for name, each in sorted(
            sums.items(), key=lambda item: -item[1]["own"] - item[1]["others"]
        )[:most]
    ]
    head = f"| {title} | number | seconds in the test process | in other processes | processes started |"
    return "\n".join([head, "|---|---|---|---|---|", *lines, ""])


def tables(records: list[Times], most: int) -> str:
    """Four tables in Markdown: all tests, by room, the slowest test functions and fixtures."""
    fixtures = [tuple(each) for record in records for each in record.pop("fixtures")]
    tests = [(record.pop("test").removeprefix("tests/"), record) for record in records]
    names: dict[str, Callable[[str], str]] = {
        "all": lambda test: "tests",
        "room": lambda test: test.partition("/")[0],
        "test": lambda test: test.partition("[")[0],
    }
    found = [
        _table(title, ((name(test), times) for test, times in tests), most)
        for title, name in names.items()
    ]
    return "\n".join([*found, _table("fixture", fixtures, most)])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Tables of the slowest tests and fixtures.")
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--most", type=int, default=100, help="rows of a table (default: 100)")
    given = parser.parse_args()
    lines = [line for file in given.files for line in file.read_text().splitlines()]
    print(tables(list(map(json.loads, lines)), given.most))
