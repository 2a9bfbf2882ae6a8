"""Fuzz the readers of formats: a puzzle that is written and read again stays the same."""

from __future__ import annotations

import io
from zlib import crc32

from binairo_cp import formats
from binairo_cp.errors import BinairoError, FormatError, SourceError
from binairo_cp.formats import Entry
from binairo_cp.formats.blocks import LineFormat, line_blocks
from binairo_cp.formats.columnar import plain
from binairo_cp.formats.sources import Source
from tests.fuzz.seeds import some_entries
from tests.fuzz.targets import Target

_WORDS = {
    "text": (
        "id: ",
        "rules: ",
        "signs: ",
        "r1c1=r1c2",
        "r2c1xr3c1",
        "classic",
        "unruly",
        "plus",
        "tango",
        "balanced=no",
        "longest_run=3",
        "distinct_lines=no",
        "odd=ones",
        "#",
        "\n\n",
    ),
    "line": ("4x4:", "2x6:", "255x255:", "#", " name", "\n", "0.1.", "-_?"),
    "json": (
        '"id":',
        '"height":',
        '"width":',
        '"clues":"',
        '"rules":',
        '"signs":[[0,0,"R","="]]',
        '"distinct_lines":false',
        '"puzzles":[',
        '"odd":"ones"',
        '"plus"',
        "{",
        "}",
        "[",
        "]",
        "1e999",
        "NaN",
        "-0",
        "null",
        "true",
        '"\\ud800"',
        '"\\u0000"',
        "123456789012345678901234",
    ),
    "task": ("a1", "b0", "z", "4x4:", "2x6:", "#", "\n", " name"),
    "unruly": ("6x6:", "6x6u:", "8x8dt:", "4:", "z", "Z", "a", "#", "\n", " name"),
    "symbols": (
        "X",
        "O",
        "x.o.\n",
        "⬛",
        "⬜",
        "🔴",
        "🔵",
        "☀️",
        "🌙",
        "▫",
        "\t",
        "id: x\n",
        "#",
        "\n",
        "0",
    ),
    "janko": (
        "begin\n",
        "puzzle Binairo\n",
        "size 4\n",
        "rows 4\n",
        "cols 6\n",
        "problem\n",
        "solution\n",
        "end\n",
        "title x\n",
        "nr 3\n",
        "- ",
        "1 ",
        "0 ",
    ),
    "csv": (",", ";", "# id: x\n", "1,,0,\n", "\n", '"', "#"),
}
_RECORDS = ("json", "ndjson")


def target(name: str) -> Target:
    """A reader by the name of its format."""
    words = _WORDS.get("json" if name == "ndjson" else name)
    if words is None:
        words = tuple(word for each in _WORDS.values() for word in each)
    names = list(formats.FORMATS) if name == "auto" else [name]
    seeds = [text.encode() for each in names for text in _seeds(each)]
    return Target(lambda data: check(data, name), tuple(seeds), tuple(map(str.encode, words)))


def _seeds(format: str) -> list[str]:
    """One file for each entry that the format can hold, and a file with several."""
    texts: list[str] = []
    good: list[Entry] = []
    for entry in some_entries():
        try:
            texts.append("".join(formats.write([entry], format)))
            good.append(entry)
        except FormatError:
            pass
    return [*texts, "".join(formats.write(good[:4], format))]


def check(data: bytes, format: str) -> None:
    """Read an input.

    Each entry has a puzzle or an error of the package. A puzzle that a format can hold stays the
    same when it is written and read again. The fast path for lines gives the same puzzles.
    """
    entries = list(formats.read_bytes(data, "x", format))
    assert entries
    others = list(formats.FORMATS)
    for number, entry in enumerate(entries):
        if entry.puzzle is None:
            assert isinstance(entry.error, FormatError | SourceError), entry
            assert str(entry.error)
            continue
        assert entry.error is None
        assert entry.id
        check_round_trip("ndjson", entry)
        check_round_trip(format if format != "auto" else "text", entry)
        if number < 3:
            check_round_trip(others[crc32(data) % len(others)], entry)
    if format in ("line", "ndjson"):
        check_plain(data, format)


def check_round_trip(format: str, entry: Entry) -> None:
    """Write a puzzle, read it again, and compare."""
    assert entry.puzzle
    try:
        text = "".join(formats.write([entry], format))
    except BinairoError:
        assert format not in _RECORDS
        return
    found = list(formats.read_bytes(text.encode(), "x", format, entry.puzzle.rules))
    read_again = [(each.puzzle, each.id, each.error) for each in found]
    assert read_again == [(entry.puzzle, entry.id, None)], (format, text, read_again)


def check_plain(data: bytes, format: str) -> None:
    """Compare the arrays of plain puzzles with the entries of the same lines."""
    read = formats.FORMATS[format].read
    assert isinstance(read, LineFormat)
    for block in line_blocks(Source("x", io.BytesIO(data), lambda: 0), read, None, lambda: 100):
        common = {line: entry for line, entry in block.entries() if entry}
        for each in plain(block, 64):
            signs = each.signs or [()] * len(each.lines)
            ids = (id.decode() for id in each.ids.tolist())
            for line, id, clues, own in zip(each.lines, ids, each.clues, signs, strict=True):
                puzzle = common[line].puzzle
                assert puzzle, (line, common[line].error)
                assert clues.shape == (puzzle.board.height, puzzle.board.width)
                assert clues.tobytes().decode() == puzzle.board.cells
                assert (each.rules, own) == (puzzle.rules, puzzle.signs)
                assert id in (common[line].id, "")
