"""Make numba compile faster by leaving out work that it repeats or that nobody needs.

This replaces parts of numba that are not public, while one function is compiled with all that it
calls. It takes a fifth to a third less time.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from numba.core import event
from numba.core.cpu import CPUContext
from numba.core.targetconfig import TargetConfig
from numba.core.types import Dispatcher
from numba.core.types.functions import BaseFunction
from numba.core.types.misc import unliteral

_LOCK = "numba:llvm_lock"

_signatures: dict[Any, Any] = {}
"""The signatures of calls, by function and types of arguments."""


@contextmanager
def avoided() -> Iterator[None]:
    """Compile without the overhead. Only for functions that Python calls; hold numba's lock."""
    replacements: list[tuple[Any, str, Any]] = [
        (BaseFunction, "get_call_type", _remembered(BaseFunction.get_call_type)),
        (Dispatcher, "get_call_type", _of_any_number(Dispatcher.get_call_type)),
        (TargetConfig, "values", _values),
        (TargetConfig, "__eq__", _equal),
        (TargetConfig, "__hash__", _hash),
        (CPUContext, "create_cfunc_wrapper", _nothing),
        (event, "start_event", _without_lock(event.start_event)),
        (event, "end_event", _without_lock(event.end_event)),
    ]
    usual = [(owner, name, getattr(owner, name)) for owner, name, _ in replacements]
    try:
        _replace(replacements)
        with _garbage_kept():
            yield
    finally:
        _replace(usual)
        _signatures.clear()


def _replace(values: list[tuple[Any, str, Any]]) -> None:
    for owner, name, value in values:
        setattr(owner, name, value)


def _remembered(resolve: Callable[..., Any]) -> Callable[..., Any]:
    """Numba resolves a call each time that it learns more types, and tries all its variants."""

    def get_call_type(function: Any, context: Any, args: Any, kws: Any) -> Any:
        key = function, context, tuple(args), tuple(kws.items())
        if (signature := _signatures.get(key)) is None:
            signature = _signatures[key] = resolve(function, context, args, kws)
        return signature

    return get_call_type


def _of_any_number(resolve: Callable[..., Any]) -> Callable[..., Any]:
    """Numba would compile a function again for each constant argument. LLVM inlines them anyway."""

    def get_call_type(function: Any, context: Any, args: Any, kws: Any) -> Any:
        return resolve(function, context, tuple(map(unliteral, args)), kws)

    return get_call_type


@cache
def _defaults(kind: Any) -> dict[str, Any]:
    return {name: option.default for name, option in kind.options.items()}


@cache
def _hash_of(kind: Any) -> int:
    return hash(tuple(sorted(kind.options)))


def _values(flags: Any) -> dict[str, Any]:
    """All flags of a function. Numba compares them at each call of an overloaded function."""
    kind: Any = type(flags)
    return {**_defaults(kind), **flags._values}


def _equal(flags: Any, other: object) -> Any:
    if not isinstance(other, TargetConfig):
        return NotImplemented
    return flags is other or flags._values == other._values or flags.values() == other.values()


def _hash(flags: Any) -> int:
    """The same as numba's hash, which does not depend on the values."""
    kind: Any = type(flags)
    return _hash_of(kind)


def _nothing(*_: Any, **__: Any) -> None:
    """Leave out the function that C would call."""


def _without_lock(broadcast: Callable[..., None]) -> Callable[..., None]:
    """Numba measures how long it waits for its lock, at each of 40,000 calls of LLVM."""

    def announce(kind: str, *args: Any, **options: Any) -> None:
        if kind != _LOCK:
            broadcast(kind, *args, **options)

    return announce


@contextmanager
def _garbage_kept() -> Iterator[None]:
    """Collect no garbage; there is little."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
