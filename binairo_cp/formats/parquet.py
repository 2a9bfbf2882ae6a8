"""Parquet tables of records, for DuckDB, Polars and pandas.

It is imported where a table is read or written, since it needs pyarrow (extra ``parquet``).

The columns depend only on the fields of a record in `schema`, not on the data: text, numbers,
lists and structs. Fields of varying shape (`rules`, `readings`, `chain`) become text: a name as
it is, an object as JSON.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from enum import Enum
from types import NoneType
from typing import IO, Annotated, Any, Literal, get_args, get_origin

import pyarrow as pa
import pyarrow.parquet as pq

from binairo_cp.errors import SourceError
from binairo_cp.formats.entry import KEYS, PUZZLE_KEYS
from binairo_cp.formats.schema import PuzzleRecord, is_record, types_of
from binairo_cp.formats.sources import MAX_LINE_BYTES
from binairo_cp.json_library import orjson
from binairo_cp.puzzle.board import MAX_SIDE

MAX_GROUP_BYTES = 1 << 30
"""Size limit of the row groups that are read, in uncompressed bytes."""

_WIDE_ROW_BYTES, _WIDE_BYTES, _ROW_BYTES = 4 * MAX_SIDE * MAX_SIDE, 256 << 20, 16 << 10
"""The bytes of a row group: a large board and its solution, with blanks, for each row as long as
they are few, then those of usual rows."""

_SPARE_ROWS = 128

_GROUP_ROWS = 1 << 16
_GROUP_BYTES = 16 << 20
_BATCH_ROWS = 1 << 10
_VARYING = ("rules", "readings", "chain", "picture")
_SIGN = ("row", "column", "direction", "relation")
_ESCAPED = r"[^ !#-\[\]-z|~]"
_MOST_SHOWN = 200
_PLAIN = {int: "int64", float: "float64", bool: "bool_", str: "string"}


def columns(record: type) -> pa.Schema:
    """The columns of a record model, in the order of its fields."""
    kinds = types_of(record).items()
    return pa.schema([(name, _type(str if name in _VARYING else kind)) for name, kind in kinds])


def _type(annotation: Any) -> pa.DataType:
    """The column type of an annotation; text for values of varying shape."""
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _type(inner[0])
    if origin is Literal:
        return _type(type(inner[0]))
    if origin is list:
        return pa.list_(_type(inner[0]))
    if origin is tuple:
        return pa.struct(list(zip(_SIGN, map(_type, inner), strict=True)))
    if origin is dict and inner[0] is str:
        return pa.map_(pa.string(), _type(inner[1]))
    if inner:
        present = [kind for kind in inner if kind is not NoneType]
        return _type(present[0]) if len(present) == 1 else pa.string()
    if is_record(annotation):
        return pa.struct(list(columns(annotation)))
    return getattr(pa, _PLAIN[str if issubclass(annotation, Enum) else annotation])()


class Writer:
    """Writes records to a file in row groups of bounded size; `close` completes the file."""

    def __init__(self, file: IO[bytes], out: str, record: type) -> None:
        self._out = out
        self._columns = columns(record)
        self._file = pq.ParquetWriter(file, self._columns, compression="zstd")
        self._rows: list[bytes] = []
        self._bytes = 0
        self._written = 0

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Add records, each a line of JSON in UTF-8 that ends with a line feed.

        Raises:
            SourceError: a value does not fit into its column.
        """
        self._rows += bytes(data).split(b"\n")[:-1]
        self._bytes += len(data)
        if len(self._rows) >= _GROUP_ROWS or self._bytes >= _GROUP_BYTES:
            self._write_group()

    def close(self) -> None:
        """Write the remaining rows and the footer of the file."""
        try:
            self._write_group()
        finally:
            self._file.close()

    def _write_group(self) -> None:
        rows, self._rows, self._bytes = self._rows, [], 0
        if not rows:
            return
        table = list(map(self._row, rows))
        try:
            self._file.write_batch(pa.RecordBatch.from_pylist(table, schema=self._columns))
        except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
            for number, row in enumerate(table, self._written + 1):
                self._check(row, number)
            raise
        self._written += len(table)

    def _check(self, row: dict[str, Any], number: int) -> None:
        try:
            pa.RecordBatch.from_pylist([row], schema=self._columns)
        except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError) as error:
            message = f"record {number} ({row.get('id')}) has a value that does not fit: "
            raise SourceError(self._out, message + " ".join(str(error).split())) from error

    def _row(self, line: bytes) -> dict[str, Any]:
        row: dict[str, Any] = orjson.loads(line)
        _varying_to_text(row)
        if signs := row.get("signs"):
            row["signs"] = [dict(zip(_SIGN, sign, strict=True)) for sign in signs]
        return row


def _varying_to_text(fields: dict[str, Any]) -> None:
    """Convert objects of varying shape to JSON text, in place."""
    for name, value in fields.items():
        if isinstance(value, dict) and name in _VARYING:
            fields[name] = orjson.dumps(value).decode()
            continue
        for element in value if isinstance(value, list) else [value]:
            if isinstance(element, dict):
                _varying_to_text(element)


def lines(
    file: IO[bytes], name: str, *, only_puzzles: bool = False
) -> Generator[bytes, None, None]:
    """The rows of a table as lines of JSON without absent values, many at a time.

    Unknown columns are included, and the rows are not validated.

    Args:
        file: the file, which must be seekable.
        name: its name, for errors.
        only_puzzles: skip columns that no reader of puzzles needs.

    Raises:
        SourceError: it can't be read, is not a table, has row groups that are too large, or no
            column with puzzles though they are wanted.
    """
    with _opened(file, name) as table:
        _check_groups(table.metadata, name)
        names = _puzzle_columns(table.schema_arrow.names, name) if only_puzzles else None
        for batch in table.iter_batches(_BATCH_ROWS, columns=names, use_threads=False):
            columns = _columns(batch)
            _check_cells(columns, name)
            used = batch.select(
                [name for name, column in columns if column.null_count < len(batch)]
            )
            yield _lines_of_columns(used) or b"".join(
                _line(row) + b"\n" for row in used.to_pylist(maps_as_pydicts="strict")
            )


@contextmanager
def _opened(file: IO[bytes] | str, name: str) -> Iterator[pq.ParquetFile]:
    """A table; what is wrong with it while it is open is an error of this name."""
    try:
        with pq.ParquetFile(file) as table:
            yield table
    # Dates that Python can't represent raise OverflowError.
    except (pa.ArrowException, OSError, ValueError, KeyError, OverflowError) as error:
        message = " ".join(str(error).split())
        raise SourceError(name, f"can't be read as a Parquet table: {message}") from error


def _puzzle_columns(names: list[str], table: str) -> list[str]:
    """The columns that readers of puzzles need; an error if none of them holds puzzles."""
    needed = {*KEYS, *PuzzleRecord.model_fields, "verdict", "error"}
    keys = {name: name.strip().lower() for name in names}
    if not {*PUZZLE_KEYS} & {*keys.values()}:
        shown = ", ".join(map(repr, names))[:_MOST_SHOWN]
        raise SourceError(table, f"has no column with puzzles, such as 'puzzle'; it has {shown}")
    return [name for name, key in keys.items() if key in needed]


def _lines_of_columns(batch: pa.RecordBatch) -> bytes | None:
    """The lines of plain columns, made column by column; None if one of them is not plain.

    They are integers, texts of printable ASCII without escapes, and lists that are all empty.
    """
    # Imported here and below, because writing does not need it.
    import pyarrow.compute as pc

    fields = []
    for name, column in _columns(batch):
        if pa.types.is_large_string(column.type):
            column = column.cast("string")
        key, type = orjson.dumps(name).decode() + ":", column.type
        if pa.types.is_list(type) and not column.null_count and not len(column.flatten()):
            fields.append(pa.repeat(key + "[]", len(batch)))
        elif pa.types.is_integer(type):
            fields.append(pc.binary_join_element_wise(key, column.cast("string"), ""))
        elif pa.types.is_string(type) and not (
            pc.any(pc.match_substring_regex(column, _ESCAPED)).as_py()
        ):
            fields.append(pc.binary_join_element_wise(key + '"', column, '"', ""))
        else:
            return None
    if not fields:
        return None
    records = pc.binary_join_element_wise(*fields, ",", null_handling="skip")
    lines = pc.binary_join_element_wise("{", records, "}\n", "").cast("binary").to_pylist()
    text = b"".join(lines)
    # A text that is no UTF-8 may pass for one without escapes.
    return text if text.isascii() else None


def chosen_columns(path: str, names: list[str]) -> Iterator[dict[str, Any]]:
    """Some columns of a table of ours.

    Raises:
        SourceError: it can't be read, or lacks a column.
    """
    with _opened(path, path) as table:
        for batch in table.iter_batches(_BATCH_ROWS, columns=names, use_threads=False):
            yield from batch.select(names).to_pylist()


def _columns(batch: pa.RecordBatch) -> list[tuple[str, pa.Array]]:
    return list(zip(batch.schema.names, batch.columns, strict=True))


def _check_groups(metadata: Any, name: str) -> None:
    # Not by column: pyarrow ends the process if what a damaged file says of one contradicts itself.
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        size, rows = group.total_byte_size, group.num_rows
        if size > MAX_GROUP_BYTES:
            message = f"has a row group of more than {MAX_GROUP_BYTES:,} bytes"
            raise SourceError(name, f"{message}; write smaller row groups")
        most = min((rows + _SPARE_ROWS) * _WIDE_ROW_BYTES, _WIDE_BYTES) + rows * _ROW_BYTES
        if size > most:
            shown = f"{rows:,} {'row' if rows == 1 else 'rows'}"
            message = f"has a row group of {size:,} bytes in {shown}"
            raise SourceError(name, f"{message}; expected at most {most:,}")


def _check_cells(columns: list[tuple[str, pa.Array]], name: str) -> None:
    """Refuse a text that no line can hold, before it is copied."""
    import pyarrow.compute as pc

    for title, column in columns:
        if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
            longest = pc.max(pc.binary_length(column)).as_py() or 0
            if longest > MAX_LINE_BYTES:
                message = f"column {title!r} has a text of {longest:,} bytes"
                raise SourceError(name, f"{message}; expected at most {MAX_LINE_BYTES:,}")


def _line(row: dict[str, Any]) -> bytes:
    fields = _without_absent(row)
    if isinstance(signs := fields.get("signs"), list):
        fields["signs"] = [list(sign.values()) for sign in signs if isinstance(sign, dict)]
    # An unknown column may contain values of any type.
    return orjson.dumps(fields, default=str)


def _without_absent(value: Any, name: str = "") -> Any:
    """A value of a column without what is absent in it, and with objects for their texts."""
    if isinstance(value, dict):
        present = ((key, field) for key, field in value.items() if field is not None)
        return {key: _without_absent(field, key) for key, field in present}
    if isinstance(value, list):
        return [_without_absent(element) for element in value]
    if name in _VARYING and str(value).startswith("{"):
        # Leave invalid JSON as it is: validation reports it.
        with suppress(orjson.JSONDecodeError):
            return orjson.loads(value)
    return value
