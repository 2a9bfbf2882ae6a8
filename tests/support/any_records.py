"""Hypothesis strategies for the records of `schema`, and such records as a Parquet table."""

import io
from contextlib import closing
from dataclasses import MISSING, fields
from types import NoneType
from typing import Annotated, Any, Literal, get_args, get_origin

from hypothesis import strategies as st
from pydantic import BaseModel

from binairo_cp.formats import parquet
from binairo_cp.formats.results import ResultRecord
from binairo_cp.formats.schema import RulesRecord, is_record, types_of
from binairo_cp.puzzle.rules import Rules

PLAIN = {
    int: st.integers(1, 200),
    str: st.text(max_size=5) | st.just('{"a":1}'),
    bool: st.booleans(),
    float: st.floats(allow_nan=False, allow_infinity=False),
    NoneType: st.none(),
    RulesRecord: st.just(Rules(odd="ones")),
}


def values(annotation: Any, least: int = 0, most: int = 2) -> st.SearchStrategy[Any]:
    """Values for the annotation of a field, so that new fields are tested too."""
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return values(inner[0], *_lengths(inner[1:]))
    if origin is Literal:
        return st.sampled_from(inner)
    if origin is list:
        return st.lists(values(inner[0]), min_size=least, max_size=most)
    if origin is tuple:
        return st.tuples(*map(values, inner))
    if origin is dict:
        return st.dictionaries(values(inner[0]), values(inner[1]), max_size=2)
    if inner:
        return st.one_of(*map(values, inner))
    if annotation in PLAIN:
        return PLAIN[annotation]
    return records(annotation) if is_record(annotation) else st.sampled_from(list(annotation))


def _lengths(metadata: tuple[Any, ...]) -> tuple[int, int]:
    bounds = [bound for each in metadata for bound in getattr(each, "metadata", ())]
    least = next((each.min_length for each in bounds if hasattr(each, "min_length")), 0)
    return least, next((each.max_length for each in bounds if hasattr(each, "max_length")), 2)


@st.composite
def records(draw: st.DrawFn, kind: Any) -> Any:
    """A record with the required fields and a few optional ones."""
    if issubclass(kind, BaseModel):
        types = {name: Annotated[each.annotation, each] for name, each in kind.model_fields.items()}
        needed = {name for name, each in kind.model_fields.items() if each.is_required()}
    else:
        types = types_of(kind)
        needed = {f.name for f in fields(kind) if f.default is f.default_factory is MISSING}
    chosen = needed | draw(st.sets(st.sampled_from(sorted(types)), max_size=5))
    return kind(**{name: draw(values(each)) for name, each in types.items() if name in chosen})


any_records = values(ResultRecord)


def written(records: list[Any], kind: type) -> bytes:
    file = io.BytesIO()
    with closing(parquet.Writer(file, "out.parquet", kind)) as writer:
        for record in records:
            writer.write(record.to_json().encode() + b"\n")
    return file.getvalue()
