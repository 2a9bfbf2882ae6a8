"""The standard library's JSON, which stands in for orjson, reads and writes the same."""

from __future__ import annotations

import json
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from binairo_cp.json_library import _StandardLibrary
from tests.support.strategies import examples

_plain = st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.floats() | st.text()
_values = st.recursive(_plain, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner))


@examples(1)
@given(_values)
def test_the_same_texts_are_written(value: Any) -> None:
    for option in (0, orjson.OPT_SORT_KEYS):
        theirs = orjson.dumps(value, option=option)
        ours = _StandardLibrary.dumps(value, option=option and _StandardLibrary.OPT_SORT_KEYS)
        assert orjson.loads(ours) == orjson.loads(theirs)
        assert _StandardLibrary.loads(theirs) == orjson.loads(theirs)
        assert len(ours.splitlines()) == len(theirs.splitlines())


@examples(1)
@given(_values.map(json.dumps), st.data())
def test_the_same_texts_are_read(text: str, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(text)))
    broken = text[:place] + data.draw(st.sampled_from(["", '"', "\\ud800", "9" * 400, "NaN", ","]))
    for given_text in (text, broken + text[place:], broken):
        try:
            theirs = orjson.loads(given_text)
        except orjson.JSONDecodeError:
            with pytest.raises(json.JSONDecodeError):
                _StandardLibrary.loads(given_text)
        else:
            assert _StandardLibrary.loads(given_text.encode()) == theirs


@pytest.mark.parametrize("text", [b"\xff", b"[" * 100_000, b"", b"1e400", b'"\\ud800"'])
def test_what_orjson_refuses_is_refused(text: bytes) -> None:
    with pytest.raises(orjson.JSONDecodeError):
        orjson.loads(text)
    with pytest.raises(json.JSONDecodeError):
        _StandardLibrary.loads(text)


def test_other_types_are_left_to_the_caller() -> None:
    assert _StandardLibrary.dumps({"a": {1}}, default=list) == orjson.dumps({"a": {1}}, list)
    with pytest.raises(TypeError, match="set"):
        _StandardLibrary.dumps({1})
