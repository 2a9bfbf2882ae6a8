"""The output format that the ending of a file name stands for.

The ending decides if no option does. It is an error if the command can't write the format of the
ending, or if an option names another format. The endings come from the tables of the formats.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeVar

import typer

from binairo_cp.formats import FORMATS
from binairo_cp.rendering.shapes import FORMS

if TYPE_CHECKING:
    from binairo_cp.batch.reports import Form as ResultForm

_PACKED = ".gz"
_PACKED_ALREADY = (".parquet", ".pdf", ".png", ".zip")
_NEVER_WRITTEN = (
    *(".bz2", ".xz", ".zst", ".7z", ".tar", ".tgz"),
    *(".tsv", ".xls", ".xlsx", ".doc", ".docx", ".yaml"),
    *(".jpg", ".jpeg", ".webp", ".gif"),
)
"""Well-known endings of files that no command writes."""

_NO_PLAIN_TEXT = ("json", "ndjson", "svg", "png", "pdf", "html")
"""Formats that do not belong in a .txt file; the others may go there."""

Name = TypeVar("Name", bound=str)
Endings = Mapping[Name, tuple[str, ...]]
"""The endings that stand for each format of a command, by the name of the format."""


PUZZLES: Endings[str] = {
    name: tuple(suffix for suffix in format.suffixes if suffix not in _NEVER_WRITTEN)
    for name, format in FORMATS.items()
}
RESULTS: Endings[ResultForm | Literal["csv"]] = {
    "text": PUZZLES["text"],
    "line": PUZZLES["line"],
    "csv": PUZZLES["csv"],
    "ndjson": PUZZLES["ndjson"],
}
RESULTS_IN_COLUMNS = {**RESULTS, "text": (), "line": (*PUZZLES["text"], *PUZZLES["line"], ".tsv")}
"""Chosen columns are lines, not text."""

AUDITS: Endings[Literal["text", "ndjson"]] = {
    "text": PUZZLES["text"],
    "ndjson": (".ndjson", ".jsonl"),
}
CERTIFICATES: Endings[str] = {"zip": (".zip",)}


def models() -> Endings[str]:
    """The endings of models, which only their command needs."""
    from binairo_cp.solving.encodings import TARGETS

    return {name: (target.suffix,) for name, target in TARGETS.items()}


def format_of(out: str | None, given: Name | None, endings: Endings[Name]) -> Name | None:
    """The format to write.

    Args:
        out: the file; None for standard output.
        given: the value of the option for the format, if any.
        endings: those of the command.

    Returns:
        The format; None if neither the option nor the ending names one.

    Raises:
        typer.BadParameter: the command can't write such a file, or the option contradicts it.
    """
    ending = _ending(out) if out else ""
    named = next((name for name, known in endings.items() if ending in known), None)
    if not ending or (given and given == named):
        return given
    if ending == ".txt" and given and given not in _NO_PLAIN_TEXT:
        return given
    if named is None:
        tables = (PUZZLES, models(), FORMS, CERTIFICATES)
        if ending in {*_NEVER_WRITTEN, *chain(*(chain(*table.values()) for table in tables))}:
            raise typer.BadParameter(
                f"{out}: this command can't write {ending}; "
                f"expected a name that ends in {_listed(endings)}",
                param_hint="--out",
            )
        return given
    if given is not None:
        raise typer.BadParameter(
            f"{given} contradicts --out {out}, which ends in {ending}; "
            f"expected {named}, or a name that ends in {_listed({given: endings[given]})}",
            param_hint="--to",
        )
    return named


def _ending(out: str) -> str:
    """The ending of a name, without .gz after it; empty if there is none, or for a folder."""
    if out.endswith("/"):
        return ""
    suffixes = [suffix.lower() for suffix in Path(out).suffixes]
    if suffixes[-1:] != [_PACKED]:
        return "".join(suffixes[-1:])
    ending = "".join(suffixes[-2:-1])
    if ending in _PACKED_ALREADY:
        raise typer.BadParameter(
            f"{out}: {ending} is packed already; expected a name that ends in {ending}",
            param_hint="--out",
        )
    return ending


def _listed(endings: Endings[Name]) -> str:
    names = list(chain(*endings.values()))
    return " or ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
