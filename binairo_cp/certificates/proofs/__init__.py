"""Proofs of unsatisfiability: checkers for DRAT and LRAT, and a writer of LRAT."""
