"""The JSON Schema of each kind of record."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from binairo_cp.certificates.record import Manifest
from binairo_cp.errors import OptionError
from binairo_cp.formats.schema import (
    DifferenceRecord,
    PuzzleRecord,
    ResultRecord,
    VerificationRecord,
)

if TYPE_CHECKING:
    from pydantic import BaseModel

RECORDS: dict[str, type[BaseModel]] = {
    "result": ResultRecord,
    "puzzle": PuzzleRecord,
    "manifest": Manifest,
    "verification": VerificationRecord,
    "difference": DifferenceRecord,
}
"""The models of the records: a result, an input puzzle, the manifest of a certificate, and the
output of ``verify`` and ``diff``."""


def schema(record: str) -> dict[str, Any]:
    """The JSON Schema of a record.

    Raises:
        OptionError: there is no such record.
    """
    if not isinstance(record, str) or record not in RECORDS:
        raise OptionError("record", f"expected one of {', '.join(RECORDS)}, not {record!r}")
    return RECORDS[record].model_json_schema()
