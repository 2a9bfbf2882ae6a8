"""Fuzzing: random inputs for everything that reads data from others.

``python -m tests.fuzz --list`` lists the targets; docs/testing.md describes how to run them.
"""
