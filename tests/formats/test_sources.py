"""Sources: lines, blocks and formats do not depend on how the bytes arrive."""

import gzip
import io
import os
import re
import sys
from collections.abc import Iterable, Iterator
from itertools import accumulate, chain, cycle, pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from binairo_cp import CLASSIC, TANGO, UNRULY, Board, Puzzle, formats
from binairo_cp.errors import SourceError
from binairo_cp.formats import Entry, reading, sources, unpacking
from binairo_cp.formats import line as line_format
from binairo_cp.formats import text as text_format
from binairo_cp.formats.blocks import STRICT, LineBlock, LineFormat, entry_blocks, line_blocks
from binairo_cp.formats.columnar import plain
from binairo_cp.formats.sources import Piece, Source, TextLine, raw_lines, total_size
from tests.support.command_line import call
from tests.support.strategies import examples


class Chunks(io.BytesIO):
    """A stream whose reads return a few bytes each."""

    def __init__(self, data: bytes, sizes: list[int]) -> None:
        super().__init__(data)
        self._sizes = cycle(sizes)

    def read1(self, size: int | None = -1, /) -> bytes:
        return self.read(min(size or 0, next(self._sizes)))


def source_of(data: bytes, sizes: list[int] | None = None) -> Source:
    return Source("x", Chunks(data, sizes or [1 << 20]), lambda: 0)


some_bytes = st.lists(st.sampled_from([b"0", b"1.", b"\n", b"\n", b"\r\n"])).map(b"".join)
some_sizes = st.lists(st.integers(1, 9), min_size=1, max_size=5)


@examples(3)
@given(some_bytes, some_sizes, st.integers(1, 6), st.booleans())
def test_lines_do_not_depend_on_how_bytes_arrive(
    data: bytes, sizes: list[int], longest: int, peek: bool
) -> None:
    source = source_of(data, sizes)
    if peek:
        assert source.head() == data
    found: dict[int, bytes] = {}
    for piece in source.pieces(longest):
        for number, raw in enumerate(raw_lines(piece), piece.number):
            assert number not in found
            found[number] = raw
    lines = raw_lines(Piece(1, data))
    assert found.keys() == set(range(1, len(lines) + 1))
    for number, line in enumerate(lines, 1):
        # A line that is too long is cut, but still too long.
        assert found[number] == line or (
            len(found[number]) > longest and line.startswith(found[number])
        )


@pytest.mark.parametrize("size", [1, 7, 1_000])
def test_the_head_is_long_enough_and_is_not_lost(size: int, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sources, "_HEAD_BYTES", 10)
    monkeypatch.setattr(sources, "_HEAD_PIECE_BYTES", 4)
    data = b"0\n1\n2\n3\n4\n5\n6\n7\n8\n"
    source = source_of(data, [size])
    assert len(source.head()) >= 10
    assert source.head() == source.head()
    assert b"".join(piece.data for piece in source.pieces()) == data
    source = source_of(data, [size])
    source.head()
    assert source.document() == data


def test_limits_of_lines_and_documents(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "MAX_LINE_BYTES", 4)
    lines = [line for line in source_of(b"0123\n01234\n0123\r\n").lines() if line]
    expected = [(1, "0123", False), (2, "", True), (3, "", True)]
    assert [(line.number, line.text, bool(line.error)) for line in lines] == expected
    monkeypatch.setattr(sources, "MAX_DOCUMENT_BYTES", 4)
    for peek in (False, True):
        for data, is_too_long in ((b"0123", False), (b"01234", True)):
            source = source_of(data, [3])
            if peek:
                source.head()
            if is_too_long:
                with pytest.raises(SourceError, match="more than 4 bytes; use NDJSON"):
                    source.document()
            else:
                assert source.document() == data


@pytest.mark.parametrize("size", [1, 7, 1_000])
@pytest.mark.parametrize(("skipped", "is_refused"), [(8, False), (9, True)])
def test_a_line_that_seems_to_have_no_end_is_refused(
    size: int, skipped: int, is_refused: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "MAX_SKIPPED_BYTES", 8)
    monkeypatch.setattr(sources, "_CHUNK_BYTES", 1)
    pieces = source_of(b"01\n01234" + b"5" * (skipped - 1) + b"\n01\n", [size]).pieces(4)
    if is_refused:
        with pytest.raises(SourceError, match="a line of more than 12 bytes; what follows is not"):
            list(pieces)
    else:
        assert [piece.data for piece in pieces][-1] == b"01\n"


def test_a_device_that_never_ends_a_line_is_refused(tmp_path: Path) -> None:
    endless = tmp_path / "endless.line"
    endless.symlink_to("/dev/zero")
    status, out, err = call("check", str(endless), "--to", "line")
    assert (status, len(out.splitlines())) == (2, 1)
    assert f"{endless}: a line of more than 272,629,760 bytes; what follows is not read" in err


def test_byte_order_marks_are_only_at_the_beginning() -> None:
    mark = b"\xef\xbb\xbf"
    one, two = source_of(mark + b"0\n" + mark + b"1\n").lines()
    assert one
    assert two
    assert (one.text, two.text) == ("0", "\ufeff1")
    assert source_of(mark + b"[]").document() == b"[]"


class Broken(Chunks):
    """A stream that can't be read to its end."""

    def read1(self, size: int | None = -1, /) -> bytes:
        if data := super().read1(size):
            return data
        raise OSError(5, "Input/output error")


def test_lines_before_an_error_are_read() -> None:
    for peek in (False, True):
        source = Source("x", Broken(b"0\n1\n", [2]), lambda: 0)
        if peek:
            assert source.head() == b"0\n1\n"
        lines = source.lines()
        assert [line and line.text for line in (next(lines), next(lines))] == ["0", "1"]
        with pytest.raises(SourceError, match="x: can't be read: Input/output error"):
            next(lines)


# Blocks

LINES = formats.FORMATS["line"].read
assert isinstance(LINES, LineFormat)
some_lines = st.lists(
    st.sampled_from(["0110 a", "....", "0x", "# no", "", " ", " 01.. b", "2x2: 0110", "é"]),
    max_size=12,
)


def one_by_one(text: str) -> list[tuple[int | None, str | None]]:
    """The lines of the puzzles, and their ids."""
    found: list[tuple[int | None, str | None]] = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip() and not line.strip().startswith("#"):
            _, _, name = line.strip().partition(" ")
            name = "" if ":" in line else name
            found.append((number, name or str(len(found) + 1)))
    return found


@given(some_lines, st.booleans(), some_sizes, some_sizes)
def test_lines_are_split_into_blocks_of_the_requested_sizes(
    lines: list[str], ends: bool, chunks: list[int], requested: list[int]
) -> None:
    text = "\n".join(lines) + "\n" * ends
    sizes = cycle(requested)
    blocks = list(line_blocks(source_of(text.encode(), chunks), LINES, None, lambda: next(sizes)))
    assert all(0 < len(block) <= max(requested) for block in blocks)
    assert_same(blocks, text)
    number = 1
    *whole, last = [None, *line_blocks(source_of(f"{text}\n".encode()), LINES, None, lambda: 3)]
    for block in [*whole[1:], last]:
        if block is not None:
            assert (len(block), block.number) == (3 if block is not last else len(block), number)
            number += len(block)
            assert_splits(block)


def assert_splits(block: LineBlock) -> None:
    for size in (1, 2, 5):
        parts = list(block.parts(size))
        assert [len(part) for part in parts[:-1]] == [size] * (len(parts) - 1)
        assert sum(map(len, parts)) == len(block)
        assert places(chain.from_iterable(parts)) == places(block)


def places(entries: Iterable[Entry]) -> list[tuple[object, ...]]:
    return [(entry.puzzle, entry.id, entry.line, str(entry.error)) for entry in entries]


def assert_same(blocks: list[LineBlock], text: str) -> None:
    found = []
    for block in blocks:
        entries = list(block)
        assert len(entries) == len(block)
        skipped = [line for line, _ in block.entries()][::2]
        again = list(block.entries(skipped))
        assert [entry is None for _, entry in again] == [k % 2 == 0 for k in range(len(block))]
        assert places(entry for _, entry in again if entry) == places(entries[1::2])
        found += [(entry.line, entry.id) for entry in entries]
    assert found == one_by_one(text)


def test_entries_before_an_error_are_not_lost() -> None:
    def some() -> Iterator[Entry | None]:
        yield None
        yield from [Entry(), Entry()]
        yield None
        yield from [Entry(id="x"), Entry(), Entry(), Entry()]
        raise SourceError("x", "is broken")

    sizes = iter([3, 3, 9, 9])
    blocks = entry_blocks(some(), lambda: next(sizes))
    expected = [[], ["1", "2"], ["x", "4", "5"], ["6"]]
    assert [[entry.id for entry in next(blocks)] for _ in range(4)] == expected
    with pytest.raises(SourceError, match="is broken"):
        next(blocks)


def test_progress_is_that_of_the_files(tmp_path: Path) -> None:
    one, two, packed = tmp_path / "one", tmp_path / "two", tmp_path / "packed"
    one.write_text("01\n10\n")
    two.write_text("01\n10\n\n" * 2)
    packed.write_bytes(gzip.compress(b"01\n10\n"))
    names = [str(one), str(two), str(packed)]
    tally = formats.Tally()
    done = []
    for block in formats.read_blocks(names, lambda: 1, formats.Choices(), None, tally):
        assert len(block) == 1
        done.append(tally.done)
    size = packed.stat().st_size
    assert tally.total == 6 + 14 + size
    assert done == [6, 20, 20, 20 + size]
    assert total_size(["-", str(one)]) is None


def test_lines_of_blanks_of_any_kind_are_no_puzzle() -> None:
    for blank in ("\u00a0", "\u2028", "\x1c", "\u3000 ", " \v"):
        (entry,) = formats.read_bytes(f"{blank}\n{blank}\n".encode(), "x")
        assert str(entry.error) == "x: contains no puzzle"


@given(st.text(alphabet='\t \n\v\u00a0\u2028\u200b#01.|-[],:=+{"x*2\r', max_size=30))
def test_no_text_is_an_internal_error(text: str) -> None:
    for entry in formats.read_bytes(text.encode(), "x"):
        assert (entry.puzzle is None) != (entry.error is None)


@pytest.mark.parametrize("suffix", ["txt", "line"])
def test_an_unforeseen_error_costs_only_its_source(
    suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or its line, if each line is a puzzle."""
    text_of_entries, parse = text_format.entries, line_format.parsed

    def entries(lines: list[TextLine], *rest: Any) -> Iterator[Entry]:
        if lines[0].text.startswith(("1", "4x4:1")):
            raise RuntimeError("out of order")
        return text_of_entries(lines, *rest)

    def parsed(content: str, *rest: Any) -> line_format.Parts:
        if content.startswith(("1", "4x4:1")):
            raise RuntimeError("out of order")
        return parse(content, *rest)

    monkeypatch.delenv(STRICT)
    monkeypatch.setattr(text_format, "entries", entries)
    monkeypatch.setattr(line_format, "parsed", parsed)
    names = [tmp_path / f"{name}.{suffix}" for name in "abc"]
    for name, begin in zip(names, "010", strict=True):
        name.write_text(f"4x4:{begin}" + "." * 15 if suffix == "line" else f"{begin}.\n..\n")
    found = [entry.error for entry in formats.read_sources(names)]
    assert (found[0], found[2]) == (None, None)
    assert "b." in str(found[1])
    assert str(found[1]).endswith("internal error: RuntimeError: out of order")


def test_sources_without_puzzles_are_reported(tmp_path: Path) -> None:
    empty, good = tmp_path / "empty", tmp_path / "good"
    empty.write_text("# nothing\n")
    good.write_text("01\n10\n")
    names = [str(empty), str(good), str(tmp_path / "none")]
    errors: list[SourceError] = []
    blocks = formats.read_blocks(
        names, lambda: 1, formats.Choices(), None, formats.Tally(), errors.append
    )
    assert [len(block) for block in blocks] == [1]
    assert [(error.source, error.without_place) for error in errors] == [
        (names[0], "contains no puzzle"),
        (names[2], "can't be opened: No such file or directory"),
    ]
    (entry,) = formats.read_bytes(b"# nothing\n", "x")
    assert str(entry.error) == "x: contains no puzzle"


# Detection of the format of a pipe

WORDS = [
    *("1 " + "." * 16, "." * 16 + " " + "01" * 8, "id,puzzle", "Puzzle 1", "X" + "." * 15, "4"),
    *("0110", "." * 16, ".1" * 8, "0", "01", "01.", "name", "# note", "", " ", "2x2:0110", "4x4:"),
    *("0 1", "01 10", "0110 1001", "0110 1001 0.1. ....", "0110 name", "id: x", "[", '{"id":1}'),
    *("6x6u:CafBAdEAcDaf", "a1c", "begin", "0,1", "0\t1", "\t", "# id: x"),
]


@examples(10)
@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=6))
@example(["0110 1001 0.1. ...."] * 5)
@example([".1" * 8] * 17)
def test_the_format_does_not_depend_on_how_bytes_arrive(lines: list[str]) -> None:
    """If the first lines of a pipe determine the format, the lines after them don't change it."""
    data = "".join(f"{line}\n" for line in lines).encode()
    format = reading._guess(data)[0]
    for end in accumulate(len(line) + 1 for line in lines):
        if reading._is_certain(data[:end]):
            assert reading._guess(data[:end])[0] == format


@pytest.mark.parametrize(("text", "needed"), [
    ("[\n", 1),
    ('{"height":2}\n', 1),
    ("6x6u:CafBAdEAcDaf\n", 1),
    ("0110 name\n", 1),
    ("2x2:0110\n", 1),
    ("01.\n01.\n", 1),
    ("." * 16 + "\n\n", None),
    ("# note\n\n" + ("." * 16 + "\n") * 2 + "\n", 5),
    (("." * 16 + "\n") * 40, 33),
    (("." * 25 + "\n") * 40, 26),
    (("1 " + "." * 16 + "\n") * 20, 17),
    ("." * 16 + " name\n", 1),
    ("." * 16 + " " + "01" * 8 + "\n", 1),
    ("01\n10\n" * 20, 1),
    ("0110\n1001\n" * 20, 1),
    ("0 1\n1 0\n" * 20, 1),
    ("0\t1\n1\t0\n", 1),
    ("0,,1\n", 1),
    ("0.1. .1.0\n", 1),
    ("id: first\n0..1\n", 1),
    ("..10..\n", 1),  # no square
    ("begin\n", 1),
    ("id,puzzle\n", 1),
    ("# note\n", None),
])  # fmt: skip
def test_the_format_is_known_as_early_as_possible(text: str, needed: int | None) -> None:
    lines = text.splitlines(keepends=True)
    certain = (
        number
        for number in range(1, len(lines) + 1)
        if reading._is_certain("".join(lines[:number]).encode())
    )
    assert next(certain, None) == needed
    # The beginning of a line does not count.
    for one, two in pairwise("".join(lines[:k]) for k in range(len(lines) + 1)):
        begun = one.encode() + b"0"
        assert reading._is_certain(begun) == reading._is_certain(one.encode()) or two == begun


# Pipes and compressed files


def test_a_pipe_is_read_as_its_data_arrives(monkeypatch: pytest.MonkeyPatch) -> None:
    # A negative number would wait for data forever.
    assert 0 < sources._POLL_SECONDS < 1
    monkeypatch.setattr(sources, "_POLL_SECONDS", 0.0)
    monkeypatch.setattr(sources, "_SECONDS_BEFORE_NOTICE", 0.0)
    read, write = os.pipe()
    with open(read, "rb") as pipe, open(write, "wb", buffering=0) as out:
        out.write(b"0110 a\n")
        source = Source("x", pipe, lambda: 0)
        assert source.head(lambda head: head.endswith(b"\n")) == b"0110 a\n"
        pieces = source.pieces()
        assert next(pieces) == Piece(1, b"0110 a\n")
        assert next(pieces) == Piece(2, b"")
        out.write(b"1001 b\n01")
        assert next(pieces) == Piece(2, b"1001 b\n")
        assert next(pieces) == Piece(3, b"")
        out.close()
        assert list(pieces) == [Piece(3, b"01")]


def test_blocks_of_a_pipe_are_empty_while_it_has_no_data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "_POLL_SECONDS", 0.0)
    for format, text in (("line", b"0110\n"), ("text", b"01\n10\n\n")):
        read, write = os.pipe()
        with open(read, "rb") as pipe, open(write, "wb", buffering=0) as out:
            out.write(text)
            source = Source("x", pipe, lambda: 0)
            blocks = formats.FORMATS[format].blocks(source, None, lambda: 5)
            assert [len(next(blocks)) for _ in range(3)] == [1, 0, 0]
            out.write(text)
            out.close()
            later = list(blocks)
            assert [len(block) for block in later] == [1]
            assert [entry.id for entry in later[0]] == ["2"]


def test_other_compressions_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for magic, command in unpacking._COMMANDS.items():
        file = tmp_path / "x"
        file.write_bytes(magic + b"...")
        with (
            pytest.raises(SourceError, match=re.escape(f"{command} {file} | binairo ... -")),
            sources.open_source(str(file)),
        ):
            pass
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(magic + b"...")))
        with (
            pytest.raises(SourceError, match=re.escape(f"{command} FILE | binairo ... -")),
            sources.open_source("-"),
        ):
            pass
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(SourceError, match="standard input is closed"), sources.open_source("-"):
        pass


def test_standard_input_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    for data in (b"0110 a\n", gzip.compress(b"0110 a\n")):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        with sources.open_source("-") as source:
            assert [line and line.text for line in source.lines()] == ["0110 a"]


def test_folders_expand_to_files_with_the_suffixes(tmp_path: Path) -> None:
    for name in ("a.line", "b.line.gz", "c.gz", "d.text"):
        (tmp_path / name).touch()
    (tmp_path / "e.line").mkdir()
    names = formats.files_of([str(tmp_path), f"{tmp_path}/*.gz", "-"])
    assert [str(name).removeprefix(f"{tmp_path}/") for name in names] == [
        "a.line", "b.line.gz", "b.line.gz", "c.gz", "-",
    ]  # fmt: skip
    (tmp_path / "[x]").touch()
    assert formats.files_of([f"{tmp_path}/[x]"]) == [f"{tmp_path}/[x]"]


# Arrays of plain puzzles


@pytest.mark.parametrize("format", ["line", "ndjson"])
def test_arrays_have_boards_up_to_the_longest_side(format: str) -> None:
    boards = [Board.empty(side, side) for side in range(1, 6)]
    entries = [Entry(Puzzle(board), id="x") for board in boards]
    text = "".join(formats.write(entries, format)).encode()
    read = formats.FORMATS[format].read
    assert isinstance(read, LineFormat)
    for longest in range(1, 6):
        (block,) = line_blocks(source_of(text), read, None, lambda: 9)
        found = list(plain(block, longest))
        assert [each.clues.shape for each in found] == [(1, k, k) for k in range(1, longest + 1)]
        assert [each.lines.tolist() for each in found] == [[k] for k in range(longest)]
        assert {id for each in found for id in each.ids.tolist()} == {b"x"}


def test_arrays_have_only_plain_records() -> None:
    good = '{"height":1,"width":2,"clues":"01"}'
    lines = [
        good,
        good.replace("1,", "true,", 1),
        good.replace("2", "2.0"),
        good.replace("1,", "-1,", 1).replace("2", "-2"),
        good.replace('"01"', '["0","1"]'),
        good.replace("01", "0é"),
        good.replace("01", "0x"),
        good.replace("01", "011"),
        good.replace("}", ',"id":["x"]}'),
        good.replace("}", ',"id":5}'),
        good.replace("}", ',"signs":[]}'),
        good.replace("}", ',"distinct_lines":0}'),
        good.replace("}", ',"distinct_lines":false}'),
        good.replace("}", ',"rules":"tango"}'),
        good.replace("}", ',"rules":"other"}'),
        good.replace("}", f',"x":{"[" * 99}{"]" * 99}}}'),
        good.replace("}", f',"x":{"[" * 100}{"]" * 100}}}'),
        good.replace("}", ',"x":"\\r"}'),
        "[1]",
        good + "\r",
    ]
    read = formats.FORMATS["ndjson"].read
    assert isinstance(read, LineFormat)
    data = "".join(line.replace("\\r", "\r") + "\n" for line in lines).encode()
    (block,) = line_blocks(source_of(data), read, None, lambda: 99)
    found = {
        line: (id, each.rules)
        for each in plain(block, 9)
        for line, id in zip(each.lines.tolist(), each.ids.tolist(), strict=True)
    }
    assert found == {
        0: (b"", CLASSIC),
        9: (b"5", CLASSIC),
        10: (b"", CLASSIC),
        12: (b"", UNRULY),
        13: (b"", TANGO),
        15: (b"", CLASSIC),
        19: (b"", CLASSIC),
    }
