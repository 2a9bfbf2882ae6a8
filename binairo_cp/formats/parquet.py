"""Records as Parquet, a table for DuckDB, Polars and pandas, by pyarrow (the extra ``parquet``).

The columns follow the fields of a record in `schema`, so that they are the same whatever the
records hold: text, numbers, lists and structs. What varies in shape (`rules`, `readings`) is text:
a name as it is, an object as JSON.
"""

from __future__ import annotations

import io
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from enum import Enum
from functools import partial
from types import NoneType
from typing import IO, TYPE_CHECKING, Annotated, Any, Literal, get_args, get_origin

import orjson
from pydantic import BaseModel

from binairo_cp.errors import SourceError
from binairo_cp.workers.extras import require_extra

if TYPE_CHECKING:
    import pyarrow as pa

SUFFIX = ".parquet"
MAGIC = b"PAR1"
"""What such a file begins with."""

MAX_GROUP_BYTES = 1 << 30
"""The largest group of rows that is read, in bytes, unpacked."""

_GROUP_ROWS = 1 << 16
_GROUP_CHARACTERS = 16 << 20
_BATCH_ROWS = 1 << 10
_VARYING = ("rules", "readings")
_SIGN = ("row", "column", "direction", "relation")
_PLAIN = {int: "int64", float: "float64", bool: "bool_", str: "string"}


def columns(record: type[BaseModel]) -> pa.Schema:
    """The columns of a kind of record, in the order of its fields."""
    import pyarrow as pa

    return pa.schema([(name, _type(each.annotation)) for name, each in _fields(record)])


def _fields(record: type[BaseModel]) -> list[tuple[str, Any]]:
    return list(record.model_fields.items())


def _type(annotation: Any) -> pa.DataType:
    """The type of a column that has what an annotation says; text for what is of varying shape."""
    import pyarrow as pa

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
        present = [each for each in inner if each is not NoneType]
        return _type(present[0]) if len(present) == 1 else pa.string()
    if issubclass(annotation, BaseModel):
        return pa.struct([(name, _type(each.annotation)) for name, each in _fields(annotation)])
    return getattr(pa, _PLAIN[str if issubclass(annotation, Enum) else annotation])()


Names = dict[str, "Names"]
"""The names of columns, each with those of the fields in it, if it is of structs."""


def names(record: type[BaseModel]) -> Names:
    """The names of the columns of a kind of record."""
    return _inner_names(columns(record))


def _inner_names(held: Iterable[pa.Field]) -> Names:
    import pyarrow as pa

    found: Names = {}
    for each in held:
        type = each.type
        while pa.types.is_list(type):
            type = type.value_type
        found[each.name] = _inner_names(type) if pa.types.is_struct(type) else {}
    return found


def without_column(fields: dict[str, Any], held: Names) -> str | None:
    """A field of a record that has no column, or of a struct in it that has no place there."""
    for name, value in fields.items():
        inner = held.get(name)
        if inner is None:
            return name
        for each in (value if isinstance(value, list) else [value]) if inner else ():
            if isinstance(each, dict) and (lacking := without_column(each, inner)):
                return f"{name}.{lacking}"
    return None


class Writer:
    """Writes records to a file in groups of bounded size.

    Args:
        file: where they go.
        out: its name, for errors.
        record: the kind of record.

    Raises:
        SourceError: pyarrow is not installed.
    """

    def __init__(self, file: IO[bytes], out: str, record: type[BaseModel]) -> None:
        with require_extra("parquet", partial(SourceError, out)):
            import pyarrow.parquet as pq
        self._out = out
        self._columns = columns(record)
        self._file = pq.ParquetWriter(file, self._columns, compression="zstd")
        self._rows: list[bytes] = []
        self._characters = 0
        self._written = 0

    def write(self, text: str) -> None:
        """Add records, each a line of JSON with its end.

        Raises:
            SourceError: a value does not fit into its column.
        """
        self._rows += text.encode().split(b"\n")[:-1]
        self._characters += len(text)
        if len(self._rows) >= _GROUP_ROWS or self._characters >= _GROUP_CHARACTERS:
            self._put()

    def close(self) -> None:
        """Write what is left, and the end of the file."""
        try:
            self._put()
        finally:
            self._file.close()

    def _put(self) -> None:
        import pyarrow as pa

        rows, self._rows, self._characters = self._rows, [], 0
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
        import pyarrow as pa

        try:
            pa.RecordBatch.from_pylist([row], schema=self._columns)
        except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError) as error:
            told = f"record {number} ({row.get('id')}) has a value without room: "
            raise SourceError(self._out, told + " ".join(str(error).split())) from error

    def _row(self, line: bytes) -> dict[str, Any]:
        row: dict[str, Any] = orjson.loads(line)
        _put_into_words(row)
        if signs := row.get("signs"):
            row["signs"] = [dict(zip(_SIGN, sign, strict=True)) for sign in signs]
        return row


def _put_into_words(fields: dict[str, Any]) -> None:
    """Make text of what varies in shape."""
    for name, value in fields.items():
        if isinstance(value, dict):
            if name in _VARYING:
                fields[name] = orjson.dumps(value).decode()
            else:
                _put_into_words(value)


@contextmanager
def writing(file: IO[bytes], out: str, record: type[BaseModel]) -> Iterator[Writer]:
    """A writer whose file is whole in the end, whatever ends the writing."""
    writer = Writer(file, out, record)
    try:
        yield writer
    finally:
        writer.close()


class JsonLines(io.RawIOBase):
    """The rows of a table as lines of JSON, to be read as a file of them would be.

    Args:
        rows: the lines without their ends.
    """

    def __init__(self, rows: Iterator[bytes]) -> None:
        self._rows = rows
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer as far as there are lines."""
        done = 0
        while done < len(buffer):
            if not self._rest and (row := next(self._rows, None)) is not None:
                self._rest = memoryview(row + b"\n")
            part = self._rest[: len(buffer) - done]
            if not part:
                break
            buffer[done : done + len(part)] = part
            done, self._rest = done + len(part), self._rest[len(part) :]
        return done


def rows(file: IO[bytes], name: str) -> Generator[bytes, None, None]:
    """The rows of a table as lines of JSON without their ends, and without what is absent.

    Columns that no record has are there too, and no row is checked.

    Args:
        file: where it is; it must be seekable.
        name: of the file, for errors.

    Raises:
        SourceError: it can't be read, or is no table, or has too large groups of rows.
    """
    with require_extra("parquet", partial(SourceError, name)):
        import pyarrow as pa
        import pyarrow.parquet as pq
    try:
        with pq.ParquetFile(file) as table:
            _check_groups(table.metadata, name)
            for batch in table.iter_batches(_BATCH_ROWS, use_threads=False):
                held = [each for each, column in _named(batch) if column.null_count < len(batch)]
                yield from map(_line, batch.select(held).to_pylist(maps_as_pydicts="strict"))
    except (pa.ArrowException, OSError, ValueError, KeyError) as error:
        told = " ".join(str(error).split())
        raise SourceError(name, f"can't be read as a table: {told}") from error


def _named(batch: pa.RecordBatch) -> list[tuple[str, pa.Array]]:
    return list(zip(batch.schema.names, batch.columns, strict=True))


def _check_groups(metadata: Any, name: str) -> None:
    for number in range(metadata.num_row_groups):
        if metadata.row_group(number).total_byte_size > MAX_GROUP_BYTES:
            raise SourceError(
                name, f"has a group of rows of more than {MAX_GROUP_BYTES:,} bytes; expected less"
            )


def _line(row: dict[str, Any]) -> bytes:
    fields = _without_absent(row)
    if isinstance(signs := fields.get("signs"), list):
        fields["signs"] = [list(sign.values()) for sign in signs if isinstance(sign, dict)]
    # Of a column that is none of a record there may be anything.
    return orjson.dumps(fields, default=str)


def _without_absent(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _present(name, each) for name, each in value.items() if each is not None}
    return [_without_absent(each) for each in value] if isinstance(value, list) else value


def _present(name: str, value: Any) -> Any:
    if isinstance(value, dict | list):
        return _without_absent(value)
    if name in _VARYING and str(value).startswith("{"):
        # What is no JSON is left, and is no record.
        with suppress(orjson.JSONDecodeError):
            return orjson.loads(value)
    return value
