"""Places in the list of jobs, as the cursors that clients get for the next page."""

from __future__ import annotations

import base64
import math
import re
import struct
from typing import NamedTuple, Self

from binairo_cp.service.jobs.table import JobRow

MOST_LISTED = 1_000
"""The most jobs of a page."""

USUALLY_LISTED = 100

_SECONDS = struct.Struct(">d")
_ID = re.compile(rb"[0-9A-Za-z_-]{1,64}")


class Place(NamedTuple):
    """A place in the list of jobs, which is sorted by these two, the largest first.

    It stays valid when jobs are added or deleted.

    Attributes:
        created: when the job at this place was submitted, in seconds since 1970.
        id: the id of the job.
    """

    created: float
    id: str

    @classmethod
    def of(cls, row: JobRow) -> Self:
        """The place of a job."""
        return cls(row.created, row.id)

    @classmethod
    def parse(cls, cursor: str) -> Self:
        """The place that a cursor stands for.

        Raises:
            ValueError: it is not a cursor.
        """
        data = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        (created,) = _SECONDS.unpack(data[: _SECONDS.size].ljust(_SECONDS.size))
        id = data[_SECONDS.size :]
        if not (math.isfinite(created) and _ID.fullmatch(id)):
            raise ValueError("not a cursor")
        return cls(created, id.decode())

    @property
    def cursor(self) -> str:
        """The place as text that can be part of a URL."""
        data = _SECONDS.pack(self.created) + self.id.encode()
        return base64.urlsafe_b64encode(data).decode().rstrip("=")
