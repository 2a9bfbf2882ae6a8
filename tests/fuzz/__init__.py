"""Fuzzing: inputs that nobody would write, put to everything that reads what others wrote.

``python -m tests.fuzz --list`` names the targets, docs/fuzzing.md says how they are run and what
must hold.
"""
