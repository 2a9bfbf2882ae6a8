"""The file of API keys."""

from __future__ import annotations

from pathlib import Path

import pytest

from binairo_cp.errors import ServiceError
from binairo_cp.service import clients


def test_each_key_has_an_owner(tmp_path: Path) -> None:
    (alice, line_a), (bob, line_b) = clients.new_key("alice"), clients.new_key("bob")
    path = tmp_path / "keys"
    path.write_text(f"# keys\n\n{line_a}  # on holiday\n   {line_b}\n")
    known = clients.read_keys(path)
    assert [known.name_of(key) for key in (alice, bob, "", alice + "x")] == [
        "alice",
        "bob",
        None,
        None,
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{a}\n\n{a}\n", ":3: duplicate name"),
        ("# keys\n{a}\n{b}\nalice sha256:" + "0" * 64 + "\n", ":4: duplicate name"),
        ("{a}\nbob\n", ":2: not a name and a hash"),
        ("bob sha256:00\n", ":1: not a name and a hash"),
        ("{a} {b}\n", ":1: not a name and a hash"),
        ("# empty\n\n", ": the file contains no keys"),
    ],
)
def test_errors_name_the_line(tmp_path: Path, text: str, expected: str) -> None:
    path = tmp_path / "keys"
    path.write_text(text.format(a=clients.new_key("alice")[1], b=clients.new_key("bob")[1]))
    with pytest.raises(ServiceError) as refused:
        clients.read_keys(path)
    assert str(refused.value).startswith(f"{path}{expected}")


def test_an_unreadable_file_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "bytes").write_bytes(b"\xff\xfe")
    for name in ("bytes", "nothing", "."):
        with pytest.raises(ServiceError, match="can't be read"):
            clients.read_keys(tmp_path / name)
