"""Read puzzles in the ways in which people write them, if only one way is plausible.

`pieces` splits a text at blank lines. Each part is a board with one row per line, or one puzzle
per line (`lists`), perhaps with headers, a heading or a size (`text_parts`). All readings of a part
are tried: `candidates` finds the boards that rows can mean. A part with one plausible reading is
that puzzle. All others are refused; the error names the readings, and how to choose one.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import dropwhile

from binairo_cp.errors import FormatError
from binairo_cp.formats import (
    candidates,
    cells,
    codes,
    framing,
    line,
    lists,
    markup,
    relations,
    tables,
    text,
)
from binairo_cp.formats.candidates import Candidate, unclear
from binairo_cp.formats.doubts import MOST_ABOVE, SOLUTION, Words, other_way, solves
from binairo_cp.formats.entry import AUTOMATIC, Choices, Entry, placed, with_solution
from binairo_cp.formats.pieces import MOST_LINES, are_between, are_signs, groups, split
from binairo_cp.formats.sources import Source, TextLine, text_source
from binairo_cp.formats.text_parts import (
    TextPart,
    is_heading,
    may_have_blanks,
    size_in,
    size_of,
    without_captions,
)
from binairo_cp.puzzle import grids
from binairo_cp.puzzle.board import Board, plain_board
from binairo_cp.puzzle.grids import Size
from binairo_cp.puzzle.rules import Puzzle, Rules, rules_for

_MOST_HEADINGS = 64
_CANONICAL = re.compile(r"[01._?-]{2,}")


def read(
    source: Source, default_rules: Rules | None, choices: Choices = AUTOMATIC
) -> Iterator[Entry | None]:
    """The puzzles of a text; None while a pipe has no data."""
    reader = _PartReader(source.name, default_rules, choices)
    blocks = split(source)
    for group in ([block] for block in blocks) if choices.size else groups(blocks):
        if len(group) > 1:
            yield reader.unclear_group([block[0] for block in group if block])
        elif group[0] is None:
            yield None
        else:
            yield from reader.entries(*group[0])
    yield from reader.end()


class _PartReader:
    """Reads the parts of a text, in order."""

    def __init__(self, source: str, default_rules: Rules | None, choices: Choices) -> None:
        self._source = source
        self._default_rules = default_rules
        self._choices = choices
        self._number = 0
        self._pending: list[TextLine] = []
        self._latest: Entry | None = None
        self._above: deque[Board] = deque(maxlen=MOST_ABOVE)
        self._has_more = self._is_skipping = self._is_below_page = False
        self._refused = 0  # The number of lines above that can't be read and have no puzzle above.

    def entries(self, block: list[TextLine], more: bool) -> Iterator[Entry]:
        """The puzzles of the lines between two blank lines; with `more`, other lines follow."""
        is_first, self._has_more = not self._has_more, more
        if not block or (self._is_skipping and not is_first):
            return
        self._is_skipping = False
        is_page = self._is_below_page or are_between([*self._pending, *block][:1])
        words = Words([text_line.text for text_line in (*self._pending, *block)])
        self._is_below_page = are_between(block[-1:])
        for entry in self._parts(block) if is_first and not more else self._many(block):
            board = entry.puzzle.board if entry.puzzle else None
            if board and board.is_full and any(solves(board, above) for above in self._above):
                continue
            if other := other_way(entry, words, self._refused, is_page=is_page, above=self._above):
                entry = self._refusal(unclear(["a puzzle", other], block), entry.line, entry.id)
            if entry.puzzle:
                self._above.append(entry.puzzle.board)
            is_first = not (self._latest and self._latest.puzzle)
            self._refused += len(block)
            if entry.puzzle or not is_first:
                self._refused = 0
            self._number += 1
            self._latest = entry
            yield entry

    def unclear_group(self, blocks: list[list[TextLine]]) -> Entry:
        """The error of rows that may be several boards, or one with blank lines between."""
        number = sum(not are_between(block) for block in blocks)
        ways = [
            f"{number} boards" if number > 1 else "a board",
            "one board with blank lines between its rows",
        ]
        self._pending, self._number = [], self._number + 1
        self._refused += sum(map(len, blocks))
        self._latest = self._refusal(unclear(ways, blocks[0]), blocks[0][0].number)
        return self._latest

    def end(self) -> Iterator[Entry]:
        """The error of a heading without a puzzle below it, if there is no puzzle at all."""
        if self._pending and not self._number:
            yield self._strict(self._pending[:1])

    def _refusal(self, error: FormatError, number: int | None, id: str | None = None) -> Entry:
        """The entry of lines that are no puzzle, of which the first has this number."""
        where = placed(error, self._source, error.line or number)
        return Entry(None, where, id, self._source, number)

    def _many(self, block: list[TextLine]) -> Iterator[Entry]:
        """The puzzles of lines that are more than the rows of a board."""
        rows = [text_line for text_line in block if markup.without_comment(text_line.text).strip()]
        choices = self._choices
        found = [lists.puzzle(row, choices.symbols, choices.size, choices) for row in rows]
        if sum(isinstance(one, line.Parts) for one in found) > len(rows) / 2:
            for row, parts in zip(rows, found, strict=True):
                yield self._of_line(row, parts, TextPart())
            return
        self._is_skipping = True
        message = f"a puzzle of more than {MOST_LINES} lines"
        error = FormatError(message, expected="a blank line between two puzzles")
        yield self._refusal(error, rows[0].number)

    def _parts(self, block: list[TextLine]) -> Iterator[Entry]:
        if plain := self._plain(block):
            yield plain
            return
        part = TextPart(headings=self._pending)
        self._pending = []
        try:
            if re.match(r"\s*<[!?A-Za-z]", block[0].text) and not markup.is_fence(block[0].text):
                yield from self._tables(block)
                return
            if block[0].text.lstrip()[:1] == "{" and (value := _record(block)) is not None:
                from binairo_cp.formats import shapes

                where = self._default_rules, self._source, self._choices
                yield shapes.entry_of(value, *where, line=block[0].number)
                return
            _check_comments(block)
            facts = codes.read_facts(text_line.text for text_line in block)
        except FormatError as error:
            yield self._refusal(error, error.line or block[0].number)
            return
        if facts:
            size = f"{len(facts.rows)}x{len(facts.rows[0])}:"
            texts = [*([f"rules: {facts.rules}"] if facts.rules else []), size, *facts.rows]
            yield self._strict([TextLine(block[0].number, text) for text in texts])
        else:
            yield from self._of_lines(part, block)

    def _tables(self, block: list[TextLine]) -> Iterator[Entry]:
        """The puzzles of lines in HTML."""
        text, number = "\n".join(text_line.text for text_line in block), block[0].number
        if not re.search(r"<td\b.*</t", text, re.IGNORECASE | re.DOTALL):
            what = "this is an XML document, perhaps a spreadsheet"
            raise FormatError(what, expected="its cells as text: copy them, or save it as CSV")
        source = text_source(self._source, text.encode(errors="replace"))
        for entry in filter(None, tables.read_html(source, self._default_rules)):
            error = entry.error and placed(entry.error, self._source, number)  # type: ignore[arg-type]
            yield replace(entry, error=error, line=number)

    def _of_lines(self, part: TextPart, block: list[TextLine]) -> Iterator[Entry]:
        for number, text_line in enumerate(block, 1):
            if text_line.error:
                yield Entry(error=text_line.error, source=self._source, line=text_line.number)
                return
            content = markup.content(text_line.text)
            here = replace(text_line, text=content)
            if part.rows and (
                markup.is_fence(content) or (size_in(content) and _is_whole(part.rows))
            ):
                yield from self._decided(part)
                part = TextPart()
            is_name = is_heading(content) and not _has_fields(content, part.rows)
            if codes.LINK.fullmatch(content):
                yield codes.read_link(here, self._source, self._default_rules)
            elif part.takes(text_line, content) or _is_head_of_signs(
                block[number - 1 : number + 1], part
            ):
                continue
            elif torn := self._torn(part, here, block, number):
                yield torn
                return
            elif not is_name:
                part.rows.append(here)
            else:
                if part.rows:
                    yield from self._decided(part)
                    part = TextPart()
                part.headings.append(here)
        if part.rows or part.headers:
            yield from self._decided(part)
        else:
            self._pending = [*part.headings[:1], *part.headings[1:][-_MOST_HEADINGS:]]

    def _torn(
        self, part: TextPart, heading: TextLine, block: list[TextLine], number: int
    ) -> Entry | None:
        """The error of rows above a heading, line `number` of a block, that are no board, or go on
        below it.
        """
        if not part.rows or not is_heading(heading.text):
            return None
        below = block[number:]
        is_page = are_between([heading]) and below != []
        readings = candidates.readings_of(part.rows)
        has_square = any(len(found.rows) == len(found.rows[0]) for found in readings)
        widths = [framing.width_of(cells.plain(row.text)) for row in (*part.rows, *below)]
        is_begun = below != [] and {*widths} == {len(widths)}
        if not is_page and not is_begun and (len(part.rows) == 1 or has_square):
            return None
        entry = self._strict([*part.rows, heading])
        if entry.error and not is_page:
            return entry
        ways = ["a name between two boards", "a line between the rows of one"]
        return self._refusal(unclear(ways, [heading]), entry.line, entry.id)

    def _plain(self, block: list[TextLine]) -> Entry | None:
        """The puzzle of lines with a single reading, which is known without trying all."""
        if self._pending or self._choices.size or self._choices.symbols:
            return None
        lines = list(dropwhile(lambda text_line: text.HEADER.match(text_line.text), block))
        rows = [text_line.text for text_line in lines]
        is_dashed = any(map(framing.is_rule, rows)) or all(map(framing.may_be_dashed, rows))
        if len(rows) < 2 or any(text_line.error for text_line in block) or is_dashed:
            return None
        is_board = all(len(row) == len(rows[0]) and _CANONICAL.fullmatch(row) for row in rows)
        if is_board and len(rows) < len(block):
            return self._strict(block)
        board = plain_board("\n".join(rows)) if len(rows) == len(block) else None
        if board is None:
            return None
        puzzle = Puzzle(board, rules_for((), self._default_rules))
        return Entry(puzzle, None, None, self._source, block[0].number)

    def _decided(self, part: TextPart) -> Iterator[Entry]:
        if part.symbols is None:
            part.symbols = self._choices.symbols
        if self._latest and any(SOLUTION.match(heading.text) for heading in part.headings):
            # That of a puzzle which can't be read is no puzzle.
            if self._latest.puzzle:
                (entry,) = self._decided(replace(part, headings=[]))
                if entry.puzzle is None:
                    yield entry
                elif (found := with_solution(self._latest, entry.puzzle.board.cells)).error:
                    yield replace(found, line=entry.line)
            return
        if not part.rows:
            yield self._strict(part.headers)
            return
        try:
            part = self._with_first_row(part)
            many = lists.puzzles_of(part, self._choices)
            if many is None:
                yield self._board(part)
            for row, parts in many or ():
                yield self._of_line(row, parts, part)
        except FormatError as error:
            yield self._refusal(error, part.rows[0].number, self._id(part))

    def _with_first_row(self, part: TextPart) -> TextPart:
        """The part with the row at the end of its heading, if there is one; an error if it may be
        one.
        """
        tails = [(heading, framing.tail(cells.plain(heading.text))) for heading in part.headings]
        found = [(heading, *tail) for heading, tail in tails if tail]
        usual = (None, "", False)
        heading, text, is_certain = max(found, key=lambda tail: tail[2], default=usual)
        names = [name for name in part.headings if heading in (name, None)]
        with_fields = [name for name in names if framing.has_fields(name.text, part.rows[0].text)]
        if heading is None:
            if with_fields:
                ways = ["a name above the rows", "a row after a name"]
                raise unclear(ways, with_fields)
            return part
        rows = [replace(heading, text=text), *part.rows]
        whole, below = self._candidates(rows, part), self._candidates(part.rows, part)
        if not whole and not is_certain:
            number = cells.number_of(text)
            has_commas = set(text) & {*",;|&"}
            # With or without the separators between the cells, which may be marks of cells too.
            widths = {width for one in below for width in (one.size.width, 2 * one.size.width - 1)}
            if with_fields or number in widths or (has_commas and below):
                ways = ["a name above the rows", f"a row of length {number} after a name"]
                raise unclear(ways, [heading])
            return part
        is_whole, is_below = (
            any(one.size.height == one.size.width for one in some) for some in (whole, below)
        )
        if is_certain or (is_whole and not is_below) or not below:
            return replace(part, headings=part.headings[: part.headings.index(heading)], rows=rows)
        raise unclear([f"{len(rows)} rows, the first after a name", f"{len(part.rows)} rows"])

    def _of_line(self, given: TextLine, found: line.Parts | FormatError, part: TextPart) -> Entry:
        if isinstance(found, FormatError):
            return self._refusal(found, given.number)
        row = replace(given, text=found.cells)
        size = replace(given, text=f"{found.size}:")
        name = found.id or (self._id(part) if len(part.rows) == 1 else None)
        signs = [replace(given, text=f"signs: {text}") for text in part.signs]
        entry = self._strict([*part.headers, *signs, size, row], name)
        entry = replace(entry, line=(part.headers or [given])[0].number)
        return entry if found.solution is None else with_solution(entry, found.solution)

    def _board(self, part: TextPart) -> Entry:
        """The only plausible board of the rows; an error if there is none, or several."""
        rows, size = self._without_size(part)
        # A text with headers, as this project writes it, has the puzzle only.
        found = self._candidates(rows, part, may_be_pair=not part.headers)
        if size is None and not self._choices.is_stated:
            found = [one for one in found if min(one.size) > 1]
            candidates.check(found, part.rows, has_headers=bool(part.headers))
        if size is not None:
            others = dict.fromkeys(str(one.size) for one in found if one.size != size)
            found = [one for one in found if one.size == size]
            if others and not found:
                message = f"the rows make a board of {' or '.join(others)}, not {size} as stated"
                raise FormatError(message, line=rows[0].number)
        if not found:
            strict = self._strict(rows).error
            raise candidates.none_of(rows, part.symbols, strict)
        if part.headers and len(found) > 1:
            # The text is ours, which has cells only.
            width = cells.number_of(rows[0].text)
            found = [one for one in found if one.size.width == width] or found
        if len(found) > 1:
            raise unclear(list(dict.fromkeys(one.name for one in found)), rows)
        (board,) = found
        first = rows[0]
        listed = [*map(str, board.signs), *part.signs]
        signs = [f"signs: {' '.join(listed)}"] if listed else []
        stated = next(filter(None, (without_captions(h.text)[1] for h in part.headings)), None)
        captions = [f"rules: {' '.join(stated)}"] if stated else []
        lines = [replace(first, text=text) for text in (*signs, *captions, f"{board.size}:")]
        lines += [
            replace(first, text=row, number=first.number + k) for k, row in enumerate(board.rows)
        ]
        entry = self._strict([*part.headers, *lines], self._id(part))
        entry = replace(entry, line=(part.headers or part.rows)[0].number)
        return entry if board.solution is None else with_solution(entry, board.solution)

    def _candidates(
        self, rows: list[TextLine], part: TextPart, *, may_be_pair: bool = True
    ) -> list[Candidate]:
        is_stated = self._choices.is_stated
        return candidates.of(rows, part.symbols, may_be_pair=may_be_pair, is_stated=is_stated)

    def _without_size(self, part: TextPart) -> tuple[list[TextLine], Size | None]:
        """The rows, without a first line that states the size; and the size."""
        rows, size = part.rows, part.size or self._choices.size
        stated, begin = grids.stated_size(rows[0].text)
        if stated:
            rest = rows[0].text[begin:]
            return [*([replace(rows[0], text=rest)] if rest.strip() else []), *rows[1:]], stated
        for heading in part.headings:
            if match := size_in(heading.text):
                size = self._size_or_number(match, rows, part, size)
        first = size_in(rows[0].text)
        below = self._candidates(rows[1:], part) if first and len(rows) > 2 else []
        if first and any(min(one.size) > 1 for one in below):
            is_number = self._is_number(first)
            fits = is_number or any(one.size == size_of(first) for one in below)
            whole = self._candidates(rows, part)
            if (whole and fits) or may_have_blanks(rows[1:]):
                ways = [f"{first[0].strip()} and the rows below it", f"{len(rows)} rows"]
                raise unclear(ways, rows)
            if not whole:
                return rows[1:], self._size_or_number(first, rows[1:], part, size)
        return rows, size

    def _is_number(self, match: re.Match[str]) -> bool:
        """Whether a line can be the number of the next puzzle."""
        return match[2] is None and int(match[1]) in (1, self._number + 1)

    def _size_or_number(
        self, match: re.Match[str], rows: list[TextLine], part: TextPart, size: Size | None
    ) -> Size | None:
        """The size on a line above the rows; None if the line is the number of the puzzle."""
        shape = size_of(match)
        fits = any(one.size == shape for one in self._candidates(rows, part))
        if not fits and self._is_number(match):
            part.id = part.id or match[1]
            return size
        return shape

    def _id(self, part: TextPart) -> str | None:
        texts = [heading.text.strip() for heading in part.headings]
        name = next((heading for heading in texts if not size_in(heading)), "")
        return part.id or without_captions(name)[0].strip(" \t*_=:") or None

    def _strict(self, lines: list[TextLine], id: str | None = None) -> Entry:
        """The puzzle of lines in the text format."""
        for entry in text.entries(lines, self._source, self._default_rules):
            return replace(entry, id=entry.id or id)
        error = FormatError("lines without a cell", expected=grids.EXPECTED)
        return self._refusal(error, lines[0].number, id)


def _record(block: list[TextLine]) -> dict[str, object] | None:
    """The object that lines in JSON are; None if they are something else."""
    with suppress(ValueError, RecursionError):
        value = json.loads("\n".join(text_line.text for text_line in block))
        return value if isinstance(value, dict) else None
    return None


def _check_comments(block: list[TextLine]) -> None:
    """Refuse a comment between rows that may be one of them."""
    lines = [markup.content(text_line.text) for text_line in block]
    is_row = [bool(row.strip()) and not is_heading(row) for row in lines]
    are_many = sum(is_row) < sum(not row for row in lines)
    for k, text_line in enumerate(block):
        try:
            relations.signs_in(text_line.text)
        except FormatError as error:
            raise placed(error, "", text_line.number) from error
        if k == 0 or not any(is_row[k + 1 :]) or markup.without_comment(text_line.text):
            continue
        text = framing.LAST_MARK.sub("", text_line.text.strip().strip("#"))
        if cells.may_be_cells(text) or (are_many and any(is_row[:k])):
            raise unclear(["a comment", "a row"], [text_line])


def _is_head_of_signs(lines: list[TextLine], part: TextPart) -> bool:
    """Whether the first line below rows is the heading of a list of their signs."""
    return bool(part.rows) and is_heading(lines[0].text) and are_signs(lines[1:2])


def _has_fields(content: str, rows: list[TextLine]) -> bool:
    """Whether a line has the separators of the rows above."""
    return bool(rows) and framing.has_fields(content, rows[-1].text)


def _is_whole(rows: list[TextLine]) -> bool:
    """Whether rows begin with their number, as the next board of a list does."""
    size = size_in(rows[0].text) if rows else None
    if size is None or len(rows) < 2:
        return False
    return size_of(size) == (len(rows) - 1, framing.width_of(cells.plain(rows[1].text)))


def read_symbols(source: Source, default_rules: Rules | None) -> Iterator[Entry | None]:
    """The puzzles of a text, as in `read`, but a board may have any size.

    Each grid uses the two symbols of one row of `cells.SETS`; the first one is 0. Open cells are
    marked as in the text format, or with one of `cells.OPEN_SYMBOLS`. Beside symbols of another
    set, a square or circle of a single colour is an open cell. In rows with tabs an empty field is
    an open cell.
    """
    return read(source, default_rules, Choices("symbols"))


def write_symbols(entry: Entry) -> str:
    """Write a puzzle in the text format, with O for 0 and X for 1.

    Raises:
        FormatError: its id can't be written on one line.
    """
    return _ROW.sub(lambda row: row[1] + row[2].translate(_TO_LETTERS), text.write(entry))


_ROW = re.compile(r"^((?:[0-9]+x[0-9]+:)?)([01.]+)$", re.MULTILINE)
_TO_LETTERS = str.maketrans("01", "OX")
