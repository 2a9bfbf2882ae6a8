"""Compiling in advance."""

from __future__ import annotations

import re
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

import binairo_cp as bn
from binairo_cp.commands import warm_up
from binairo_cp.errors import CacheError
from binairo_cp.workers import compiling
from tests.support.command_line import invoke


def test_all_compiled_code_is_in_the_table() -> None:
    package = Path(bn.__file__).parent
    modules = {
        ".".join(path.relative_to(package.parent).with_suffix("").parts)
        for path in package.rglob("*.py")
        if re.search(r"(?<!def )\bcompiled\(", path.read_text())
    }
    assert modules == {module for module, _ in warm_up.PARTS.values()}


@pytest.mark.slow
def test_the_command_reports_each_part(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = {name: warm_up.PARTS[name] for name in ("bitboard", "proof files")}
    monkeypatch.setattr(warm_up, "PARTS", parts)
    done = invoke("warm-up")
    assert (done.returncode, done.stdout) == (0, "")
    ends = [
        re.fullmatch(r"(\d of 2) ([a-z ]+): [0-9.]+ s", each) for each in done.stderr.split("\n")
    ]
    assert [end and end[1] for end in ends] == ["1 of 2", "2 of 2", None]
    assert {end[2] for end in ends if end} == parts.keys()
    assert invoke("warm-up", "--quiet").stderr == ""
    assert bn.warm_up(workers=1) is None


def test_code_that_cannot_be_stored_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    class Here:
        """Workers in this process."""

        def __enter__(self) -> Here:
            return self

        def __exit__(self, *_: object) -> None:
            pass

        def submit(self, work: Any, argument: str) -> Future[Any]:
            job: Future[Any] = Future()
            try:
                job.set_result(work(argument))
            except CacheError as error:
                job.set_exception(error)
            return job

    monkeypatch.setattr(warm_up.WorkerSettings, "open", lambda *_: Here())
    monkeypatch.setattr(compiling, "not_stored", ["no locator available"])
    with pytest.raises(CacheError, match=r"no locator available.*NUMBA_CACHE_DIR"):
        bn.warm_up()
