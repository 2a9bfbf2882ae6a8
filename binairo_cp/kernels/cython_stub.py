"""What the sources of the kernels need of Cython's module when they run uncompiled.

It spares users a dependency on Cython. The names mean what they mean there; types and decorators do
nothing. In compiled code, Cython's own module stands in place of this one.
"""

from __future__ import annotations

from typing import Any, TypeVar

_T = TypeVar("_T")

compiled = False
"""Whether the code is compiled."""

bint = bool
double = float
int = long = longlong = schar = short = uint = uchar = ulonglong = ushort = Py_ssize_t = int
p_uchar = bytes
void = None


def cfunc(function: _T) -> _T:
    """Return a function as it is, like the other decorators."""
    return function


inline = ccall = cclass = final = cfunc


class _NoGil:
    """Both a decorator and a context manager."""

    def __call__(self, function: _T) -> _T:
        return function

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exception: object) -> None:
        pass


nogil = _NoGil()


def typedef(kind: Any) -> Any:
    """Return the type itself."""
    return kind


def cast(kind: Any, value: _T) -> _T:
    """Return a value as it is."""
    return value
