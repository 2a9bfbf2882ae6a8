"""Merge and compare files of results."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated, Any

from binairo_cp.errors import OptionError
from binairo_cp.features.arguments import Name, names_of, path_of, suffix_of
from binairo_cp.features.feature import Option, feature
from binairo_cp.features.options import OUTPUT


@feature(
    examples=(
        "[bold]binairo merge part-*.ndjson --out all.ndjson[/]",
        "[bold]binairo merge first.ndjson again.ndjson --one-per-puzzle --out all.parquet[/]",
    )
)
def merge(
    results: Annotated[
        Name | Iterable[Name], "Files, folders or glob patterns (NDJSON or Parquet)."
    ],
    *,
    one_per_puzzle: Annotated[
        bool,
        Option(
            "Keep one record per puzzle: the most informative one, at the place of the first.",
            panel=OUTPUT,
        ),
    ] = False,
    out: Annotated[Name | None, "Write the records to this file (NDJSON or Parquet)."] = None,
) -> list[dict[str, Any]]:
    """Merge files of result records into one, in the order given.

    >>> import pathlib, tempfile
    >>> import binairo_cp as bn
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> for number, puzzle in enumerate(["..1....0..10.0..", "1..0......1....."]):
    ...     bn.write(bn.check(puzzle), folder / f"{number}.ndjson")
    >>> [record["verdict"] for record in bn.merge(f"{folder}/*.ndjson")]
    ['unique', 'multiple']

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

    names, errors = names_of(results, "results"), RaisedErrors()
    if out is not None:
        name = path_of(out)
        if suffix_of(name) not in files.SUFFIXES:
            endings = ", ".join(sorted(files.SUFFIXES))
            raise OptionError("out", f"{name} does not end in one of {endings}")
        merging.merge_files(names, name, one_per_puzzle, quiet=True, errors=errors)
        return []
    return [orjson.loads(each.raw) for each in merging.merged(names, one_per_puzzle, errors)]


@feature()
def diff(
    first: Annotated[Name, "A file, a folder or a glob pattern."],
    second: Annotated[Name, "What to compare it with."],
    *,
    field: Annotated[
        str | Sequence[str],
        "The names of the fields to compare, such as ``grade.hardest``. By default: verdicts, "
        "exact counts, grade levels, and the solutions of unique puzzles.",
    ] = (),
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

    Returns:
        A record for each puzzle whose results differ.

    Raises:
        FormatError: a line is not a result record.
        OptionError: there is no such field.
        SourceError: a file can't be read.
    """
    from binairo_cp.batch.results import diff as comparing
    from binairo_cp.batch.results import files
    from binairo_cp.batch.results.files import RaisedErrors

    report = RaisedErrors().report
    names = (path_of(first, "first"), path_of(second, "second"))
    fields = [field] if isinstance(field, str) else list(field)
    comparing.check_fields(fields)
    sides = (files.read(files.files([name]), report) for name in names)
    changes = (comparing.difference(pair, fields) for pair in comparing.pairs(*sides))
    return [change.to_dict() for change in changes if change]
