"""Result records as rows of chosen columns: lines with tabs, or CSV.

A column is a field of a record (`results.ResultRecord`), or a field within one, as ``grade.level``.
An absent value is an empty cell; a list or an object is written as JSON. Control characters are
escaped, so that a row is always one line, and a line never has more tabs than columns.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from types import NoneType
from typing import Any, Literal, get_args, get_origin

from binairo_cp.batch.reports import Form, printable
from binairo_cp.batch.tasks import Task
from binairo_cp.errors import OptionError
from binairo_cp.formats.record_base import to_json
from binairo_cp.formats.results import ResultRecord
from binairo_cp.json_library import orjson
from binairo_cp.workers.terminal import option

_USUAL_BEGIN = (
    *("id", "source", "line", "height", "width", "rules", "signs", "clues"),
    *("verdict", "solution", "count", "complete", "stopped_by"),
)
_USUAL_END = ("seconds", "error.kind", "error.message")
_LONGEST_SHOWN = 40


@dataclass(frozen=True, slots=True)
class Table:
    """A format of results: a row of these columns for each record.

    Attributes:
        is_csv: write CSV with a header, not lines with tabs.
    """

    columns: tuple[str, ...]
    is_csv: bool = False

    @property
    def delimiter(self) -> str:
        """What separates two values."""
        return "," if self.is_csv else "\t"

    @property
    def header(self) -> str:
        """What comes before the first record."""
        return self.row(self.columns) if self.is_csv else ""

    @property
    def shows_conflicts(self) -> bool:
        """Whether a column has the conflict of a puzzle without a solution, perhaps in JSON."""
        return any("contradiction" in column or column in _READINGS for column in self.columns)

    def written(self, record: ResultRecord) -> str:
        """The row of a record."""
        texts = []
        for column in self.columns:
            value: Any = record
            for part in column.split("."):
                value = value.get(part) if isinstance(value, dict) else getattr(value, part, None)
            texts.append(text_of(value))
        return self.row(tuple(texts))

    def row(self, values: tuple[str, ...]) -> str:
        """A row with its line end."""
        if not self.is_csv:
            return self.delimiter.join(values) + "\n"
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerow(values)
        return text.getvalue()

    def cell(self, text: str) -> str:
        """A value as it is in a row with others."""
        return self.row((text, ""))[:-2]


Output = Form | Table

_READINGS = ("readings", "readings.classic", "readings.unruly")


def table_of(form: Form | Literal["csv"], columns: str | None, task: Task) -> Table:
    """The table with the named columns, separated by commas, or with the usual ones of the task.

    Raises:
        OptionError: there is no such column, or the format has no columns.
    """
    if columns is None:
        own = (name for analysis in task.analyses for name in analysis.columns)
        return Table((*_USUAL_BEGIN, *own, *_USUAL_END), is_csv=True)
    if form not in ("line", "csv"):
        formats = f"{option('to', 'line')} or {option('to', 'csv')}"
        raise OptionError("columns", f"can't be used with {form}; expected {formats}")
    return Table(_parsed(columns), is_csv=form == "csv")


def _parsed(columns: str) -> tuple[str, ...]:
    names = tuple(column.strip() for column in columns.split(","))
    for number, name in enumerate(names):
        if not name:
            raise OptionError("columns", "expected the names of fields, separated by commas")
        check_column("columns", name)
        if name in names[:number]:
            raise OptionError("columns", f"{name} is there twice")
    return names


def check_column(option: str, name: str) -> None:
    """Check that records have a field of this name, which an option gives.

    Raises:
        OptionError: there is no such field.
    """
    if name not in column_names():
        shown = name[:_LONGEST_SHOWN]
        raise OptionError(option, f"there is no field {shown!r}; {_expected(name)}")


def _expected(name: str) -> str:
    """What is expected in place of a name: the fields of the same object, or of a record."""
    before = name.rpartition(".")[0]
    siblings = [column for column in column_names() if column.rpartition(".")[0] == before]
    if not before or not siblings:
        outer = [column for column in column_names() if "." not in column]
        return f"expected some of {', '.join(outer)}, or a field within one, as grade.level"
    return f"expected one of {', '.join(siblings)}"


@cache
def column_names() -> tuple[str, ...]:
    """The names of all columns, in the order of the fields of a record."""
    return tuple(_names(ResultRecord))


def _names(record: type, before: str = "") -> Iterator[str]:
    from binairo_cp.formats.schema import types_of

    for field, annotation in types_of(record).items():
        name = f"{before}{field}"
        yield name
        for key, inner in _inner_records(annotation):
            path = f"{name}.{key}" if key else name
            if key:
                yield path
            yield from _names(inner, f"{path}.")


def _inner_records(annotation: Any) -> Iterator[tuple[str, type]]:
    """The records that a field always has if it is present, with their keys in it."""
    from binairo_cp.formats.schema import is_record

    alternatives = [argument for argument in get_args(annotation) if argument is not NoneType]
    if len(alternatives) != 1:
        return
    (kind,) = alternatives
    if get_origin(kind) is dict and get_origin(get_args(kind)[0]) is Literal:
        keys, inner = get_args(kind)
        yield from ((key, inner) for key in get_args(keys))
    elif is_record(kind):
        yield "", kind


def text_of(value: Any) -> str:
    """A value of a field as text on one line; empty if it is None."""
    if value is None:
        return ""
    if isinstance(value, str):
        return printable(value)
    text = to_json(value)
    return text if text.isprintable() else json.dumps(orjson.loads(text), separators=(",", ":"))
