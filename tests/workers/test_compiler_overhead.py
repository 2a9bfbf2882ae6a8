"""Tests of the overhead that compiling avoids."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest
from numba import int64, njit, types
from numba.core import event
from numba.core.compiler import Flags
from numba.core.cpu import CPUContext
from numba.core.errors import TypingError
from numba.core.targetconfig import TargetConfig
from numba.core.types.functions import BaseFunction

from binairo_cp.workers import compiler_overhead
from binairo_cp.workers.optimizing_once import Outermost

REPLACED = (
    (BaseFunction, "get_call_type"),
    (types.Dispatcher, "get_call_type"),
    (TargetConfig, "values"),
    (TargetConfig, "__eq__"),
    (TargetConfig, "__hash__"),
    (CPUContext, "create_cfunc_wrapper"),
    (event, "start_event"),
    (event, "end_event"),
)


class Compiled(event.Listener):
    """Counts the functions that numba compiles, by name."""

    def __init__(self) -> None:
        self.counts: dict[str, int] = {}

    def on_start(self, event: Any) -> None:
        name = event.data["dispatcher"].py_func.__name__
        self.counts[name] = self.counts.get(name, 0) + 1

    def on_end(self, event: Any) -> None:
        pass


def parts() -> list[Any]:
    return [getattr(owner, name) for owner, name in REPLACED]


def functions() -> tuple[Any, Any]:
    """A function, and one that calls it with various types and constants."""

    @njit
    def part(number: Any, times: int) -> Any:
        total = number
        for _ in range(times):
            total += number
        return total

    @njit
    def whole(count: int) -> float:
        numbers = np.zeros(count)
        for k in range(count):
            numbers[k] = part(k, 2) + part(0.5, 3) + part(k, 5)
        return numbers.sum() + max(count, 3)

    return part, whole


def test_numba_is_as_before_after_compiling():
    before = parts()
    assert gc.isenabled()
    _, whole = functions()
    njit(pipeline_class=Outermost)(whole.py_func).compile((int64,))
    assert parts() == before
    assert gc.isenabled()
    assert not compiler_overhead._signatures


def test_the_code_computes_the_same():
    _, whole = functions()
    compiled = njit(pipeline_class=Outermost)(whole.py_func)
    assert compiled(7) == whole(7) == whole.py_func(7)


def test_a_function_is_compiled_once_for_all_constants():
    _, whole = functions()
    seen = Compiled()
    with event.install_listener("numba:compile", seen):
        njit(pipeline_class=Outermost)(whole.py_func).compile((int64,))
    # Once for integers and once for floats.
    assert seen.counts["part"] == 2


def test_flags_are_compared_by_value():
    usual = hash(Flags())
    with compiler_overhead.avoided():
        assert hash(Flags()) == usual
        one, other = Flags(), Flags()
        assert one == other
        assert hash(one) == hash(other)
        one.nrt = one.nrt  # the default, but now it is set
        assert one == other
        one.nrt = not one.nrt
        assert one != other
        assert one != "flags"
        values = one.values()
    assert values == one.values()
    assert list(values) == list(one.values())


def test_a_failure_to_compile_leaves_nothing_behind():
    before = parts()

    @njit
    def wrong(number: int) -> Any:
        return number.no_such_attribute

    with pytest.raises(TypingError, match="no_such_attribute"):
        njit(pipeline_class=Outermost)(wrong.py_func).compile((int64,))
    assert parts() == before
    assert gc.isenabled()
