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
    rf"\s*(?:row|line|zeile|r(?=[ _]*[0-9]))[ _]*{_NUMBER}"
    r"(?:\s*[:)=]|[.](?=\s)|(?=\s))(?:\s(?!\|))?",
    rf"\s*[(\[]?{_NUMBER},?\s*[:)\]](?:\s(?!\|))?",
    rf"\s*{_NUMBER}[.]\s",
)
"""Labels of rows. No cell is written so."""
_GLUED = rf"\s*{_NUMBER}[.](?=\S)"
_BARE = rf"\s*{_NUMBER}(?:\s*\|\s?(?!.*\|\s*$)|\s)"
"""A label without a mark after it: it may be a cell, unless the labels count from the first.

A bar after it belongs to the cells if another one closes them.
"""
_LIST_MARK = re.compile(r"^\s*((?!-1(?:[\s,;|]|$))[-*•◦▪‣>+])\s?(?=\s*\S)")
_LINE_END = r"\\\\(?:\s*\\hline)?|\\n|<br ?/?>"
_BREAK = re.compile(rf"\s*(?:{_LINE_END})[\"',]*\s*$")
LAST_MARK = re.compile(rf"\s*({_LINE_END}|[.*\\$-])\s*$")
"""A line break of a document, or another mark at the end of a line."""
_RULE = re.compile(r"\s*\|?\s*-{2,}[-|]*\s*\|?\s*")
_BORDER = re.compile(r"\s*[+┌├└╔╠╚╭╰]")
_HEAD_RULE = re.compile(r"\s*\|?(?:\s*:?-{2,}:?\s*\|)+(?:\s*:?-{2,}:?)?\s*")
_COLUMN_NAMES = re.compile(r"\s*(?:\[,[0-9]+\]\s*)+")
_CLOSING = re.compile(r"\]\s*\]\s*(?:,\s*(?:dtype|device|shape)=[^)]*)?\)*\s*;?\s*$")
_QUOTED = re.compile(r"""\s*["']([^"']+)["'],?\s*""")
"""A row as a text in the source of a program."""
_MARKUP = re.compile(
    r"\\(?:hline|toprule|midrule|bottomrule|(?:begin|end)\{\w+\*?\}(?:\{[^{}]*\})?)"
    r"|^[\w\s.<>\[\]]*(?:=\s*)?[\[({]\s*$|^\s*[\])}]+[;,]?\s*$"
)
"""What stands around the rows in LaTeX, and the first and the last line of a list of texts."""


def bare(lines: Sequence[str]) -> list[Lines]:
    """The lines without what surrounds the rows, in one or several ways."""
    found = [list(lines)]
    for step in _STEPS:
        found = [other for part in found for other in step(part)]
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
    return max(cells.number_of(text), *(text.count(mark) + 1 for mark in ",;|&\t"))


def are_labelled(lines: Lines) -> bool:
    """Whether lines have labels in succession that are no cells."""
    return len(lines) > 2 and any(_labelled(lines, pattern) for pattern in (*_LABELS, _BARE))


def are_rows(lines: Sequence[str]) -> bool:
    """Whether each line has a label that says that it is a row."""
    return all(re.match(_LABELS[0], line, re.IGNORECASE) for line in lines)


def tail(heading: str) -> tuple[str, bool] | None:
    """What may be the first row in a heading, and whether its brackets show that it is; or None."""
    if "[[" in heading or "{{" in heading:
        return heading[re.search(r"\[\[|\{\{", heading).start() + 1 :], True  # type: ignore[union-attr]
    heading = _BREAK.sub("", heading)
    text = inner(heading.rpartition(":" if ":" in heading else "=")[2])
    words = list(re.finditer(r"\S+", text))
    found = next(
        (text[word.start() :] for word in words if cells.are_cells(text[word.start() :])), ""
    )
    return (found, False) if found else None


def has_fields(heading: str, row: str) -> bool:
    """Whether a heading has as many separators as a row, so that it may end in one."""
    return any(
        heading.count(mark) == row.count(mark) > 1 for mark in ",;&\t" + cells.BAR_MARKS
    ) and ("[[" not in heading and "{{" not in heading)


def closed(line: str) -> str:
    """A line without what a program prints after the last row, and without markup."""
    if quoted := _QUOTED.fullmatch(line):
        return quoted[1]
    return _CLOSING.sub("]]", _MARKUP.sub("", line))


def _without_syntax(lines: Lines) -> Iterator[Lines]:
    """Without the syntax of programs and documents: LaTeX, C and R, and doubled bars."""
    if all("&" in line for line in lines):
        rows = [re.sub(r"\\\\.*$", "", line).replace("&", ",") for line in lines]
        yield rows
        return
    if any("{" in line for line in lines):
        lines = [line.replace("{", "[").replace("}", "]") for line in lines]
    if len(lines) > 2 and _COLUMN_NAMES.fullmatch(lines[0]):
        lines = lines[1:]
    rows = [line for line in lines if set(line) - {*"|-:=+ "}]
    inside = {bar for line in rows for bar in re.findall(r"\|+", line.strip(" |"))}
    bars = inside or {bar for line in rows for bar in re.findall(r"\|+", line)}
    if bars and all(len(bar) % 2 == 0 for bar in bars):
        lines = [line.replace("||", "|") for line in lines]
    yield lines


def _without_labels(lines: Lines) -> Iterator[Lines]:
    """Without the label that each line begins with: numbers or letters in succession."""
    for pattern in _LABELS:
        if (rest := _labelled(lines, pattern)) is not None:
            yield rest
            return
    glued = _labelled(lines, _GLUED)
    if glued is not None and len(lines) > 3:
        # The point may be a cell.
        yield from _likely([f".{line}" for line in glued], glued)
        return
    yield lines
    names = cells.BARS.sub(" ", lines[0]).split()
    columns = len(names) if len(names) > 2 and _in_order(names) else 0
    body = [line for line in lines[columns > 0 :] if not _BORDER.match(line)]
    rest = _labelled(body, _BARE, is_first=True)
    if rest and (not columns or {*map(cells.number_of, rest)} <= {columns, 2 * columns - 1}):
        labels = {line.strip()[0] for line in body}
        if columns or not labels <= {"0", "1"}:
            are_apart = cells.number_of(rest[0]) == columns or not columns
            between = {mark for line in rest for mark in line.strip()[1::2]}
            if are_apart or len(between) == 1:
                yield rest if are_apart else [line.strip()[::2] for line in rest]


def _in_order(labels: Sequence[str], *, is_first: bool = True) -> bool:
    """Whether labels are numbers or letters in succession, with `is_first` from the first on."""
    first = labels[0]
    if is_first and first not in ("0", "1", "A", "a"):
        return False
    if first.isdecimal():
        return list(labels) == [str(int(first) + k) for k in range(len(labels))]
    return list(labels) == [chr(ord(first) + k) for k in range(len(labels))]


def _labelled(lines: Lines, pattern: str, *, is_first: bool = False) -> Lines | None:
    matches = [re.match(pattern, line, re.IGNORECASE) for line in lines]
    found = [match for match in matches if match]
    if len(lines) < 2 or len(found) < len(lines):
        return None
    if not _in_order([match["label"].lower() for match in found], is_first=is_first):
        return None
    rest = [line[match.end() :] for line, match in zip(lines, found, strict=True)]
    if len({*map(cells.number_of, rest)}) == 1:
        rest = [line.lstrip(" ") for line in rest]  # No blank is an open cell.
    return rest if all(map(str.strip, rest)) else None


def _without_mark(lines: Lines, pattern: re.Pattern[str]) -> Iterator[Lines]:
    """Without the mark that each line begins or ends with, if it is no column of cells."""
    matches = [pattern.search(line) for line in lines]
    found = [match for match in matches if match]
    if len(lines) < 2 or len(found) < len(lines) or len({match[1] for match in found}) != 1:
        yield lines
        return
    mark = found[0][1]
    rest = [
        line[: match.start()] + line[match.end() :]
        for line, match in zip(lines, found, strict=True)
    ]
    words = {word for line in rest for word in cells.words(line)}
    if not all(map(str.strip, rest)):
        yield lines
    elif not cells.is_mark(mark):
        yield rest
    elif any(mark in word and cells.word(word) != "-1" for word in words):
        yield lines
    elif len({cells.word(word) or mark for word in words for mark in word}) > 2:
        yield rest  # They have a symbol for open cells, which is another one.
    else:
        yield from _likely(lines, rest)


def _likely(*ways: Lines) -> Iterator[Lines]:
    """Those of the ways that have an even number of cells in each row; all if none has."""
    even = [way for way in ways if cells.number_of(way[0]) % 2 == 0]
    yield from even or ways


def _without_head(lines: Lines) -> Iterator[Lines]:
    """Without the head that Markdown demands of a table: it is empty, or has names of columns."""
    is_table = len(lines) > 2 and "|" in lines[0] and _HEAD_RULE.fullmatch(lines[1])
    names = [cells.word(name) for name in lines[0].split("|")]
    is_named = any(name is None or not cells.is_mark(name) for name in names)
    if not is_table or (set(lines[0]) - {*"| "} and not is_named):
        yield lines
        return
    body = lines[2:]
    yield body
    if is_named:
        return
    if len(body) != len(body[0].strip().strip("|").split("|")):
        yield [lines[0], *body]


def may_be_ruled(lines: Sequence[str]) -> bool:
    """Whether some lines are dashes, and others have no dash, or each other line is dashes."""
    places = {k for k, line in enumerate(lines) if _RULE.fullmatch(line)}
    has_rows = any("-" not in line for line in lines)
    is_frame = {0, len(lines) - 1} <= places and len(lines) != len(lines[0])
    return bool(places) and (_is_between(places, len(lines)) or has_rows or is_frame)


def may_be_dashed(row: str) -> bool:
    """Whether each second character of a row is a dash, which may be between cells."""
    return len(row) > 4 and len(row) % 2 == 1 and set(row[1::2]) == {"-"}


def _is_between(places: set[int], number: int) -> bool:
    """Whether these are every other line, and perhaps more."""
    return any(places >= {*range(first, number, 2)} for first in (0, 1)) and number > 2


def _rules(lines: Lines) -> Iterator[Lines]:
    """Without rules of dashes, where dashes are no cells; a row of open cells looks alike."""
    places = [k for k, line in enumerate(lines) if _RULE.fullmatch(line)]
    others = [line for k, line in enumerate(lines) if k not in places]
    rows = [line for line in others if not _BORDER.match(line)]
    is_dashed = all(may_be_dashed(line.strip()) for line in lines)
    is_dashed &= not any(set(line) & {*"._?·"} for line in rows)
    if is_dashed or not places or not rows or any(_is_no_row(lines[k], rows) for k in places):
        yield lines
        return
    # Dashes in the rows are open cells too, or else -1.
    is_open = not any(cells.word(word) == "-1" for row in others for word in cells.words(row))
    as_rows = [
        line.replace("-", ".") if is_open or k in places else line for k, line in enumerate(lines)
    ]
    is_frame = {0, len(lines) - 1} <= set(places) or _is_between(set(places), len(lines))
    marks = {mark for line in others for mark in line} - {*"| "}
    if all(may_be_dashed(line.strip()) for line in others) and marks & {*".?_·"}:
        marks -= {"-"}  # The dashes are between cells.
    if not is_frame and "-" in marks:
        yield as_rows
    elif is_frame and "-" not in marks and marks & set(".?_·"):
        yield others
    elif "-" in marks:
        yield from (others, as_rows)
    else:
        ways = (others, as_rows)
        yield from [way for way in ways if len(way) % 2 == 0] or ways


def _is_no_row(rule: str, rows: Lines) -> bool:
    """Whether a rule has not as many dashes as the rows have cells, or not in the same fields."""
    length = len(rule.strip().strip("|"))
    inside = [row.strip().strip("|") for row in rows]
    return any(len(row) != length for row in inside) or (
        {len(field) for field in rule.strip("| ").split("|")} != {1}
        and any("|" in row for row in inside)
        and not any(len(field.strip()) > 1 for row in inside for field in row.split("|"))
    )


_STEPS: tuple[Callable[[Lines], Iterator[Lines]], ...] = (
    *(_without_syntax, _without_head, _without_labels),
    *(partial(_without_mark, pattern=pattern) for pattern in (_LIST_MARK, LAST_MARK)),
    _rules,
)
"""What may surround the rows, from the outside in. Each step leaves it out, in one or more ways."""
