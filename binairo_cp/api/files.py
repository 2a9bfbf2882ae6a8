"""Read, write and convert puzzles; merge and compare files of results."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from binairo_cp.errors import ArgumentError, OptionError
from binairo_cp.features.arguments import (
    PuzzleLike,
    RulesLike,
    path_of,
    puzzle_of,
    request,
    rules_of,
    several,
)
from binairo_cp.solving.solutions import Outcome

if TYPE_CHECKING:
    from binairo_cp.api.outcomes import Outcomes
    from binairo_cp.features.options import PuzzleFormat
    from binairo_cp.formats import Entry

Name = str | os.PathLike[str]


def read(
    sources: Name | Iterable[Name],
    *,
    format: Literal["auto"] | PuzzleFormat = "auto",
    size: str | int | None = None,
    symbols: str | None = None,
    rules: RulesLike | None = None,
    errors: Literal["raise", "keep"] = "raise",
) -> list[Entry]:
    """Read puzzles from files.

    >>> import binairo_cp as bn
    >>> entries = bn.read("instances/classic/06x06-hard.txt")
    >>> len(entries), entries[0].id, entries[0].puzzle.board.height
    (5, 'classic-6x6-hard-1', 6)

    Args:
        sources: one or several files, folders or glob patterns; ``-`` is standard input.
        format: the format; ``auto`` detects it for each file.
        size: the size of the boards, such as 6 or ``4x6``, if the text does not show it.
        symbols: the symbols of 0, of 1 and of open cells, such as ``12.``, if the text does not
            show which is which.
        rules: classic, unruly, plus or tango, or `Rules`, for puzzles that do not name their own
            (default: plus for puzzles with signs, otherwise classic).
        errors: ``raise`` the first error, or ``keep`` each as an entry without a puzzle.

    Returns:
        The entries. All functions take an `Entry` in place of a `Puzzle`.

    Raises:
        SourceError: a file can't be read, or has no puzzle.
        FormatError: a puzzle can't be read; the error has the file, the line and the column.
        OptionError: there is no such format, or no such rules, the size or the symbols are not
            valid, or a name is empty.
    """
    # Imported here and below, because the readers load pydantic.
    from binairo_cp import formats

    if errors not in ("raise", "keep"):
        raise OptionError("errors", f"expected raise or keep, not {errors!r}")
    if format != "auto":
        try:
            request("convert", to=format)
        except OptionError as error:
            raise OptionError("format", error.message) from None
    stated = formats.stated(format, size, symbols)
    entries = []
    for entry in formats.read_sources(_names(sources, "sources"), stated, rules_of(rules)):
        if entry.error and errors == "raise":
            raise entry.error
        entries.append(entry)
    return entries


def write(
    puzzles: PuzzleLike | Iterable[PuzzleLike],
    out: Name,
    *,
    to: PuzzleFormat | None = None,
    rules: RulesLike | None = None,
) -> None:
    """Write puzzles or results to a file, which appears only when it is complete.

    >>> import pathlib, tempfile
    >>> import binairo_cp as bn
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> puzzles = ["..1....0..10.0..", "1..0......1....."]
    >>> bn.write(puzzles, folder / "puzzles.line")
    >>> bn.write(bn.check_many(puzzles), folder / "results.ndjson")
    >>> [len(bn.read(folder / name)) for name in ("puzzles.line", "results.ndjson")]
    [2, 2]

    Args:
        puzzles: one or several puzzles. The ids of entries and generated puzzles are kept. The
            outcomes of `check`, `check_many` and the like become result records in NDJSON and
            Parquet, which `merge` and `diff` read, and puzzles in other formats.
        out: the file; ``.gz`` at the end compresses it.
        to: the format; None for the one that the ending of `out` stands for.
        rules: classic, unruly, plus or tango, or `Rules`, for puzzles that do not name their own
            (default: plus for puzzles with signs, otherwise classic).

    Raises:
        FormatError: the format can't express a puzzle.
        OptionError: neither `to` nor the ending of `out` names a format.
        SourceError: the file can't be written.
    """
    from binairo_cp.api.outcomes import Outcomes
    from binairo_cp.formats.output_files import open_output
    from binairo_cp.formats.schema import PuzzleRecord, ResultRecord

    name = path_of(out)
    chosen = to or _format_of(name)
    values = _results_or_puzzles(puzzles)
    texts = _texts(values, chosen, rules)
    record = ResultRecord if isinstance(values, Outcomes) else PuzzleRecord
    with open_output(name, record if chosen == "ndjson" else None) as put:
        for text in texts:
            put(text)


def convert(
    puzzles: PuzzleLike | Iterable[PuzzleLike],
    *,
    to: PuzzleFormat = "text",
    rules: RulesLike | None = None,
) -> str:
    """Write puzzles or results in a format, as text, as `write` does.

    >>> import binairo_cp as bn
    >>> bn.convert("1..0 .... ..1. ....", to="task")
    '1b0f1e\\n'

    Args:
        puzzles: one or several puzzles or outcomes.
        to: text, line, ndjson, json, task (a game id), unruly, janko, csv or symbols.
        rules: classic, unruly, plus or tango, or `Rules`, for puzzles that do not name their own
            (default: plus for puzzles with signs, otherwise classic).

    Raises:
        FormatError: the format can't express a puzzle.
        OptionError: there is no such format.
        BinairoError: as in `solve`.
    """
    return "".join(_texts(_results_or_puzzles(puzzles), to, rules))


def merge(
    results: Name | Iterable[Name],
    *,
    one_per_puzzle: bool = False,
    out: Name | None = None,
) -> list[dict[str, Any]]:
    """Merge files of result records, in the order given.

    >>> import pathlib, tempfile
    >>> import binairo_cp as bn
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> for number, puzzle in enumerate(["..1....0..10.0..", "1..0......1....."]):
    ...     bn.write(bn.check(puzzle), folder / f"{number}.ndjson")
    >>> [record["verdict"] for record in bn.merge(f"{folder}/*.ndjson")]
    ['unique', 'multiple']

    Args:
        results: files, folders or glob patterns (NDJSON or Parquet).
        one_per_puzzle: keep only the most informative record of each puzzle.
        out: write the records to this file (NDJSON or Parquet).

    Returns:
        The records; an empty list if they are written to `out`.

    Raises:
        FormatError: a line is not a result record.
        Disagreement: two records contradict each other.
        OptionError: `out` has another ending.
        SourceError: a file can't be read or written.
    """
    import orjson

    from binairo_cp.batch.results import files
    from binairo_cp.batch.results import merge as merging
    from binairo_cp.batch.results.files import RaisedErrors

    names, errors = _names(results, "results"), RaisedErrors()
    if out is not None:
        name = path_of(out)
        if _suffix(name) not in files.SUFFIXES:
            endings = ", ".join(sorted(files.SUFFIXES))
            raise OptionError("out", f"{name} does not end in one of {endings}")
        merging.merge_files(names, name, one_per_puzzle, quiet=True, errors=errors)
        return []
    return [orjson.loads(each.raw) for each in merging.merged(names, one_per_puzzle, errors)]


def diff(
    first: Name,
    second: Name,
    *,
    field: str | Sequence[str] = (),
) -> list[dict[str, Any]]:
    """Compare two files of result records.

    >>> import pathlib, tempfile
    >>> import binairo_cp as bn
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> files = [folder / "1.ndjson", folder / "2.ndjson"]
    >>> for file, backend in zip(files, ["pysat", "bitboard"]):
    ...     bn.write(bn.check("..1....0..10.0..", backend=backend), file)
    >>> len(bn.diff(*files)), len(bn.diff(*files, field="backend"))
    (0, 1)

    Args:
        first: a file, a folder or a glob pattern.
        second: what to compare it with.
        field: the names of the fields to compare, such as ``grade.hardest``. By default: verdicts,
            exact counts, grade levels, and the solutions of unique puzzles.

    Returns:
        A record for each puzzle whose results differ.

    Raises:
        FormatError: a line is not a result record.
        SourceError: a file can't be read.
    """
    from binairo_cp.batch.results import diff as comparing
    from binairo_cp.batch.results import files
    from binairo_cp.batch.results.files import RaisedErrors

    report = RaisedErrors().report
    names = (path_of(first, "first"), path_of(second, "second"))
    fields = [field] if isinstance(field, str) else list(field)
    sides = (files.read(files.files([name]), report) for name in names)
    changes = (comparing.difference(pair, fields) for pair in comparing.pairs(*sides))
    return [change.model_dump(mode="json", exclude_none=True) for change in changes if change]


def schema(
    record: Literal["result", "puzzle", "manifest", "verification", "difference"] = "result",
) -> dict[str, Any]:
    """Return the JSON Schema of a kind of record.

    >>> import binairo_cp as bn
    >>> bn.schema("puzzle")["title"]
    'PuzzleRecord'

    Raises:
        OptionError: there is no such record.
    """
    from binairo_cp.commands import schemas

    return schemas.schema(record)


def _results_or_puzzles(
    values: PuzzleLike | Iterable[PuzzleLike],
) -> Outcomes | PuzzleLike | Iterable[PuzzleLike]:
    """The same puzzles; single outcomes, or several, as `Outcomes`.

    Raises:
        ArgumentError: puzzles follow outcomes.
    """
    from binairo_cp.api.outcomes import Outcomes
    from binairo_cp.api.parts import Failure

    if isinstance(values, Outcomes):
        return values
    each = several(values)
    begin = list(islice(each, 1))
    if not begin or not isinstance(begin[0], Outcome | Failure):
        return chain(begin, each)
    results: list[Any] = [*begin, *each]
    for result in results:
        if not isinstance(result, Outcome | Failure):
            raise ArgumentError.of("puzzles", "outcomes or puzzles, not both", result)
    return Outcomes.of(results)


def _texts(
    puzzles: PuzzleLike | Iterable[PuzzleLike], format: PuzzleFormat, rules: RulesLike | None
) -> Iterator[str]:
    import orjson

    from binairo_cp import formats
    from binairo_cp.api.outcomes import Outcomes

    request("convert", to=format)
    if isinstance(puzzles, Outcomes) and format == "ndjson":
        return (f"{orjson.dumps(record).decode()}\n" for record in puzzles.to_records())
    return formats.write(entries_of(puzzles, rules), format)


def entries_of(
    puzzles: PuzzleLike | Iterable[PuzzleLike], rules: RulesLike | None
) -> Iterable[Entry]:
    """Puzzles with their ids, if they have any."""
    from binairo_cp.formats import Entry

    for each in several(puzzles):
        yield Entry(puzzle_of(each, rules), id=getattr(each, "id", None))


def _format_of(name: str) -> PuzzleFormat:
    from binairo_cp.formats import FORMATS

    suffix = _suffix(name)
    for format, each in FORMATS.items():
        if suffix in each.suffixes:
            return format
    raise OptionError("to", f"is needed, because {name} does not name a format by its ending")


def _suffix(name: str) -> str:
    """The ending of a name, without the ending of gzip."""
    return Path(name.removesuffix(".gz")).suffix.lower()


def _names(names: Name | Iterable[Name], what: str) -> list[str]:
    several = [names] if isinstance(names, str | os.PathLike) else names
    if not isinstance(several, Iterable):
        raise ArgumentError.of(what, "the names of files", names)
    return [path_of(each, what) for each in several]
