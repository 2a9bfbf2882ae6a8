"""Proofs checked, and parsed."""

from __future__ import annotations

from collections.abc import Callable

from binairo_cp.certificates import proofs
from tests.certificates.test_proofs import lines_of, unsatisfiable


def work() -> dict[str, Callable[[], object]]:
    """Proofs of random formulas, from CaDiCaL."""
    from binairo_cp.solving.backends import UNLIMITED, Meter
    from binairo_cp.solving.backends.engines import refute

    clauses = unsatisfiable(3, 200, 4.8)
    proof = refute("cadical195", clauses, Meter(UNLIMITED))
    assert isinstance(proof, bytes)
    formula = proofs.parse_clauses(lines_of(clauses), "formula", 200)
    lines = proofs.parse_clauses(proof, "proof", 402)
    large = proof * 10
    return {
        "check": lambda: proofs.check_drat_proof(formula, lines),
        "check with hints": lambda: proofs.check_drat_proof(formula, lines, hints=True),
        "parse": lambda: proofs.parse_clauses(large, "proof", 402),
    }
