"""DRAT proofs: parsing and checking.

Variable v is the literal 2 v, and its negation 2 v + 1: the last bit is the sign. The clauses of
the formula and the lines of the proof are slices of one array::

    1 -2 0        literals    2 5 | 4 | 2
    2 0           starts      0     2   3   4
    d 1 0         deletes     0     0   1
"""

from binairo_cp.kernels.proofs.parsing import parse
from binairo_cp.kernels.proofs.rup import (
    ENDED,
    FAILED,
    INTERRUPTED,
    NO_ROOM,
    REFUTED,
    Checker,
    check,
)

__all__ = ["ENDED", "FAILED", "INTERRUPTED", "NO_ROOM", "REFUTED", "Checker", "check", "parse"]
