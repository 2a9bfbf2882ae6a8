"""Count and print the errors of files and records that can't be read."""

from __future__ import annotations

import sys
from dataclasses import dataclass

from binairo_cp.batch.reports import printable
from binairo_cp.errors import BinairoError

_MOST_SHOWN = 10


@dataclass
class ReadErrors:
    """The number of errors. The first ones are printed to standard error."""

    total: int = 0

    def report(self, error: BinairoError) -> None:
        """Count an error; print it if it is one of the first."""
        self.total += 1
        if self.total <= _MOST_SHOWN:
            print(f"binairo: {printable(str(error))}", file=sys.stderr)

    def report_total(self) -> None:
        """Print the number of errors, if not all were printed."""
        if self.total > _MOST_SHOWN:
            print(f"binairo: {self.total} errors in total", file=sys.stderr)


class RaisedErrors(ReadErrors):
    """Raises the first error."""

    def report(self, error: BinairoError) -> None:
        """Raise an error."""
        raise error
