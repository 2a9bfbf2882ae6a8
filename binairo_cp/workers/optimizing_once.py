"""Make numba optimize a function once, together with all functions that it calls.

By default, numba optimizes every function when it compiles it, emits machine code for it, and
optimizes its code again in each caller. For a function with the pipeline `Outermost`, it only
translates the functions inside, and leaves the rest to this one. This takes a third less time.

Numba has no option for this, so this module replaces parts of it that are not public. The tests
compare the results of all compiled functions with other code.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from numba import _dynfunc
from numba.core import event
from numba.core.codegen import JITCodeLibrary, JITCPUCodegen
from numba.core.compiler import Compiler
from numba.core.compiler_lock import global_compiler_lock
from numba.core.cpu import CPUContext

from binairo_cp.workers import compiler_overhead


class Outermost(Compiler):  # type: ignore[misc]
    """The pipeline of a function that Python calls; pass it to `njit` as ``pipeline_class``."""

    def compile_extra(self, func: Any) -> Any:
        library = JITCodeLibrary(self.state.targetctx.codegen(), func.__qualname__)
        # As numba does for the libraries that it makes itself, so that they can be cached.
        library.enable_object_caching()
        self.state.library = library
        with _inner_code_unoptimized():
            return super().compile_extra(func)


class _InnerCode(JITCodeLibrary):  # type: ignore[misc]
    """The code of a function that only compiled functions call: simplified, but never run.

    Without the simplification, which is quick, boards are drawn in half as much time again.
    """

    def _optimize_functions(self, module: Any) -> None:
        # As numba does, but without the functions that have no code here.
        module.data_layout = self._codegen._data_layout
        manager, builder = self._codegen._function_pass_manager()
        for function in module.functions:
            if not function.is_declaration:
                manager.run(function, builder)

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


_usual_executable, _usual_wrapper = CPUContext.get_executable, CPUContext.create_cpython_wrapper


def _get_executable(context: Any, library: Any, fndesc: Any, env: Any) -> Any:
    if not isinstance(library, _InnerCode):
        return _usual_executable(context, library, fndesc, env)
    library.finalize()
    # Numba finds the code by this object. Its address is null, so it must not be called.
    return _dynfunc.make_function(fndesc.lookup_module(), fndesc.qualname, "", 0, env, (library,))


def _create_wrapper(context: Any, library: Any, *others: Any, **options: Any) -> None:
    if not isinstance(library, _InnerCode):
        _usual_wrapper(context, library, *others, **options)


@contextmanager
def _inner_code_unoptimized() -> Iterator[None]:
    """Compile functions as `_InnerCode`."""
    inner = _InnerFunctions()
    with (
        global_compiler_lock,
        event.install_listener("numba:compile", inner),
        compiler_overhead.avoided(),
    ):
        JITCPUCodegen._library_class = _InnerCode
        CPUContext.get_executable = _get_executable
        CPUContext.create_cpython_wrapper = _create_wrapper
        try:
            yield
        finally:
            JITCPUCodegen._library_class = JITCodeLibrary
            CPUContext.get_executable = _usual_executable
            CPUContext.create_cpython_wrapper = _usual_wrapper
            inner.forget()


class _InnerFunctions(event.Listener):  # type: ignore[misc]
    """Collects the functions that numba compiles."""

    def __init__(self) -> None:
        self._dispatchers: dict[int, Any] = {}

    def on_start(self, event: Any) -> None:
        dispatcher = event.data["dispatcher"]
        self._dispatchers[id(dispatcher)] = dispatcher

    def on_end(self, event: Any) -> None:
        pass

    def forget(self) -> None:
        """Discard their code. They have no machine code, so a call from Python would crash."""
        for dispatcher in self._dispatchers.values():
            if dispatcher._compiler.pipeline_class is not Outermost:
                dispatcher._make_finalizer()()
                dispatcher._reset_overloads()
