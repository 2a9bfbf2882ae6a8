"""Mutants: copies of the package with one small mistake, which the tests should notice."""
