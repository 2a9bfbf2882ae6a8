"""What tests must survive: a backend that crashes, hangs or exhausts memory, and unwritten arrays."""

import ctypes
import faulthandler
import os
import signal
from collections.abc import Iterator
from typing import Any

import numpy as np

from binairo_cp import Board, Puzzle
from binairo_cp.solving.backends import UNLIMITED, Budget
from binairo_cp.solving.backends.backtracking import Backtracking


class Poison:
    name = "poison"

    def solutions(
        self, puzzle: Puzzle, *, limit: int | None = None, budget: Budget = UNLIMITED
    ) -> Iterator[Board]:
        match puzzle.board.cells[:4]:
            case "0110":
                faulthandler.disable()
                os.kill(os.getpid(), signal.SIGSEGV)
            case "1001":
                raise RuntimeError("out of order")
            case "1010":
                os._exit(3)
            case "0101":
                # PyDLL keeps the GIL, so no Python signal handler can run.
                ctypes.PyDLL(None).sleep(1000)
            case "1100":
                kept = []
                while True:
                    kept.append(bytearray(50_000_000))
            case "0010":
                faulthandler.disable()
                os.write(2, b"terminate called after throwing an instance of 'std::bad_alloc'")
                os.abort()
        # Ignore the budget, so that harmless puzzles are decided on a busy machine too.
        yield from Backtracking().solutions(puzzle, limit=limit)


CRASH, EXIT, RAISE, HANG, GROW, ABORT = "0110", "1010", "1001", "0101", "1100", "0010"


_UNLIKELY = 0xA5
"""No cell, no digit and no flag, and no UTF-8 either."""


def unwritten_arrays() -> None:
    """Make `np.empty` return arrays of junk from now on.

    New memory is mostly zero, so a test seldom notices that code reads what nobody wrote.
    """
    empty = np.empty

    def junk(*arguments: Any, **options: Any) -> Any:
        array = empty(*arguments, **options)
        if not array.dtype.hasobject:
            array.reshape(-1).view(np.uint8)[:] = _UNLIKELY
        return array

    np.empty = junk  # type: ignore[assignment]  # a function of C has a type of its own
