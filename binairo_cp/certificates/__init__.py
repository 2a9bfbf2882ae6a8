"""Certificates that a puzzle has one solution, several or none, which anyone can check.

`making` creates certificates and `checking` checks them without a solver. `container` reads and
writes their files in a folder or a zip, `record` defines the manifest, and `formula` the clauses.
"""
