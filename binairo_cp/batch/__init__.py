"""Many puzzles: blocks in, records out; resuming, progress, summaries, result files."""

from __future__ import annotations


def exit_status(*, error: object = False, unknown: object = False, no: object = False) -> int:
    """The exit status of a command: 2 for an error, else 3 for unknown, else 1 for a no, else 0."""
    if error:
        return 2
    if unknown:
        return 3
    return 1 if no else 0
