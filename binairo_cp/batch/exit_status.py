"""The exit status of commands, as the README has it."""

from __future__ import annotations


def exit_status(*, error: object = False, unknown: object = False, no: object = False) -> int:
    """The first that applies: 2 an error, 3 something is unknown, 1 some answer is no, else 0."""
    if error:
        return 2
    if unknown:
        return 3
    return 1 if no else 0
