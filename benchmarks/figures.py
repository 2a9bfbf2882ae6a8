"""The README's figures, taken from the results that are kept.

``python -m benchmarks.figures`` writes them between the README's marks; ``--check`` only tells
whether they are those of the results, with exit status 1 if not.
"""

from __future__ import annotations


def write() -> None: ...
