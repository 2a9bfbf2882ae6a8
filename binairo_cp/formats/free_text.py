"""Read puzzles in the ways in which people write them, if only one way is plausible.

`text_parts` splits a text at blank lines. Each part is a board with one row per line, or one puzzle
per line, perhaps with headers, a heading or a size. All readings of a part are tried (`layouts` for
the rows, `cells` for their symbols, `line` for a single line). A part with one plausible reading is
that puzzle. All others are refused; the error names the readings, and how to choose one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import dropwhile

from binairo_cp.errors import BoardError, FormatError
from binairo_cp.formats import cells, codes, framing, layouts, line, text
from binairo_cp.formats.entry import AUTOMATIC, Choices, Entry, placed, with_solution
from binairo_cp.formats.layouts import Candidate
from binairo_cp.formats.sources import Source, TextLine
from binairo_cp.formats.text_parts import (
    MOST_LINES,
    Piece,
    TextPart,
    is_fence,
    is_heading,
    may_be_wide,
    may_have_blanks,
    size_in,
    size_of,
    split,
    without_captions,
    without_comment,
)
from binairo_cp.puzzle import grids
from binairo_cp.puzzle.board import plain_board
from binairo_cp.puzzle.grids import Size
from binairo_cp.puzzle.rules import Puzzle, Rules, rules_for
from binairo_cp.workers.terminal import option

_OPENS = frozenset(grids.OPEN_MARKS)
_CANONICAL = re.compile(r"[01._?-]{2,}")
_SOLUTION = re.compile(
    r"\W*(?:the )?(?:solution|solved|answer|output|result|after|lösung|solución|oplossing)\b",
    re.IGNORECASE,
)


def read(
    source: Source, default_rules: Rules | None, choices: Choices = AUTOMATIC
) -> Iterator[Entry | None]:
    """The puzzles of a text; None while a pipe has no data."""
    reader = _PartReader(source.name, default_rules, choices)
    blocks = split(source)
    for group in ([block] for block in blocks) if choices.size else _groups(blocks):
        if len(group) > 1:
            yield reader.unclear_group([block[0] for block in group if block])
            continue
        if group[0] is None:
            yield None
        else:
            yield from reader.entries(*group[0])
    yield from reader.end()


_Block = tuple[list[TextLine], bool] | None


def _groups(blocks: Iterable[_Block]) -> Iterator[list[_Block]]:
    """Each block alone; but together those that may be the parts of one board."""
    held: list[_Block] = []
    parts: list[Piece] = []
    had_more = False
    for block in blocks:
        if block is None or not block[0]:
            yield [block]
            continue
        if held and Piece.are_between(block[0]):
            held.append(block)
            continue
        part = None if had_more or block[1] else Piece.of(block[0])
        had_more = block[1]
        if not (part and parts and part.may_follow(parts[-1])):
            yield from _held(held, parts)
            held, parts = [], []
        if part is None or (parts and not held and not part.continues(parts[-1])):
            yield [block]
            parts = [part] if part else []
            continue
        held.append(block)
        parts.append(part)
        if sum(kept.rows for kept in parts) > part.width and not _are_torn(parts):
            # They are a list; the next one is compared with the last.
            yield from ([listed] for listed in held)
            held, parts = [], [part]
    yield from _held(held, parts)


def _held(held: list[_Block], parts: list[Piece]) -> Iterator[list[_Block]]:
    is_torn = len(held) > 1 and _are_torn(parts)
    yield from [held] if is_torn else ([block] for block in held)


def _are_torn(parts: list[Piece]) -> bool:
    """Whether the rows may be those of one board."""
    rows = sum(part.rows for part in parts)
    return rows == parts[0].width or any(map(Piece.continues, parts[1:], parts))


class _PartReader:
    """Reads the parts of a text, in order."""

    def __init__(self, source: str, default_rules: Rules | None, choices: Choices) -> None:
        self._source = source
        self._default_rules = default_rules
        self._choices = choices
        self._number = 0
        self._pending: list[TextLine] = []
        self._latest: Entry | None = None
        self._has_more = self._is_skipping = False
        self._refused = 0  # The number of lines above that can't be read and have no puzzle above.

    def entries(self, block: list[TextLine], more: bool) -> Iterator[Entry]:
        """The puzzles of the lines between two blank lines; with `more`, other lines follow."""
        is_first, self._has_more = not self._has_more, more
        if not block or (self._is_skipping and not is_first):
            return
        self._is_skipping = False
        refused = self._refused
        is_page = Piece.are_between([*self._pending, *block][:1])
        for entry in self._parts(block) if is_first and not more else self._many(block):
            is_solution = refused == len(block) and entry.puzzle and entry.puzzle.board.is_full
            if entry.puzzle and refused and (is_solution or is_page):
                part = "the solution" if is_solution else "a part"
                ways = ["a puzzle", f"{part} of what is above it and can't be read"]
                entry = replace(entry, puzzle=None, error=self._unclear(ways, block))
            is_first = not (self._latest and self._latest.puzzle)
            self._refused = len(block) if is_first and not entry.puzzle else 0
            self._number += 1
            self._latest = entry
            yield entry

    def unclear_group(self, blocks: list[list[TextLine]]) -> Entry:
        """The error of rows that may be several boards, or one with blank lines between."""
        rows = blocks[0]
        number = sum(not Piece.are_between(block) for block in blocks)
        ways = [f"{number} boards", "one board with blank lines between its rows"]
        self._pending, self._number = [], self._number + 1
        self._latest = Entry(None, self._unclear(ways, rows), None, self._source, rows[0].number)
        return self._latest

    def _many(self, block: list[TextLine]) -> Iterator[Entry]:
        """The puzzles of lines that are more than the rows of a board."""
        rows = [text_line for text_line in block if without_comment(text_line.text).strip()]
        size = self._choices.size
        found = [self._line(row, self._choices.symbols, size) for row in rows]
        if sum(isinstance(candidate, line.Parts) for candidate in found) > len(rows) / 2:
            for row, parts in zip(rows, found, strict=True):
                yield self._of_line(row, parts, TextPart())
            return
        self._is_skipping = True
        message = f"a puzzle of more than {MOST_LINES} lines"
        expected = "a blank line between two puzzles"
        yield Entry(None, self._error(rows, message, expected), None, self._source, rows[0].number)

    def end(self) -> Iterator[Entry]:
        """The error of a heading without a puzzle below it, if there is no puzzle at all."""
        if self._pending and not self._number:
            yield self._strict(self._pending[:1])

    def _parts(self, block: list[TextLine]) -> Iterator[Entry]:
        if plain := self._plain(block):
            yield from plain
            return
        part = TextPart(headings=self._pending)
        self._pending = []
        try:
            _check_markup(block[0])
            self._check_comments(block)
            facts_of = codes.read_facts(text_line.text for text_line in block)
        except FormatError as error:
            number = error.line or block[0].number
            yield Entry(None, placed(error, self._source, number), None, self._source, number)
            return
        if facts_of:
            yield self._of_facts(facts_of, block[0].number)
            return
        yield from self._of_lines(part, block)

    def _of_lines(self, part: TextPart, block: list[TextLine]) -> Iterator[Entry]:
        for text_line in block:
            if text_line.error:
                yield Entry(error=text_line.error, source=self._source, line=text_line.number)
                return
            content = framing.closed(without_comment(text_line.text))
            here = replace(text_line, text=content)
            if codes.LINK.fullmatch(content):
                yield codes.read_link(here, self._source, self._default_rules)
            elif torn := self._torn(part, here, is_last=text_line is block[-1]):
                yield torn
                return
            elif part.takes(text_line, content):
                continue
            elif size_in(content) and _is_whole(part.rows):
                yield from self._decided(part)
                part = TextPart(rows=[here])
            elif not is_heading(content):
                part.rows.append(here)
            else:
                if part.rows:
                    yield from self._decided(part)
                    part = TextPart()
                part.headings.append(here)
        if part.rows or part.headers:
            yield from self._decided(part)
        else:
            self._pending = part.headings

    def _torn(self, part: TextPart, heading: TextLine, *, is_last: bool) -> Entry | None:
        """The error of rows above a heading that are no board, or go on below it."""
        if not part.rows or not is_heading(heading.text):
            return None
        is_page = Piece.are_between([heading]) and not is_last
        if not is_page and self._is_complete(part):
            return None
        entry = self._strict([*part.rows, heading])
        if entry.error and not is_page:
            return entry
        ways = ["a name between two boards", "a line between the rows of one"]
        return replace(entry, puzzle=None, error=self._unclear(ways, [heading]))

    def _plain(self, block: list[TextLine]) -> list[Entry]:
        """The puzzle of lines with a single reading, which is known without trying all."""
        if self._pending or self._choices.size or self._choices.symbols:
            return []
        is_clear = len(block) > 1 and not any(text_line.error for text_line in block)
        is_clear &= not all(framing.may_be_dashed(text_line.text) for text_line in block)
        if is_clear and (board := plain_board("\n".join(text_line.text for text_line in block))):
            puzzle = Puzzle(board, rules_for((), self._default_rules))
            return [Entry(puzzle, None, None, self._source, block[0].number)]
        if not _is_canonical(block):
            return []
        return list(text.entries(block, self._source, self._default_rules))

    def _is_complete(self, part: TextPart) -> bool:
        """Whether the rows so far are a square board, or whole puzzles."""
        found = layouts.readings([cells.plain(row.text) for row in part.rows])
        return (
            any(len(candidate.rows) == len(candidate.rows[0]) for candidate in found)
            or len(part.rows) == 1
        )

    def _decided(self, part: TextPart) -> Iterator[Entry]:
        if part.symbols is None:
            part.symbols = self._choices.symbols
        if self._latest and any(_SOLUTION.match(heading.text) for heading in part.headings):
            # That of a puzzle which can't be read is no puzzle.
            yield from self._compared(part, self._latest) if self._latest.puzzle else ()
            return
        try:
            if not part.rows:
                yield self._strict(part.headers)
                return
            part = self._with_first_row(part)
            many = self._one_per_line(part)
            yield from [self._board(part)] if many is None else many
        except FormatError as error:
            first = part.rows[0].number
            where = placed(error, self._source, error.line or first)
            yield Entry(None, where, self._id(part), self._source, first)

    def _check_comments(self, block: list[TextLine]) -> None:
        """Refuse a comment between rows that may be one of them.

        Raises:
            FormatError: there is one.
        """
        lines = [framing.closed(without_comment(text_line.text)) for text_line in block]
        is_row = [bool(row.strip()) and not is_heading(row) for row in lines]
        are_many = sum(is_row) < sum(not row for row in lines)
        for k, text_line in enumerate(block):
            is_between = k > 0 and any(is_row[k + 1 :])
            text = framing.without_last_mark(text_line.text.strip().strip("#"))
            may_be_row = cells.may_be_cells(text)
            may_be_row |= are_many and any(is_row[:k])
            if is_between and not without_comment(text_line.text) and may_be_row:
                raise self._unclear(["a comment", "a row"], [text_line])

    def _of_facts(self, found: codes.Facts, number: int) -> Entry:
        size = f"{len(found.rows)}x{len(found.rows[0])}:"
        texts = [*([f"rules: {found.rules}"] if found.rules else []), size, *found.rows]
        return self._strict([TextLine(number, text) for text in texts])

    def _with_first_row(self, part: TextPart) -> TextPart:
        """The part with the row at the end of its heading, if there is one.

        Raises:
            FormatError: it may be one.
        """
        tails = [(heading, framing.tail(cells.plain(heading.text))) for heading in part.headings]
        tails.sort(key=lambda tail: not (tail[1] and tail[1][1]))
        heading, found = next((tail for tail in tails if tail[1]), (None, None))
        if not part.rows:
            return part
        if heading is None or found is None:
            for heading in part.headings:
                if framing.has_fields(heading.text, part.rows[0].text):
                    raise self._unclear(["a name above the rows", "a row after a name"], [heading])
            return part
        text, is_certain = found
        rows = [replace(heading, text=text), *part.rows]
        whole = self._candidates(rows, part.symbols)
        below = self._candidates(part.rows, part.symbols)
        if not whole and not is_certain:
            number = cells.number_of(text)
            is_wide = any(
                candidate.size.width == number or set(text) & {*",;|&"} for candidate in below
            )
            if is_wide or framing.has_fields(heading.text, part.rows[0].text):
                ways = ["a name above the rows", f"a row of length {number} after a name"]
                raise self._unclear(ways, [heading])
            return part
        squares = [
            any(candidate.size.height == candidate.size.width for candidate in some)
            for some in (whole, below)
        ]
        if is_certain or squares == [True, False] or not below:
            return replace(part, headings=part.headings[: part.headings.index(heading)], rows=rows)
        raise self._unclear([f"{len(rows)} rows, the first after a name", f"{len(part.rows)} rows"])

    def _compared(self, part: TextPart, puzzle: Entry) -> Iterator[Entry]:
        """Compare a solution below a puzzle."""
        (entry,) = self._decided(replace(part, headings=[]))
        if entry.puzzle is None:
            yield entry
            return
        if (checked := with_solution(puzzle, entry.puzzle.board.cells)).error:
            yield replace(checked, line=entry.line)

    # One puzzle per line

    def _one_per_line(self, part: TextPart) -> list[Entry] | None:
        """The puzzles of rows that are a whole puzzle each; None if the rows are a board."""
        size = part.size or self._choices.size
        if len(part.rows) == 2 and (above := size_in(part.rows[0].text)):
            found = self._line(part.rows[1], part.symbols, size_of(above))
            if isinstance(found, line.Parts) and min(found.size) > 1:
                return [self._of_line(part.rows[1], found, part)]
        parts = [self._line(row, part.symbols, size) for row in part.rows]
        first = parts[0]
        if len(part.rows) > 1:
            return self._list(part, parts)
        if isinstance(first, FormatError):
            if "[" in part.rows[0].text:
                return None
            raise first
        return [self._of_line(part.rows[0], first, part)]

    def _list(self, part: TextPart, parts: list[line.Parts | FormatError]) -> list[Entry] | None:
        """The puzzles of several rows; None if the rows are a board."""
        whole = [found for found in parts if isinstance(found, line.Parts)]
        if part.headers or part.id or not whole:
            return None
        boards = [found for found in whole if {*found.cells} != {"."}] or whole
        are_some = len(whole) < len(parts)
        if are_some and ({*boards[0].cells} == {"."} or not any(map(_has_long_word, part.rows))):
            return None
        is_grid = self._may_be_grid(part)
        if len(whole) < len(parts) / 2 or (is_grid and len(part.rows) == whole[0].size.cells):
            return None
        is_wide = _may_be_wide(whole, {len(boards), len(whole), len(parts)})
        if (is_grid and len(part.rows[0].text.split()) > 1) or is_wide:
            raise self._unclear(
                [f"{len(parts)} puzzles of {whole[0].size}", "the rows of one board"]
            )
        return [
            self._of_line(row, found, part) for row, found in zip(part.rows, parts, strict=True)
        ]

    def _may_be_grid(self, part: TextPart) -> bool:
        found = layouts.readings([cells.plain(row.text) for row in part.rows])
        return any(cells.boards(candidate.rows, part.symbols) for candidate in found)

    def _line(
        self, given: TextLine, symbols: str | None, size: Size | None
    ) -> line.Parts | FormatError:
        """The parts of a line, with digits in place of other symbols."""
        content = cells.plain(given.text)
        translated = self._translated(content, symbols)
        try:
            return line.parsed(translated, 1 if self._choices.is_stated else grids.LEAST, size)
        except FormatError as error:
            return placed(error, self._source, given.number)
        except BoardError as error:
            return FormatError(str(error), source=self._source, line=given.number)

    def _translated(self, content: str, symbols: str | None) -> str:
        """The line with digits in its longest words."""
        begin = grids.stated_size(content)[1]
        words = re.findall(r"[^\s,;|]+", content[begin:])
        longest = max(map(len, words), default=0)
        chosen = [word for word in words if len(word) == longest and cells.are_marks(word)]
        if symbols is None and all(grids.first_wrong(word) is None for word in chosen):
            return content
        found = self._boards([list(word) for word in chosen], symbols) if chosen else {}
        if len(found) != 1:
            return content
        translated = iter(next(iter(found.values())))
        return content[:begin] + re.sub(
            r"[^\s,;|]+",
            lambda word: next(translated) if word.group() in chosen else word.group(),
            content[begin:],
        )

    def _of_line(self, given: TextLine, found: line.Parts | FormatError, part: TextPart) -> Entry:
        if isinstance(found, FormatError):
            return Entry(None, found, None, self._source, given.number)
        row = replace(given, text=found.cells)
        size = replace(given, text=f"{found.size}:")
        name = found.id or (self._id(part) if len(part.rows) == 1 else None)
        entry = self._strict([*part.headers, size, row], name)
        entry = replace(entry, line=part.headers[0].number if part.headers else given.number)
        return entry if found.solution is None else with_solution(entry, found.solution)

    # One row per line

    def _board(self, part: TextPart) -> Entry:
        """The only plausible board of the rows.

        Raises:
            FormatError: there is none, or several.
        """
        rows, size = self._without_size(part)
        # A text with headers, as this project writes it, has the puzzle only.
        found = self._candidates(rows, part.symbols, may_be_pair=not part.headers)
        if size is None and not self._choices.is_stated:
            found = [candidate for candidate in found if min(candidate.size) > 1]
            self._check_rows(found, part)
            self._check_totals(found, part)
        if size is not None:
            others = [candidate for candidate in found if candidate.size != size]
            found = [candidate for candidate in found if candidate.size == size]
            if others and not found:
                sizes = " or ".join(dict.fromkeys(str(other.size) for other in others))
                raise self._error(rows, f"the rows make a board of {sizes}, not {size} as stated")
        if not found:
            raise self._no_board(rows, part.symbols)
        if len(found) > 1:
            raise self._unclear(list(dict.fromkeys(candidate.name for candidate in found)), rows)
        (board,) = found
        signs = f"signs: {' '.join(map(str, board.signs))}" if board.signs else ""
        first = rows[0]
        lines = [*part.headers, *([replace(first, text=signs)] if signs else [])]
        lines += self._caption(part)
        text_rows = [
            replace(first, text=row, number=first.number + k) for k, row in enumerate(board.rows)
        ]
        size_line = replace(first, text=f"{board.size}:")
        entry = self._strict([*lines, size_line, *text_rows], self._id(part))
        entry = replace(entry, line=(part.headers or part.rows)[0].number)
        return entry if board.solution is None else with_solution(entry, board.solution)

    def _check_rows(self, found: list[Candidate], part: TextPart) -> None:
        """Refuse rows of separate cells that could also be a whole puzzle each."""
        for candidate in found:
            height, width = candidate.size
            side = grids.square(width) if width >= grids.LEAST and height != width else None
            if side and not part.headers and len(part.rows[0].text) != width:
                raise self._unclear([f"{height} puzzles of {side}", candidate.name], part.rows)

    def _check_totals(self, found: list[Candidate], part: TextPart) -> None:
        """Refuse boards with an odd side at an edge of which numbers of clues may stand."""
        for candidate in found:
            if not part.headers and not candidate.signs and _may_have_totals(candidate.rows):
                ways = [candidate.name, "a smaller board with numbers beside it"]
                raise self._unclear(ways, part.rows)

    def _candidates(
        self, rows: list[TextLine], symbols: str | None, *, may_be_pair: bool = True
    ) -> list[Candidate]:
        """The different boards that rows can mean."""
        lines = [cells.plain(row.text) for row in rows]
        found: list[Candidate] = []
        for reading in layouts.readings(lines):
            for name, board in self._boards(reading.rows, symbols).items():
                candidate = Candidate.of(reading, name, board, may_be_pair=may_be_pair)
                if all(known.content != candidate.content for known in found):
                    found.append(candidate)
        return found

    def _boards(self, rows: cells.Words, symbols: str | None) -> dict[str, list[str]]:
        return cells.boards(rows, symbols, is_stated=self._choices.is_stated)

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
        below = self._candidates(rows[1:], part.symbols) if first and len(rows) > 2 else []
        if first and any(min(candidate.size) > 1 for candidate in below):
            fits = any(candidate.size == size_of(first) for candidate in below) or self._is_number(
                first
            )
            whole = self._candidates(rows, part.symbols)
            if (whole and fits) or may_have_blanks(rows[1:]):
                ways = [f"{first[0].strip()} and the rows below it", f"{len(rows)} rows"]
                raise self._unclear(ways, rows)
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
        fits = any(candidate.size == shape for candidate in self._candidates(rows, part.symbols))
        if not fits and self._is_number(match):
            part.id = part.id or match[1]
            return size
        return shape

    # Parts of a puzzle

    def _id(self, part: TextPart) -> str | None:
        if part.id:
            return part.id
        texts = [heading.text.strip() for heading in part.headings]
        name = next((heading for heading in texts if not size_in(heading)), "")
        return without_captions(name)[0].strip(" \t*_=:") or None

    def _caption(self, part: TextPart) -> list[TextLine]:
        """The rules that the heading of a picture states."""
        for heading in part.headings:
            rules = without_captions(heading.text)[1]
            if rules:
                return [replace(heading, text=f"rules: {' '.join(rules)}")]
        return []

    def _strict(self, lines: list[TextLine], id: str | None = None) -> Entry:
        """The puzzle of lines in the text format."""
        for entry in text.entries(lines, self._source, self._default_rules):
            return replace(entry, id=entry.id or id)
        error = self._error(lines, "lines without a cell", grids.EXPECTED)
        return Entry(None, error, id, self._source, lines[0].number)

    def _no_board(self, rows: list[TextLine], symbols: str | None) -> FormatError:
        """The error of rows that are not plausible as any board."""
        entry = self._strict(rows)
        plain = [cells.plain(row.text) for row in rows]
        for reading in layouts.readings(plain):
            marks = "".join(sorted({mark for row in reading.rows for mark in row}))
            if all(map(cells.is_mark, marks)) and not cells.boards(reading.rows, symbols):
                return self._error(
                    rows,
                    f"the symbols {marks} in one board: it is not clear which are equal",
                    "two kinds of symbols and '.' for an open cell, or the symbols of 0, 1 and "
                    "open cells: --symbols 'XO.'",
                )
        if isinstance(entry.error, FormatError):
            return entry.error
        if len(plain[0].split()) > 1 or len(rows) > 1:
            message = "the cells of the rows do not line up"
            if min(len(row.strip()) for row in plain) == 1:
                message = "rows of one cell each"
            return self._error(rows, message, "the same places in all rows, or --format text")
        return self._error(rows, "no board", grids.EXPECTED)

    def _unclear(self, ways: list[str], rows: list[TextLine] | None = None) -> FormatError:
        choose = (
            f"one way to read it: choose with {option('format')}, {option('size')} or "
            f"{option('symbols')}, or with lines such as size: 4x4 and symbols: 12. above the rows"
        )
        return self._error(rows or [], f"this could be {' or '.join(ways)}", choose)

    def _error(self, rows: list[TextLine], message: str, expected: str = "") -> FormatError:
        number = rows[0].number if rows else None
        return FormatError(message, source=self._source, line=number, expected=expected)


def _check_markup(first: TextLine) -> None:
    """Refuse documents of other programs, which begin with a tag.

    Raises:
        FormatError: this is one.
    """
    if not re.match(r"\s*<[!?A-Za-z]", first.text) or is_fence(first.text):
        return
    what = "this is an XML document, perhaps a spreadsheet"
    raise FormatError(what, expected="its cells as text: copy them, or save it as CSV")


def _may_be_wide(puzzles: list[line.Parts], numbers: set[int]) -> bool:
    """Whether lines that are a puzzle each may be the rows of a wide board, beside other lines."""
    if not any(may_be_wide(number, len(puzzles[0].cells)) for number in numbers):
        return False
    is_list = len(puzzles) == max(numbers) and all(
        cells.is_possible(puzzle.rows) for puzzle in puzzles
    )
    return not is_list or cells.is_possible([puzzle.cells for puzzle in puzzles])


def _may_have_totals(rows: list[str]) -> bool:
    """Whether a line at an edge is full, and others are not, in the direction of an odd side."""
    columns = ["".join(column) for column in zip(*rows, strict=True)]
    for lines in (rows, columns):
        edges, inner = [lines[0], lines[-1]], lines[1:-1]
        is_full = any("." not in edge for edge in edges) and any("." in line for line in inner)
        if is_full and len(lines) > 4 and (len(rows) % 2 or len(columns) % 2):
            return True
    is_open = any(not set(edge) - {"."} for edge in (columns[0], columns[-1]))
    return is_open and 4 < len(columns) != len(rows) and len(columns) % 2 == 1


def _is_whole(rows: list[TextLine]) -> bool:
    """Whether rows begin with their number, as the next board of a list does."""
    size = size_in(rows[0].text) if rows else None
    if size is None or len(rows) < 2:
        return False
    return size_of(size) == (len(rows) - 1, framing.width_of(cells.plain(rows[1].text)))


def _has_long_word(given: TextLine) -> bool:
    """Whether a line has a word that may be a whole board."""
    words = re.split(r"[\s,;|:]+", given.text)
    return any(len(word) >= grids.LEAST and set(word) != {"-"} for word in words)


def _is_canonical(block: list[TextLine]) -> bool:
    """Whether a block has only headers of the text format and rows that can only be one board."""
    lines = list(dropwhile(lambda text_line: text.HEADER.match(text_line.text), block))
    rows = [text_line.text for text_line in lines]
    width = len(rows[0]) if rows else 0
    has_headers = len(rows) < len(block)
    # Rows may also be puzzles on one line each, or a puzzle above its solution.
    upper, lower = "".join(rows[: len(rows) // 2]), "".join(rows[len(rows) // 2 :])
    is_pair = not lower.strip("01") and upper.strip("01") != ""
    is_board = (width < grids.LEAST and not is_pair) or len(rows) == width
    return (
        len(rows) > 1
        and (is_board or has_headers)
        and not framing.may_be_ruled(rows)
        and not all(map(framing.may_be_dashed, rows))
        and all(text_line.error is None for text_line in block)
        and all(len(row) == width and _CANONICAL.fullmatch(row) for row in rows)
        and (has_headers or (len({*upper, *lower} - {*"01"}) < 2 and not _may_have_totals(rows)))
    )


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
