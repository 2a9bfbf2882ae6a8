"""Fuzzing: random inputs for everything that reads data from others.

``python -m tests.fuzz --help`` lists the targets; docs/fuzzing.md describes how to run them.
"""
