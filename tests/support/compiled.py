"""Machine code of functions that tests call directly."""

from __future__ import annotations

from functools import cache
from typing import Any

from binairo_cp.commands.warm_up import PARTS

from binairo_cp.workers import compiling


@cache
def cached(function: Any) -> Any:
    """Keep the machine code of a function that tests call directly, until a source changes.

    The package caches only its kernels. Other compiled functions are parts of them, so that every
    session would compile them again.
    """
    modules = (module for module, _ in PARTS.values())
    rooms = {each.rpartition(".")[0].partition(".")[2].replace(".", "/") for each in modules}
    function.enable_caching()
    function._cache._cache_file._source_stamp = compiling._digest("puzzle/bits", *sorted(rooms))
    return function
