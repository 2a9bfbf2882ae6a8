"""What could not be read: told as it comes, and counted."""

from __future__ import annotations

import sys
from dataclasses import dataclass

from binairo_cp.batch.reports import printable
from binairo_cp.errors import BinairoError

_MOST_SHOWN = 10


@dataclass
class ReadErrors:
    """How many there were; the first few are told on the standard error output."""

    total: int = 0

    def report(self, error: BinairoError) -> None:
        """Tell of one."""
        self.total += 1
        if self.total <= _MOST_SHOWN:
            print(f"binairo: {printable(str(error))}", file=sys.stderr)

    def report_total(self) -> None:
        """Tell how many there were, if not all were told."""
        if self.total > _MOST_SHOWN:
            print(f"binairo: {self.total} errors in total", file=sys.stderr)
