"""Certificates: that a puzzle has one solution, several or none, for anyone to check.

`making` makes them, `checking` checks them without a solver, `container` keeps their files in a
folder or a zip, `record` says what is in them, `formula` what their clauses are.
"""
