"""Read, write and convert puzzles, and describe the records of their results."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain, islice
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, TypeGuard

from binairo_cp.errors import ArgumentError, OptionError
from binairo_cp.features.arguments import (
    Name,
    PuzzleLike,
    RulesLike,
    entries_of,
    names_of,
    path_of,
    rules_of,
    several,
    suffix_of,
)
from binairo_cp.features.feature import Option, checked, feature
from binairo_cp.features.options import (
    OUTPUT,
    SIZE_HELP,
    SYMBOLS_HELP,
    RulesOption,
)
from binairo_cp.formats import AUTO, FORMATS, Entry
from binairo_cp.puzzle.rules import Puzzle
from binairo_cp.solving.solutions import Outcome

if TYPE_CHECKING:
    from binairo_cp.batch.outcomes import Outcomes

    PuzzleFormat: TypeAlias = str
    FormatName: TypeAlias = str
else:
    # The names are those of the table, which a static analyser can't read.
    PuzzleFormat = Literal[tuple(FORMATS)]
    FormatName = Literal[(AUTO, *FORMATS)]

Puzzles = Annotated[
    PuzzleLike | Iterable[PuzzleLike],
    "One or several puzzles. The ids of entries and generated puzzles are kept. The outcomes of "
    "`check`, `check_many` and the like become result records in NDJSON and Parquet, and "
    "puzzles in other formats.",
]


@feature()
def read(
    sources: Annotated[
        Name | Iterable[Name],
        "One or several files, folders or glob patterns; ``-`` is standard input.",
    ],
    *,
    format: Annotated[FormatName, Option("Format; auto detects it for each file.")] = "auto",
    size: Annotated[str | int | None, SIZE_HELP] = None,
    symbols: Annotated[str | None, SYMBOLS_HELP] = None,
    rules: RulesOption = None,
    errors: Annotated[
        Literal["raise", "keep"],
        Option("Raise the first error, or keep each as an entry without a puzzle."),
    ] = "raise",
) -> list[Entry]:
    """Read puzzles from files.

    >>> import binairo_cp as bn
    >>> entries = bn.read("instances/classic/06x06-hard.txt")
    >>> len(entries), entries[0].id, entries[0].puzzle.board.height
    (5, 'classic-6x6-hard-1', 6)

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

    checked(read, locals())
    stated = formats.stated(format, size, symbols)
    entries = []
    for entry in formats.read_sources(names_of(sources, "sources"), stated, rules_of(rules)):
        if entry.error and errors == "raise":
            raise entry.error
        entries.append(entry)
    return entries


@feature()
def write(
    puzzles: Puzzles,
    out: Annotated[Name, "The file; ``.gz`` at the end compresses it."],
    *,
    to: Annotated[
        PuzzleFormat | None, Option("Format.", absent="the one that the ending of `out` stands for")
    ] = None,
    rules: RulesOption = None,
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

    Raises:
        FormatError: the format can't express a puzzle.
        OptionError: neither `to` nor the ending of `out` names a format.
        SourceError: the file can't be written.
    """
    from binairo_cp.formats.output_files import open_output
    from binairo_cp.formats.results import ResultRecord
    from binairo_cp.formats.schema import PuzzleRecord

    name = path_of(out)
    to = to or _format_of(name)
    checked(write, locals())
    values = _results_or_puzzles(puzzles)
    record = ResultRecord if _are_results(values) else PuzzleRecord
    with open_output(name, record if to == "ndjson" else None) as put:
        for text in _texts(values, to, rules):
            put(text)


@feature(
    examples=(
        "[bold]binairo convert puzzles.txt --to ndjson --out puzzles.ndjson[/]",
        "[bold]echo 10x10u:... | binairo convert - --to text[/]",
    )
)
def convert(
    puzzles: Puzzles,
    *,
    to: Annotated[PuzzleFormat, Option("Format of the output.", panel=OUTPUT)] = "text",
    rules: RulesOption = None,
) -> str:
    """Convert puzzles to another format.

    >>> import binairo_cp as bn
    >>> bn.convert("1..0 .... ..1. ....", to="task")
    '1b0f1e\\n'

    Raises:
        FormatError: the format can't express a puzzle.
        OptionError: there is no such format.
        BinairoError: as in `solve`.
    """
    checked(convert, locals())
    return "".join(_texts(_results_or_puzzles(puzzles), to, rules))


def _results_or_puzzles(
    values: PuzzleLike | Iterable[PuzzleLike],
) -> Outcomes | PuzzleLike | Iterable[PuzzleLike]:
    """The same puzzles; single outcomes, or several, as `Outcomes`."""
    if isinstance(values, str | Puzzle) or _are_results(values):
        return values
    given = several(values)
    begin = list(islice(given, 1))
    kinds: tuple[type, ...] = (Outcome,)
    if module := sys.modules.get(_OUTCOMES):
        kinds = (Outcome, module.Failure)
    if not begin or not isinstance(begin[0], kinds):
        return chain(begin, given)
    from binairo_cp.batch.outcomes import Failure, Outcomes

    results: list[Any] = [*begin, *given]
    for result in results:
        if not isinstance(result, Outcome | Failure):
            raise ArgumentError.of("puzzles", "outcomes or puzzles, not both", result)
    return Outcomes.of(results)


_OUTCOMES = "binairo_cp.batch.outcomes"
"""It loads numpy, which a single puzzle does without. Whoever has its objects has loaded it."""


def _are_results(values: object) -> TypeGuard[Outcomes]:
    module = sys.modules.get(_OUTCOMES)
    return module is not None and isinstance(values, module.Outcomes)


def _texts(
    puzzles: PuzzleLike | Iterable[PuzzleLike], format: PuzzleFormat, rules: RulesLike | None
) -> Iterator[str]:
    from binairo_cp import formats
    from binairo_cp.json_library import orjson

    if format == "ndjson" and _are_results(puzzles):
        return (f"{orjson.dumps(record).decode()}\n" for record in puzzles.to_records())
    return formats.write(entries_of(puzzles, rules), format)


def _format_of(name: str) -> PuzzleFormat:
    suffix = suffix_of(name)
    for format, row in FORMATS.items():
        if suffix in row.suffixes:
            return format
    raise OptionError("to", f"is needed, because {name} does not name a format by its ending")


def unnumbered(entries: Iterable[Entry]) -> Iterator[Entry]:
    """Remove ids that are only the number of the puzzle; readers number puzzles anyway."""
    numbers: Counter[str] = Counter()
    for entry in entries:
        numbers[entry.source] += 1
        yield replace(entry, id=None) if entry.id == str(numbers[entry.source]) else entry


Record = Literal["result", "puzzle", "manifest", "verification"]


@feature()
def schema(
    record: Annotated[
        Record,
        Option(
            "The record: a result, an input puzzle, the manifest of a certificate, or the output "
            "of verify.",
            is_positional=True,
        ),
    ] = "result",
) -> dict[str, Any]:
    """Show the JSON Schema of a kind of record.

    >>> import binairo_cp as bn
    >>> bn.schema("puzzle")["title"]
    'PuzzleRecord'

    Raises:
        OptionError: there is no such record.
    """
    # Imported here, because they load pydantic.
    from binairo_cp.certificates.record import Manifest
    from binairo_cp.formats import results
    from binairo_cp.formats.schema import PuzzleRecord, adapter

    checked(schema, locals())
    inputs = {"puzzle": PuzzleRecord, "manifest": Manifest}
    model = inputs.get(record) or getattr(results, f"{record.title()}Record")
    described: dict[str, Any] = adapter(model).json_schema()
    return described
