"""Fuzz the readers of formats: a puzzle that is written and read again stays the same."""

import io
from functools import cache
from itertools import islice
from pathlib import Path
from zlib import crc32

from binairo_cp import PLUS, UNRULY, Board, Puzzle, Rules, Sign, formats
from binairo_cp.errors import BinairoError, FormatError, SourceError
from binairo_cp.formats import Entry
from binairo_cp.formats.blocks import LineFormat, line_blocks
from binairo_cp.formats.columnar import plain
from binairo_cp.formats.sources import Source
from tests.fuzz.targets import Target

_WORDS = {
    "text": (
        "id: ", "rules: ", "signs: ", "r1c1=r1c2", "r2c1xr3c1", "classic", "unruly", "plus",
        "tango", "balanced=no", "longest_run=3", "distinct_lines=no", "odd=ones", "#", "\n\n",
    ),
    "line": ("4x4:", "2x6:", "255x255:", "#", " name", "\n", "0.1.", "-_?"),
    "json": (
        '"id":', '"height":', '"width":', '"clues":"', '"rules":', '"signs":[[0,0,"R","="]]',
        '"distinct_lines":false', '"puzzles":[', '"odd":"ones"', '"plus"', "{", "}", "[", "]",
        "1e999", "NaN", "-0", "null", "true", '"\\ud800"', '"\\u0000"', "123456789012345678901234",
    ),
    "task": ("a1", "b0", "z", "4x4:", "2x6:", "#", "\n", " name"),
    "unruly": ("6x6:", "6x6u:", "8x8dt:", "4:", "z", "Z", "a", "#", "\n", " name"),
    "symbols": (
        "X", "O", "x.o.\n", "⬛", "⬜", "🔴", "🔵", "☀️", "🌙", "▫", "\t", "id: x\n", "#", "\n", "0",
    ),
    "janko": (
        "begin\n", "puzzle Binairo\n", "size 4\n", "rows 4\n", "cols 6\n", "problem\n",
        "solution\n", "end\n", "title x\n", "nr 3\n", "- ", "1 ", "0 ",
    ),
    "csv": (",", ";", "# id: x\n", "1,,0,\n", "\n", '"', "#"),
}  # fmt: skip
_RECORDS = ("json", "ndjson")


def target(name: str) -> Target:
    words = _WORDS.get("json" if name == "ndjson" else name)
    if words is None:
        words = tuple(word for each in _WORDS.values() for word in each)
    names = list(formats.FORMATS) if name == "auto" else [name]
    seeds = [text.encode() for each in names for text in _seeds(each)]
    return Target(lambda data: check(data, name), tuple(seeds), tuple(map(str.encode, words)))


@cache
def some_entries() -> tuple[Entry, ...]:
    """Small puzzles of all rules, with and without ids and signs."""
    signs = (Sign(0, 0, "R", "="), Sign(0, 1, "D", "x"))
    own = (
        Entry(Puzzle(Board.empty(4, 4)), id="1"),
        Entry(Puzzle(Board.empty(1, 1), UNRULY), id="tiny"),
        Entry(Puzzle(Board.parse("1..0 .... ..1. ...."), PLUS, signs), id="with signs"),
        Entry(Puzzle(Board.parse("0.1.. ...1. 1...."), Rules(longest_run=3, odd="ones")), id="odd"),
        Entry(Puzzle(Board.parse("0. .1 .. 1."), Rules(balanced=False)), id="2"),
        Entry(Puzzle(Board.parse("0110 1001 0101 1010")), id="full"),
    )
    instances = Path(__file__).resolve().parents[2] / "instances"
    found = [
        entry
        for path in sorted(instances.rglob("*.txt"))
        for entry in islice(formats.read_sources([str(path)]), 2)
    ]
    small = (each for each in found if each.puzzle and len(each.puzzle.board.cells) <= 64)
    return (*own, *small)


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
