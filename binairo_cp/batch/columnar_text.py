"""Write columnar results as lines, as NDJSON or as rows of a table, column by column.

Each record consists of the same pieces: an id, a verdict, a solution. A column of pieces is an
array of slices for all records, so that compiled code joins them without an object per puzzle. The
texts are those that `reports` and `tables` write for the records.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from binairo_cp.batch import reports
from binairo_cp.batch.columnar import BACKEND, CASES, Group
from binairo_cp.batch.reports import Reader, one_word
from binairo_cp.batch.tables import Output, Table, text_of
from binairo_cp.deduction.techniques import LEVELS
from binairo_cp.formats import LineBlock
from binairo_cp.formats.results import RESULT_VERSION, GradeRecord, ResultRecord, record_of
from binairo_cp.json_library import orjson
from binairo_cp.kernels import deduction as kernel
from binairo_cp.puzzle.board import Board
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.puzzle.slices import (
    Numbers,
    PlainPuzzles,
    Slices,
    copy,
    decimals,
    joined,
    starts_of,
)

if TYPE_CHECKING:
    from binairo_cp.deduction.grade_arrays import GradeArray

_Piece = str | list[str] | Slices
"""A part of each record: one text for all, one for each of the `CASES`, or one for each puzzle."""


def written(
    block: LineBlock,
    groups: Sequence[Group],
    others: Mapping[int, bytes],
    output: Output,
    reader: Reader,
) -> memoryview:
    """The texts of all puzzles of a block in UTF-8, in the order of their lines. `groups` are the
    results of its plain puzzles, and `others` the texts of the others, by line.
    """
    other_lines = np.fromiter(others, np.int64, len(others))
    lines = [*(group.puzzles.lines for group in groups), other_lines]
    # The rank of each puzzle, and then where its text begins, by line.
    ranks = np.zeros(max(int(line.max(initial=0)) for line in lines) + 1, np.int64)
    for line in lines:
        ranks[line] = 1
    numbers = np.cumsum(ranks) - 1 + block.number
    texts = [_texts(block, group, numbers, output, reader) for group in groups]
    texts.append([Slices.of(list(others.values()))])
    lengths = np.zeros(len(ranks), np.int64)
    for line, columns in zip(lines, texts, strict=True):
        for column in columns:
            lengths[line] += column.lengths
    places = starts_of(lengths)
    text = np.empty(int(lengths.sum()), np.uint8)
    for line, columns in zip(lines, texts, strict=True):
        begins = places[line]
        for column in columns:
            copy(column, text, begins)
            begins = begins + column.lengths
    return text.data


def _texts(
    block: LineBlock, group: Group, numbers: Numbers, output: Output, reader: Reader
) -> list[Slices]:
    """The columns of the texts of a group; `numbers` are those of the puzzles by line."""
    rows = _ResultRows(block, group, numbers[group.puzzles.lines])
    if output == "line":
        return _columns(_line(rows), group)
    if isinstance(output, Table):
        return _table_rows(rows, output)
    columns = _columns(_record(rows), group)
    if output == "ndjson":
        return columns
    # Text is for readers, so it is written record by record.
    records = map(ResultRecord.of, map(orjson.loads, joined(columns).tolist()))
    return [_each(reports.written(record, output, group.plan.verb, reader) for record in records)]


def _columns(pieces: Iterable[_Piece], group: Group) -> list[Slices]:
    """The pieces as columns; adjacent pieces that depend only on the case are one column."""
    columns, texts = [], len(CASES) * [""]
    for piece in (*pieces, None):
        if isinstance(piece, str | list):
            own = len(CASES) * [piece] if isinstance(piece, str) else piece
            texts = [before + text for before, text in zip(texts, own, strict=True)]
            continue
        if any(texts):
            columns.append(_each(texts).take(group.cases))
            texts = len(CASES) * [""]
        if piece is not None:
            columns.append(piece)
    return columns


def _by_case(text: Callable[[int, bool], str]) -> list[str]:
    return [text(*case) for case in CASES]


def _json(value: Any) -> str:
    return orjson.dumps(value).decode()


@dataclass(frozen=True, slots=True)
class _ResultRows:
    """Results to be written.

    Attributes:
        block: where the puzzles come from.
        numbers: the numbers of the puzzles in their source.
        special: the ASCII characters that ids can't have as they are.
        escape: writes an id that has some of them.
        quote: what surrounds a value with commas.
    """

    block: LineBlock
    group: Group
    numbers: Numbers
    value: Callable[[Any], str] = _json
    special: str = '"\\'
    escape: Callable[[str], str] = lambda text: _json(text)[1:-1]
    quote: str = ""

    def ids(self) -> Iterator[Slices]:
        """The ids; the number of a puzzle that has none."""
        ids = self.group.puzzles.ids
        has_id = ids.lengths > 0
        if has_id.any():
            # Joined, because the ids as slices share the bytes of the whole block.
            if np.isin(joined([ids]).data, list(self.special.encode())).any():
                ids = _each(self.escape(id_.decode()) for id_ in ids.tolist())
            yield ids
        if not has_id.all():
            yield decimals(self.numbers).only(~has_id)


def _line(rows: _ResultRows) -> Iterator[_Piece]:
    """The pieces of the line format: ``solution verdict id``, with ``-`` without a solution."""
    group = rows.group
    yield Slices.rows(group.solutions[0]).only(group.found > 0)
    if group.plan.verb == "count":
        yield _by_case(lambda found, _: " " if found else "- ")
        yield decimals(group.found)
        yield _by_case(lambda _, is_complete: " " if is_complete else "+ ")
    else:
        verdicts = _by_case(lambda *case: f"{'' if case[0] else '-'} {group.plan.verdict(*case)} ")
        if group.grades:
            words = _each([*verdicts, *(f" {one_word(level)} " for level in LEVELS)])
            levels = group.grades.levels + len(verdicts)
            yield words.take(np.where(group.grades.has_grade, levels, group.cases))
        else:
            yield verdicts
    yield from _ResultRows(rows.block, group, rows.numbers, special="").ids()
    yield "\n"


def _record(rows: _ResultRows) -> Iterator[_Piece]:
    yield "{"
    for number, (name, field) in enumerate(_FIELDS.items()):
        if found := field(rows):
            begin, end = f'{"," * bool(number)}"{name}":', ""
            if found.is_text:
                begin, end = f'{begin}"', '"'
            yield [begin * found.is_there(*case) for case in CASES]
            yield from found.value
            yield [end * found.is_there(*case) for case in CASES]
    yield "}\n"


def _table_rows(rows: _ResultRows, table: Table) -> list[Slices]:
    def value(given: Any) -> str:
        return table.cell(text_of(given))

    special, quote = (',"', '"') if table.is_csv else ("", "")
    rows = _ResultRows(rows.block, rows.group, rows.numbers, value, special, value, quote)
    pieces: list[_Piece] = []
    for place, name in enumerate(table.columns):
        pieces.append(table.delimiter * bool(place))
        outer, _, inner = name.partition(".")
        found = None  # as for the fields that plain puzzles do not have
        if outer == "grade":
            found = _grades(rows, inner)
        elif name in _FIELDS:
            found = _FIELDS[name](rows)
        pieces += found.value if found else []
    if table.is_csv and len(table.columns) == 1:
        # An empty value that is alone in its row is quoted.
        nothing = Slices.rows(np.zeros((len(rows.group), 0), np.uint8))
        alone = joined([nothing, *_columns(pieces, rows.group)])
        pieces = [alone, Slices.of([b"", b'""']).take((alone.lengths == 0).astype(np.int64))]
    return _columns([*pieces, "\n"], rows.group)


class _Field(NamedTuple):
    """A field of each record.

    Attributes:
        value: its pieces, which are empty where it is absent.
        is_text: whether it is in quotes in JSON.
        is_there: in which of the `CASES` it is present.
    """

    value: list[_Piece]
    is_text: bool = False
    is_there: Callable[[int, bool], bool] = lambda found, is_complete: True


def _constant(rows: _ResultRows, value: Any) -> _Field:
    return _Field([rows.value(value)])


def _each(texts: Iterable[str]) -> Slices:
    return Slices.of([text.encode() for text in texts])


def _rules(puzzles: PlainPuzzles) -> str | dict[str, Any]:
    _, height, width = puzzles.clues.shape
    name = Puzzle(Board.empty(height, width), puzzles.rules).rules_name
    if name == "unruly" and puzzles.signs:
        name = "plus"
    return name or asdict(puzzles.rules)


def _has_second(group: Group) -> bool:
    return len(group.solutions) > 1 and bool((group.found > 1).any())


def _second_solution(rows: _ResultRows) -> _Field | None:
    group = rows.group
    if not _has_second(group):
        return None
    boards = Slices.rows(group.solutions[1]).only(group.found > 1)
    return _Field([boards], is_text=True, is_there=lambda found, _: found > 1)


def _differences(rows: _ResultRows) -> _Field | None:
    """The cells in which two solutions differ, as ``[[0,1],[2,3]]``."""
    group = rows.group
    if not _has_second(group):
        return None
    first, second = group.solutions
    size, width = first[0].size, first.shape[2]
    differs = np.flatnonzero((first != second) & (group.found > 1)[:, None, None])
    cells = Slices.of([f"[{k // width},{k % width}],".encode() for k in range(size)])
    texts = joined([cells.take(differs % size)])
    # The pairs of a puzzle are together. The comma after the last one is left out.
    lengths = np.bincount(differs // size, texts.lengths, len(group)).astype(np.int64)
    pairs = Slices(texts.data, starts_of(lengths), np.maximum(lengths - 1, 0))
    begin = _by_case(lambda found, _: f"{rows.quote}[" if found > 1 else "")
    end = _by_case(lambda found, _: f"]{rows.quote}" if found > 1 else "")
    return _Field([begin, pairs, end], is_there=lambda found, _: found > 1)


def _grades(rows: _ResultRows, inner: str = "") -> _Field | None:
    if not rows.group.grades:
        return None
    if rows.value is _json:
        pieces = [*_grade_records(rows.group.grades)]
        return _Field(pieces, is_there=lambda found, _: found == 1)
    # A publisher's level is absent here, and so is what is in it.
    values = (
        grade and (getattr(grade, inner, None) if inner else record_of(GradeRecord, grade))
        for grade in rows.group.grades
    )
    texts = _each("" if value in (None, ()) else rows.value(value) for value in values)
    return _Field([texts], is_there=lambda found, _: found == 1)


def _grade_records(grades: GradeArray) -> Iterator[_Piece]:
    """The pieces of the grades as JSON: nothing for puzzles that are not unique."""
    names, results, is_placed = kernel.GRADED, grades.results, grades.placed > 0
    hardest = np.where(is_placed, np.arange(1, len(names) + 1), 0).max(axis=1)
    hard = ["", *(f'"hardest":"{name}",' for name in names)]
    heads = _each(
        f'{{"level":"{level}",{hardest}"placed":{{' for level in LEVELS for hardest in hard
    )
    yield heads.take(grades.levels * len(hard) + hardest).only(grades.has_grade)
    is_next = np.zeros(len(results), np.bool_)
    for k, name in enumerate(names):
        has = is_placed[:, k]
        yield _each(["", f'"{name}":', f',"{name}":']).take(has * (1 + is_next))
        yield decimals(grades.placed[:, k]).only(has)
        is_next |= has
    rounds, left = results[:, kernel.ROUNDS], results[:, kernel.OPEN_CELLS]
    narrowest = np.where(rounds > 1, results[:, kernel.NARROWEST], 0)
    numbers = {'},"rounds":': rounds, ',"narrowest":': narrowest, ',"left":': left}
    for text, number in numbers.items():
        yield [text * (found == 1) for found, _ in CASES]
        yield decimals(number).only(grades.has_grade)
    yield _each(f',"score":{score}}}' for score in grades.scores).only(grades.has_grade)


_FIELDS: dict[str, Callable[[_ResultRows], _Field | None]] = {
    "schema_version": lambda rows: _constant(rows, RESULT_VERSION),
    "id": lambda rows: _Field([*rows.ids()], is_text=True),
    "source": lambda rows: _constant(rows, rows.block.source),
    "line": lambda rows: _Field([decimals(rows.block.piece.number + rows.group.puzzles.lines)]),
    "height": lambda rows: _constant(rows, rows.group.puzzles.clues.shape[1]),
    "width": lambda rows: _constant(rows, rows.group.puzzles.clues.shape[2]),
    "clues": lambda rows: _Field([Slices.rows(rows.group.puzzles.clues)], is_text=True),
    "signs": lambda rows: (
        _Field([_each(map(rows.value, signs))]) if (signs := rows.group.puzzles.signs) else None
    ),
    "rules": lambda rows: _constant(rows, _rules(rows.group.puzzles)),
    "verdict": lambda rows: _Field([_by_case(rows.group.plan.verdict)], is_text=True),
    "solution": lambda rows: _Field(
        [Slices.rows(rows.group.solutions[0]).only(rows.group.found > 0)],
        is_text=True,
        is_there=lambda found, _: found > 0,
    ),
    "second_solution": _second_solution,
    "differences": _differences,
    "count": lambda rows: _Field([decimals(rows.group.found)]),
    "complete": lambda _: _Field([_by_case(lambda _, is_complete: _json(is_complete))]),
    "stopped_by": lambda _: _Field(
        [_by_case(lambda _, is_complete: "" if is_complete else "limit")],
        is_text=True,
        is_there=lambda _, is_complete: not is_complete,
    ),
    "grade": _grades,
    "backend": lambda rows: _constant(rows, BACKEND),
    "seconds": lambda rows: _constant(rows, round(rows.group.seconds, 6)),
}
"""The fields of a record of a plain puzzle, in the order of `results.ResultRecord`."""
