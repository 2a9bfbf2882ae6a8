"""DRAT proofs: parsing and checking."""

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
