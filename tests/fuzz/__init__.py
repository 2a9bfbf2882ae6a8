"""Fuzzing: random inputs for everything that reads data from others (docs/fuzzing.md)."""
