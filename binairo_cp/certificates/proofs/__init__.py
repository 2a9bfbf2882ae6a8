"""Proofs that clauses have no model: checked line by line, and with hints for other checkers."""
