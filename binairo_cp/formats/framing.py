"""Lines without what is around the rows of a board: labels, list marks, rules, heads, brackets.

What is left out must be shown unable to be part of the board: no cell is written so, or the lines
would not be a board with it. Otherwise both readings stand, and the text is refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from binairo_cp.formats import cells

Lines = list[str]

_NUMBER = r"(?P<label>[0-9]{1,3}|[A-Za-z])"
_LABELS = (
    rf"\s*(?:row|line|zeile|[rl](?=[ _]*[0-9]))[ _]*{_NUMBER}"
    r"(?:\s*[:)=]|[.](?=\s)|(?=\s))(?:\s(?!\|))?",
    rf"\s*[(\[]?{_NUMBER},?\s*[:)\]](?:\s(?!\|))?",
    rf"\s*{_NUMBER}[.]\s",
)
"""Labels of rows. No cell is written so."""
_TIGHT = rf"\s*{_NUMBER}[,-](?=[^\s,;|]{{4,}}\s*$)"
_GLUED = rf"\s*{_NUMBER}[.](?=\S)"
_BARE = rf"\s*{_NUMBER}(?:\s*\|\s?(?!.*\|\s*$)|\s)"
"""A label without a mark after it: it may be a cell, unless the labels count from the first.

A bar after it belongs to the cells if another one closes them.
"""
_LAST_LABEL = rf"\s{_NUMBER}\s*$"
_LIST_MARK = re.compile(r"^\s*((?!-1(?:[\s,;|]|$))[-*•◦▪‣>+]|//|[;%$](?=\s))\s?(?=\s*\S)")
_LINE_END = r"\\\\(?:\s*\\hline)?|\\n|<br ?/?>"
_BREAK = re.compile(rf"\s*(?:{_LINE_END})[\"',]*\s*$")
LAST_MARK = re.compile(rf"\s?({_LINE_END}|[.*\\$;,|-])\s*$")
"""A line break of a document, or another mark at the end of a line."""
_BRACKETS = re.compile(
    r"\s*(?:<(?P<a>[^\[\](){}<>,;|&]*)>|(?:[\[({]\s*){1,2}(?P<b>[^\[\](){}<>,;|&]*)(?:[\])}]\s*){1,2})"
    r"[,;]?\s*"
)
_DECORATED = re.compile(r"\s*([-=*_~])\1+(?!\1)(.*[^\W_].*?)\1+\s*")
_END = re.compile(r"[\\$;,|]+\s*$")
_RULE = re.compile(r"(?:\|\s*)?--[-|]*(?:\s*\|)?")
_SURE_RULE = re.compile(r"\s*\|?(?:={3,}|~{3,}|=+(?: +=+)+)\|?\s*")
_BORDER = re.compile(r"\s*[+┌├└╔╠╚╭╰]")
_COLUMN_RULE = r"\s*(?::-+:?|-+:|--+)\s*"
_HEAD_RULE = re.compile(rf"\|?(?:{_COLUMN_RULE}\|)+(?:{_COLUMN_RULE})?|--+(?:\+-+)+")
_COLUMN_NAMES = re.compile(r"\s*(?:\[,[0-9]+\]\s*)+")
_WIKI_ROW = re.compile(r"\s*\|[^|]+(?:\|\|[^|]*)+")


def bare(lines: Sequence[str]) -> list[Lines]:
    """The lines without what surrounds the rows, in one or several ways."""
    found = [list(lines)]
    for step in _STEPS:
        found = [other for part in found for other in step(part) if other]
    return found


def inner(line: str) -> str:
    """The line without a label and a list mark that can't be cells."""
    labels = (re.match(pattern, line, re.IGNORECASE) for pattern in _LABELS)
    text = next((line[match.end() :] for match in labels if match), line)
    mark = _LIST_MARK.match(text)
    return text[mark.end() if mark and not cells.is_mark(mark[1]) else 0 :].strip(" ")


def width_of(line: str) -> int:
    """The number of cells of a line that may be a row, or of its fields."""
    text = line.strip("| ")
    text = text.rstrip(",; ") if "]" in text else text
    text = text.replace("||", "|") if text.count("|") == 2 * text.count("||") else text
    return max(cells.number_of(text), *(text.count(mark) + 1 for mark in ",;&\t" + cells.BAR_MARKS))


def are_labelled(lines: Lines) -> bool:
    """Whether lines have labels in succession that are no cells."""
    return len(lines) > 2 and any(_labelled(lines, pattern) for pattern in (*_LABELS, _BARE))


def are_rows(lines: Sequence[str]) -> bool:
    """Whether each line has a label that says that it is a row."""
    is_tight = len(lines) > 3 and any(_labelled(list(lines), label) for label in (_TIGHT, _GLUED))
    return is_tight or all(re.match(_LABELS[0], line, re.IGNORECASE) for line in lines)


def tail(heading: str) -> tuple[str, bool] | None:
    """What may be the first row in a heading, and whether its brackets show that it is; or None."""
    if "[[" in heading or "{{" in heading:
        return heading[re.search(r"\[\[|\{\{", heading).start() + 1 :], True  # type: ignore[union-attr]
    heading = undecorated(_BREAK.sub("", heading))
    text = inner(heading.rpartition(":" if ":" in heading else "=")[2])
    parts = (text[word.start() :] for word in re.finditer(r"\S+", text))
    found = next((part for part in parts if cells.are_cells(_END.sub("", part))), "")
    return (found, False) if found else None


def undecorated(heading: str) -> str:
    """The words of a heading between rules, as in ``--- Puzzle 2 ---``."""
    match = _DECORATED.fullmatch(heading)
    return match[2] if match else heading


def has_fields(heading: str, row: str) -> bool:
    """Whether a heading has as many separators as a row, so that it may end in one."""
    return any(
        heading.count(mark) == row.count(mark) > 1 for mark in ",;&\t" + cells.BAR_MARKS
    ) and ("[[" not in heading and "{{" not in heading)


def _without_syntax(lines: Lines) -> Iterator[Lines]:
    """Without the syntax of programs and documents: LaTeX, C and R, and doubled bars."""
    if len(lines) > 1 and all(found := [_BRACKETS.fullmatch(line) for line in lines]):
        yield [match["a"] or match["b"] or "" for match in found if match]
        return
    if all("&" in line for line in lines):
        rows = [re.sub(r"\\\\.*$", "", line).replace("&", ",").replace("~", " ") for line in lines]
        yield rows
        return
    if any("{" in line for line in lines):
        lines = [line.replace("{", "[").replace("}", "]") for line in lines]
    if len(lines) > 2 and _COLUMN_NAMES.fullmatch(lines[0]):
        lines = lines[1:]
    mark = lines[0].rstrip()[-1:]
    if mark in {*",;"} and {line.count(mark) for line in lines[:-1]} == {lines[-1].count(mark) + 1}:
        lines = [*lines[:-1], lines[-1] + mark]  # There is none after the last row.
    if all(map(_WIKI_ROW.fullmatch, lines)):
        yield [line.lstrip()[1:].replace("||", ",") for line in lines]
        return
    rows = [line for line in lines if set(line) - {*"|-:=+ "}]
    inside = {bar for line in rows for bar in re.findall(r"\|+", line.strip(" |"))}
    bars = inside or {bar for line in rows for bar in re.findall(r"\|+", line)}
    if bars and all(len(bar) % 2 == 0 for bar in bars):
        lines = [line.replace("||", "|") for line in lines]
    yield lines
    if all(re.fullmatch(r"\s*\|\|.*\|\|\s*", line) for line in lines):
        yield [line.strip()[1:-1] for line in lines]  # The outer fields may be a frame.


def _without_labels(lines: Lines) -> Iterator[Lines]:
    """Without the label that each line begins with: numbers or letters in succession."""
    for pattern in (*_LABELS, _TIGHT):
        if (rest := _labelled(lines, pattern)) and (len(lines) > 3 or pattern != _TIGHT):
            yield rest
            return
    glued = _labelled(lines, _GLUED)
    if glued and len(lines) > 3:
        # The point may be a cell.
        yield from _likely([f".{line}" for line in glued], glued)
        return
    head = re.sub(r"\b(?:c|col)(?=[0-9])", "", lines[0], flags=re.IGNORECASE)
    names = re.sub(rf"[,;{cells.BAR_MARKS}]", " ", head).split()
    columns = len(names) if len(names) > 2 and in_order(names) else 0
    body = [line for line in lines[columns > 0 :] if not _BORDER.match(line)]
    widths = {*map(cells.number_of, body)}
    # Numbers above 2 in succession are no cells.
    yield body if columns > 3 and widths == {columns} else lines
    if rest := _labelled(body, _BARE, is_first=True):
        is_label = {*map(cells.number_of, rest)} == {columns} if columns else True
        if is_label and (columns or len(body) > 2):
            yield rest
    if len(lines) > 3 and (rest := _labelled(lines, _LAST_LABEL, is_first=True)):
        yield rest


def without_names(rows: list[list[str]]) -> list[list[str]]:
    """Fields without the names of rows and columns, which no board can have as cells."""
    if not all(rows):
        return rows
    names = [re.sub(r"^(?:c|col)(?=[0-9])", "", name.strip().lower()) for name in rows[0]]
    has_corner = names[0] in ("", "#")
    if len(rows) > 4 and len(names) > 4 and in_order(names[has_corner:]):
        rows = rows[1:]
    if len(rows) > 3 and in_order([row[0].strip(" *").lower() for row in rows]):
        rows = [row[1:] for row in rows]
    return rows


def in_order(labels: Sequence[str], *, is_first: bool = True) -> bool:
    """Whether labels are numbers or letters in succession, with `is_first` from the first on."""
    first = labels[0]
    if not all(labels) or (is_first and first.lstrip("0") not in ("", "1", "A", "a")):
        return False
    if all(map(str.isdecimal, labels)):
        return [int(label) - int(first) for label in labels] == list(range(len(labels)))
    return len(first) == 1 and list(labels) == [chr(ord(first) + k) for k in range(len(labels))]


def _labelled(lines: Lines, pattern: str, *, is_first: bool = False) -> Lines | None:
    begin = "" if pattern.endswith("$") else "^"
    found = [match for line in lines if (match := re.search(begin + pattern, line, re.IGNORECASE))]
    if len(lines) < 2 or len(found) < len(lines):
        return None
    rest = [match.string[: match.start()] + match.string[match.end() :] for match in found]
    are_in_order = in_order([match["label"].lower() for match in found], is_first=is_first)
    return rest if are_in_order and all(map(str.strip, rest)) else None


def _without_mark(lines: Lines, pattern: re.Pattern[str]) -> Iterator[Lines]:
    """Without the mark that each line begins or ends with, if it is no column of cells."""
    found = [match for line in lines if (match := pattern.search(line))]
    marks = {match[1] for match in found}
    rest = [match.string[: match.start()] + match.string[match.end() :] for match in found]
    if not 1 < len(lines) == len(rest) or len(marks) > 1 or not all(map(str.strip, rest)):
        yield lines
        return
    (mark,) = marks
    words = {word for line in rest for word in cells.words(line)}
    if not cells.is_mark(mark):
        yield lines if mark in {*",;|"} & {*"".join(rest)} else rest
    elif any(mark in word and cells.word(word) != "-1" for word in words):
        yield lines
    elif len({cells.word(word) or mark for word in words for mark in word}) > 2:
        yield rest  # They have a symbol for open cells, which is another one.
    else:
        is_open = pattern is LAST_MARK and not any(mark in line for line in rest for mark in "._?")
        # Without it, the board would have no open cell: it may be one.
        yield from (lines, rest) if is_open else _likely(lines, rest)


def _likely(*ways: Lines) -> Iterator[Lines]:
    """Those of the ways that have an even number of cells in each row; all if none has."""
    even = [way for way in ways if cells.number_of(way[0]) % 2 == 0]
    yield from even or ways


def is_head_rule(line: str) -> bool:
    """Whether a line is the second one of a table in Markdown."""
    return _HEAD_RULE.fullmatch(line.strip()) is not None


def _without_head(lines: Lines) -> Iterator[Lines]:
    """Without the head that Markdown demands of a table: it is empty, or has names of columns."""
    names = [cells.word(name) for name in lines[0].split("|")]
    is_named = any(name is None or not cells.is_mark(name) for name in names)
    is_empty = not set(lines[0]) - {*"| "}
    is_table = len(lines) > 2 and "|" in lines[0].strip()[1:-1] and is_head_rule(lines[1])
    if not is_table or not (is_named or is_empty):
        yield lines
        return
    yield lines[2:]
    if is_empty and len(lines) - 2 != len(lines[2].strip().strip("|").split("|")):
        yield [lines[0], *lines[2:]]


def is_rule(line: str) -> bool:
    """Whether a line is dashes, perhaps between bars. So is a row of open cells."""
    return _RULE.fullmatch(line.strip()) is not None


def is_between(line: str) -> bool:
    """Whether a line may be between two boards, or a puzzle and its solution."""
    return is_rule(line) or _SURE_RULE.fullmatch(line) is not None


def may_be_dashed(row: str) -> bool:
    """Whether each second character of a row is a dash, which may be between cells."""
    return len(row) > 4 and len(row) % 2 == 1 and set(row[1::2]) == {"-"}


def _are_between(places: set[int], number: int) -> bool:
    """Whether these are every other line, and perhaps more."""
    return any(places >= {*range(first, number, 2)} for first in (0, 1)) and number > 2


def _rules(lines: Lines) -> Iterator[Lines]:
    """Without rules of dashes, where dashes are no cells; a row of open cells looks alike."""
    sure = {k for k, line in enumerate(lines) if _SURE_RULE.fullmatch(line)}
    middle = {len(lines) // 2} if len(lines) % 2 else set()
    if sure and (sure <= {0, len(lines) - 1} or sure == middle or _are_between(sure, len(lines))):
        lines = [line for k, line in enumerate(lines) if k not in sure]
    places = {k for k, line in enumerate(lines) if is_rule(line)}
    # Beside rules with bars, others are rows.
    places = {k for k in places if "|" in lines[k]} or places
    others = [line for k, line in enumerate(lines) if k not in places]
    rows = [line.strip().strip("|") for line in others if not _BORDER.match(line)]
    widths = {len(lines[k].strip().strip("|")) for k in places} | {*map(len, rows)}
    if not places or not rows or len(widths) > 1:
        yield lines
        return
    marks = set("".join(others))
    if all(may_be_dashed(row.replace(" ", "")) for row in rows) and marks & {*".?_·"}:
        marks -= {"-"}  # The dashes are between cells.
    # Dashes in the rows are open cells too, or else -1.
    is_open = not any(cells.word(word) == "-1" for row in others for word in cells.words(row))
    edges = {k for k, line in enumerate(lines) if _BORDER.match(line)}
    as_rows = [
        line.replace("-", ".") if (is_open and k not in edges) or k in places else line
        for k, line in enumerate(lines)
    ]
    is_frame = {0, len(lines) - 1} <= places or _are_between(places, len(lines))
    if "-" in marks:
        yield from (as_rows, others) if is_frame or len(lines) % 2 else (as_rows,)
    elif is_frame and marks & {*".?_·"}:
        yield others
    else:
        ways = (others, as_rows)
        yield from [way for way in ways if len(way) % 2 == 0] or ways


_STEPS: tuple[Callable[[Lines], Iterator[Lines]], ...] = (
    *(_without_syntax, _without_head, _without_labels),
    *(partial(_without_mark, pattern=pattern) for pattern in (_LIST_MARK, LAST_MARK)),
    _rules,
)
"""What may surround the rows, from the outside in. Each step leaves it out, in one or more ways."""
