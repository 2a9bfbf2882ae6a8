"""What the sources of the kernels need of Cython's module when they run uncompiled.

It spares users a dependency on Cython. The names mean what they mean there, but for two of our own;
types and decorators do nothing. In compiled code, Cython's own module stands in place of this one.
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any, TypeVar

_T = TypeVar("_T")

compiled = False
"""Whether the code is compiled."""

bint = bool
double = float
int = long = longlong = schar = short = uint = uchar = ulonglong = ushort = Py_ssize_t = int
p_uchar = bytes


def nogil_noexcept(function: _T) -> _T:
    """A function of C that runs without Python's lock and raises nothing.

    Cython says `cfunc`, `nogil` and ``exceptval(check=False)``, and `void` for a result of None.
    """
    return function


def inline_nogil_noexcept(function: _T) -> _T:
    """The same, with `inline` too."""
    return function


def cclass(kind: _T) -> _T:
    """Return a class as it is."""
    return kind


final = cclass


nogil = nullcontext()


def typedef(kind: Any) -> Any:
    """Return the type itself."""
    return kind


def cast(kind: Any, value: _T) -> _T:
    """Return a value as it is."""
    return value
