"""Run a function in a separate process, with a time limit; measure its peak memory."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import TimeoutError
from multiprocessing import get_context
from typing import Any, TypeVar

from pebble import ProcessPool

from benchmarks.machine import peak_mb

T = TypeVar("T")


class Late(Exception):
    """The time limit was reached."""


def apart(work: Callable[..., T], *arguments: Any, seconds: float) -> tuple[T, int]:
    """The result of a function of a module, and the peak memory of its process in MB.

    Raises:
        Late: the time limit was reached.
    """
    with ProcessPool(1, context=get_context("spawn")) as pool:
        try:
            return pool.schedule(_measured, args=(work, arguments), timeout=seconds).result()  # type: ignore[no-any-return]
        except TimeoutError as error:
            raise Late from error


def _measured(work: Callable[..., T], arguments: tuple[Any, ...]) -> tuple[T, int]:
    return work(*arguments), peak_mb()
