"""Write compact results as lines, as rows of a table or as NDJSON, column by column.

Each record consists of the same columns: a solution, a verdict, an id. A column is an array of
slices for all records, so that compiled code joins them without an object per puzzle. The texts are
those that `reports` writes for the records.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import orjson

from binairo_cp.batch import compact_tables
from binairo_cp.batch.compact_columns import (
    Flags,
    begins,
    choose,
    contains_any,
    ids_or_numbers,
    pairs_of_differences,
    same,
)
from binairo_cp.batch.compact_results import Group
from binairo_cp.batch.reports import one_word
from binairo_cp.batch.tables import Output, Table
from binairo_cp.formats.schema import RESULT_VERSION, ResultRecord
from binairo_cp.formats.slices import Numbers, Slices, copy, decimals, starts_of

_ESCAPED = '"\\'


def written(
    groups: Sequence[Group],
    others: Mapping[int, bytes],
    first: int,
    output: Output,
    to_text: Callable[[ResultRecord], str],
) -> memoryview:
    """The texts of all puzzles of a block in UTF-8, in the order of their lines.

    Args:
        groups: the compact results.
        others: the texts of the other puzzles, by line.
        first: the number of the first puzzle of the block in its source.
        output: the format.
        to_text: writes a record in this format.
    """
    other_lines = np.fromiter(others, np.int64, len(others))
    lines = [*(group.puzzles.lines for group in groups), other_lines]
    # The rank of each puzzle, and then where its text begins, by line.
    ranks = np.zeros(max(int(each.max(initial=0)) for each in lines) + 1, np.int64)
    for each in lines:
        ranks[each] = 1
    ranks = np.cumsum(ranks) - 1
    texts = [
        _columns(group, first + ranks[group.puzzles.lines], output, to_text) for group in groups
    ]
    texts.append([Slices.of(list(others.values()))])
    lengths = np.zeros(len(ranks), np.int64)
    for each, columns in zip(lines, texts, strict=True):
        for column in columns:
            lengths[each] += column.lengths
    places = starts_of(lengths)
    text = np.empty(int(lengths.sum()), np.uint8)
    for each, columns in zip(lines, texts, strict=True):
        for column, begin in zip(columns, begins(columns, places[each]), strict=True):
            copy(column, text, begin)
    return text.data


def _columns(
    group: Group, numbers: Numbers, output: Output, to_text: Callable[[ResultRecord], str]
) -> list[Slices]:
    if output == "line":
        return _lines(group, numbers)
    if output == "ndjson":
        return _records(group, numbers)
    if isinstance(output, Table):
        return compact_tables.rows(group, numbers, output)
    # Text is for readers, so it is written record by record.
    records = (group.fields(k, number) for k, number in enumerate(numbers.tolist()))
    return [Slices.of([to_text(ResultRecord.model_validate(each)).encode() for each in records])]


def _lines(group: Group, numbers: Numbers) -> list[Slices]:
    """The columns of the line format: ``solution verdict id``.

    Args:
        group: the results.
        numbers: the numbers of the puzzles in their source.
    """
    kind = np.minimum(group.found, 2)
    has_solution = kind > 0
    columns = [Slices.rows(group.solutions[0]).only(has_solution)]
    if group.verb == "count":
        dash = choose(["- ", " "], has_solution)
        after = choose(["+ ", " "], group.is_complete)
        columns += [dash, decimals(group.found), after]
    elif group.grades:
        words = [f" {one_word(each['level'])} " if each else "" for each in group.grades]
        verdicts = [f"{'' if k else '-'} {verdict} " for k, verdict in enumerate(group.verdicts)]
        texts = [
            (word or verdicts[kind]).encode()
            for word, kind in zip(words, kind.tolist(), strict=True)
        ]
        columns.append(Slices.of(texts))
    else:
        none, one, several = group.verdicts
        columns.append(choose([f"- {none} ", f" {one} ", f" {several} "], kind))
    return [*columns, *ids_or_numbers(group.puzzles.ids, numbers), same("\n", group)]


def _records(group: Group, numbers: Numbers) -> list[Slices]:
    """The columns of NDJSON; the arguments are those of `_lines`."""
    puzzles = group.puzzles
    _, height, width = puzzles.clues.shape
    kind = np.minimum(group.found, 2)
    source = orjson.dumps(group.source).decode()
    columns = [
        same(f'{{"schema_version":{RESULT_VERSION},"id":"', group),
        *ids_or_numbers(_escaped(puzzles.ids), numbers),
        same(f'","source":{source},"line":', group),
        decimals(group.line + puzzles.lines),
        same(f',"height":{height},"width":{width},"clues":"', group),
        Slices.rows(puzzles.clues),
    ]
    if puzzles.signs:
        columns += [same('","signs":', group), Slices.of(list(map(orjson.dumps, puzzles.signs)))]
    rules = orjson.dumps(group.rules).decode()
    begin = f'{"" if puzzles.signs else chr(34)},"rules":{rules},"verdict":'
    none, one, several = group.verdicts
    columns += [
        choose(
            [
                f'{begin}"{none}"',
                f'{begin}"{one}","solution":"',
                f'{begin}"{several}","solution":"',
            ],
            kind,
        ),
        Slices.rows(group.solutions[0]).only(kind > 0),
    ]
    if len(group.solutions) > 1 and (kind == 2).any():
        columns += _second_solution(group, kind == 2)
    else:
        columns.append(choose(["", '"'], kind > 0))
    columns += [same(',"count":', group), decimals(group.found)]
    columns.append(
        choose([',"complete":false,"stopped_by":"limit"', ',"complete":true'], group.is_complete)
    )
    if group.grades:
        columns.append(Slices.of([_grade(each) for each in group.grades]))
    seconds = orjson.dumps(group.seconds).decode()
    columns.append(same(f',"backend":"{group.backend}","seconds":{seconds}}}\n', group))
    return columns


def _second_solution(group: Group, has_second: Flags) -> list[Slices]:
    """The columns from the end of the first solution to the end of the differences."""
    kind = np.minimum(group.found, 2)
    return [
        choose(["", '"', '","second_solution":"'], kind),
        Slices.rows(group.solutions[1]).only(has_second),
        choose(["", '","differences":['], has_second),
        pairs_of_differences(group, has_second),
        choose(["", "]"], has_second),
    ]


def _grade(fields: dict[str, Any] | None) -> bytes:
    return b',"grade":' + orjson.dumps(fields) if fields else b""


def _escaped(ids: Slices) -> Slices:
    """Printable ids as they are between the quotes of a JSON string."""
    if not ids.lengths.any():
        return ids
    if not contains_any(ids, _ESCAPED):
        return ids
    return Slices.of([orjson.dumps(id.decode())[1:-1] for id in ids.tolist()])
